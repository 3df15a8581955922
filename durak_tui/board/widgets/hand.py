"""The viewer's hand, with a cursor on one card."""

from __future__ import annotations

from dataclasses import dataclass

from textual import events
from textual.geometry import Offset, Region
from textual.message import Message
from textual.reactive import reactive

from durak_core import Card
from durak_tui.ui.view.board_data import HandCard, HandView, Look
from durak_tui.ui.widgets.canvas import Canvas, ViewWidget
from durak_tui.ui.widgets.card_layout import NORMAL, HandLayout, Size, lay_hand
from durak_tui.ui.widgets.cards import Deck, Face

_NUMBERS = "1234567890"


def _playable(view: HandView) -> set[tuple[Card, bool]]:
    return {(held.card, held.playable) for held in view.cards}


class Hand(ViewWidget[HandView], can_focus=True):
    """Draws the hand, moves the cursor, and posts the chosen card.

    The cursor follows the mouse and a click plays the card. On touch screens, a first tap raises a card and a
    second one plays it. The screen binds the keys.
    """

    @dataclass
    class CardChosen(Message):
        """A card was chosen; it may be unplayable."""

        card: Card

    @dataclass
    class Raised(Message):
        """A card was tapped for the first time: another tap plays it."""

        card: Card

    class CursorMoved(Message):
        """The cursor moved to another card."""

    cursor: reactive[int] = reactive(0)
    card_size: reactive[Size] = reactive(NORMAL)
    hinted: reactive[Card | None] = reactive(None)
    """The card of the hint."""
    _view = HandView()
    _is_lifted = False
    """Whether the user moved the cursor to its card."""

    # Interface for the board and the screen

    def show(self, view: HandView, look: Look) -> None:
        """Show another hand.

        The cursor stays on its card while it is held. When the turn begins or the playable cards change, it
        goes to the cheapest playable card.
        """
        before, old = self.card, self._view
        super().show(view, look)
        is_new = not old.is_turn or _playable(old) != _playable(view)
        wanted = view.cheapest if view.is_turn and is_new and view.cheapest is not None else before
        cards = [held.card for held in view.cards]
        self.cursor = cards.index(wanted) if wanted in cards else self.cursor
        self._is_lifted = self._is_lifted and self.card == before

    @property
    def card(self) -> Card | None:
        cards = self._view.cards
        return cards[min(self.cursor, len(cards) - 1)].card if cards else None

    @property
    def why(self) -> str:
        cards = self._view.cards
        return cards[min(self.cursor, len(cards) - 1)].why if cards else ""

    def move_cursor(self, step: int) -> None:
        """Move the cursor left (-1) or right (1); on the player's turn, to a playable card."""
        view = self._view
        is_asked = view.is_turn and any(held.playable for held in view.cards)
        places = [i for i, held in enumerate(view.cards) if held.playable or not is_asked]
        if places:
            later = (i for i in places if i > self.cursor)
            earlier = (i for i in reversed(places) if i < self.cursor)
            self._lift(next(later, places[0]) if step > 0 else next(earlier, places[-1]))

    def _lift(self, index: int) -> None:
        self.cursor = index
        self._is_lifted = True

    def choose(self) -> None:
        if self.card is not None and self._view.can_choose:
            self.post_message(self.CardChosen(self.card))

    def number_of(self, card: Card) -> str:
        """Return the number that plays a card; empty if it has none."""
        cards = [held.card for held in self._view.cards[: len(_NUMBERS)]]
        return _NUMBERS[cards.index(card)] if card in cards else ""

    def go_to(self, card: Card) -> None:
        """Move the cursor to a card, if it is held."""
        cards = [held.card for held in self._view.cards]
        if card in cards:
            self.cursor = cards.index(card)

    def go_to_number(self, number: int) -> Card | None:
        """Move the cursor to the card with this number, counted from 1, and return it if it exists."""
        if not 1 <= number <= len(self._view.cards):
            return None
        self.cursor = number - 1
        return self.card

    def validate_cursor(self, cursor: int) -> int:
        return max(0, min(cursor, len(self._view.cards) - 1))

    def watch_cursor(self) -> None:
        self.post_message(self.CursorMoved())

    # Layout

    def _layout(self) -> HandLayout:
        return lay_hand(len(self._view.cards), self.size.width, self.card_size)

    def place_of(self, card: Card) -> Offset:
        """Return a card's position in the widget; the middle if it is not held."""
        cards = [held.card for held in self._view.cards]
        if card in cards:
            return self._layout().place(cards.index(card))
        return Offset((self.size.width - self.card_size.width) // 2, 1)

    def _cells(self, layout: HandLayout, index: int) -> Region:
        """Return the cells of a card; a raised one keeps the row it leaves, so that a click still hits it."""
        x, y = layout.place(index)
        is_raised = index == self.cursor and self._view.can_choose
        return Region(x, y - is_raised, layout.size.width, layout.size.height + is_raised)

    def _index_at(self, x: int, y: int) -> int | None:
        """Return the card at a position, even if the hand is not painted yet."""
        layout, last_first = self._layout(), reversed(range(len(self._view.cards)))
        return next((i for i in last_first if self._cells(layout, i).contains(x, y)), None)

    # Drawing

    def draw(self, canvas: Canvas) -> None:
        layout = self._layout()
        deck = Deck(canvas, self.look, self.card_size)
        for i, held in enumerate(self._view.cards):
            is_cursor = i == self.cursor and self._view.can_choose
            is_hinted = held.card == self.hinted
            face = Face(
                dim=self._view.is_turn and not held.playable,
                mark=self.ink_of("accent" if is_cursor else "good") if is_cursor or is_hinted else None,
                label=_NUMBERS[i] if i < len(_NUMBERS) and held.playable else "",
                corner=self._corner(held, is_hinted=is_hinted),
                upright=layout.is_narrow and not layout.is_last(i),
                covered=layout.is_covered(i),
            )
            deck.face(*self._cells(layout, i).offset, held.card, face)

    def _corner(self, held: HandCard, *, is_hinted: bool) -> str:
        hint, known = ("*", "o") if self.look.ascii else ("★", "•")
        return hint if is_hinted else known if held.known else ""

    # The mouse

    def on_mouse_move(self, event: events.MouseMove) -> None:
        index = self._index_at(event.x, event.y)
        if index is not None and self._view.can_choose:
            self._lift(index)

    def on_click(self, event: events.Click) -> None:
        index = self._index_at(event.x, event.y)
        if index is None:
            return
        if index == self.cursor and self._is_lifted:
            self.choose()
            return
        self._lift(index)
        held = self._view.cards[index]
        if self._view.is_turn and held.playable:
            self.post_message(self.Raised(held.card))
