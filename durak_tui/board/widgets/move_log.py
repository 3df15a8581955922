"""The move log: every action in words, under a heading for each bout."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from durak_tui.text.phrases import RED_CARD, LogLine
from durak_tui.ui.messages import PlyChosen
from durak_tui.ui.widgets.canvas import Inked


class _Row(NamedTuple):
    text: str
    line: LogLine


def _rows(line: LogLine, width: int) -> list[_Row]:
    """Break a log line into rows, the later ones indented."""
    indent = "" if line.is_heading else " " if line.is_action else "   "
    rows = [indent]
    for word in line.words.split():
        if cell_len(rows[-1]) + cell_len(word) >= width and rows[-1].strip():
            rows.append(indent + "  ")
        rows[-1] += word if rows[-1] == indent or not rows[-1].strip() else " " + word
    return [_Row(text, line) for text in rows]


class MoveLog(Inked, ScrollView):
    """Shows the lines, keeps the newest in sight, and tells which line was clicked."""

    DEFAULT_CSS = """
    MoveLog {
        width: 1fr;
        height: 1fr;
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-gutter: stable;
        scrollbar-size-vertical: 1;
    }
    """

    can_focus = False

    _lines: tuple[LogLine, ...] = ()
    _rows: Sequence[_Row] = ()
    _ply = 0

    def show(self, lines: tuple[LogLine, ...], ply: int) -> None:
        """Show other lines and bring those of a ply into sight."""
        moved = ply != self._ply or len(lines) != len(self._lines)
        self._lines, self._ply = lines, ply
        self._lay_out()
        if moved:
            self._follow()

    def on_resize(self) -> None:
        self._lay_out()
        self._follow()

    def _lay_out(self) -> None:
        width = self.scrollable_content_region.width
        self._rows = [row for line in self._lines for row in _rows(line, width)] if width else []
        self.virtual_size = Size(width, len(self._rows))
        self.refresh()

    def _follow(self) -> None:
        now = [y for y, row in enumerate(self._rows) if row.line.ply == self._ply]
        if now:
            self.scroll_to_region(Region(0, now[-1], 1, 1), animate=False, force=True)

    def render_line(self, y: int) -> Strip:
        index = self.scroll_offset.y + y
        width = self.size.width
        if index >= len(self._rows):
            return Strip.blank(width, self.rich_style)
        row = self._rows[index]
        style = self.rich_style + self._style(row.line)
        red = style if row.line.ply > self._ply else style + self.red
        segments = [Segment(text, red if i % 2 else style) for i, text in enumerate(RED_CARD.split(row.text))]
        return Strip(segments).adjust_cell_length(width, style)

    def _style(self, line: LogLine) -> Style:
        if line.ply > self._ply:
            return self.style_of("off")
        name = "title" if line.is_heading else "text" if line.is_action else "quiet"
        if line.ply != self._ply or not line.is_action:
            return self.style_of(name)
        return self.style_of(name) + Style(bgcolor=self.style_of("cursor").bgcolor)

    def on_click(self, event: events.Click) -> None:
        index = self.scroll_offset.y + event.y
        if index < len(self._rows):
            self.post_message(PlyChosen(self._rows[index].line.ply))
