"""The talon with its trump card, and the discard count."""

from __future__ import annotations

from textual.reactive import reactive

from durak_tui.text.i18n import say
from durak_tui.text.phrases import suit_text
from durak_tui.ui.view.data import TalonView
from durak_tui.ui.widgets.canvas import Canvas, ViewWidget
from durak_tui.ui.widgets.card_layout import LARGE, TINY, Size, sizes_up_to
from durak_tui.ui.widgets.cards import Deck


class Talon(ViewWidget[TalonView]):
    """Draws the talon over its trump card, and both counts."""

    largest: reactive[Size] = reactive(LARGE)
    _view = TalonView(None, None, is_open=False, talon=0, discard=0)

    def _card_size(self) -> Size:
        sizes = sizes_up_to(self.largest.name)
        fitting = (size for size in sizes if size.pair_height + 2 <= self.size.height)
        return next((size for size in fitting if size.pair_width + 2 <= self.size.width), TINY)

    def draw(self, canvas: Canvas) -> None:
        view, size = self._view, self._card_size()
        left = max(0, (canvas.width - size.pair_width) // 2)
        top = max(0, (canvas.height - size.pair_height - 2) // 2)
        self._draw_cards(canvas, left, top, size)
        below = top + size.pair_height
        count = say("talon {count}", count=view.talon) if view.talon else say("no talon")
        self._centre(canvas, below, count, "strong")
        self._centre(canvas, below + 1, say("discards {count}", count=view.discard), "quiet")

    def _draw_cards(self, canvas: Canvas, left: int, top: int, size: Size) -> None:
        view, deck = self._view, Deck(canvas, self.look, size)
        if view.talon == 0 or (view.talon == 1 and view.trump_card):
            left += size.over_x // 2
            top += size.over_y // 2
        if view.is_open and view.trump_card is not None:
            deck.face(left + (size.over_x if view.talon > 1 else 0), top, view.trump_card)
        if view.talon > 1 or (view.talon and view.trump_card is None):
            deck.back(left, top + size.over_y)
        elif view.talon == 0 and view.trump_suit is not None:
            text = say("trumps {suit}", suit=suit_text(view.trump_suit, ascii=self.look.ascii))
            self._centre(canvas, top + size.pair_height - 2, text, "strong")

    def _centre(self, canvas: Canvas, y: int, text: str, name: str) -> None:
        canvas.put(max(0, (canvas.width - len(text)) // 2), y, text, name)
