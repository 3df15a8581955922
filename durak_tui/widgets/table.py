"""The cards on the table: each attack card with the one that beat it laid over it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar, NamedTuple

from rich.cells import cell_len
from textual import events
from textual.geometry import Offset
from textual.reactive import reactive

from durak_core import Card
from durak_tui.input.messages import TargetChosen
from durak_tui.views.data import Look, PairView
from durak_tui.widgets.canvas import Canvas, CanvasWidget, part_names
from durak_tui.widgets.cards import LARGE, TINY, Deck, Face, Size, sizes_up_to

_USUAL_PAIRS = 6
"""Room is kept for so many pairs, so that cards neither move nor shrink while a usual bout grows."""


class _Layout(NamedTuple):
    size: Size
    columns: int
    left: int
    top: int
    across: int
    down: int

    def place(self, index: int) -> tuple[int, int]:
        row, column = divmod(index, self.columns)
        return self.left + column * self.across, self.top + row * self.down


class Table(CanvasWidget):
    """Draws the pairs and tells which open attack card was clicked."""

    DEFAULT_CSS = """
    Table {
        width: 1fr;
        height: 1fr;
        & .table--target { color: $warning; text-style: bold; }
        & .table--note { color: $text-muted; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = part_names(DEFAULT_CSS)

    largest: reactive[Size] = reactive(LARGE)
    _pairs: tuple[PairView, ...] = ()
    _limit = _USUAL_PAIRS
    _note = ""
    _held: frozenset[Card] = frozenset()

    def hold(self, cards: Iterable[Card]) -> None:
        self._held = frozenset(cards)
        self.refresh()

    def place_of(self, index: int, *, defence: bool = False) -> tuple[Offset, Size]:
        """Return where a card of a pair lies in the widget, and its size."""
        layout = self._layout()
        x, y = layout.place(index)
        over = (layout.size.over_x, layout.size.over_y) if defence else (0, 0)
        return Offset(x + over[0], y + over[1]), layout.size

    def show(self, pairs: tuple[PairView, ...], look: Look, limit: int, note: str = "") -> None:
        self._pairs, self.look, self._limit, self._note = pairs, look, limit, note
        self.refresh()

    def _layout(self) -> _Layout:
        """Choose the largest cards with which everything has room."""
        width, height = self.size.width, self.size.height
        room_for = max(len(self._pairs), min(self._limit, _USUAL_PAIRS), 1)
        sizes = sizes_up_to(self.largest.name)
        fitting = (self._fit(size, gap, room_for) for size in sizes for gap in (2, 1))
        layout = next((layout for layout in fitting if layout is not None), None)
        return layout or _Layout(TINY, max(1, width // TINY.width), 0, 0, TINY.width, min(2, height or 1))

    def _fit(self, size: Size, gap: int, room_for: int) -> _Layout | None:
        across, down = size.pair_width + gap, size.pair_height + 1
        columns = min((self.size.width + gap) // across, room_for)
        if columns < 1 or -(-room_for // columns) * down > self.size.height:
            return None
        used = max(1, min(columns, len(self._pairs)))
        rows = -(-max(len(self._pairs), 1) // columns)
        left = (self.size.width - used * across + gap) // 2
        return _Layout(size, columns, left, (self.size.height - rows * down + 1) // 2, across, down)

    def draw(self, canvas: Canvas) -> None:
        layout = self._layout()
        size = layout.size
        deck = Deck(canvas, self.look, size)
        target = Face(mark=self.ink_of("table--target"))
        for i, pair in enumerate(self._pairs):
            x, y = layout.place(i)
            if pair.defence is None:
                self.mark(x, y, size.width, size.height + 1, pair.attack)
            if pair.attack not in self._held:
                deck.face(x, y, pair.attack, target if pair.is_target else Face())
            if pair.defence is not None and pair.defence not in self._held:
                deck.face(x + size.over_x, y + size.over_y, pair.defence)
            if pair.is_target and pair.attack not in self._held:
                sign = "^" if self.look.ascii else "▲"
                canvas.put(x + size.width // 2, y + size.height, sign, target.mark)
        if not self._pairs and self._note:
            note = self.cut(self._note, canvas.width)
            left = (canvas.width - cell_len(note)) // 2
            canvas.put(left, canvas.height // 2, note, self.style_of("table--note"))

    def on_click(self, event: events.Click) -> None:
        card = self.lies_at(event)
        if isinstance(card, Card):
            self.post_message(TargetChosen(card))
