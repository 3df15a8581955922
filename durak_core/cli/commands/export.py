"""`durak export`: write the decisions of recorded games as a table."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from durak_core.cli.choices import file_argument, file_option
from durak_core.cli.output import check_targets
from durak_core.game.files import scan_games
from durak_core.lab.stats.decision_rows import (
    DecisionRow,
    decision_rows,
    write_csv_rows,
    write_parquet_rows,
)

_WRITERS = {"csv": write_csv_rows, "parquet": write_parquet_rows}


@click.command()
@file_argument
@click.option(
    "--to",
    "form",
    type=click.Choice(tuple(_WRITERS)),
    default="csv",
    help="Parquet needs the extra export.",
)
@file_option("--out", help="The table's file; by default FILE with the ending of its form.")
def export(*, file: Path, form: str, out: Path | None) -> None:
    """Write every decision of the games in FILE to a table, a row each.

    The columns are the game's number, the ply, the rules, the seat and its agent, what the seat could know
    (its observation's text), the legal actions and the one it chose, what came of the game for it (1, 0.5
    for a draw, 0 for the fool), and what a search found out there, as JSON, in games of durak match
    --findings. FILE holds games of durak match or of the library, as JSON lines or as game texts.

    Example: durak export games.jsonl --to parquet
    """
    target = out or file.with_suffix(f".{form}")
    check_targets(target)
    records = (record for stored in scan_games(file) for record in stored.records())
    decisions = 0

    def counted() -> Iterator[DecisionRow]:
        nonlocal decisions
        for row in decision_rows(records):
            decisions += 1
            yield row

    _WRITERS[form](target, counted())
    click.echo(f"{decisions:,} decisions written to {target}")
