"""The hint panel: the best actions, their win probabilities, what may follow, and why."""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import monotonic
from typing import Final

from rich.cells import cell_len
from rich.style import Style
from textual import events
from textual.message import Message
from textual.reactive import reactive

from durak_core import Action
from durak_tui.hints.view.advice import AdviceRow, AdviceView
from durak_tui.text.phrases import DOT
from durak_tui.ui.widgets.canvas import Canvas, CanvasWidget, wrapped

_FRAMES: Final = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_ASCII_FRAMES: Final = "|/-\\"
_FRAME_SECONDS: Final = 0.1
_OUTCOMES: Final = {"win": "win", "loss": "bad"}
_SPINNER: Final = 4
"""Columns of the spinner behind the title, and around it."""


class AdvicePanel(CanvasWidget):
    """Draws an `AdviceView`, across the table with one line per action, or beside it with two.

    A click on an action posts it.
    """

    @dataclass
    class Chosen(Message):
        """An action was clicked."""

        action: Action

    DEFAULT_CSS = """
    AdvicePanel {
        background: $surface;
        & .ink--win { color: $text-success; text-style: bold; }
        &:ansi { background: ansi_default; }
    }
    """

    narrow: reactive[bool] = reactive(default=False)

    _view: AdviceView | None = None

    def show(self, view: AdviceView | None) -> None:
        self._view = view
        if view is not None:
            self.look = replace(self.look, ascii=view.ascii)
        turns = view is not None and view.is_running and not view.calm
        self.auto_refresh = _FRAME_SECONDS if turns else None
        self.refresh()

    def rows_beside(self, _width: int) -> int:
        return 0 if self._view is None else 5 + 2 * self._view.room

    def rows_across(self, width: int) -> int:
        view = self._view
        return 0 if view is None else view.room + len(self._about(view, width))

    def _about(self, view: AdviceView, width: int) -> list[str]:
        """Return the lines across the table on the figures or, once they hold, on the reason.

        The first line is behind the title. The last one may be too long.
        """
        room = width - _start(view) - 1
        if view.problem or not view.why:
            about = view.problem or DOT[view.ascii].join(filter(None, (view.basis, view.effort)))
            return [about if cell_len(about) <= room else view.problem or view.basis]
        first, *others = wrapped(view.why, room)
        return [first, " ".join(others)] if others else [first]

    def _spinner(self, view: AdviceView) -> str:
        if not view.is_running:
            return ""
        if view.calm:
            return "..." if view.ascii else "…"
        frames = _ASCII_FRAMES if view.ascii else _FRAMES
        return frames[int(monotonic() / _FRAME_SECONDS) % len(frames)]

    def draw(self, canvas: Canvas) -> None:
        view = self._view
        if view is None:
            return
        x = canvas.put(1, 0, view.title, "title")
        canvas.put(x + 1, 0, self._spinner(view), "title")
        if self.narrow:
            self._draw_narrow(canvas, view)
        else:
            self._draw_strip(canvas, view)

    # Across the table: one line per action

    def _draw_strip(self, canvas: Canvas, view: AdviceView) -> None:
        ink = "warning" if view.problem else "text" if view.why else "quiet"
        x, about = _start(view), self._about(view, canvas.width)
        for y, line in enumerate(about):
            self.put_cards(canvas, (x, y), self.cut(line, canvas.width - x - 1), ink)
            x = 2
        start = 2 + _key_width(view)
        wide = max((cell_len(row.words) for row in view.rows), default=0)
        chances = max((cell_len(row.chance) for row in view.rows), default=0)
        for number, row in enumerate(view.rows):
            y = number + len(about)
            self._draw_row(canvas, view, number, y)
            x = start + wide + 2
            canvas.put(x, y, row.chance, _chance_ink(row, number))
            x += chances + 2
            self._draw_ahead(canvas, row, x, y)
            self._end_row(canvas, view, number, y, 1)

    def _draw_row(self, canvas: Canvas, view: AdviceView, number: int, y: int) -> None:
        row = view.rows[number]
        canvas.put(2, y, row.key, "quiet")
        self.put_cards(canvas, (2 + _key_width(view), y), row.words, "strong" if number == 0 else "text")

    def _draw_ahead(self, canvas: Canvas, row: AdviceRow, x: int, y: int) -> None:
        """Draw the longest form that fits."""
        room = canvas.width - 1 - x
        text = next((text for text in row.ahead if cell_len(text) <= room), "".join(row.ahead[-1:]))
        self.put_cards(canvas, (x, y), self.cut(text, room), "quiet")

    def _end_row(self, canvas: Canvas, view: AdviceView, number: int, y: int, height: int) -> None:
        """Make a row clickable, and highlight the chosen one."""
        self.mark(0, y, canvas.width, height, view.rows[number])
        if number == view.chosen:
            canvas.put(0, y, ">" if view.ascii else "▸", "warning")
            canvas.fill(y, Style(bgcolor=self.style_of("cursor").bgcolor))

    # Beside the table: two lines per action

    def _draw_narrow(self, canvas: Canvas, view: AdviceView) -> None:
        right = canvas.width - 1
        if _start(view) + cell_len(view.effort) <= right:
            canvas.put(right - cell_len(view.effort), 0, view.effort, "quiet")
        y, x = 1, 2 + _key_width(view)
        for number, row in enumerate(view.rows):
            self._draw_row(canvas, view, number, y)
            beside = x + cell_len(row.words) + 2 + cell_len(row.chance) <= right
            at = right - cell_len(row.chance) if beside else x
            canvas.put(at, y + (not beside), row.chance, _chance_ink(row, number))
            if beside:
                self._draw_ahead(canvas, row, x, y + 1)
            self._end_row(canvas, view, number, y, 2)
            y += 2
        y = 1 if view.problem and not view.rows else max(y, 3)
        about, name = (view.problem, "warning") if view.problem else (view.why or view.basis, "quiet")
        for line in wrapped(about, right - 1)[: canvas.height - y]:
            self.put_cards(canvas, (1, y), self.cut(line, right - 1), "text" if about == view.why else name)
            y += 1

    def on_click(self, event: events.Click) -> None:
        row = self.lies_at(event)
        if isinstance(row, AdviceRow):
            event.stop()
            self.post_message(self.Chosen(row.action))


def _start(view: AdviceView) -> int:
    """Return the column behind the title."""
    return 1 + cell_len(view.title) + _SPINNER


def _key_width(view: AdviceView) -> int:
    """Return the columns of the keys; 0 without any."""
    widest = max((cell_len(row.key) for row in view.rows), default=0)
    return widest + 2 if widest else 0


def _chance_ink(row: AdviceRow, number: int) -> str:
    if row.is_rough:
        return "quiet"
    return _OUTCOMES.get(row.outcome, "strong" if number == 0 else "text")
