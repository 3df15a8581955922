"""The daily deal: play today's deal, or see past days on a calendar."""

from __future__ import annotations

from calendar import monthrange
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Center, Horizontal, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import Button, Static

from durak_core.daily import SEAT
from durak_core.errors import DurakError
from durak_tui.engine import in_thread
from durak_tui.learn import model
from durak_tui.learn import view as words
from durak_tui.learn.model import today as now
from durak_tui.learn.view import DayView, MonthView
from durak_tui.library.model.file import LibraryError
from durak_tui.library.model.store import Library
from durak_tui.play.saves import Unfinished
from durak_tui.review.model import ReviewGame
from durak_tui.text.core_messages import core_words
from durak_tui.text.i18n import gettext, mark, pgettext
from durak_tui.ui.screens.base import DurakScreen, TranslatedLabel, start_work
from durak_tui.ui.view.board_data import Look
from durak_tui.ui.widgets.canvas import Canvas, CanvasWidget

_CELL: Final = 5
WIDTH: Final = 7 * _CELL
_HEAD: Final = 2
_WEEKS: Final = 6


class Month(CanvasWidget):
    """Draws a month, and posts a message when a day or an arrow is clicked."""

    DEFAULT_CSS = """
    Month {
        width: 35;
        height: 8;
        pointer: pointer;
        & .ink--ahead { color: $text-muted; text-style: dim; }
        & .ink--today { color: $text-warning; text-style: bold; }
    }
    """

    @dataclass
    class Chosen(Message):
        """A day was clicked."""

        day: date

    @dataclass
    class Turned(Message):
        """The previous (-1) or next (1) month was requested."""

        way: int

    _view: MonthView | None = None

    def show(self, view: MonthView, look: Look, *, is_wide_apart: bool) -> None:
        """Show a month. With `is_wide_apart`, weeks are spaced for touch."""
        self._view, self.look = view, look
        self._step = 2 if is_wide_apart else 1
        self.styles.height = _HEAD + _WEEKS * self._step
        self.refresh()

    def draw(self, canvas: Canvas) -> None:
        view = self._view
        if view is None:
            return
        left, right = "<>" if self.look.ascii else "←→"
        canvas.put(0, 0, f" {left} {view.heading:^{WIDTH - 6}} {right} ", "title")
        self.mark(0, 0, WIDTH // 2, 1, -1)
        self.mark(WIDTH // 2, 0, WIDTH - WIDTH // 2, 1, 1)
        for column, name in enumerate(view.weekdays):
            canvas.put(column * _CELL + 1, 1, name, "quiet")
        for row, week in enumerate(view.weeks):
            for column, day in enumerate(week):
                if day is not None:
                    self._draw_day(canvas, column * _CELL, _HEAD + row * self._step, day)

    def _draw_day(self, canvas: Canvas, x: int, y: int, day: DayView) -> None:
        ink = "today" if day.is_today else "strong" if day.sign else "quiet" if day.is_there else "ahead"
        text = f" {day.day.day:2}{day.sign or ' '} "
        canvas.put(x, y, text, "chosen" if day.is_chosen else ink)
        if day.is_there:
            self.mark(x, y, _CELL, self._step, day.day)

    def on_click(self, event: events.Click) -> None:
        match self.lies_at(event.offset):
            case date() as day:
                self.post_message(self.Chosen(day))
            case int() as way:
                self.post_message(self.Turned(way))


_TALL: Final = 30
"""Window rows needed for space between the weeks."""


class DailyScreen(DurakScreen, place="daily"):
    """Shows a month of daily deals with their results."""

    def __init__(self) -> None:
        super().__init__()
        self._today = self._chosen = now()
        self._numbers: dict[date, int] = {}
        self._outcomes: dict[date, str] = {}
        self._begun: dict[date, Unfinished] = {}
        self._given_up: frozenset[date] = frozenset()
        self._is_over: bool | None = None
        """Whether today's game was played; None until the library has been read."""
        self._plays_once_read = False
        self._game: ReviewGame | None = None
        self._line = ""

    def compose_body(self) -> ComposeResult:
        with Horizontal(id="daily-head"):
            yield TranslatedLabel(mark("Daily deal"), id="daily-title")
            yield Static(id="daily-streak", markup=False)
        with VerticalScroll(id="daily-body", can_focus=False):
            with Center():
                yield Month()
            yield Static(id="daily-legend", markup=False)
            yield Static(id="daily-words", markup=False)
            with Center():
                yield Button(id="daily-play", compact=True)

    def on_mount(self) -> None:
        self.query_one(Button).can_focus = False

    @on(events.ScreenResume)
    def _look_again(self) -> None:
        start_work(self, self._look, group="look", exclusive=True)

    def settings_changed(self) -> None:
        super().settings_changed()
        self._look_again()

    async def _look(self) -> None:
        """Load the current date, the played days and the month's results."""
        self._today = now()
        self._begun = model.days_begun(self.host.saves.unfinished())
        try:
            await self.host.library.collect()
            library = await in_thread(lambda: self.host.library.store)
            self._numbers = await in_thread(model.played_days, library)
            self._is_over = await in_thread(model.was_played, self._today, library, self.host.saves)
            self._given_up = await in_thread(library.days_given_up)
            unfinished = dict.fromkeys((*self._begun, *self._given_up), words.BEGUN)
            self._outcomes = unfinished | await in_thread(self._outcomes_of, library)
            await self._read_line(library)
        except LibraryError as error:
            self._is_over = False  # checked again when the game begins
            self.host.tell(core_words(error))
        if self.is_complete:
            self._show()
            if self._plays_once_read and self.is_in_front:
                self.action_play()
        self._plays_once_read = False

    def _outcomes_of(self, library: Library) -> dict[date, str]:
        """Return the results of the chosen month's games. Damaged games are left out."""
        found: dict[date, str] = {}
        for day, number in self._numbers.items():
            if (day.year, day.month) == (self._chosen.year, self._chosen.month):
                try:
                    found[day] = words.outcome_of(model.daily_result(day, library.record(number)))
                except DurakError:
                    continue
        return found

    async def _read_line(self, library: Library) -> None:
        self._game, self._line, day = None, "", self._chosen
        if day not in self._outcomes or day not in self._numbers:
            return
        record = await in_thread(library.record, self._numbers[day])
        self._game = self.host.game_to_review(record, SEAT)
        if self._game is not None:
            self._line = words.daily_result_line(day, self._game, ascii_only=self.host.settings.ascii)

    @on(events.Resize)
    def _show(self) -> None:
        plain = self.host.settings.ascii
        view = words.month_view(self._chosen, self._today, self._outcomes, ascii_only=plain)
        self.query_one(Month).show(view, Look(ascii=plain), is_wide_apart=self.app.size.height >= _TALL)
        days = model.streak(self._numbers, self._today)
        self.query_one("#daily-streak", Static).update(words.streak_words(days))
        self.query_one("#daily-legend", Static).update(
            words.legend(ascii_only=plain, is_narrow=self.is_upright)
        )
        self.query_one("#daily-words", Static).update(self._words())
        button = self.query_one(Button)
        button.label = Content(self._offer())
        button.refresh(layout=True)
        self.refresh_bindings()

    @property
    def _counts(self) -> bool:
        """Whether the chosen day's deal can still be played for its day."""
        return self._chosen == self._today and self._is_over is False

    def _words(self) -> str:
        if self._line:
            return f"{self._line}\n{gettext('Replays are practice only.')}"
        told = [words.deal_words(self._chosen)]
        if self._chosen in self._begun:
            told.append(gettext("In progress. Finish any time; it still counts for this day."))
        elif self._chosen in self._given_up:
            told.append(gettext("You deleted your try at this deal: practice only."))
        elif self._counts:
            told.append(gettext("Everyone who plays it gets the same deal. One try: no hints, no undo."))
        elif self._chosen != self._today:
            told.append(gettext("This day is over: practice only."))
        return " ".join(told)

    def _offer(self) -> str:
        if self._chosen in self._begun:
            return pgettext("button", "Go on")
        if self._is_over is None:
            return " " * len(pgettext("button", "Play"))  # until the saved games are read
        if self._counts:
            return pgettext("button", "Play")
        return gettext("Play for practice")

    def offers(self, action: str) -> bool:
        return bool(self._line) if action in {"copy", "review"} else super().offers(action)

    # Choosing a day

    def _choose(self, day: date) -> None:
        self._chosen = min(day, max((self._today, *self._outcomes)))
        self._look_again()

    def action_turn(self, way: int) -> None:
        months = self._chosen.year * 12 + self._chosen.month - 1 + way
        year, month = months // 12, months % 12 + 1
        self._choose(date(year, month, min(self._chosen.day, monthrange(year, month)[1])))

    @on(Month.Chosen)
    def _click_day(self, event: Month.Chosen) -> None:
        self._choose(event.day)

    @on(Month.Turned)
    def _click_month(self, event: Month.Turned) -> None:
        self.action_turn(event.way)

    def action_go_days(self, days: int) -> None:
        self._choose(self._chosen + timedelta(days))

    def action_home(self) -> None:
        self._choose(self._today)

    # Playing

    @on(Button.Pressed)
    def action_play(self) -> None:
        """Play the offered deal once the library is read. After midnight, show the new day first."""
        day, settings = self._chosen, self.host.settings
        if self._is_over is None:
            self._plays_once_read = True
        elif self._today != now():
            self._choose(now())
        elif day in self._begun:
            self.host.go_on(self._begun[day])
        else:
            setup = model.daily_setup if self._counts else model.practice_setup
            self.host.begin(setup(day, settings))

    def action_copy(self) -> None:
        if self._line:
            self.app.copy_to_clipboard(self._line)
            self.notify(gettext("The line is copied."), markup=False)

    def action_review(self) -> None:
        if self._game is not None:
            self.host.show_review(self._game.record, SEAT)
