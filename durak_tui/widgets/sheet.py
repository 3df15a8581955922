"""A table of many lines under one header; only the lines in sight are asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar, Final

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from durak_tui.views.sheet import Cell, Column
from durak_tui.widgets.canvas import cut

if TYPE_CHECKING:
    from textual import events
    from textual.geometry import Region

_GAP: Final = 2


Fetch = Callable[[int, int], Sequence[Sequence[Cell]]]
"""Returns the lines from one index up to another, each with a cell for every column."""


class Sheet(ScrollView, can_focus=True, inherit_bindings=False):
    """Shows a table with a cursor; the keys are its screen's.

    Attributes:
        cursor: Index of the line that keys mean.
    """

    class Moved(Message):
        """The cursor has come to another line.

        Attributes:
            index: Its index, or -1 in an empty sheet.
        """

        def __init__(self, index: int) -> None:
            super().__init__()
            self.index = index

    class Chosen(Message):
        """The line under the cursor was clicked.

        Attributes:
            index: Its index.
        """

        def __init__(self, index: int) -> None:
            super().__init__()
            self.index = index

    class TitleClicked(Message):
        """The title of a column was clicked.

        Attributes:
            name: The column's name.
        """

        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

    ALLOW_SELECT: ClassVar[bool] = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "sheet--title",
        "sheet--sorted",
        "sheet--cursor",
        "sheet--good",
        "sheet--bad",
        "sheet--muted",
        "sheet--strong",
        "sheet--plain",
    }
    DEFAULT_CSS = """
    Sheet {
        height: 1fr;
        overflow-x: hidden;
        scrollbar-size-vertical: 1;
        & .sheet--title { color: $text-muted; background: $surface; text-style: bold; }
        & .sheet--sorted { color: $text-accent; background: $surface; text-style: bold; }
        & .sheet--plain { color: $text; }
        & .sheet--strong { color: $text; text-style: bold; }
        & .sheet--muted { color: $text-muted; }
        & .sheet--good { color: $text-success; }
        & .sheet--bad { color: $text-error; }
        & .sheet--cursor { background: $panel-lighten-1; text-style: bold; }
    }
    """

    cursor: reactive[int] = reactive(0, init=False)

    def __init__(self, columns: Sequence[Column], *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.ascii_only = False
        self._columns = tuple(columns)
        self._count = 0
        self._fetch: Fetch = lambda _start, _stop: ()
        self._sorted = ("", False)
        self._visible: Sequence[Sequence[Cell]] = ()

    @property
    def count(self) -> int:
        """How many lines there are."""
        return self._count

    def show(self, count: int, fetch: Fetch, *, sorted_by: str = "", descending: bool = False) -> None:
        """Show other lines; the cursor stays at its index as far as there is one.

        Args:
            count: How many lines there are.
            fetch: What returns those in sight.
            sorted_by: The name of the column that they are sorted by.
            descending: Whether the greatest comes first.
        """
        self._count, self._fetch, self._sorted = count, fetch, (sorted_by, descending)
        self.virtual_size = Size(self.scrollable_content_region.width, count + 1)
        self.set_reactive(Sheet.cursor, max(0, min(self.cursor, count - 1)))
        self._keep_in_sight()
        self.refresh()
        self.post_message(self.Moved(self.cursor if count else -1))

    def set_columns(self, columns: Sequence[Column]) -> None:
        """Show other columns."""
        self._columns = tuple(columns)
        self.refresh()

    def move(self, step: int) -> None:
        """Move the cursor by so many lines, not beyond the ends."""
        self.cursor = max(0, min(self.cursor + step, self._count - 1))

    @property
    def page(self) -> int:
        """How many lines are in sight."""
        return max(1, self.size.height - 1)

    def watch_cursor(self) -> None:
        self._keep_in_sight()
        self.refresh()
        self.post_message(self.Moved(self.cursor if self._count else -1))

    def on_resize(self) -> None:
        self.virtual_size = Size(self.scrollable_content_region.width, self._count + 1)
        self._keep_in_sight()

    def _keep_in_sight(self) -> None:
        top = self.scroll_offset.y
        wanted = min(max(top, self.cursor - self.page + 1), self.cursor)
        wanted = max(0, min(wanted, self._count - self.page))
        if wanted != top:
            self.scroll_to(y=wanted, animate=False, force=True, immediate=True)

    # Drawing

    def _shown(self) -> list[tuple[int, Column, int, int]]:
        """List the columns that are shown: index, column, where it begins and how wide it is."""
        width = self.scrollable_content_region.width
        columns = [(index, column) for index, column in enumerate(self._columns) if width >= column.least]
        fixed = sum(column.width for _index, column in columns) + _GAP * len(columns)
        at, places = 1, []
        for index, column in columns:
            cells = column.width or max(4, width - fixed)
            places.append((index, column, at, cells))
            at += cells + _GAP
        return places

    def render_lines(self, crop: Region) -> list[Strip]:
        top = self.scroll_offset.y
        self._visible = self._fetch(top, min(top + self.page, self._count))
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        if y == 0:
            return self._header(width)
        if y > len(self._visible):
            return Strip.blank(width, self.rich_style)
        row = self._visible[y - 1]
        under = ("sheet--cursor",) if self.scroll_offset.y + y - 1 == self.cursor else ()
        space = self.get_visual_style(*under).rich_style
        segments = [Segment(" ", space)]
        for index, column, _at, cells in self._shown():
            cell = row[index]
            style = self.get_visual_style(*under, f"sheet--{cell.kind or 'plain'}").rich_style
            segments += [Segment(self._fitted(cell.text, column, cells), style), Segment(" " * _GAP, space)]
        return Strip(segments).adjust_cell_length(width, space)

    def _header(self, width: int) -> Strip:
        name, descending = self._sorted
        plain = self.get_visual_style("sheet--title").rich_style
        segments = [Segment(" ", plain)]
        for _index, column, _at, cells in self._shown():
            title, style = column.title, plain
            if column.name == name:
                arrow = ("v" if descending else "^") if self.ascii_only else ("▾" if descending else "▴")
                title = f"{column.title} {arrow}"
                style = self.get_visual_style("sheet--sorted").rich_style
            segments += [Segment(self._fitted(title, column, cells), style), Segment(" " * _GAP, plain)]
        return Strip(segments).adjust_cell_length(width, plain)

    def _fitted(self, text: str, column: Column, cells: int) -> str:
        clean = text if text.isprintable() else "".join(c if c.isprintable() else "?" for c in text)
        short = cut(clean, cells, ellipsis="~" if self.ascii_only else "…")
        return " " * (cells - cell_len(short)) + short if column.right else set_cell_size(short, cells)

    # The mouse

    def on_click(self, event: events.Click) -> None:
        if event.y == 0:
            for _index, column, at, cells in self._shown():
                if at <= event.x < at + cells:
                    self.post_message(self.TitleClicked(column.name))
            return
        index = self.scroll_offset.y + event.y - 1
        if index < self._count:
            if index == self.cursor:
                self.post_message(self.Chosen(index))
            self.cursor = index
