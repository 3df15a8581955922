"""`durak rules`, `agents`, `perft` and `warm-up`: what the program has, and checks of it."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from time import perf_counter
from typing import Final

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table
from rich.text import Text

from durak_core.agents.base import OPEN
from durak_core.cli.choices import IntegerRange, RulesChoice, rules_options, seed_option
from durak_core.cli.output import console
from durak_core.game.state import State
from durak_core.kernel.compiled import GROUPS
from durak_core.kernel.position import MAX_ACTIONS, Position
from durak_core.lab.matches.players import PLAYERS
from durak_core.lab.own_agents.reading import installed_agents
from durak_core.rules import OPTIONS, PRESETS, OptionValue, Rules
from durak_core.rules_file import rules_spec
from durak_core.rules_text import paragraph, rules_text
from durak_core.search.backend.backend import Backend, backend, cache_folder_of, functions_of


@click.command()
@click.argument("preset", required=False)
@click.option("--text", is_flag=True, help="Print the complete rules.")
@click.option(
    "--paragraph", "number", metavar="N", help="Print a paragraph, such as 5.3, or a section, such as 5."
)
def rules(preset: str | None, text: bool, number: str | None) -> None:
    """List the presets and all options, or the options of one PRESET.

    PRESET may be a rules spec, such as podkidnoy:lowest_rank=2,seats=4, or a FILE.toml of options. A star
    marks options that differ from the default.
    """
    if number is not None:
        click.echo(paragraph(number))
    elif text:
        click.echo(rules_text(), nl=False)
    elif preset is None:
        _show_presets()
    else:
        _show_options(Rules.parse(rules_spec(preset)))


def _show_presets() -> None:
    out = console()
    presets = Table(title="Presets", title_justify="left")
    presets.add_column("preset")
    presets.add_column("differs from the default in")
    for name in PRESETS:
        changed = _changed(Rules.preset(name)).items()
        settings = [f"{option}={OPTIONS[option].show(value)}" for option, value in changed]
        presets.add_row(name, ", ".join(settings) or "nothing")
    out.print(presets)
    options = _option_table("All options", "default")
    options.add_column("may be")
    default = Rules()
    for option in OPTIONS.values():
        value = option.show(getattr(default, option.name))
        options.add_row(option.name, value, option.paragraph, option.summary, str(option.expected))
    out.print(options)


def _show_options(chosen: Rules) -> None:
    table = _option_table(f"Options of {chosen}", "value")
    changed = _changed(chosen)
    for option in OPTIONS.values():
        value = Text(option.show(getattr(chosen, option.name)))
        if option.name in changed:
            value = Text(f"{value} *", "bold yellow")
        table.add_row(option.name, value, option.paragraph, option.summary)
    out = console()
    out.print(table)
    out.print("* differs from the default; the numbers are the paragraphs of durak rules --text")


def _option_table(title: str, value: str) -> Table:
    table = Table(title=title, title_justify="left")
    table.add_column("option", no_wrap=True)
    table.add_column(value, no_wrap=True)
    table.add_column("§")
    table.add_column("what it is")
    return table


def _changed(chosen: Rules) -> dict[str, OptionValue]:
    """Return the options that differ from the default, by name."""
    return replace(chosen, base=Rules().base).differences


@click.command()
def agents() -> None:
    """List the agents and their options.

    An agent spec is a name, or name:key=value,key=value; an off/on option without a value means on.
    Your own agent is path.py:Class or module:Class; agents of installed packages are listed by name.
    Every agent but equilibrium and engine also has the option open, for experiments: it sees all cards
    (rules 9.3).
    """
    table = Table()
    for name in ("agent", "style", "what it does", "options"):
        table.add_column(name, overflow="fold")
    others, errors = installed_agents()
    for info in (*PLAYERS.values(), *[info for name, info in others.items() if name not in PLAYERS]):
        options = "\n".join(
            f"{option.name}={option.show(option.default)}: {option.summary} ({option.expected})"
            for option in info.options
            if option is not OPEN
        )
        table.add_row(info.name, info.style, info.method, options)
    console().print(table)
    for error in errors:
        click.echo(error, err=True)
    for name in others:
        if name in PLAYERS:
            click.echo(f"the agent {name} of another package is hidden by the agent of this name", err=True)


MANY_SEQUENCES: Final = 50_000
"""From this number of sequences on, compiled code counts the next depth."""


@click.command()
@seed_option
@click.option(
    "--depth", type=IntegerRange(1, 100), default=4, metavar="D", help="Maximum length of the sequences."
)
@rules_options
@click.option("--divide", is_flag=True, help="Count separately for each first action.")
def perft(seed: int, depth: int, rules: RulesChoice, divide: bool) -> None:
    """Count the sequences of 1 to D legal actions from the deal of a seed."""
    state = State.deal(rules.rules(), seed)
    click.echo(f"rules {state.rules}, seed {seed}")
    if divide:
        counts = state.divide(depth)
        for action, count in counts.items():
            click.echo(f"{action!s:8} {count}")
        click.echo(f"depth {depth}: {sum(counts.values())}")
        return
    count = 1
    for level in range(1, depth + 1):
        count = state.perft(level) if count < MANY_SEQUENCES else run_perft(state.to_position(), level)
        click.echo(f"depth {level}: {count}")


def run_perft(position: Position, depth: int, runner: Backend | None = None) -> int:
    """Count the sequences of ``depth`` legal actions (1 or more) from a position, which stays unchanged."""
    runner = runner or backend()
    stack = runner.records(position, depth)
    return int(
        runner.functions["perft_on"](stack, runner.integers(MAX_ACTIONS), runner.integers(depth), depth)
    )


@click.command(name="warm-up")
def warm_up() -> None:
    """Compile everything that commands need for this machine and cache the result.

    It takes a minute or two, once; later commands then start at once. Without Numba there is nothing to
    compile, and all code runs interpreted.
    """
    import_module("durak_core.lab.equilibrium.cfr")  # declares functions
    began = perf_counter()
    columns = (TextColumn("compiling {task.fields[name]}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        total = sum(len(functions_of(group)) for group in GROUPS)
        task = progress.add_task("compiling", total=total, name="")

        def done(name: str) -> None:
            progress.update(task, advance=1, name=name)

        ready = [backend(group, done) for group in GROUPS]
    if ready[0].name == "plain":
        click.echo(f"interpreted: {ready[0].note}")
        return
    compiled = sum(len(one.functions) for one in ready)
    click.echo(f"ready after {perf_counter() - began:.1f} s: {compiled} functions compiled")
    click.echo(f"compiled code is kept in {cache_folder_of('rules')}")
