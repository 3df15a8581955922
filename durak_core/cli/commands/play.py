"""`durak play`: the game in lines of text, which the app plays."""

from __future__ import annotations

from typing import Any

import click

from durak_core.cli.app import app_module


@click.command(context_settings={"show_default": False})
@click.option("--rules", metavar="TEXT", help="Rules spec, such as perevodnoy:seats=3, or a FILE.toml.")
@click.option("--seats", metavar="N", help="Number of players.")
@click.option(
    "--bots",
    metavar="A,B",
    help="Opponents: misha, tanya, boris, olga, viktor, nina, an agent spec, or human for another person.",
)
@click.option("--seed", metavar="N", help="Seed of the deal; equal seeds give equal deals.")
@click.option("--watch", is_flag=True, help="Watch bots play each other.")
@click.option("--daily", is_flag=True, help="Play the daily deal.")
@click.option("--continue", "continue_", is_flag=True, help="Continue the unfinished game.")
@click.option("--name", metavar="NAME", help="Your name.")
@click.option("--language", metavar="CODE", help="Language, such as en or ru; auto for the environment's.")
@click.option("--ascii", is_flag=True, help="Write ASCII characters only.")
def play(**given: Any) -> None:  # noqa: ANN401 - a text or a switch
    """Play in lines of text: for screen readers, pipes and slow connections.

    Without options, the unfinished game continues, or a new one begins. Type help to see what you can
    say. The app durak-tui has the same games, settings and library.
    """
    arguments = ["--lines"]
    for name, value in given.items():
        option = f"--{name.rstrip('_')}"
        if value is True:
            arguments.append(option)
        elif value not in {None, False}:
            arguments += [option, str(value)]
    app_module("cli", "durak play").main(arguments, "durak play")
