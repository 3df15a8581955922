"""The list of candidate moves."""

from __future__ import annotations

from dataclasses import dataclass

from rich.cells import cell_len
from rich.style import Style
from textual import events
from textual.message import Message

from durak_tui.review.view import CandidateRow
from durak_tui.text.i18n import gettext
from durak_tui.ui.view.board_data import Look
from durak_tui.ui.widgets.canvas import Canvas, CanvasWidget


class Choices(CanvasWidget):
    """Draws the rows with a cursor, scrolls to it, and posts clicks."""

    DEFAULT_CSS = """
    Choices {
        width: 1fr;
        height: 1fr;
    }
    """

    @dataclass
    class Chosen(Message):
        """A row was clicked."""

        index: int

    _rows: tuple[CandidateRow, ...] = ()
    _cursor = 0
    _note = ""
    _top = 0

    def show(self, rows: tuple[CandidateRow, ...], cursor: int, look: Look, note: str = "") -> None:
        self._rows, self._cursor, self.look, self._note = rows, cursor, look, note
        self.refresh()

    def draw(self, canvas: Canvas) -> None:
        if not self._rows:
            canvas.put(1, 0, self.cut(self._note, canvas.width - 2), "quiet")
            return
        room = max(1, canvas.height)
        self._top = min(max(self._top, self._cursor - room + 1), self._cursor, max(0, len(self._rows) - room))
        action = max(cell_len(row.action) for row in self._rows)
        value = max(cell_len(row.value) for row in self._rows)
        for y, row in enumerate(self._rows[self._top : self._top + room]):
            self._draw_row(canvas, y, row, (action, value))

    def _draw_row(self, canvas: Canvas, y: int, row: CandidateRow, widths: tuple[int, int]) -> None:
        action, value = widths
        self.put_cards(canvas, (2, y), row.action, "strong")
        x = 2 + action + 2
        canvas.put(x, y, row.value.rjust(value), "text")
        x += value + 2 if value else 0
        if row.is_played:
            x = canvas.put(x, y, gettext("played {mark}", mark=row.mark).strip(), "warning") + 2
        ahead = self.cut(row.ahead, canvas.width - x - 1)
        if len(ahead) > 3:
            self.put_cards(canvas, (x, y), ahead, "quiet")
        if self._top + y == self._cursor:
            canvas.put(0, y, ">" if self.look.ascii else "▸", "warning")
            canvas.fill(y, Style(bgcolor=self.style_of("cursor").bgcolor))

    def on_click(self, event: events.Click) -> None:
        index = self._top + event.y
        if index < len(self._rows):
            self.post_message(self.Chosen(index))
