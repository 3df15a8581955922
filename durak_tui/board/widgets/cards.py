"""The viewer's hand, the table, and the status line."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rich.cells import cell_len
from textual import events
from textual.geometry import Offset, Region
from textual.message import Message
from textual.reactive import reactive

from durak_core import Card, Observation
from durak_tui.play.game import Moment
from durak_tui.text.i18n import gettext, ngettext
from durak_tui.text.phrases import DOT, capital, preset_text, suit_text
from durak_tui.ui.view.board_data import HandCard, HandView, Look, TableView
from durak_tui.ui.widgets.canvas import Canvas, ViewWidget
from durak_tui.ui.widgets.cards import (
    LARGE,
    NORMAL,
    TINY,
    USUAL_PAIRS,
    Deck,
    Face,
    HandLayout,
    Size,
    TableLayout,
    lay_hand,
    lay_table,
    sizes_up_to,
)

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

    @dataclass
    class Dragged(Message):
        """A card follows the mouse to a place on the screen, or was let go there."""

        card: Card
        place: Offset
        is_over: bool = False

    cursor: reactive[int] = reactive(-1)
    """The chosen card's index; -1 for none."""
    card_size: reactive[Size] = reactive(NORMAL)
    hinted: reactive[Card | None] = reactive(None)
    """The card of the hint."""
    planned: reactive[Card | None] = reactive(None)
    """The card planned for the next attack."""
    _view = HandView()
    _is_lifted = False
    """Whether the user moved the cursor to its card."""
    _held: int | None = None
    """The card under a pressed mouse button."""

    # Interface for the board and the screen

    def show(self, view: HandView, look: Look) -> None:
        """Show another hand.

        The cursor stays on its card while it is held. When the turn begins or the playable cards change, it
        goes to the view's start, or to no card.
        """
        before, old = self.card, self._view
        super().show(view, look)
        is_new = not old.is_turn or _playable(old) != _playable(view)
        wanted = view.start if view.is_turn and is_new else before
        cards = [held.card for held in view.cards]
        self.cursor = cards.index(wanted) if wanted in cards else -1
        self._is_lifted = self._is_lifted and self.card == before

    @property
    def _chosen(self) -> HandCard | None:
        cards = self._view.cards
        return cards[min(self.cursor, len(cards) - 1)] if cards and self.cursor >= 0 else None

    @property
    def card(self) -> Card | None:
        """The card under the cursor; None if none is chosen."""
        return self._chosen.card if self._chosen else None

    @property
    def why(self) -> str:
        return self._chosen.why if self._chosen else ""

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
        if not self._view.is_numbered:
            return ""
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
        return max(-1, min(cursor, len(self._view.cards) - 1))

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
        is_top = index < layout.columns  # below it, a raised card would hide the one above
        is_raised = is_top and index == self.cursor and self._view.can_choose
        return Region(x, y - is_raised, layout.size.width, layout.size.height + is_raised)

    def _index_at(self, x: int, y: int) -> int | None:
        """Return the card at a position, even if the hand is not painted yet."""
        layout, last_first = self._layout(), reversed(range(len(self._view.cards)))
        return next((i for i in last_first if self._cells(layout, i).contains(x, y)), None)

    # Drawing

    def draw(self, canvas: Canvas) -> None:
        layout = self._layout()
        deck = Deck(canvas, self.look, self.card_size)
        known, is_numbered = "o" if self.look.ascii else "•", self._view.is_numbered
        for i, held in enumerate(self._view.cards):
            is_cursor = i == self.cursor and self._view.can_choose
            signs = self._signs(held.card)
            face = Face(
                dim=self._view.is_turn and not held.playable,
                mark=self.ink_of("accent" if is_cursor else "good") if is_cursor or signs else None,
                label=_NUMBERS[i] if is_numbered and i < len(_NUMBERS) and held.playable else "",
                corner=signs or known * held.known,
                upright=layout.is_narrow and not layout.is_last(i),
                covered=layout.is_covered(i),
            )
            deck.face(*self._cells(layout, i).offset, held.card, face)

    def _signs(self, card: Card) -> str:
        """Return the sign of the planned card, or of the hint's."""
        plan, hint = (">", "*") if self.look.ascii else ("»", "★")
        return plan if card == self.planned else hint if card == self.hinted else ""

    # The mouse

    def on_mouse_down(self, event: events.MouseDown) -> None:
        self._held = self._index_at(event.x, event.y) if self._view.can_choose else None
        if self._held is not None:
            self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        index = self._index_at(event.x, event.y)
        if self._held is not None and self.app.mouse_captured is self:
            if index != self._held:
                self._drag(event, is_over=False)
        elif index is not None and self._view.can_choose:
            self._lift(index)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        self.release_mouse()
        if self._held is not None and self._index_at(event.x, event.y) != self._held:
            self._drag(event, is_over=True)
        self._held = None

    def _drag(self, event: events.MouseEvent, *, is_over: bool) -> None:
        cards = self._view.cards
        if self._held is not None and self._held < len(cards):
            self._lift(self._held)
            self.post_message(self.Dragged(cards[self._held].card, event.screen_offset, is_over))

    def on_click(self, event: events.Click) -> None:
        index = self._index_at(event.x, event.y)
        if index is None or (event.chain > 1 and not self._view.is_turn):
            return
        if index == self.cursor and self._is_lifted:
            self.choose()
            return
        self._lift(index)
        held = self._view.cards[index]
        if self._view.is_turn and held.playable:
            self.post_message(self.Raised(held.card))


