"""Events, hands, tables and whole games in words, with all cards or as one seat sees them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from string import Formatter
from typing import Final, TypeAlias

from rich.cells import cell_len
from rich.text import Text

from durak_core.actions import Action
from durak_core.agents.base import Decision
from durak_core.cards import Card
from durak_core.cli.output import card_text, sorted_cards
from durak_core.game import events
from durak_core.game.events import BoutBegan, Event
from durak_core.game.observation import TablePair
from durak_core.game.state import State
from durak_core.game.state_view import checked_seat
from durak_core.lab.matches.game import GameSummary
from durak_core.lab.matches.match import Match
from durak_core.messages import printable
from durak_core.rules import Rules
from durak_core.search.search_result import SearchResult

_DEEDS: Final[dict[type, str]] = {
    events.Attacked: "plays {card}",
    events.Defended: "beats {target} with {card}",
    events.Transferred: "transfers with {card} to seat {defender}",
    events.TrumpShown: "transfers by showing {card} to seat {defender}",
    events.Passed: "passes",
    events.TookUp: "takes",
    events.Exchanged: "exchanges {given} for {taken}",
    events.BeatenOff: "has beaten off the attack",
    events.WentOut: "is out, place {place}",
    events.TableTaken: "takes up {cards}",
    events.Drew: "draws {cards}",
}
"""What a seat does in an event; the fields are the event's attributes."""


def seat_names(players: Iterable[str]) -> list[str]:
    return [f"seat {seat} {printable(name)}".rstrip() for seat, name in enumerate(players)]


class GameWords:
    """Describes events and hands.

    Args:
        seat: Whose view, or None for all cards.
        in_colour: Whether cards have symbols and colours, or the letters of docs/notation.md.

    Attributes:
        names: Each seat's name.
        seat: Whose view; None also in an open game (rules 9.3).

    Raises:
        DealError: If the game has no such seat.
    """

    def __init__(
        self, rules: Rules, players: Iterable[str], seat: int | None = None, *, in_colour: bool = True
    ) -> None:
        if seat is not None:
            checked_seat(rules, seat)
        self.seat = None if rules.visibility == "open" else seat
        self.names = seat_names(players)
        self._rules = rules
        self._in_colour = in_colour
        self._width = max(map(cell_len, self.names))

    def sees(self, seat: int) -> bool:
        return self.seat in (None, seat)

    def cards(self, cards: Iterable[Card]) -> Text:
        return Text(" ").join(map(self._card, cards))

    def hands(self, state: State) -> list[Text]:
        """Return each seat's name and hand, or only the number of cards if they are hidden."""
        lines = []
        for seat, (name, hand) in enumerate(zip(self.names, state.hands, strict=True)):
            line = Text(f"{name}{' ' * (self._width - cell_len(name))}  ")
            if hand and self.sees(seat):
                line += self.cards(sorted_cards(hand, state.trump_suit))
            else:
                line.append(_count(len(hand)) if hand else "no cards")
            lines.append(line)
        return lines

    def table(self, state: State) -> Text:
        """Return the table, the sizes of talon and discard pile, and the trump."""
        pairs = list(map(self.pair, state.table))
        trump = state.trump_card
        line = Text("table ") + (Text(" ").join(pairs) if pairs else Text("empty"))
        line.append(f"   talon {len(state.talon)}   gone {len(state.discards)}   trump ")
        return line + (self._card(trump) if trump else Text("none"))

    def pair(self, pair: TablePair) -> Text:
        attack = self.cards([pair.attack])
        return self.cards([pair.defence]) + Text("x") + attack if pair.defence else attack

    def news(self, before: State, after: State) -> tuple[Event, ...]:
        """Return the events between a state and a later one of the same game."""
        return self._events(after)[len(self._events(before)) :]

    def event(self, event: Event) -> Text:
        match event:
            case events.BoutBegan(bout, attacker, defender, limit):
                who = f"{self.names[attacker]} attacks {self.names[defender]}"
                return Text(f"Bout {bout}: {who}, at most {_count(limit)}", style="bold")
            case events.GameEnded(_, stalled):
                why = f": {self._rules.stall_limit} taken bouts in a row (rules 8.5)" if stalled else ""
                return Text(f"the game is over{why}")
            case events.Drew(seat, count, None | ()):
                return Text(f"{self.names[seat]} draws {_count(count)}")
        line = Text(f"{self.names[event.seat]} ")
        for text, field, _, _ in Formatter().parse(_DEEDS[type(event)]):
            line.append(text)
            value = getattr(event, field) if field else ""
            if isinstance(value, int | str):
                line.append(str(value))
            else:
                line += self.cards([value] if isinstance(value, Card) else value)
        return line

    def _events(self, state: State) -> tuple[Event, ...]:
        return state.events if self.seat is None else state.observation(self.seat).events

    def _card(self, card: Card) -> Text:
        return card_text(card) if self._in_colour else Text(str(card))


