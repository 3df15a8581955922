"""A readable log of games: every bout, hand and action, with all choices and reasons."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from rich.text import Text

from durak_core.actions import Action
from durak_core.agents.base import Decision
from durak_core.cards import Suit
from durak_core.cli.game_words import GameWords
from durak_core.cli.output import sorted_cards
from durak_core.game.events import BoutBegan
from durak_core.game.state import State
from durak_core.lab.matches.game import GameSummary
from durak_core.lab.matches.match import Match
from durak_core.messages import printable
from durak_core.rules import Rules
from durak_core.search.search_result import SearchResult

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
        self._trumps = "" if state.trump_suit is None else _trump_pattern(state.trump_suit)

    def begin(self, title: str, notes: Mapping[str, str] | None = None) -> None:
        """Write a title, the rules, the deal, and notes by name."""
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
        """Write the result and an empty line."""
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


def _trump_pattern(suit: Suit) -> str:
    """Return a pattern of a suit's cards, also in a defence such as 9cx8d."""
    return rf"(?<![^\Wx])[2-9TJQKA]{suit.letter}(?![^\Wx])"


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
