"""What `durak replay` prints, line by line."""

from __future__ import annotations

from typing import Final

from rich.cells import cell_len
from rich.text import Text

from durak_core.cards import Card
from durak_core.cli.output import card_text, hand_text, printable, sorted_cards
from durak_core.game.events import (
    Attacked,
    BeatenOff,
    BoutBegan,
    Defended,
    Drew,
    Event,
    GameEnded,
    Passed,
    TableTaken,
    TookUp,
    Transferred,
    TrumpShown,
    WentOut,
)
from durak_core.game.notation import write_observation, write_position
from durak_core.game.record import Record, Result
from durak_core.game.setup import checked_seat
from durak_core.game.state import State

__all__ = ["ReplayLines"]

_INDENT: Final = "       "


class ReplayLines:
    """Puts a recorded game into lines.

    Args:
        record: The game.
        seat: Whose view, or None for all cards.

    Raises:
        DealError: If the game has no such seat.
    """

    def __init__(self, record: Record, seat: int | None) -> None:
        self._record = record
        if seat is not None:
            checked_seat(record.rules, seat)
        # In an open game every seat's view is the whole of it (rules 9.3).
        self._seat = None if record.rules.visibility == "open" else seat
        self._names = [f"seat {i} {printable(name)}".rstrip() for i, name in enumerate(record.players)]
        self._width = max(map(cell_len, self._names))

    def head(self) -> list[Text]:
        """Introduce the game: its rules, its tags, and the deal."""
        record = self._record
        seed = "" if record.seed is None else f", seed {record.seed}"
        date = f", {printable(record.date)}" if record.date else ""
        lines = [Text(f"rules {record.rules}{seed}{date}")]
        lines += [Text(f"{name}: {printable(value)}") for name, value in record.tags.items()]
        lines += self._table(record.start)
        if record.comment:
            lines.append(Text(printable(record.comment), style="italic"))
        return lines

    def bout(self, state: State) -> list[Text]:
        """Announce the bout that a state begins."""
        return [self._event(BoutBegan(state.bout, state.attacker, state.defender, state.limit))]

    def move(self, ply: int, before: State, state: State) -> list[Text]:
        """Tell of a move, of what it brought about, and of the position after it.

        Args:
            ply: Its number, from 1.
            before: The state before it.
            state: The state after it.
        """
        move = self._record.moves[ply - 1]
        news = self._events(state)[len(self._events(before)) :]
        line = Text(f"{ply:>5}. ") + self._event(news[0])
        if move.mark:
            line.append(f" {move.mark}", style="bold")
        lines = [line]
        if move.comment:
            lines.append(Text(_INDENT + printable(move.comment), style="italic"))
        # Who passed and who drew stands before the position, the next bout after it.
        later = [event for event in news if isinstance(event, BoutBegan)]
        lines += [Text(_INDENT) + self._event(event) for event in news[1:] if event not in later]
        lines += self._table(state)
        lines += [self._event(event) for event in later]
        return lines

    def position(self, ply: int, state: State) -> list[Text]:
        """Show one position, and its text for other programs."""
        phase = state.phase.name.lower().replace("_", " ")
        turn = "" if state.turn is None else f", {self._names[state.turn]} to act"
        lines = [Text(f"after {ply} moves: bout {state.bout}, {phase}{turn}"), *self._table(state)]
        text = (
            write_position(state) if self._seat is None else write_observation(state.observation(self._seat))
        )
        return [*lines, Text(text)]

    def ending(self, state: State) -> str:
        """Say how the game ended."""
        result = Result.of(state)
        if result is None:
            return f"The game breaks off after {state.plies} moves."
        ending = "The game is a draw" if result.draw else f"{self._names[result.fool or 0]} is the fool"
        return f"{ending}, after {result.bouts} bouts and {result.plies} moves."

    def _events(self, state: State) -> tuple[Event, ...]:
        return state.events if self._seat is None else state.observation(self._seat).events

    def _table(self, state: State) -> list[Text]:
        trump = state.trump_card
        line = Text(f"{_INDENT}table ")
        if state.table:
            pairs = [
                card_text(pair.defence) + Text("x") + card_text(pair.attack)
                if pair.defence
                else card_text(pair.attack)
                for pair in state.table
            ]
            line += Text(" ").join(pairs)
        else:
            line.append("empty")
        line.append(f"   talon {len(state.talon)}   gone {len(state.discards)}   trump ")
        line += card_text(trump) if trump else Text("none")
        return [line, *(self._hand(state, seat) for seat in range(state.rules.seats))]

    def _hand(self, state: State, seat: int) -> Text:
        name = self._names[seat]
        line = Text(f"{_INDENT}{name}{' ' * (self._width - cell_len(name))}  ")
        hand = state.hands[seat]
        if hand and self._seat in (None, seat):
            return line + hand_text(sorted_cards(hand, state.trump_suit))
        return line + Text(_count(len(hand)) if hand else "no cards")

    def _event(self, event: Event) -> Text:
        """Return an event in words."""
        match event:
            case BoutBegan(bout, attacker, defender, limit):
                who = f"{self._names[attacker]} attacks {self._names[defender]}"
                return Text(f"Bout {bout}: {who}, at most {_count(limit)}", style="bold")
            case GameEnded(_, stalled):
                why = (
                    f": {self._record.rules.stall_limit} taken bouts in a row (rules 8.5)" if stalled else ""
                )
                return Text(f"the game is over{why}")
            case _:
                return Text(f"{self._names[event.seat]} ") + _deed(event)


def _deed(event: Event) -> Text:
    """Return what a seat did, or what became of it."""
    line = _card_deed(event)
    match event:
        case Passed():
            line.append("passes")
        case TookUp():
            line.append("takes")
        case BeatenOff():
            line.append("has beaten off the attack")
        case WentOut(_, place):
            line.append(f"is out, place {place}")
        case TableTaken(_, cards):
            line += Text("takes up ") + hand_text(list(cards))
        case Drew(_, count, cards):
            line += Text("draws ") + (hand_text(list(cards)) if cards else Text(_count(count)))
    return line


def _card_deed(event: Event) -> Text:
    """Return how a card was played; nothing where the event is about something else."""
    match event:
        case Attacked(_, card):
            return Text("plays ") + card_text(card)
        case Defended(_, card, target):
            return Text("beats ") + card_text(target) + Text(" with ") + card_text(card)
        case Transferred(_, card, defender):
            return _handed_on("transfers with ", card, defender)
        case TrumpShown(_, card, defender):
            return _handed_on("transfers by showing ", card, defender)
        case _:
            return Text()


def _handed_on(how: str, card: Card, defender: int) -> Text:
    return Text(how) + card_text(card) + Text(f" to seat {defender}")


def _count(cards: int) -> str:
    return "1 card" if cards == 1 else f"{cards} cards"
