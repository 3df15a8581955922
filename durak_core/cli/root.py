"""The command group: which subcommands there are, and how errors leave the program."""

from __future__ import annotations

import errno
import io
import sys
from importlib import import_module
from typing import Any, Final, cast

import click

from durak_core.errors import DurakError
from durak_core.interrupts import exit_code, obey_nothing, obey_orders
from durak_core.messages import Message, unknown

_COMMANDS: Final[dict[str, tuple[str, str]]] = {
    "match": ("durak_core.cli.commands.match:match", "Play agents against each other."),
    "tournament": ("durak_core.cli.commands.tournament:tournament", "Play every agent against every other."),
    "tune": ("durak_core.cli.commands.tune:tune", "Try an agent with many settings."),
    "experiment": (
        "durak_core.cli.commands.experiment:experiment",
        "Play the matches of a manifest and report them.",
    ),
    "train": ("durak_core.cli.commands.train:train", "Train players by self-play."),
    "exploit": (
        "durak_core.cli.commands.exploit:exploit",
        "Train a player against one agent, and say how far it beats it.",
    ),
    "evaluate": ("durak_core.cli.commands.evaluate:evaluate", "Play a trained network against agents."),
    "solve": (
        "durak_core.cli.commands.solve:solve",
        "Play a tiny deck perfectly, and measure agents against that.",
    ),
    "deal": ("durak_core.cli.commands.deal:deal", "Show the deal of a seed."),
    "replay": ("durak_core.cli.commands.replay:replay", "Show recorded games move by move."),
    "log": ("durak_core.cli.commands.log:log", "Print a recorded game in words."),
    "stats": ("durak_core.cli.commands.stats:stats", "Summarise recorded games by player."),
    "export": ("durak_core.cli.commands.export:export", "Write every decision of recorded games to a table."),
    "analyse": ("durak_core.cli.commands.analyse:analyse", "Judge every action of a position."),
    "review": ("durak_core.cli.commands.review:review", "Judge every move of a recorded game."),
    "puzzles": (
        "durak_core.cli.commands.puzzles:puzzles",
        "Find, list and solve endgames with one good move.",
    ),
    "know": ("durak_core.cli.commands.know:know", "Show what each seat knows about the cards."),
    "rules": ("durak_core.cli.commands.rules:rules", "List presets and options, or print the rules."),
    "lessons": (
        "durak_core.cli.commands.lessons:lessons",
        "Learn the game, or check a lesson that you have written.",
    ),
    "agents": ("durak_core.cli.commands.agents:agents", "List the agents and their options."),
    "bench": ("durak_core.cli.commands.bench:bench", "Measure how fast this machine plays."),
    "warm-up": ("durak_core.cli.commands.warm_up:warm_up", "Compile the machine code ahead of time."),
    "engine": ("durak_core.cli.commands.engine:engine", "Answer other programs, line by line."),
    "perft": ("durak_core.cli.commands.perft:perft", "Count the sequences of legal actions from a deal."),
}
"""Each subcommand's place, as module:name, and its line in the help."""


class Failure(click.ClickException):
    """An error of the input that ends the program with one line on stderr."""

    exit_code = 2


class Commands(click.Group):
    """A group that imports its commands when they are needed and turns errors into exit codes."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        if cmd_name not in _COMMANDS:
            return None
        module, _, name = _COMMANDS[cmd_name][0].partition(":")
        return cast("click.Command", getattr(import_module(module), name))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in _COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in _COMMANDS and not name.startswith("-"):
            what = Message("there is no command {name}", name=repr(name))
            raise click.UsageError(str(unknown(what, name, _COMMANDS)), ctx)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - click's signature
        try:
            return super().invoke(ctx)
        except DurakError as error:
            raise Failure(str(error)) from error
        except OSError as error:
            if error.errno == errno.EPIPE:  # whoever read our output has seen enough
                raise
            name = f"{error.filename}: " if error.filename else ""
            raise Failure(f"{name}{error.strerror or error}") from error
        except KeyboardInterrupt:
            raise click.exceptions.Exit(exit_code()) from None


def _print_version(ctx: click.Context, _parameter: click.Parameter, wanted: bool) -> None:
    if not wanted or ctx.resilient_parsing:
        return
    from durak_core.version import version  # noqa: PLC0415 - only --version needs it

    click.echo(f"durak {version()}")
    ctx.exit()


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version.",
)
def cli() -> None:
    """Durak for programs: deals, matches between agents, rules and records.

    To play, run durak-tui.
    """


def main() -> None:
    """Run the `durak` command; characters that the terminal cannot show become question marks."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    obey_orders()
    try:
        cli(prog_name="durak")
    finally:
        obey_nothing()
