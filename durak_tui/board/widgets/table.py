"""The table: pairs of attack and defence cards."""

from __future__ import annotations

from collections.abc import Iterable

from rich.cells import cell_len
from textual import events
from textual.geometry import Offset
from textual.reactive import reactive

from durak_core import Card
from durak_tui.ui.messages import TargetChosen
from durak_tui.ui.view.data import Look, PairView
from durak_tui.ui.widgets.canvas import Canvas, CanvasWidget
from durak_tui.ui.widgets.card_layout import LARGE, TINY, USUAL_PAIRS, Size, TableLayout, lay_table
from durak_tui.ui.widgets.cards import Deck, Face


class Table(CanvasWidget):
    """Draws the pairs, and posts the open attack card that was clicked."""

    DEFAULT_CSS = """
    Table {
        & .ink--target { color: $warning; text-style: bold; }
    }
    """

    largest: reactive[Size] = reactive(LARGE)
    centre: reactive[int] = reactive(0)
    _pairs: tuple[PairView, ...] = ()
    _limit = USUAL_PAIRS
    _note = ""
    _held: frozenset[Card] = frozenset()

    def hold(self, cards: Iterable[Card]) -> None:
        self._held = frozenset(cards)
        self.refresh()

    def place_of(self, index: int, *, defence: bool = False) -> tuple[Offset, Size]:
        layout = self._layout()
        place = layout.place(index)
        over = (layout.size.over_x, layout.size.over_y) if defence else (0, 0)
        return place + over, layout.size

    def show(self, pairs: tuple[PairView, ...], look: Look, limit: int, note: str = "") -> None:
        self._pairs, self.look, self._limit, self._note = pairs, look, limit, note
        self.refresh()

    def _layout(self) -> TableLayout:
        layout = lay_table(self.size, len(self._pairs), self._limit, self.largest, self.centre)
        return layout or TableLayout(TINY, max(1, self.size.width // TINY.width), 0, 0, TINY.width, 1)

    def draw(self, canvas: Canvas) -> None:
        layout = self._layout()
        size = layout.size
        deck = Deck(canvas, self.look, size)
        target = Face(mark=self.ink_of("target"))
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
            left = max(0, min(self.centre - cell_len(note) // 2, canvas.width - cell_len(note)))
            canvas.put(left, canvas.height // 2, note, "quiet")

    def on_click(self, event: events.Click) -> None:
        card = self.lies_at(event)
        if isinstance(card, Card):
            self.post_message(TargetChosen(card))
