"""What `durak replay` prints, line by line."""

from __future__ import annotations

from typing import Final

from rich.text import Text

from durak_core.cli.game_words import GameWords
from durak_core.cli.output import card_text, printable
from durak_core.game.events import BoutBegan
from durak_core.game.notation.position_text import write_observation, write_position
from durak_core.game.record import Record, Result
from durak_core.game.state import State

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
        self._words = GameWords(record.rules, record.players, seat)

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
        return [self._words.event(BoutBegan(state.bout, state.attacker, state.defender, state.limit))]

    def move(self, ply: int, before: State, state: State) -> list[Text]:
        """Tell of a move, of what it brought about, and of the position after it.

        Args:
            ply: Its number, from 1.
            before: The state before it.
            state: The state after it.
        """
        move = self._record.moves[ply - 1]
        news = self._words.news(before, state)
        line = Text(f"{ply:>5}. ") + self._words.event(news[0])
        if move.mark:
            line.append(f" {move.mark}", style="bold")
        lines = [line]
        if move.comment:
            lines.append(Text(_INDENT + printable(move.comment), style="italic"))
        # Who passed and who drew stands before the position, the next bout after it.
        later = [event for event in news if isinstance(event, BoutBegan)]
        lines += [Text(_INDENT) + self._words.event(event) for event in news[1:] if event not in later]
        lines += self._table(state)
        lines += [self._words.event(event) for event in later]
        return lines

    def position(self, ply: int, state: State) -> list[Text]:
        """Show one position, and its text for other programs."""
        phase = state.phase.name.lower().replace("_", " ")
        turn = "" if state.turn is None else f", {self._words.names[state.turn]} to act"
        lines = [Text(f"after {ply} moves: bout {state.bout}, {phase}{turn}"), *self._table(state)]
        text = (
            write_position(state)
            if self._words.seat is None
            else write_observation(state.observation(self._words.seat))
        )
        return [*lines, Text(text)]

    def ending(self, state: State) -> str:
        """Say how the game ended."""
        result = Result.of(state)
        if result is None:
            return f"The game breaks off after {state.plies} moves."
        ending = "The game is a draw" if result.draw else f"{self._words.names[result.fool or 0]} is the fool"
        return f"{ending}, after {result.bouts} bouts and {result.plies} moves."

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
        return [line, *[Text(_INDENT) + hand for hand in self._words.hands(state)]]
