"""The `durak` command group: its subcommands and exit codes."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from time import perf_counter
from typing import Any, Final, cast

import click

from durak_core.errors import DurakError, Message, unknown
from durak_core.interrupts import exit_code, handle_signals, ignore_signals

_COMMANDS: Final = {
    "play": ("play", "Play against bots in lines of text."),
    "match": ("match", "Play agents against each other."),
    "tournament": ("match", "Play every agent against every other."),
    "tune": ("match", "Play an agent with every combination of option values."),
    "experiment": ("experiment", "Play the matches of a manifest and write a report."),
    "train": ("train", "Train networks by self-play."),
    "exploit": ("train", "Train an exploiter against one agent and measure its score."),
    "evaluate": ("train", "Play a trained network against agents."),
    "solve": ("train", "Solve a tiny deck and measure how exploitable agents are."),
    "deal": ("play", "Show the deal of a seed."),
    "replay": ("games", "Show recorded games move by move."),
    "log": ("games", "Print a recorded game as a log."),
    "stats": ("games", "Summarise recorded games by player."),
    "export": ("games", "Export every decision of recorded games as a table."),
    "dataset": ("experiment", "Write a million games of mixed agents as Parquet."),
    "analyse": ("analyse", "Evaluate every action in a position."),
    "review": ("analyse", "Analyse every move of a recorded game."),
    "puzzles": ("play", "Find, list and solve puzzles."),
    "know": ("analyse", "Show what each seat knows about the cards."),
    "rules": ("rules", "List presets and options, or print the rules."),
    "lessons": ("play", "Play lessons, or check lesson files."),
    "agents": ("rules", "List the agents and their options."),
    "bench": ("bench", "Measure speed and memory on this machine."),
    "bench-agent": ("experiment", "Run Durak-Bench, a frozen benchmark, on one agent."),
    "warm-up": ("rules", "Compile the code for this machine ahead of time."),
    "engine": ("bench", "Run the engine for other programs, or check theirs."),
    "perft": ("rules", "Count the sequences of legal actions from a deal."),
}
"""Each subcommand's module and its line in the help. The function has its name, with `_` for `-`."""


class Failure(click.ClickException):
    """An input error: prints one line on stderr and exits with 2."""

    exit_code = 2


@contextmanager
def _system_errors() -> Iterator[None]:
    """Turn the system's errors in the block into failures."""
    try:
        yield
    except OSError as error:
        if error.errno == errno.EPIPE:  # the reader of our output closed the pipe
            raise
        name = f"{error.filename}: " if error.filename else ""
        raise Failure(f"{name}{error.strerror or error}") from error


def announce_compiling(group: str, count: int) -> tuple[Callable[[str], None], Callable[[], None]]:
    """Print a line on stderr before and after a group of functions is compiled, and one a minute."""
    began, left = perf_counter(), count
    click.echo(f"compiling {group} ({count} functions), once for this machine ...", err=True)

    def ready(_name: str) -> None:
        nonlocal left
        left -= 1
        if left == 0:
            click.echo(f"compiled {group} in {perf_counter() - began:.1f} s", err=True)

    def minute_passes() -> None:
        spent = perf_counter() - began
        click.echo(f"compiling {group}: {count - left} of {count} functions in {spent:.0f} s", err=True)

    return ready, minute_passes


class Subcommands(click.Group):
    """A group of commands that names the nearest one for an unknown name."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name, known = args[0], self.list_commands(ctx)
        if name not in known and not name.startswith("-"):
            what = Message("there is no command {name}", name=repr(name))
            raise click.UsageError(str(unknown(what, name, known)), ctx)
        return super().resolve_command(ctx, args)


class DurakCommands(Subcommands):
    """A group that imports a command when it is needed and turns errors into exit codes.

    Attributes:
        announces: Whether commands print a line before they compile.
    """

    announces = False

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        if cmd_name not in _COMMANDS:
            return None
        module = import_module(f"durak_core.cli.commands.{_COMMANDS[cmd_name][0]}")
        command = cast("click.Command", getattr(module, cmd_name.replace("-", "_")))
        if self.announces and (backend := sys.modules.get("durak_core.search.backend.backend")):
            backend.announce(announce_compiling)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, words) for name, (_, words) in _COMMANDS.items()])

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        with _system_errors():  # --help and --version print
            return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - click's signature
        try:
            with _system_errors():
                return super().invoke(ctx)
        except DurakError as error:
            raise Failure(str(error)) from error
        except KeyboardInterrupt:
            raise click.exceptions.Exit(exit_code()) from None


def _print_version(ctx: click.Context, _parameter: click.Parameter, wanted: bool) -> None:
    if not wanted or ctx.resilient_parsing:
        return
    from durak_core.installation import version  # noqa: PLC0415 - only --version needs it

    click.echo(f"durak {version()}")
    ctx.exit()


@click.group(
    cls=DurakCommands, context_settings={"help_option_names": ["-h", "--help"], "show_default": True}
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version.",
)
def cli() -> None:
    """Research tools for the card game Durak: agents, matches, analysis and training.

    To play on a full screen, run durak-tui. To play line by line, run durak play.
    """


def use_substitutes() -> None:
    """Let suits that the output's encoding lacks become letters, and other signs ASCII (`substitute`)."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="substitute")


def main() -> None:
    """Run the `durak` command."""
    use_substitutes()
    handle_signals()
    cli.announces = True
    try:
        cli(prog_name="durak")
    except SystemExit as end:
        ignore_signals()
        backend = sys.modules.get("durak_core.search.backend.backend")
        if backend and backend.PROCESS.is_interrupted():  # LLVM would abort the interpreter's end
            sys.stdout.flush()
            os._exit(end.code if isinstance(end.code, int) else 1)
        raise
    finally:
        ignore_signals()
