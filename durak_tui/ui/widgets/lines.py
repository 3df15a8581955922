"""A list of lines of which one has the cursor and stays in sight."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView

from durak_tui.ui.widgets.canvas import Inked, cut


class Lines(Inked, ScrollView, can_focus=True, inherit_bindings=False):
    """Moves the cursor; what the lines show, and which keys there are, is its subclass's matter."""

    class Moved(Message):
        """The cursor has come to another line, or there are other lines."""

    HEAD: ClassVar[int] = 0
    """Rows above the lines, which do not scroll."""
    KEPT: ClassVar[int] = 0
    """Rows of a page that are still in sight on the next one."""
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
    def count(self) -> int:
        """How many lines there are."""

    @property
    def page(self) -> int:
        return max(1, self.size.height - self.HEAD)

    def first_beside(self, index: int) -> int:
        """Return the first line that is to be in sight together with one."""
        return index

    def last_beside(self, index: int) -> int:
        """Return the last line that is to be in sight together with one."""
        return index

    def lines_changed(self) -> None:
        """Take in that there are other lines; the cursor stays at its index as far as there is one."""
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
        self.virtual_size = Size(self.scrollable_content_region.width, self.count + self.HEAD)
        self._keep_in_sight()

    def _keep_in_sight(self) -> None:
        top = self.scroll_offset.y
        wanted = min(max(top, self.last_beside(self.cursor) - self.page + 1), self.first_beside(self.cursor))
        wanted = max(0, min(wanted, self.count - self.page))
        if wanted != top:
            self.scroll_to(y=wanted, animate=False, force=True, immediate=True)

    def line_at(self, event: events.Click) -> int | None:
        """Return the index of the line that was clicked, or None beside the lines."""
        index = self.scroll_offset.y + event.y - self.HEAD
        return index if event.y >= self.HEAD and index < self.count else None

    def cut(self, text: str, width: int) -> str:
        return cut(text, width, ellipsis="~" if self.ascii_only else "…")
