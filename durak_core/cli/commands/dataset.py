"""`durak dataset`: write the data set of games."""

from __future__ import annotations

from pathlib import Path

import click

from durak_core.cli.choices import IntegerRange, WorkersChoice, workers_options
from durak_core.cli.output import progress
from durak_core.extras import require
from durak_core.lab.experiments.dataset import DATASET, SHARDS, DataSet, write_dataset


@click.command()
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    required=True,
    metavar="FOLDER",
    help="Folder of the data set; complete files in it are kept.",
)
@click.option(
    "--shards",
    type=IntegerRange(1, SHARDS),
    default=SHARDS,
    help="Number of shards; with fewer than all, the data set is a trial.",
)
@workers_options
def dataset(*, out: Path, shards: int, workers: WorkersChoice) -> None:
    """Write a million games of mixed agents to a folder, as Parquet.

    20,000 of the games have search info. There are fixed splits for training, validation and test, and a card
    with licence, columns and digest. The same command continues after any interruption, and the digest does
    not depend on the number of processes. It needs the extra export.

    Example: durak dataset --out games --jobs 0
    """
    require("Parquet", "export", "pyarrow")  # fail before the heading
    planned = DataSet(shards)
    click.echo(f"{DATASET}, {shards} of {SHARDS} shards, {shards * planned.games:,} games")
    with workers.opened() as jobs, progress(shards) as step:
        digest = write_dataset(out, planned, jobs, step)
    click.echo(f"digest {digest}")
