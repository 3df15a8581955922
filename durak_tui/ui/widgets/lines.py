"""Base class of scrolling lists with a cursor."""

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
