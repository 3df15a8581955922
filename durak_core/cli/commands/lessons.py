"""`durak lessons`: list, check and play lessons."""

from __future__ import annotations

import sys
from pathlib import Path

import click
from rich.text import Text

from durak_core.actions import parse_action
from durak_core.cards import Card
from durak_core.cli.game_words import GameWords
from durak_core.cli.output import console, print_lines
from durak_core.cli.root import Subcommands
from durak_core.errors import DurakError
from durak_core.game.state import State
from durak_core.lessons.checking import faults
from durak_core.lessons.lesson import ENGLISH, LEARNER, Lesson, Saying
from durak_core.lessons.reading import load_lesson, read_lesson, shipped_lessons
from durak_core.lessons.tutor import Tutor
from durak_core.messages import Message, printable

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
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE...")
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


@lessons.command()
@click.argument("lesson")
@_language
def play(lesson: str, language: str) -> None:
    """Play LESSON: the number of a shipped lesson, or a file.

    Press Enter to continue. Type actions as in docs/notation.md: 9cx6c, take, pass.
    """
    shipped = {str(number): path for number, path in enumerate(shipped_lessons(), 1)}
    if lesson.isdecimal() and lesson not in shipped:
        raise click.UsageError(f"there is no lesson {lesson[:9]}: expected 1 to {len(shipped)}, or a file")
    _LessonPlayer(load_lesson(shipped.get(lesson, Path(lesson))), language).play()


class _LessonPlayer:
    """Plays a lesson in the terminal until it is over or the input ends."""

    def __init__(self, lesson: Lesson, language: str) -> None:
        self._tutor = Tutor(lesson)
        self._language = language

    def play(self) -> None:
        tutor = self._tutor
        print_lines(Text(_plain(tutor.lesson.title, self._language), style="bold"))
        while not tutor.is_over:
            self._show_step()
            while tutor.is_waiting:
                line = self._ask("> ")
                if line is None:
                    return
                if line:
                    self._attempt(line)
            if self._ask("[Enter] ") is None:
                return
            tutor.go_on()

    def _ask(self, prompt: str) -> str | None:
        console().print(prompt, end="")
        line = sys.stdin.readline()
        return line.strip() if line else None

    def _attempt(self, line: str) -> None:
        before = self._tutor.state
        try:
            answer = self._tutor.attempt(parse_action(line))
        except DurakError as error:
            print_lines(str(error))
            return
        if answer.why is not None:
            print_lines(str(Message("{why}.", why=answer.why.message)).capitalize())
        if answer.states:
            words = self._words(before)
            news = words.news(before, answer.states[-1])
            print_lines(*[Text("  ") + words.event(event) for event in news])
        if answer.saying is not None:
            print_lines(_plain(answer.saying, self._language))

    def _show_step(self) -> None:
        tutor, state = self._tutor, self._tutor.state
        words = self._words(state)
        seen = [Text("  ") + line for line in (words.table(state), *words.hands(state))]
        number = Text(f"{tutor.number}/{len(tutor.lesson.steps)}  ", style="bold")
        print_lines("", *seen, number + Text(_plain(tutor.step.saying, self._language)))

    def _words(self, state: State) -> GameWords:
        names = self._tutor.lesson.names(self._language)
        return GameWords(state.rules, ("(you)", *names[: state.rules.seats - 1]), LEARNER)


def _plain(saying: Saying, language: str) -> str:
    return saying.said(language).said(str, lambda value: value.pretty if isinstance(value, Card) else value)
