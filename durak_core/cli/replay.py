"""`durak replay`: recorded games, bout by bout and move by move."""

from __future__ import annotations

import sys
from pathlib import Path

import click
from rich.console import Console
from rich.text import Text

from durak_core.cli.output import console
from durak_core.cli.replay_lines import ReplayLines
from durak_core.errors import RecordError
from durak_core.game.files import choose_records
from durak_core.game.record import Record


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--game", type=click.IntRange(min=1), metavar="N", help="Only the Nth game of the file.")
@click.option("--ply", type=click.IntRange(min=0), metavar="N", help="Only the position after N moves.")
@click.option("--step", is_flag=True, help="On a terminal, wait for Enter after every move.")
@click.option("--open", "all_cards", is_flag=True, help="Show all cards, as is the default.")
@click.option("--seat", type=int, metavar="K", help="Show what seat K sees (rules 9).")
def replay(  # noqa: PLR0913 - an argument for each option
    file: Path, game: int | None, ply: int | None, *, step: bool, all_cards: bool, seat: int | None
) -> None:
    """Show the games of FILE, which holds game texts or games as JSON lines.

    Every move is checked against the rules; a game that cannot have been played is refused.
    """
    if all_cards and seat is not None:
        raise click.UsageError("--open and --seat exclude each other")
    records = choose_records(file, game)
    if ply is not None and len(records) > 1:
        raise click.UsageError(f"{file} holds {len(records)} games: say with --game whose ply is meant")
    waits = step and sys.stdin.isatty() and sys.stdout.isatty()
    out = console()
    for record in records:
        if ply is None:
            _show_game(out, record, seat, waits=waits)
        else:
            _show_position(out, record, seat, ply)


def _show_game(out: Console, record: Record, seat: int | None, *, waits: bool) -> None:
    lines = ReplayLines(record, seat)
    _print(out, lines.head())
    states = record.replay()
    _print(out, lines.bout(states[0]))
    for ply, state in enumerate(states[1:], 1):
        _print(out, lines.move(ply, states[ply - 1], state))
        if waits and not sys.stdin.readline():
            waits = False
    _print(out, [Text(lines.ending(states[-1])), Text()])


def _show_position(out: Console, record: Record, seat: int | None, ply: int) -> None:
    states = record.replay()
    if ply >= len(states):
        raise RecordError(f"the game has {len(states) - 1} moves; there is no position after {ply}")
    lines = ReplayLines(record, seat)
    _print(out, lines.position(ply, states[ply]))


def _print(out: Console, lines: list[Text]) -> None:
    for line in lines:
        out.print(line, soft_wrap=True)
