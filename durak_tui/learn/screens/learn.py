"""The Learn menu, with the progress in each part, and the list of lessons."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from rich.console import Group
from rich.padding import Padding
from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.containers import Center
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from durak_core.lessons.lesson import Lesson
from durak_tui.engine import in_thread, turn_of
from durak_tui.learn.model import DONE, HIDDEN, count_mistakes, find_mistakes, lessons, now, puzzle_standing
from durak_tui.learn.view import dots, lessons_line, mistakes_line, rating_words, said
from durak_tui.library.model.file import LibraryError
from durak_tui.library.model.store import Library
from durak_tui.text.core_messages import core_words
from durak_tui.text.i18n import gettext, mark, translate
from durak_tui.ui.screens.base import ListScreen, TranslatedLabel, start_work


@dataclass(frozen=True, slots=True)
class Part:
    """A row of the menu.

    Attributes:
        title: English title.
        about: Returns the progress line below the title. Called in a thread, with whether to use ASCII only.
        help: English description, shown at the bottom.
        enter: The action that opens it.
    """

    name: str
    title: str
    about: Callable[[Library, bool], str]
    help: str
    enter: str


PARTS: Final = (
    Part(
        "lessons",
        mark("Lessons"),
        lambda library, plain: lessons_line(lessons()[0], library.remembered(DONE), ascii_only=plain),
        mark("How the game goes: a lesson takes two minutes, on a real table."),
        "app.lessons",
    ),
    Part(
        "puzzles",
        mark("Puzzles: endgames"),
        lambda _library, _plain: gettext("open cards: find the only move, to the end of the game"),
        mark("Endgames with open cards: only one move is right. They get harder as you get better."),
        "app.puzzles",
    ),
    Part(
        HIDDEN,
        mark("Puzzles: what would you play?"),
        lambda _library, _plain: gettext("hidden cards: find the best move"),
        mark("Positions with hidden cards: one move is much better than the rest."),
        f"app.puzzles('{HIDDEN}')",
    ),
    Part(
        "mistakes",
        mark("Learn from your mistakes"),
        lambda library, _plain: mistakes_line(*count_mistakes(library, now())),
        mark("Retry the moves that cost you most. Each comes back after a few days."),
        "app.mistakes",
    ),
)


_ROOMY: Final = 30
"""Window rows from which each part has its description."""


class LearnScreen(ListScreen, place="learn"):
    """Offers lessons, puzzles and mistakes."""

    def __init__(self) -> None:
        super().__init__()
        self._about: dict[str, str] = {}
        self._rating = ""

    def compose_body(self) -> ComposeResult:
        yield Static(id="learn-title", markup=False)
        with Center(id="learn-body"):
            yield OptionList(id="learn-parts")
        yield Static(id="learn-help", markup=False)

    def on_screen_resume(self) -> None:
        start_work(self, self._look, group="look", exclusive=True)

    def settings_changed(self) -> None:
        super().settings_changed()
        self._fill()
        self.on_screen_resume()

    async def _look(self) -> None:
        """Load the progress of each part, again after searching reviewed games for mistakes."""
        turn = turn_of(asyncio.get_running_loop())
        try:
            library = await in_thread(lambda: self.host.library.store)
            await self._ask(library)
            problems = await in_thread(find_mistakes, library, turn)
            await self._ask(library)
        except LibraryError as error:
            problems = [error.message]
        for problem in problems:
            self.host.tell(core_words(problem))

    async def _ask(self, library: Library) -> None:
        ascii_only = self.host.settings.ascii
        self._rating = rating_words(await in_thread(puzzle_standing, library), ascii_only=ascii_only)
        for part in PARTS:
            self._about[part.name] = await in_thread(part.about, library, ascii_only)
        if self.is_complete:
            self._fill()

    @on(events.Resize)
    def _fill(self) -> None:
        self.query_one("#learn-title", Static).update(f"{gettext('Learn')}   {self._rating}".rstrip())
        rows = self.query_one(OptionList)
        chosen = rows.highlighted or 0
        rows.clear_options()
        for part in PARTS:
            rows.add_option(Option(self._line(part), id=part.name))
        rows.highlighted = chosen

    def _line(self, part: Part) -> Group:
        about = Text(self._about.get(part.name, ""), "dim")
        title = Text(f" {translate(part.title)}", "bold")
        if self.app.size.height < _ROOMY:
            return Group(title, Padding(about, (0, 0, 1, 3)))
        text = Text(translate(part.help))
        return Group("", title, Padding(text, (0, 0, 0, 3)), Padding(about, (0, 0, 1, 3)))

    @on(OptionList.OptionHighlighted)
    def _explain(self, event: OptionList.OptionHighlighted) -> None:
        is_said = self.app.size.height >= _ROOMY
        text = "" if is_said else translate(PARTS[event.option_index].help)
        self.query_one("#learn-help", Static).update(text)

    async def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        if self.is_in_front:
            await self.run_action(PARTS[event.option_index].enter)


class LessonsScreen(ListScreen, place="lessons"):
    """Lists the lessons, with the first unfinished one selected."""

    def __init__(self) -> None:
        super().__init__()
        self._lessons: tuple[Lesson, ...] = ()
        self._done: frozenset[str] = frozenset()

    def compose_body(self) -> ComposeResult:
        yield TranslatedLabel(mark("Lessons"), id="lessons-title")
        yield Static(id="lessons-progress", markup=False)
        yield OptionList(id="lessons")
        yield TranslatedLabel(mark("A lesson takes two minutes, on a real table."), id="lessons-help")

    def on_screen_resume(self) -> None:
        start_work(self, self._look, group="look", exclusive=True)

    async def _look(self) -> None:
        self._lessons, problems = await in_thread(lessons)
        for problem in problems:
            self.host.tell(core_words(problem))
        done = await self.host.library.query(lambda library: library.remembered(DONE))
        self._done = self._done if done is None else frozenset(done)
        if self.is_complete:
            undone = [at for at, lesson in enumerate(self._lessons) if lesson.key not in self._done]
            self._fill(next(iter(undone), 0))

    def settings_changed(self) -> None:
        super().settings_changed()
        self._fill(self.query_one(OptionList).highlighted)

    @on(events.Resize)
    def _lay_out(self) -> None:
        self._fill(self.query_one(OptionList).highlighted)

    def _fill(self, chosen: int | None) -> None:
        ascii_only = self.host.settings.ascii
        progress = gettext(
            "{dots}  {done} of {all} done",
            dots=dots(self._lessons, self._done, ascii_only=ascii_only),
            done=sum(lesson.key in self._done for lesson in self._lessons),
            all=len(self._lessons),
        )
        self.query_one("#lessons-progress", Static).update(progress if self._lessons else "")
        entries = self.query_one(OptionList)
        entries.clear_options()
        gap = "\n" if self.is_for_fingers else ""
        for number, lesson in enumerate(self._lessons, 1):
            sign = dots((lesson,), self._done, ascii_only=ascii_only)
            title = said(lesson.title, ascii_only=ascii_only)
            entries.add_option(Option(Text(f" {sign} {number}  {title}{gap}"), id=f"lesson-{number}"))
        entries.highlighted = chosen

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.host.open_lesson(event.option_index)
