"""The move log: a line for every action, under a heading for each bout."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from durak_tui.text.phrases import LogLine
from durak_tui.ui.view.board_data import Look
from durak_tui.ui.widgets.canvas import Inked, wrapped
from durak_tui.ui.widgets.plot import PlyChosen


class MoveLog(Inked, ScrollView):
    """Shows the log, keeps the current ply visible, and posts the clicked line's ply."""

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
    _rows: Sequence[tuple[str, LogLine]] = ()
    """Text and log line of each row; continuation rows are indented."""
    _ply = 0

    def show(self, lines: tuple[LogLine, ...], ply: int, look: Look) -> None:
        moved = ply != self._ply or len(lines) != len(self._lines)
        self._lines, self._ply, self.look = lines, ply, look
        self._lay_out()
        if moved:
            self._follow()

    def on_resize(self) -> None:
        self._lay_out()
        self._follow()

    def _lay_out(self) -> None:
        width = self.scrollable_content_region.width
        lines = self._lines if width else ()
        indents = ["" if line.is_heading else " " if line.is_action else "   " for line in lines]
        self._rows = [
            (text, line)
            for line, indent in zip(lines, indents, strict=True)
            for text in wrapped(line.words, width, indent, "  ")
        ]
        self.virtual_size = Size(width, len(self._rows))
        self.refresh()

    def _follow(self) -> None:
        now = [y for y, (_text, line) in enumerate(self._rows) if self._ply in line.plies]
        if now:
            self.scroll_to_region(Region(0, now[-1], 1, 1), animate=False, force=True)

    def render_line(self, y: int) -> Strip:
        index = self.scroll_offset.y + y
        width = self.size.width
        if index >= len(self._rows):
            return Strip.blank(width, self.rich_style)
        text, line = self._rows[index]
        style = self.rich_style + self._style(line)
        is_ahead = line.plies.start > self._ply
        parts = [(text, Style())] if is_ahead else self.with_suits(text)
        segments = [Segment(part, style + colour) for part, colour in parts]
        return Strip(segments).adjust_cell_length(width, style)

    def _style(self, line: LogLine) -> Style:
        if line.plies.start > self._ply:
            return self.style_of("off")
        name = "title" if line.is_heading else "text" if line.is_action else "quiet"
        if self._ply not in line.plies or not line.is_action:
            return self.style_of(name)
        return self.style_of(name) + Style(bgcolor=self.style_of("cursor").bgcolor)

    def on_click(self, event: events.Click) -> None:
        index = self.scroll_offset.y + event.y
        if index < len(self._rows):
            self.post_message(PlyChosen(self._rows[index][1].ply))