def _count(cards: int) -> str:
    return "1 card" if cards == 1 else f"{cards} cards"


WriteLine: TypeAlias = Callable[[Text], None]


class GameLog:
    """Writes one game, action by action, with all cards or as one seat sees it; trumps are coloured.

    Raises:
        DealError: If the game has no such seat.
    """

    def __init__(
        self, state: State, players: Sequence[str], write: WriteLine, seat: int | None = None
    ) -> None:
        self._words = GameWords(state.rules, players, seat, in_colour=False)
        self._write_text = write
        self._start = state
        self._trumps = ""
        if state.trump_suit is not None:  # also in a defence such as 9cx8d
            self._trumps = rf"(?<![^\Wx])[2-9TJQKA]{state.trump_suit.letter}(?![^\Wx])"

    def begin(self, title: str, notes: Mapping[str, str] | None = None) -> None:
        state = self._start
        seed = "" if state.seed is None else f"  deal {state.seed}"
        self._write(f"{title}  rules {state.rules}{seed}")
        for name, note in (notes or {}).items():
            if note:
                self._write(f"  {name}: {printable(note)}")
        talon = self._words.cards(state.talon) if self._words.seat is None else f"{len(state.talon)} cards"
        self._write(f"  talon {talon or 'empty'}  trump {state.trump_card or 'none'}")
        self._bout(BoutBegan(state.bout, state.attacker, state.defender, state.limit), state)

    def move(
        self, state: State, action: Action, note: str = "", search_info: SearchResult | None = None
    ) -> None:
        """Write the action of the seat to act, the reason given in a note, and the consequences."""
        seat = state.turn or 0
        why = f": {printable(note)}" if note else ""
        if state.why_not(action) is not None:  # the player refuses it with all reasons
            self._write(f"  {self._words.names[seat]} chooses {action}{why}")
            return
        after = state.apply(action)
        deed, *rest = self._words.news(state, after)
        choice = ""
        if self._words.sees(seat):
            hand = sorted_cards(state.hands[seat], state.trump_suit)
            legal = " ".join(map(str, state.legal_actions))
            choice = f"  (hand {self._words.cards(hand)}; may {legal})"
        self._write(f"  {self._words.event(deed)}{why}{choice}")
        if search_info:
            self._write(f"    searched {search_info.effort}")
            for line in search_info.lines:
                ahead = " ".join(map(str, line.continuation))
                figures = f"{search_info.value_text(line):>8}{line.visits:>7,}"
                self._write(f"    {line.action!s:8}{figures}  {ahead}".rstrip())
        for event in rest:
            if isinstance(event, BoutBegan):
                self._bout(event, after)
            else:
                self._write(f"  {self._words.event(event)}")

    def end(self, line: str) -> None:
        self._write(line)
        self._write("")

    def _write(self, line: str) -> None:
        text = Text(line)
        if self._trumps:
            text.highlight_regex(self._trumps, "bold bright_blue")
        self._write_text(text)

    def _bout(self, event: BoutBegan, state: State) -> None:
        self._write(f" {self._words.event(event)}")
        for hand in self._words.hands(state):
            self._write(f"    {hand}")


class MatchLog:
    """Writes the games of a match as they are played.

    Pass `decided` to the match as its listener, and call `ended` after each game.
    """

    def __init__(self, match: Match, write: WriteLine) -> None:
        self._match = match
        self._write = write
        self._game = 0
        self._log: GameLog | None = None

    def decided(self, state: State, decision: Decision) -> None:
        search_info = decision.search_info() if decision.search_info else None
        self._begun(state).move(state, decision.action, str(decision.reason), search_info)

    def ended(self, game: GameSummary) -> None:
        match = self._match
        log = self._log
        if log is None:  # a program failed before any decision
            log = self._begun(State.deal(match.rules, match.deal_seed(game.number), game.first_attacker))
        log.end(match_line(match, game))
        self._log = None
        self._game = game.number + 1

    def _begun(self, state: State) -> GameLog:
        if self._log is None:
            self._log = GameLog(state, self._match.seated(self._game), self._write)
            self._log.begin(f"game {self._game + 1}")
        return self._log


def match_line(match: Match, game: GameSummary) -> str:
    return result_line(game.number + 1, match.rules, match.seated(game.number), game)


def result_line(number: int, rules: Rules, players: Sequence[str], game: GameSummary) -> str:
    """Return a game's result in one line; games are numbered from 1."""
    fools = () if game.fool is None else rules.members(game.fool)
    named = " and ".join([f"{printable(players[seat])} at seat {seat}" for seat in fools])
    ending = f"fool{'s' * (len(fools) > 1)}: {named}" if fools else "draw"
    forfeit = f", forfeited: {printable(game.forfeit)}" if game.forfeit else ""
    return f"game {number}: {ending}, {game.bouts} bouts, {game.plies} plies{forfeit}"
