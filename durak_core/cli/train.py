"""`durak train`: learning from games."""

from __future__ import annotations

import signal
from pathlib import Path
from types import FrameType

import click

from durak_core.cli.root import INTERRUPTED
from durak_core.learn.extra import require

__all__ = ["train"]


@click.group()
def train() -> None:
    """Train players from games; needs the extra, pip install 'durak[learn]'."""


@train.command()
@click.option(
    "--config",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    required=True,
    metavar="FILE",
    help="What to do, as TOML; see docs/learning.md.",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    required=True,
    metavar="FOLDER",
    help="Where the run is kept; a run that is there already goes on.",
)
def dmc(*, config: Path, out: Path) -> None:
    """Train a network by deep Monte Carlo self-play.

    FOLDER gets checkpoint.pt, from which the run goes on whatever ended it, weights.npz for
    dmc:weights=FILE, and a log for TensorBoard. Ctrl+C saves and ends.

    Example: durak train dmc --config benchmarks/learning/dmc-two.toml --out runs/two
    """
    require("torch", "tensorboard")
    from durak_core.learn.run import TrainingRun  # noqa: PLC0415 - torch takes seconds
    from durak_core.learn.settings import read_settings  # noqa: PLC0415 - likewise

    asked: list[int] = []

    def ask(number: int, frame: FrameType | None) -> None:
        del frame
        if asked:
            raise KeyboardInterrupt
        asked.append(number)

    settings = read_settings(config)
    run = TrainingRun(settings, out, click.echo)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, ask)
    click.echo(f"training for {run.trainer.rules} up to {settings.games:,} games in {out}")
    run.go(lambda: bool(asked))
    click.echo(f"saved after {run.trainer.counts.games:,} games")
    if asked:
        raise click.exceptions.Exit(INTERRUPTED)
