"""The advice panel: the best actions, their win probabilities and continuations."""

from __future__ import annotations

from time import monotonic
from typing import Final

from rich.cells import cell_len
from textual.reactive import reactive

from durak_tui.hints.view.advice import AdviceRow, AdviceView
from durak_tui.text.i18n import gettext
from durak_tui.ui.view.board_data import Look
from durak_tui.ui.widgets.canvas import Canvas, CanvasWidget, wrapped

_FRAMES: Final = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_ASCII_FRAMES: Final = "|/-\\"
_FRAME_SECONDS: Final = 0.1
_OUTCOMES: Final = {"win": "win", "loss": "bad"}


class AdvicePanel(CanvasWidget):
    """Draws an `AdviceView`, across the table with one line per action, or beside it with two."""

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
            self.look = Look(ascii=view.ascii)
        turns = view is not None and view.is_running and not view.calm
        self.auto_refresh = _FRAME_SECONDS if turns else None
        self.refresh()

    def rows_beside(self, _width: int) -> int:
        return 0 if self._view is None else 3 + 2 * self._view.room

    def rows_across(self, _width: int) -> int:
        return 0 if self._view is None else 1 + self._view.room

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
        x = canvas.put(x + 1, 0, self._spinner(view), "title")
        if self.narrow:
            self._draw_narrow(canvas, view)
        else:
            self._draw_strip(canvas, view, x + 1)

    # Across the table: one line per action

    def _draw_strip(self, canvas: Canvas, view: AdviceView, x: int) -> None:
        dot = " - " if view.ascii else " · "
        about = view.problem or dot.join(filter(None, (view.basis, view.effort)))
        if cell_len(about) > canvas.width - x - 1:
            about = view.problem or view.basis
        name = "warning" if view.problem else "quiet"
        canvas.put(x, 0, self.cut(about, canvas.width - x - 1), name)
        wide = max((cell_len(row.action) for row in view.rows), default=0)
        chances = max((cell_len(row.chance) for row in view.rows), default=0)
        for y, row in enumerate(view.rows, 1):
            self._draw_row(canvas, y, row)
            x = 5 + wide + 2
            canvas.put(x, y, row.chance, _chance_ink(row))
            x += chances + 2
            if row.ahead:
                text = gettext("then {action}", action=row.ahead[0])
                canvas.put(x, y, self.cut(text, canvas.width - x - 1), "quiet")

    def _draw_row(self, canvas: Canvas, y: int, row: AdviceRow) -> None:
        canvas.put(2, y, f"{row.rank}", "quiet")
        canvas.put(5, y, row.action, "strong" if row.rank == 1 else "text")

    # Beside the table: two lines per action

    def _draw_narrow(self, canvas: Canvas, view: AdviceView) -> None:
        right = canvas.width - 1
        canvas.put(right - len(view.effort), 0, view.effort, "quiet")
        y = 1
        for row in view.rows:
            self._draw_row(canvas, y, row)
            beside = 5 + cell_len(row.action) + 2 + cell_len(row.chance) <= right
            x = right - cell_len(row.chance) if beside else 5
            canvas.put(x, y + (not beside), row.chance, _chance_ink(row))
            if beside:
                canvas.put(5, y + 1, _ahead(row, right - 5, ascii=view.ascii), "quiet")
            y += 2
        y = 1 if view.problem and not view.rows else max(y, 3)
        about, name = (view.problem, "warning") if view.problem else (view.basis, "quiet")
        for line in wrapped(about, right - 1)[: canvas.height - y]:
            canvas.put(1, y, self.cut(line, right - 1), name)
            y += 1


def _ahead(row: AdviceRow, width: int, *, ascii: bool) -> str:  # noqa: A002 - as `Look.ascii`
    arrow = " > " if ascii else " → "
    texts = [
        gettext("then {actions}", actions=arrow.join(row.ahead[:count]))
        for count in range(len(row.ahead), 0, -1)
    ]
    return next((text for text in texts if cell_len(text) <= width), "")


def _chance_ink(row: AdviceRow) -> str:
    return _OUTCOMES.get(row.outcome, "strong" if row.rank == 1 else "text")
