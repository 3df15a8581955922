"""Options that several commands share: the rules, the seed, who does the work, and files to be written."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import partial, wraps
from pathlib import Path
from typing import Any, Final, TypeAlias

import click

from durak_core.agents.guiding import AUTO
from durak_core.lab.workers.pool import Jobs, check_jobs
from durak_core.rules import Rules

Command: TypeAlias = Callable[..., None]
Decorator: TypeAlias = Callable[[Command], Command]

SEEDS: Final = 1_000_000_000
"""Seeds that are drawn lie below this, so that people can type them."""

file_option: Final = partial(click.option, type=click.Path(path_type=Path))
"""An option that names a file to be written."""

resume_option: Final = file_option(
    "--resume", help="Keep each game in a file as soon as it is finished; if it exists, continue from there."
)
"""An option for `durak_core.cli.counting.kept_games`."""

net_option: Final = click.option(
    "--net",
    default=AUTO,
    show_default=True,
    metavar="auto|off|dmc|ppo|FILE",
    help="Search with a network: the package's own if there is one for the rules (auto), or a FILE.",
)
"""An option for `durak_core.agents.guiding.Guides`."""


@dataclass(frozen=True, slots=True)
class RulesChoice:
    """The rules as asked for on the command line.

    Attributes:
        text: A preset, or the text form with options.
        settings: ``option=value`` texts that come on top.
    """

    text: str
    settings: tuple[str, ...]
    seats: int | None
    visibility: str | None

    def rules(self, seats: int = 2, teams: str | None = None) -> Rules:
        """Return the rules, with so many seats and such teams where nothing was said about them.

        Raises:
            RulesError: If what was asked for is not there or cannot be played.
        """
        name, _, rest = self.text.strip().partition(":")
        settings = [
            setting for text in (rest, *self.settings) for setting in text.split(",") if setting.strip()
        ]
        options = {"seats": seats, "teams": teams, **Rules.read_options(settings)}
        if self.seats is not None:
            options["seats"] = self.seats
        if self.visibility is not None:
            options["visibility"] = self.visibility
        return Rules.preset(name, **options)


@dataclass(frozen=True, slots=True)
class WorkersChoice:
    """Who does the work, as asked for on the command line.

    Attributes:
        jobs: How many processes of this machine, 0 for one each core; None where nothing was said.

    Raises:
        click.UsageError: If the options do not go together.
        AgentError: As for `check_jobs`.
    """

    jobs: int | None
    backend: str
    scheduler: str | None

    def __post_init__(self) -> None:
        check_jobs(self.jobs or 0)
        if self.backend == "dask" and not self.scheduler:
            raise click.UsageError("--backend dask plays on a cluster: expected its --scheduler ADDRESS")
        if self.backend != "dask" and self.scheduler is not None:
            raise click.UsageError("--scheduler belongs to --backend dask: expected both, or neither")
        if self.backend == "dask" and self.jobs is not None:
            raise click.UsageError(
                f"--jobs {self.jobs} counts processes of this machine, and a cluster has its own workers: "
                "expected --jobs or --backend dask"
            )

    @property
    def are_one(self) -> bool:
        return self.backend == "joblib" and self.jobs in {None, 1}

    @property
    def text(self) -> str:
        return "--backend dask" if self.scheduler else f"--jobs {self.jobs}"

    @contextmanager
    def opened(self) -> Iterator[Jobs]:
        """Give the block the workers; those of a cluster are left behind it.

        Raises:
            ClusterError: If the cluster cannot be used.
        """
        if not self.scheduler:
            yield 1 if self.jobs is None else self.jobs
            return
        from durak_core.lab.workers.cluster import DaskWorkers  # noqa: PLC0415 - asyncio, only clusters need it

        with DaskWorkers(self.scheduler) as workers:
            yield workers


def bundled(name: str, kind: type[Any], *options: Decorator) -> Decorator:
    """Return a decorator that gives a command options; it receives them as an object of a dataclass."""

    def decorate(command: Command) -> Command:
        @wraps(command)
        def with_object(**given: object) -> None:
            chosen = {field.name: given.pop(field.name) for field in fields(kind)}
            command(**{name: kind(**chosen)}, **given)

        decorated: Command = with_object
        for option in reversed(options):
            decorated = option(decorated)
        return decorated

    return decorate


rules_options: Final = bundled(
    "rules",
    RulesChoice,
    click.option(
        "--rules",
        "text",
        default="podkidnoy",
        show_default=True,
        metavar="PRESET",
        help="A preset, or preset:option=value,option=value (see durak rules).",
    ),
    click.option(
        "--set", "settings", multiple=True, metavar="OPTION=VALUE", help="Change an option; repeatable."
    ),
    click.option("--seats", type=int, metavar="N", help="How many players, 2 to 6."),
    click.option(
        "--open",
        "visibility",
        flag_value="open",
        default=None,
        help="Show all cards to everyone (rules 9.3).",
    ),
)
"""The options --rules, --set, --seats and --open."""

workers_options: Final = bundled(
    "workers",
    WorkersChoice,
    click.option(
        "--jobs",
        type=click.IntRange(min=0),
        help="How many processes play, 0 for one per core, at most four per core; the results are the same.  "
        "[default: 1]",
    ),
    click.option(
        "--backend",
        type=click.Choice(["joblib", "dask"]),
        default="joblib",
        show_default=True,
        help="Where to play: on this machine, or on a Dask cluster.",
    ),
    click.option("--scheduler", metavar="ADDRESS", help="The cluster's address, as tcp://10.0.0.1:8786."),
)
"""The options --jobs, --backend and --scheduler."""


def games_option(default: int, text: str) -> Decorator:
    return click.option("--games", type=click.IntRange(min=1), default=default, show_default=True, help=text)


def seed_option(command: Command) -> Command:
    """Give a command the option --seed; it receives a number, drawn by chance if none was given."""
    option = click.option(
        "--seed",
        type=int,
        metavar="S",
        default=_drawn_seed,
        help="Seed of all randomness; drawn and shown if not given.",
    )
    return option(command)


def _drawn_seed() -> int:
    return secrets.randbelow(SEEDS)
