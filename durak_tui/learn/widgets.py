"""A calendar month of clickable days."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Final

from textual import events
from textual.message import Message

from durak_tui.learn.view import DayView, MonthView
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
        match self.lies_at(event):
            case date() as day:
                self.post_message(self.Chosen(day))
            case int() as way:
                self.post_message(self.Turned(way))
            case _:
                pass
