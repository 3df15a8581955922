"""The viewer's hand: one widget that keeps the focus, with a cursor on one of its cards."""

from __future__ import annotations

from typing import ClassVar

from rich.style import Style
from textual import events
from textual.geometry import Offset
from textual.reactive import reactive

from durak_core import Card
from durak_tui.input.messages import CardChosen, CursorMoved
from durak_tui.views.data import HandView, Look
from durak_tui.widgets.canvas import Canvas, ViewWidget, part_names
from durak_tui.widgets.cards import SMALL, TINY, Deck, Face, Size, sizes_up_to

_NUMBERS = "1234567890"


def _playable(view: HandView) -> set[tuple[Card, bool]]:
    return {(held.card, held.playable) for held in view.cards}


class Hand(ViewWidget[HandView], can_focus=True):
    """Draws the hand, moves the cursor, and tells which card was chosen.

    Keys are bound by the screen; the mouse works by itself: the cursor follows it and a click plays. A finger
    moves nothing before it taps: so a tap lifts a card, and only a tap on the card that was lifted plays it.
    """

    DEFAULT_CSS = """
    Hand {
        height: 5;
        & .hand--cursor { color: $accent; }
        & .hand--scroll { color: $text-muted; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = part_names(DEFAULT_CSS)

    cursor: reactive[int] = reactive(0)
    _view = HandView()
    _offset = 0
    _is_lifted = False
    """Whether the person has put the cursor on its card."""

    # What the board and the screen ask for

    def show(self, view: HandView, look: Look) -> None:
        """Show another hand.

        The cursor stays on its card while that is there. When the turn begins, or what can be played
        has changed in it, the cursor goes on to the next card that can be, if it is on none.
        """
        before, old = self.card, self._view
        super().show(view, look)
        cards = [held.card for held in view.cards]
        cursor = cards.index(before) if before in cards else self.cursor
        is_new = not old.is_turn or _playable(old) != _playable(view)
        self.cursor = self._next_playable(cursor) if view.is_turn and is_new else cursor
        self._is_lifted = self._is_lifted and self.card == before

    def _next_playable(self, start: int) -> int:
        """Return the first playable card from here on, round the end; the start if there is none."""
        count = len(self._view.cards)
        order = [(start + step) % count for step in range(count)]
        return next((i for i in order if self._view.cards[i].playable), start)

    @property
    def card(self) -> Card | None:
        cards = self._view.cards
        return cards[min(self.cursor, len(cards) - 1)].card if cards else None

    @property
    def why(self) -> str:
        cards = self._view.cards
        return cards[min(self.cursor, len(cards) - 1)].why if cards else ""

    def move_cursor(self, step: int) -> None:
        """Move the cursor by so many cards, round the ends."""
        if self._view.cards:
            self._lift((self.cursor + step) % len(self._view.cards))

    def _lift(self, index: int) -> None:
        self.cursor = index
        self._is_lifted = True

    def choose(self) -> None:
        if self.card is not None and self._view.can_choose:
            self.post_message(CardChosen(self.card))

    def choose_number(self, number: int) -> None:
        """Choose the card with this number, counted from 1; nothing if there is none."""
        if 1 <= number <= len(self._view.cards):
            self.cursor = number - 1
            self.choose()

    def validate_cursor(self, cursor: int) -> int:
        return max(0, min(cursor, len(self._view.cards) - 1))

    def watch_cursor(self) -> None:
        self.post_message(CursorMoved())

    # Where the cards lie

    @property
    def card_size(self) -> Size:
        """The largest size that the look allows and the height has room for, with a row to raise a card."""
        sizes = sizes_up_to(self.look.size)
        return next((size for size in sizes if size.height < self.size.height), TINY)

    @property
    def _step(self) -> int:
        size, count, width = self.card_size, len(self._view.cards), self.size.width
        if count * (size.width + 1) <= width + 1 or count < 2:
            return size.width + 1
        return min(size.width, max(size.least_step, (width - size.width) // (count - 1)))

    def _lefts(self) -> list[int]:
        """Return the left column of each card, scrolled so that the one under the cursor is in sight."""
        step, width = self._step, self.size.width
        total = step * (len(self._view.cards) - 1) + self.card_size.width
        if total <= width:
            self._offset = 0
            start = (width - total) // 2
        else:
            left = min(self.cursor, len(self._view.cards) - 1) * step
            low = left + self.card_size.width + step - width
            self._offset = max(0, min(max(min(self._offset, left - step), low), total - width))
            start = -self._offset
        return [start + step * i for i in range(len(self._view.cards))]

    def place_of(self, card: Card) -> Offset:
        """Return where a card of the hand lies in the widget; the middle for any other."""
        cards = [held.card for held in self._view.cards]
        size = self.card_size
        left = self._lefts()[cards.index(card)] if card in cards else (self.size.width - size.width) // 2
        return Offset(left, self.size.height - size.height)

    def _index_at(self, x: int, y: int) -> int | None:
        """Return which card lies there now: a new hand counts before it is painted."""
        lefts, size = self._lefts(), self.card_size
        base = self.size.height - size.height
        for i in range(len(lefts) - 1, -1, -1):
            top = base - 1 if i == self.cursor else base
            if lefts[i] <= x < lefts[i] + size.width and top <= y < base + size.height:
                return i
        return None

    # Drawing

    def draw(self, canvas: Canvas) -> None:
        size, lefts = self.card_size, self._lefts()
        deck = Deck(canvas, self.look, size)
        step = self._step
        hidden = 0 if step >= min(4, size.width) or size in (SMALL, TINY) else step
        base = canvas.height - size.height
        for i, held in enumerate(self._view.cards):
            is_cursor = i == self.cursor and self._view.can_choose
            face = Face(
                dim=self._view.is_turn and not held.playable,
                mark=self.ink_of("hand--cursor") if is_cursor else None,
                label=_NUMBERS[i] if i < len(_NUMBERS) and held.playable else "",
                corner=("o" if self.look.ascii else "•") if held.known else "",
                upright=hidden if i < len(lefts) - 1 else 0,
            )
            deck.face(lefts[i], base - 1 if is_cursor else base, held.card, face)
        if lefts:
            self._draw_scroll_signs(canvas, lefts, size, self.style_of("hand--scroll"))

    def _draw_scroll_signs(self, canvas: Canvas, lefts: list[int], size: Size, style: Style) -> None:
        left, right = ("<", ">") if self.look.ascii else ("◂", "▸")
        row = canvas.height - size.height - 1
        if lefts[0] < 0:
            canvas.put(0, row, left, style)
        if lefts[-1] + size.width > canvas.width:
            canvas.put(canvas.width - 1, row, right, style)

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
        else:
            self._lift(index)