class Table(ViewWidget[TableView | None]):
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
    _view: TableView | None = None
    _held: frozenset[Card] = frozenset()

    def hold(self, cards: Iterable[Card]) -> None:
        self._held = frozenset(cards)
        self.refresh()

    def place_of(self, index: int, *, defence: bool = False) -> tuple[Offset, Size]:
        layout = self._layout()
        place = layout.place(index)
        over = (layout.size.over_x, layout.size.over_y) if defence else (0, 0)
        return place + over, layout.size

    def _layout(self) -> TableLayout:
        pairs, limit = 0, USUAL_PAIRS
        if self._view is not None:
            pairs, limit = len(self._view.moment.observation.table), self._view.moment.observation.limit
        layout = lay_table(self.size, pairs, limit, self.largest, self.centre)
        return layout or TableLayout(TINY, max(1, self.size.width // TINY.width), 0, 0, TINY.width, 1)

    def draw(self, canvas: Canvas) -> None:
        if self._view is None:
            return
        layout, pairs, note = self._layout(), self._view.moment.observation.table, self._view.note
        size = layout.size
        deck = Deck(canvas, self.look, size)
        target = Face(mark=self.ink_of("target"))
        for i, pair in enumerate(pairs):
            x, y = layout.place(i)
            is_target = pair.attack == self._view.target
            if pair.defence is None:
                self.mark(x, y, size.width, size.height + 1, pair.attack)
            if pair.attack not in self._held:
                deck.face(x, y, pair.attack, target if is_target else Face(beneath=pair.defence is not None))
            if pair.defence is not None and pair.defence not in self._held:
                deck.face(x + size.over_x, y + size.over_y, pair.defence)
            if is_target and pair.attack not in self._held:
                sign = "^" if self.look.ascii else "▲"
                canvas.put(x + size.width // 2, y + size.height, sign, target.mark)
        if not pairs and note:
            note = self.cut(note, canvas.width)
            left = max(0, min(self.centre - cell_len(note) // 2, canvas.width - cell_len(note)))
            self.put_cards(canvas, (left, canvas.height // 2), note, "quiet")

    def on_click(self, event: events.Click) -> None:
        card = self.lies_at(event.offset)
        if isinstance(card, Card):
            self.post_message(self.TargetChosen(card))


class Talon(ViewWidget[Observation | None]):
    """Draws the talon over its trump card, and both counts if there is room."""

    largest: reactive[Size] = reactive(LARGE)
    _view: Observation | None = None

    def _card_size(self, height: int) -> Size:
        """Return the largest size that fits in so many rows."""
        sizes = sizes_up_to(self.largest.name)
        fitting = (size for size in sizes if size.pair_height <= height)
        return next((size for size in fitting if size.pair_width + 2 <= self.size.width), TINY)

    def draw(self, canvas: Canvas) -> None:
        if self._view is None:
            return
        talon, counts = self._view.talon_size, 2
        size = self._card_size(canvas.height - counts)
        if size is TINY and talon:  # the status line has both counts
            size = self._card_size(canvas.height)
            counts *= size is TINY
        left = max(0, (canvas.width - size.pair_width) // 2)
        top = max(0, (canvas.height - size.pair_height - counts + 1) // 2)  # away from a seat above
        self._draw_cards(canvas, Offset(left, top), size, self._view)
        if not counts:
            return
        below = top + size.pair_height
        count = gettext("talon {count}", count=talon) if talon else gettext("no talon")
        self._centre(canvas, below, count, "strong")
        self._centre(canvas, below + 1, gettext("discards {count}", count=self._view.discard_size), "quiet")

    def _draw_cards(self, canvas: Canvas, at: Offset, size: Size, seen: Observation) -> None:
        (left, top), talon, card, deck = at, seen.talon_size, seen.trump_card, Deck(canvas, self.look, size)
        if talon == 0 or (talon == 1 and card):
            left += size.over_x // 2
            top += size.over_y // 2
        if talon and card is not None:
            is_under = talon > 1
            deck.face(left + size.over_x * is_under, top, card, Face(beneath=is_under))
        if talon > 1 or (talon and card is None):
            deck.back(left, top + size.over_y)
        elif talon == 0 and seen.trump_suit is not None:
            text = gettext("trumps {suit}", suit=suit_text(seen.trump_suit, ascii=self.look.ascii))
            self._centre(canvas, top + size.pair_height - 2, text, "strong")

    def _centre(self, canvas: Canvas, y: int, text: str, name: str) -> None:
        self.put_cards(canvas, (max(0, (canvas.width - len(text)) // 2), y), text, name)


class Status(ViewWidget[TableView | None]):
    """Draws the game at the left and card counts at the right; parts at the left give way."""

    DEFAULT_CSS = """
    Status {
        height: 1;
    }
    """

    _view: TableView | None = None

    def show(self, view: TableView | None, look: Look) -> None:
        super().show(view, look)
        self.styles.height = self.rows

    @property
    def rows(self) -> int:
        return 2 if self._view is not None and self._view.score else 1

    def draw(self, canvas: Canvas) -> None:
        if self._view is None:
            return
        right = self._right(self._view.moment.observation)
        room = canvas.width - sum(len(text) for text, _ in right) - 2
        left = self._left(self._view.moment)
        while len(left) > 1 and sum(len(text) + 3 for text, _ in left) - 2 > room:
            left.pop(1)
        x = 1
        for i, (text, name) in enumerate(left):
            x = canvas.put(x, 0, DOT[self.look.ascii] if i else "", "quiet")
            x = canvas.put(x, 0, text, name)
        x = canvas.width - 1 - sum(len(text) for text, _ in right)
        for text, name in right:
            self.put_cards(canvas, (x, 0), text, name)
            x += len(text)
        score = self.cut(capital(self._view.score), canvas.width - 2)
        canvas.put(1, 1, score, "text")

    def _left(self, moment: Moment) -> list[tuple[str, str]]:
        rules, ply, last = moment.observation.rules, moment.ply, moment.last_ply
        number = ply + (self._view is not None and self._view.is_before)
        is_house_rule = any(name not in {"seats", "teams"} for name in rules.differences)
        return [
            (preset_text(rules.base), "strong"),
            (ngettext("{count} card", "{count} cards", rules.deck_size), "quiet"),
            *([(gettext("house rules"), "quiet")] if is_house_rule else []),
            *([(gettext("move {ply} of {last}", ply=number, last=last), "text")] if ply < last else []),
            (gettext("bout {bout}", bout=moment.observation.bout), "text"),
            *([(gettext("not saved"), "warning")] if moment.is_unsaved else []),
        ]

    def _right(self, seen: Observation) -> list[tuple[str, str]]:
        parts = [(gettext("no trumps"), "quiet")]
        if seen.trump_suit is not None:
            sign = suit_text(seen.trump_suit, ascii=self.look.ascii)
            parts = [(gettext("trumps "), "quiet"), (sign, "strong")]
        for label, count in (
            (gettext("talon "), seen.talon_size),
            (gettext("discards "), seen.discard_size),
        ):
            parts += [("   " + label, "quiet"), (str(count), "strong")]
        return parts
