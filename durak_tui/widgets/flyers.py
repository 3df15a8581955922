"""Cards on their way over the board. They only show what has happened already, and nothing waits for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from durak_tui.widgets.canvas import Canvas, CanvasWidget
from durak_tui.widgets.cards import NORMAL, Deck, Size

if TYPE_CHECKING:
    from durak_core import Card
    from durak_tui.views.data import Look


class Flyer(CanvasWidget):
    """One card over the board, hidden until it is needed."""

    DEFAULT_CSS = """
    Flyer {
        layer: over;
        position: absolute;
        display: none;
        width: 5;
        height: 4;
    }
    """

    _card: Card | None = None
    _card_size = NORMAL

    def carry(self, card: Card, size: Size, look: Look) -> None:
        """Take a card."""
        self._card, self._card_size, self.look = card, size, look
        self.styles.width, self.styles.height = size.width, size.height
        self.refresh()

    def draw(self, canvas: Canvas) -> None:
        """Paint the card."""
        if self._card is not None:
            Deck(canvas, self.look, self._card_size).face(0, 0, self._card)
