"""Options that several commands share, and the recorded games that they select."""

from __future__ import annotations

import math
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import partial, wraps
from pathlib import Path
from typing import Any, Final, TypeAlias

import click

from durak_core.agents.learned import AUTO, SHIPPED
from durak_core.errors import RecordError
from durak_core.game.files import choose_records
from durak_core.game.record import Record
from durak_core.game.state import State
from durak_core.kernel.position import MASK63
from durak_core.lab.workers import Jobs, check_jobs
from durak_core.rules import Rules
from durak_core.rules_file import rules_file, rules_spec

Command: TypeAlias = Callable[..., None]
Decorator: TypeAlias = Callable[[Command], Command]

_SEED_BITS: Final = 62
"""Of drawn seeds: too many for an agent to try all."""


class IntegerRange(click.IntRange):
    """A range whose errors and help say "integer", of digits that every reader of a command knows."""

    name = "integer"

    def convert(
        self,
        value: Any,  # noqa: ANN401 - click's signature
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> Any:  # noqa: ANN401 - as above
        if isinstance(value, str) and not value.isascii():
            self.fail(f"{value!r} is not a valid integer.", param, ctx)
        return super().convert(value, param, ctx)


class NumberRange(click.FloatRange):
    """A range of numbers without NaN, which compares as if it were inside every range."""

    name = "number"

    def convert(
        self,
        value: Any,  # noqa: ANN401 - click's signature
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> Any:  # noqa: ANN401 - as above
        number = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail("nan is not a number.", param, ctx)
        return number


FILE: Final = click.Path(path_type=Path, readable=False)
"""A path. The commands report a file that cannot be used, each in one line."""

file_argument: Final = click.argument("file", type=FILE)

files_argument: Final = click.argument("files", nargs=-1, required=True, type=FILE, metavar="FILE...")

file_option: Final = partial(click.option, type=FILE, metavar="FILE")
"""An option that names a file."""

run_option: Final = click.option(
    "--out",
    type=FILE,
    required=True,
    metavar="FOLDER",
    help="Folder of the run; an existing run continues.",
)

json_option: Final = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")

game_option: Final = partial(
    click.option, "--game", type=IntegerRange(min=1), metavar="N", help="Use the Nth game of FILE."
)

ply_option: Final = partial(
    click.option, "--ply", type=IntegerRange(min=0), metavar="N", help="Use the position after N moves."
)

seconds_option: Final = partial(
    click.option, "--time", "seconds", type=NumberRange(0, min_open=True), metavar="S"
)

iterations_option: Final = partial(click.option, "--iterations", type=IntegerRange(min=1), metavar="N")

seat_option: Final = click.option(
    "--seat", type=int, is_eager=True, metavar="K", help="Show what seat K sees (rules 9)."
)
"""Whose view; eager, so that `open_option` can check it."""


def _check_open(context: click.Context, _parameter: click.Parameter, is_open: bool) -> None:
    if is_open and context.params.get("seat") is not None:
        raise click.UsageError("--open and --seat exclude each other")


open_option: Final = click.option(
    "--open", is_flag=True, expose_value=False, callback=_check_open, help="Show all cards (the default)."
)

seed_option: Final = click.option(
    "--seed",
    type=IntegerRange(0, MASK63),
    metavar="S",
    default=lambda: secrets.randbits(_SEED_BITS),
    show_default=False,
    help="Seed of all randomness; by default drawn at random and printed.",
)

resume_option: Final = file_option(
    "--resume", help="Save each finished game to FILE; if FILE exists, continue from it."
)

net_option: Final = click.option(
    "--net",
    default=AUTO,
    metavar="auto|off|NAME|FILE",
    help=f"Network of the search: auto (dmc if it covers the rules), off, {', '.join(SHIPPED)} or a FILE.",
)


@dataclass(frozen=True, slots=True)
class RulesChoice:
    """The rules chosen on the command line.

    Attributes:
        text: A preset, a rules spec with options, or the path of a TOML file.
        settings: ``option=value`` texts that override it.
    """

    text: str
    settings: tuple[str, ...]
    seats: int | None
    visibility: str | None

    @property
    def file(self) -> Path | None:
        return rules_file(self.text)

    def rules(self, seats: int = 2, teams: str | None = None) -> Rules:
        """Return the rules, by default with these seats and teams.

        Raises:
            RulesError: If the rules are unknown or cannot be played.
            FileError: If a file of rules cannot be read.
        """
        name, _, rest = rules_spec(self.text).strip().partition(":")
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
    """The workers chosen on the command line.

    Attributes:
        jobs: How many processes on this machine, 0 for one per core, or None if not given.

    Raises:
        click.UsageError: If the options exclude each other.
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
        """Connect to the workers, and disconnect at the end.

        Raises:
            ClusterError: If the cluster cannot be used.
        """
        if not self.scheduler:
            yield 1 if self.jobs is None else self.jobs
            return
        from durak_core.lab.workers import DaskWorkers  # noqa: PLC0415 - asyncio, only clusters need it

        with DaskWorkers(self.scheduler) as workers:
            yield workers


def bundled(name: str, kind: type[Any], *options: Decorator) -> Decorator:
    """Return a decorator that adds options to a command and passes them as one dataclass object."""

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
        metavar="PRESET",
        help="Rules spec: a preset, or preset:option=value,option=value (see durak rules), or a FILE.toml.",
    ),
    click.option(
        "--set",
        "settings",
        multiple=True,
        metavar="OPTION=VALUE",
        help="Set one option of the rules; repeatable.",
    ),
    click.option("--seats", type=int, metavar="N", help="Number of players, 2 to 6."),
    click.option(
        "--open",
        "visibility",
        flag_value="open",
        default=None,
        help="Play with all cards visible to all players (rules 9.3).",
    ),
)
"""--rules, --set, --seats and --open."""

workers_options: Final = bundled(
    "workers",
    WorkersChoice,
    click.option(
        "--jobs",
        type=IntegerRange(min=0),
        help="Number of processes, 0 for one per core, at most four per core; it does not change results.  "
        "[default: 1]",
    ),
    click.option(
        "--backend",
        type=click.Choice(["joblib", "dask"]),
        default="joblib",
        help="Run on this machine (joblib) or on a Dask cluster (dask).",
    ),
    click.option(
        "--scheduler", metavar="ADDRESS", help="Address of the Dask scheduler, such as tcp://10.0.0.1:8786."
    ),
)
"""--jobs, --backend and --scheduler."""


def games_option(default: int, text: str) -> Decorator:
    return click.option("--games", type=IntegerRange(min=1), default=default, help=text)


def one_record(file: Path, game: int | None) -> Record:
    """Return a file's game; --game selects one of several."""
    records = choose_records(file, game)
    if len(records) != 1:
        raise click.UsageError(f"{file} holds {len(records)} games: say with --game which one is meant")
    return records[0]


def moment(file: Path, game: int | None, ply: int | None) -> tuple[Record, State, int]:
    """Return a file's game, its position after ``ply`` moves, and ``ply``; both have to be selected."""
    record = one_record(file, game)
    states = record.replay()
    if ply is None:
        raise click.UsageError(f"expected --ply, the number of moves played, at most {len(states) - 1}")
    return record, state_after(states, ply), ply


def state_after(states: Sequence[State], ply: int) -> State:
    if ply >= len(states):
        raise RecordError(
            "the game has {count} moves; there is no position after {move}", count=len(states) - 1, move=ply
        )
    return states[ply]
