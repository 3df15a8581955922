"""`durak export`: write the decisions of recorded games as a table."""

from __future__ import annotations

import os
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
from durak_core.messages import printable

_WRITERS = {"csv": write_csv_rows, "parquet": write_parquet_rows}


@click.command()
@file_argument
@click.option(
    "--to",
    "form",
    type=click.Choice(tuple(_WRITERS)),
    help="Format of the table, by default by the suffix of --out, otherwise csv; parquet needs pyarrow.",
)
@file_option("--out", help="File to write; by default FILE with the suffix of the format.")
def export(*, file: Path, form: str | None, out: Path | None) -> None:
    """Export every decision of the games in FILE as a table.

    Columns: the game's number, ply, rules, seat, agent, observation, legal actions, chosen action, result
    for the seat (1, 0.5 for a draw, 0 for the fool), and search info as JSON for games of durak match
    --findings. FILE holds games of durak match or of the library, as JSON lines or game texts.

    Example: durak export games.jsonl --to parquet
    """
    suffix = "" if out is None else out.suffix.lower().removeprefix(".")
    if form and suffix in _WRITERS and suffix != form:
        raise click.UsageError(f"--to {form} and --out {out}: expected a name with .{form}")
    form = form or (suffix if suffix in _WRITERS else "csv")
    target = out or Path(f"{os.path.splitext(file)[0]}.{form}")  # noqa: PTH122 - a folder has no suffix to replace
    check_targets(target, inputs=[file])
    records = (record for stored in scan_games(file) for record in stored.records())
    decisions = 0

    def counted() -> Iterator[DecisionRow]:
        nonlocal decisions
        for row in decision_rows(records):
            decisions += 1
            yield row

    _WRITERS[form](target, counted())
    click.echo(f"{decisions:,} decisions written to {printable(str(target))}")
