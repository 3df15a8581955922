"""The list of lessons."""

from __future__ import annotations

from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from durak_core.lessons.lesson import Lesson
from durak_tui.engine.threads import in_thread
from durak_tui.learn.model.lessons import DONE, lessons
from durak_tui.learn.view.lesson import dots, said
from durak_tui.text.core_messages import core_words
from durak_tui.text.i18n import gettext, mark
from durak_tui.ui.screens.base import ListScreen, TranslatedLabel, start_work


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
