"""Scrolling lists with a cursor, and a table that loads only the visible lines."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from rich.cells import cell_len, set_cell_size
from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from durak_core.errors import printable
from durak_tui.ui.view.board_data import Cell, Column
from durak_tui.ui.widgets.canvas import Inked, cut


class Lines(Inked, ScrollView, can_focus=True, inherit_bindings=False):
    """A scrolling list with a cursor. Subclasses draw the lines and bind the keys."""

    class Moved(Message):
        """The cursor or the lines changed."""

    HEAD: ClassVar[int] = 0
    """Fixed rows above the lines."""
    KEPT: ClassVar[int] = 0
    """Rows that two consecutive pages share."""
    ALLOW_SELECT: ClassVar[bool] = False
    DEFAULT_CSS = """
    Lines {
        width: 1fr;
        height: 1fr;
        overflow: hidden auto;
        scrollbar-size-vertical: 1;
    }
    """

    cursor: reactive[int] = reactive(0, init=False)

    ascii_only = False

    @property
    @abstractmethod
    def count(self) -> int: ...

    @property
    def per(self) -> int:
        """Rows of the screen for each line."""
        return 1

    @property
    def page(self) -> int:
        return max(1, (self.size.height - self.HEAD) // self.per)

    def first_beside(self, index: int) -> int:
        """Return the first line to keep visible together with this one; `last_beside` returns the last."""
        return index

    def last_beside(self, index: int) -> int:
        return index

    def lines_changed(self) -> None:
        """Update after a change of the lines; the cursor keeps its index if possible."""
        self.set_reactive(Lines.cursor, max(0, min(self.cursor, self.count - 1)))
        self._fit()
        self.refresh()
        self.post_message(self.Moved())

    def move(self, step: int) -> None:
        self.cursor = max(0, min(self.cursor + step, self.count - 1))

    def action_up(self) -> None:
        self.move(-1)

    def action_down(self) -> None:
        self.move(1)

    def action_page_up(self) -> None:
        self.move(-max(1, self.page - self.KEPT))

    def action_page_down(self) -> None:
        self.move(max(1, self.page - self.KEPT))

    def action_home(self) -> None:
        self.move(-self.count)

    def action_end(self) -> None:
        self.move(self.count)

    def watch_cursor(self) -> None:
        self._keep_in_sight()
        self.refresh()
        self.post_message(self.Moved())

    def on_resize(self) -> None:
        self._fit()

    def _fit(self) -> None:
        self.virtual_size = Size(self.scrollable_content_region.width, self.per * self.count + self.HEAD)
        self._keep_in_sight()

    def _keep_in_sight(self) -> None:
        if not self.size.height:
            return  # before the first layout nothing is in sight
        top = -(-self.scroll_offset.y // self.per)
        wanted = min(max(top, self.last_beside(self.cursor) - self.page + 1), self.first_beside(self.cursor))
        wanted = max(0, min(wanted, self.count - self.page))
        if self.per * wanted != self.scroll_offset.y:
            self.scroll_to(y=self.per * wanted, animate=False, force=True, immediate=True)

    def line_at(self, event: events.Click) -> int | None:
        index = (self.scroll_offset.y + event.y - self.HEAD) // self.per
        return index if event.y >= self.HEAD and index < self.count else None

    def cut(self, text: str, width: int) -> str:
        return cut(text, width, ellipsis="~" if self.ascii_only else "…")


_GAP: Final = 2
_FINGER: Final = 2
"""Rows of a line on a touch screen."""

Fetch = Callable[[int, int], Sequence[Sequence[Cell]]]
"""Returns the lines from a start up to an end index, each with a cell for every column."""


class LongTable(Lines):
    """A scrolling table with sortable columns; its screen binds the keys."""

    @dataclass
    class Chosen(Message):
        """The line under the cursor was clicked."""

        index: int

    @dataclass
    class TitleClicked(Message):
        """A column's title was clicked."""

        name: str

    HEAD = 1
    DEFAULT_CSS = """
    LongTable {
        & .ink--head { color: $text-muted; background: $surface; text-style: bold; }
        & .ink--sorted { color: $text-accent; background: $surface; text-style: bold; }
        & .ink--muted { color: $text-muted; }
        & .ink--cursor { background: $primary 22%; text-style: bold; }
    }
    """

    columns: reactive[Sequence[Column]] = reactive(())
    _count = 0
    _fetch: Fetch
    _sorted = ("", False)
    _visible: Sequence[Sequence[Cell]] = ()

    @property
    def count(self) -> int:
        return self._count

    @property
    def per(self) -> int:
        """Rows of the screen for each line: more for fingers, with the columns that have no room."""
        return _FINGER if self.screen.has_class("-touch") else 1

    def show(self, count: int, fetch: Fetch, *, sorted_by: str = "", descending: bool = False) -> None:
        self._count, self._fetch, self._sorted = count, fetch, (sorted_by, descending)
        self.lines_changed()

    # Drawing

    def _shown(self) -> list[tuple[int, Column, int, int]]:
        """List the visible columns: index, column, start and width in cells."""
        width = self.scrollable_content_region.width
        columns = [(index, column) for index, column in enumerate(self.columns) if width >= column.least]
        fixed = sum(column.width for _index, column in columns) + _GAP * len(columns)
        at, places = 1, []
        for index, column in columns:
            cells = column.width or max(4, width - fixed)
            places.append((index, column, at, cells))
            at += cells + _GAP
        return places

    def render_lines(self, crop: Region) -> list[Strip]:
        top = self.scroll_offset.y // self.per
        below = min(top + self.page + self.per, self._count)
        self._visible = self._fetch(top, below) if self._count else ()
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        if y == 0:
            return self._header(width)
        number, part = divmod(self.scroll_offset.y + y - 1, self.per)
        place = number - self.scroll_offset.y // self.per
        if place >= len(self._visible):
            return Strip.blank(width, self.rich_style)
        row = self._visible[place]
        under = ("cursor",) if number == self.cursor else ()
        parts = [(" ", "")]
        if part:
            return self.strip_of([*parts, (self._rest(row, width), "muted")], width, *under)
        for index, column, _at, cells in self._shown():
            cell = row[index]
            parts += [(self._fitted(cell.text, column, cells), cell.kind or "text"), (" " * _GAP, "")]
        return self.strip_of(parts, width, *under)

    def _rest(self, row: Sequence[Cell], width: int) -> str:
        """Return the texts of columns that have no room in the first row."""
        rest = ""
        for column, cell in zip(self.columns, row, strict=True):
            if width < column.least and cell.text:
                text = printable(f"{column.title} {cell.text}" if column.right else cell.text)
                longer = f"{rest}{' ' * _GAP if rest else ''}{text}"
                rest = longer if cell_len(longer) <= width - 2 else rest
        return rest

    def _header(self, width: int) -> Strip:
        name, descending = self._sorted
        parts = [(" ", "")]
        for _index, column, _at, cells in self._shown():
            title, ink = column.title, ""
            if column.name == name:
                arrow = ("v" if descending else "^") if self.ascii_only else ("▾" if descending else "▴")
                title = f"{column.title} {arrow}"
                ink = "sorted"
            parts += [(self._fitted(title, column, cells), ink), (" " * _GAP, "")]
        return self.strip_of(parts, width, "head")

    def _fitted(self, text: str, column: Column, cells: int) -> str:
        short = self.cut(printable(text), cells)
        return " " * (cells - cell_len(short)) + short if column.right else set_cell_size(short, cells)

    # The mouse

    def on_click(self, event: events.Click) -> None:
        if event.y == 0:
            for _index, column, at, cells in self._shown():
                if at <= event.x < at + cells:
                    self.post_message(self.TitleClicked(column.name))
            return
        index = self.line_at(event)
        if index is not None:
            if index == self.cursor:
                self.post_message(self.Chosen(index))
            self.cursor = index
