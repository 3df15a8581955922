"""`durak train`: train networks by self-play."""

from __future__ import annotations

import signal
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Final

import click
from click.formatting import wrap_text

from durak_core.cli.choices import file_option, run_option
from durak_core.cli.root import Subcommands
from durak_core.extras import require

if TYPE_CHECKING:
    from durak_core.lab.learn.run import TrainingRun
    from durak_core.lab.learn.selfplay import Trainer
    from durak_core.lab.learn.settings import LearnerSettings

_LEARNERS: Final = {
    "dmc": "deep Monte Carlo, from the outcomes of games",
    "dqn": "deep Q-learning, from later estimates and a replay buffer",
    "ppo": "proximal policy optimisation",
}

_HELP: Final = """Train a network by {what}.

FOLDER gets checkpoint.pt, from which an interrupted run continues, weights.npz for
{name}:weights=FILE, and a TensorBoard log. Ctrl+C saves and stops.

Example: durak train {name} --config benchmarks/learning/{name}-two.toml --out runs/{name}
"""


@click.group(cls=Subcommands)
def train() -> None:
    """Train networks by self-play.

    Training needs torch and tensorboard; in a checkout of Durak run python3 -m pip install '.[learn]'.
    """


def _command(name: str, what: str) -> click.Command:
    @click.command(name, help=_HELP.format(name=name, what=what))
    @file_option(
        "--config",
        required=True,
        metavar="FILE",
        help="Training settings, a TOML file (see durak train settings).",
    )
    @run_option
    def command(*, config: Path, out: Path) -> None:
        require_learning()
        from durak_core.lab.learn.run import read_learner  # noqa: PLC0415 - torch takes seconds

        trainer = read_learner(name, config)
        go_on(trainer, out, f"training for {trainer.rules}")

    return command


for _name, _what in _LEARNERS.items():
    train.add_command(_command(_name, _what))


@train.command()
def settings() -> None:
    """List training settings; all of a learner's settings without a default are required."""
    from durak_core.lab.learn.settings import (  # noqa: PLC0415 - the package imports Gymnasium
        KINDS,
        ExploringSettings,
        LearnerSettings,
        reference,
    )

    shared = {"all learners": LearnerSettings, "dmc and dqn": ExploringSettings}
    parts = []
    for heading, kind in [*shared.items(), *KINDS.items()]:
        lines = [f"{heading}:"]
        for name, (values, meaning) in reference(kind).items():
            lines.append(wrap_text(f"{name}: {values}", initial_indent="  ", subsequent_indent="      "))
            lines.append(wrap_text(meaning, initial_indent="      ", subsequent_indent="      "))
        parts.append("\n".join(lines))
    click.echo("\n\n".join(parts))


def require_learning() -> None:
    require("Training", "learn", "torch", "tensorboard")


def go_on(
    trainer: Trainer[LearnerSettings], out: Path, what: str, hours: float = float("inf")
) -> TrainingRun:
    """Train in a folder until all games are played or the run has taken these hours, and save.

    Raises:
        KeyboardInterrupt: If the user stops it, after saving.
    """
    from durak_core.lab.learn.run import locked_run  # noqa: PLC0415 - torch takes seconds

    asked: list[int] = []

    def ask(number: int, frame: FrameType | None) -> None:
        del frame
        if asked:
            raise KeyboardInterrupt
        asked.append(number)

    with locked_run(trainer, out, click.echo) as run:
        before = signal.signal(signal.SIGINT, ask)
        try:
            click.echo(f"{what} up to {trainer.settings.games:,} games in {out}")
            run.go(lambda: bool(asked) or run.hours >= hours)
        finally:
            signal.signal(signal.SIGINT, before)
    click.echo(f"saved after {trainer.counts.games:,} games")
    if asked:
        raise KeyboardInterrupt
    return run
