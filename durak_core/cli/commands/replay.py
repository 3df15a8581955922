"""`durak replay`: show recorded games, bout by bout and move by move."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Final

import click
from rich.text import Text

from durak_core.cli.app import app_module
from durak_core.cli.choices import (
    file_argument,
    file_option,
    game_option,
    one_record,
    open_option,
    ply_option,
    seat_option,
    state_after,
)
from durak_core.cli.game_words import GameWords
from durak_core.cli.output import check_targets, print_lines
from durak_core.game.events import BoutBegan
from durak_core.game.files import choose_records
from durak_core.game.notation.position_text import write_observation, write_position
from durak_core.game.record import Record, RecordResult
from durak_core.game.setup import checked_seat
from durak_core.game.state import State
from durak_core.messages import printable

_INDENT: Final = "       "
_SIZE: Final = re.compile(r"(\d{1,3})x(\d{1,3})")
_LEAST, _MOST = (40, 20), (200, 60)
"""Columns and rows of a film's terminal."""


def _read_size(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> tuple[int, int] | None:
    if value is None:
        return None
    found = _SIZE.fullmatch(value)
    size = (int(found[1]), int(found[2])) if found else (0, 0)
    if not all(low <= count <= high for low, count, high in zip(_LEAST, size, _MOST, strict=True)):
        least, most = ("x".join(map(str, bound)) for bound in (_LEAST, _MOST))
        problem = f"{value}: expected columns and rows from {least} to {most}, such as 80x24"
        raise click.BadParameter(problem, context, parameter)
    return size


@click.command()
@file_argument
@game_option(help="Only the Nth game of the file.")
@ply_option(help="Only the position after N moves.")
@click.option("--step", is_flag=True, help="In a terminal, wait for Enter after every move.")
@open_option
@seat_option
@file_option(
    "--film",
    help="Write a film of the game to FILE instead: an asciicast if it ends in .cast, otherwise an animated "
    "SVG. Needs the app durak-tui.",
)
@click.option(
    "--size",
    callback=_read_size,
    metavar="COLSxROWS",
    help="Size of the film's terminal; by default 80x24 with --seat, otherwise 120x36.",
)
def replay(  # noqa: PLR0913 - an argument for each option
    *,
    file: Path,
    game: int | None,
    ply: int | None,
    step: bool,
    seat: int | None,
    film: Path | None,
    size: tuple[int, int] | None,
) -> None:
    """Show the games of FILE move by move, or film one.

    FILE holds game texts or JSON lines, or is a game code. Every move is checked against the rules.
    """
    if film is not None:
        check_targets(film, inputs=[file])
        _film(one_record(file, game), film, seat, size)
        return
    records = choose_records(file, game)
    if ply is not None and len(records) > 1:
        raise click.UsageError(f"{file} holds {len(records)} games: say with --game whose ply is meant")
    waits = step and sys.stdin.isatty() and sys.stdout.isatty()
    for record in records:
        if ply is None:
            _show_game(record, seat, waits=waits)
        else:
            state = state_after(record.replay(), ply)
            print_lines(*_Lines(record, seat).position(ply, state))


def _film(record: Record, film: Path, seat: int | None, size: tuple[int, int] | None) -> None:
    if seat is not None:
        checked_seat(record.rules, seat)
    shooting = app_module("film.shooting", "durak replay --film")
    shooting.write_film(record, film, seat=seat, size=size)
    print_lines(f"film of {len(record.moves)} moves written to {printable(str(film))}")


def _show_game(record: Record, seat: int | None, *, waits: bool) -> None:
    lines = _Lines(record, seat)
    states = record.replay()
    print_lines(*lines.head(), lines.bout(states[0]))
    for ply, state in enumerate(states[1:], 1):
        print_lines(*lines.move(ply, states[ply - 1], state))
        if waits and not sys.stdin.readline():
            waits = False
    print_lines(lines.ending(states[-1]), "")


class _Lines:
    """The lines of a recorded game, with all cards or as one seat sees them."""

    def __init__(self, record: Record, seat: int | None) -> None:
        self._record = record
        self._words = GameWords(record.rules, record.players, seat)

    def head(self) -> list[Text]:
        """Return the rules, the tags and the deal."""
        record = self._record
        seed = "" if record.seed is None else f", seed {record.seed}"
        date = f", {printable(record.date)}" if record.date else ""
        lines = [Text(f"rules {record.rules}{seed}{date}")]
        lines += [Text(f"{name}: {printable(value)}") for name, value in record.tags.items()]
        lines += self._table(record.start)
        if record.comment:
            lines.append(Text(printable(record.comment), style="italic"))
        return lines

    def bout(self, state: State) -> Text:
        return self._words.event(BoutBegan(state.bout, state.attacker, state.defender, state.limit))

    def move(self, ply: int, before: State, state: State) -> list[Text]:
        move = self._record.moves[ply - 1]
        news = self._words.news(before, state)
        line = Text(f"{ply:>5}. ") + self._words.event(news[0])
        if move.mark:
            line.append(f" {move.mark}", style="bold")
        lines = [line]
        if move.comment:
            lines.append(Text(_INDENT + printable(move.comment), style="italic"))
        # Passes and draws come before the position, the next bout after it.
        later = [event for event in news if isinstance(event, BoutBegan)]
        lines += [Text(_INDENT) + self._words.event(event) for event in news[1:] if event not in later]
        lines += self._table(state)
        lines += [self._words.event(event) for event in later]
        return lines

    def position(self, ply: int, state: State) -> list[Text]:
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
        result = RecordResult.of(state)
        if result is None:
            return f"The game breaks off after {state.plies} moves."
        losers = [self._words.names[seat] for seat in result.fools]
        verb = "is the fool" if len(losers) == 1 else "are the fools"
        ending = f"{' and '.join(losers)} {verb}" if losers else "The game is a draw"
        return f"{ending}, after {result.bouts} bouts and {result.plies} moves."

    def _table(self, state: State) -> list[Text]:
        return [Text(_INDENT) + line for line in (self._words.table(state), *self._words.hands(state))]
