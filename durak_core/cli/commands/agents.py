"""`durak agents`: list the agents."""

from __future__ import annotations

import click
from rich.table import Table

from durak_core.agents.options import OPEN
from durak_core.cli.output import console
from durak_core.lab.matches.players import PLAYERS
from durak_core.lab.own_agents.reading import installed_agents


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
