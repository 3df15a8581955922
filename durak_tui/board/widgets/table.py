"""The table: pairs of attack and defence cards, the talon and the discard count."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rich.cells import cell_len
from textual import events
from textual.geometry import Offset
from textual.message import Message
from textual.reactive import reactive

from durak_core import Card
from durak_tui.text.i18n import gettext
from durak_tui.text.phrases import suit_text
from durak_tui.ui.view.board_data import Look, PairView, TalonView
from durak_tui.ui.widgets.canvas import Canvas, CanvasWidget, ViewWidget
from durak_tui.ui.widgets.card_layout import (
    LARGE,
    TINY,
    USUAL_PAIRS,
    Size,
    TableLayout,
    lay_table,
    sizes_up_to,
)
from durak_tui.ui.widgets.cards import Deck, Face


class Table(CanvasWidget):
    """Draws the pairs, and posts the open attack card that was clicked."""

    @dataclass
    class TargetChosen(Message):
        """The open attack card to beat was chosen."""

        card: Card

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
            self.put_cards(canvas, (left, canvas.height // 2), note, "quiet")

    def on_click(self, event: events.Click) -> None:
        card = self.lies_at(event)
        if isinstance(card, Card):
            self.post_message(self.TargetChosen(card))


class Talon(ViewWidget[TalonView]):
    """Draws the talon over its trump card, and both counts if there is room."""

    largest: reactive[Size] = reactive(LARGE)
    _view = TalonView(None, None, is_open=False, talon=0, discard=0)

    def _card_size(self, height: int) -> Size:
        """Return the largest size that fits in so many rows."""
        sizes = sizes_up_to(self.largest.name)
        fitting = (size for size in sizes if size.pair_height <= height)
        return next((size for size in fitting if size.pair_width + 2 <= self.size.width), TINY)

    def draw(self, canvas: Canvas) -> None:
        view, counts = self._view, 2
        size = self._card_size(canvas.height - counts)
        if size is TINY and view.talon:  # the status line has both counts
            size = self._card_size(canvas.height)
            counts *= size is TINY
        left = max(0, (canvas.width - size.pair_width) // 2)
        top = max(0, (canvas.height - size.pair_height - counts) // 2)
        self._draw_cards(canvas, left, top, size)
        if not counts:
            return
        below = top + size.pair_height
        count = gettext("talon {count}", count=view.talon) if view.talon else gettext("no talon")
        self._centre(canvas, below, count, "strong")
        self._centre(canvas, below + 1, gettext("discards {count}", count=view.discard), "quiet")

    def _draw_cards(self, canvas: Canvas, left: int, top: int, size: Size) -> None:
        view, deck = self._view, Deck(canvas, self.look, size)
        if view.talon == 0 or (view.talon == 1 and view.trump_card):
            left += size.over_x // 2
            top += size.over_y // 2
        if view.is_open and view.trump_card is not None:
            is_under = view.talon > 1
            deck.face(left + size.over_x * is_under, top, view.trump_card, Face(beneath=is_under))
        if view.talon > 1 or (view.talon and view.trump_card is None):
            deck.back(left, top + size.over_y)
        elif view.talon == 0 and view.trump_suit is not None:
            text = gettext("trumps {suit}", suit=suit_text(view.trump_suit, ascii=self.look.ascii))
            self._centre(canvas, top + size.pair_height - 2, text, "strong")

    def _centre(self, canvas: Canvas, y: int, text: str, name: str) -> None:
        self.put_cards(canvas, (max(0, (canvas.width - len(text)) // 2), y), text, name)
