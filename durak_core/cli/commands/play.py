"""`durak deal`, `play` and `lessons`: a game or a lesson in lines of text."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any, Final

import click
from rich.text import Text

from durak_core.cards import Card
from durak_core.cli.choices import RulesChoice, files_argument, rules_options, seed_option
from durak_core.cli.output import hand_text, print_lines, sorted_cards
from durak_core.cli.root import Failure, Subcommands
from durak_core.errors import DurakError
from durak_core.game.state import State
from durak_core.lessons.lesson import ENGLISH, Saying
from durak_core.lessons.reading import faults, load_lesson, read_lesson, shipped_lessons
from durak_core.messages import printable

_APP: Final = "durak_tui"
"""The app's package. The library imports it by name and only here, as a shell starts another program."""


def app_module(name: str, command: str) -> Any:  # noqa: ANN401 - the library knows nothing of the app
    """Return a module of the app; raise `Failure` if the app or Textual is not installed."""
    try:
        return import_module(f"{_APP}.{name}")
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in {_APP, "textual"}:
            raise
        raise Failure(f"{command} needs the app durak-tui, which is not installed") from None


@click.command()
@seed_option
@rules_options
def deal(seed: int, rules: RulesChoice) -> None:
    """Show the deal of a seed: hands, trump, talon and first attacker.

    A seed and rules give the same deal on every machine and in every version (rules 3.1).
    """
    state = State.deal(rules.rules(), seed)
    trump = state.trump_suit
    lines = [Text(f"rules {state.rules}, seed {seed}")]
    for seat, hand in enumerate(state.hands):
        lines.append(Text(f"seat {seat}  ") + hand_text(sorted_cards(hand, trump)))
    trump_text = hand_text([state.trump_card]) if state.trump_card else Text("none (rules 1.4)")
    talon = f"talon   {len(state.talon)} cards{': ' if state.talon else ''}"
    lines.append(Text("trump   ") + trump_text)
    lines.append(Text(talon) + hand_text(state.talon))
    print_lines(*lines, f"seat {state.first_attacker} attacks first")


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


_language = click.option(
    "--language", default=ENGLISH, metavar="CODE", help="Language of the texts, such as en or ru."
)


@click.group(cls=Subcommands)
def lessons() -> None:
    """Play lessons, or check lesson files (docs/write-lessons.md)."""


@lessons.command("list")
@_language
def list_lessons(language: str) -> None:
    """List the shipped lessons."""
    for number, path in enumerate(shipped_lessons(), 1):
        lesson = load_lesson(path)
        click.echo(f"{number}  {_plain(lesson.title, language)} ({len(lesson.steps)} steps)")


@lessons.command()
@files_argument
def check(files: tuple[Path, ...]) -> None:
    """Check lesson files by playing them through.

    Every position must be possible, every action and answer legal, and every sentence present in each
    language of the lesson's title.
    """
    found = [problem for path in files for problem in _problems(path)]
    for problem in found:
        click.echo(f"Error: {problem}", err=True)
    if found:
        raise click.exceptions.Exit(2)


def _problems(path: Path) -> list[DurakError]:
    try:
        lesson = read_lesson(path)
    except DurakError as error:
        return [error]
    problems = list(faults(lesson))
    if not problems:
        languages = ", ".join(lesson.languages)
        click.echo(
            f"{printable(str(path))}: {lesson.key}, {len(lesson.steps)} steps, in {languages}: no faults"
        )
    return [*problems]


@lessons.command("play")
@click.argument("lesson")
@_language
def play_lesson(lesson: str, language: str) -> None:
    """Play LESSON: the number of a shipped lesson, or a file.

    Type cards as in durak play: 9d, nine of diamonds, take. Press Enter to continue.
    """
    shipped = {str(number): path for number, path in enumerate(shipped_lessons(), 1)}
    if lesson.isdecimal() and lesson not in shipped:
        raise click.UsageError(f"there is no lesson {lesson[:9]}: expected 1 to {len(shipped)}, or a file")
    found = load_lesson(shipped.get(lesson, Path(lesson)))
    app_module("lines.tasks", "durak lessons play").play_lesson(found, language)


def _plain(saying: Saying, language: str) -> str:
    return saying.said(language).said(str, lambda value: value.pretty if isinstance(value, Card) else value)
