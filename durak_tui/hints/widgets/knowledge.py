"""The knowledge panel: the deck as one seat knows it, what the signs mean, and what the others are like."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from rich.cells import cell_len
from rich.style import Style
from textual import events
from textual.message import Message
from textual.reactive import reactive

from durak_core import Card, Suit
from durak_tui.hints.view.knowledge import CharacterRow, Kind, KnowledgeView, KnownCard, cell_text
from durak_tui.text.phrases import rank_text, suit_text
from durak_tui.ui.theme import seat_ink
from durak_tui.ui.widgets.canvas import Canvas, CanvasWidget, wrapped

_MARGIN: Final = 1
_SUIT: Final = 3
"""Columns before the first rank."""
_CELLS: Final = (4, 3, 2)
"""Columns that a card may take, with the gap behind it; the first that has room is taken."""
_GRID_SHARE: Final = 0.5
"""Of a wide panel, what the grid may take at most."""
_BETWEEN: Final = 3
_TOLD_ROWS: Final = 2
_LONGEST_NAME: Final = 12
_ITEM_GAP: Final = 2
_RED: Final = (Suit.HEARTS, Suit.DIAMONDS)


def _lefts(view: KnowledgeView, cell: int) -> list[int]:
    """Return where each rank's column begins, and where the grid ends; names of ranks keep apart."""
    lefts = [_SUIT]
    for known in view.deck[0]:
        lefts.append(lefts[-1] + max(cell, len(rank_text(known.card)) + 1))
    return lefts


class _Spot(NamedTuple):
    """Where a part is drawn, and how wide it is."""

    x: int
    y: int
    width: int


class KnowledgePanel(CanvasWidget):
    """Draws a `KnowledgeView`: parts side by side over the table, or narrow ones in a column beside it."""

    DEFAULT_CSS = """
    KnowledgePanel {
        background: $surface;
        & .ink--own { color: $text; text-style: bold; }
        & .ink--talon { color: $text-secondary; }
        & .ink--bottom { color: $text-primary; text-style: bold; }
        & .ink--table { color: $text-warning; text-style: bold; }
        & .ink--discard { color: $text-muted; }
        & .ink--open { color: $text; }
        & .ink--known { color: $text-accent; text-style: bold; }
        &:ansi { background: ansi_default; }
    }
    """

    @dataclass
    class CardAsked(Message):
        """A card of the grid was clicked."""

        card: Card

    narrow: reactive[bool] = reactive(default=False)
    """Whether it stands in a column beside the table."""
    _view: KnowledgeView | None = None

    def show(self, view: KnowledgeView | None) -> None:
        """Show another view; the board decides whether there is room for it here."""
        self._view = view
        if view is not None:
            self.look = view.look
        self.refresh()

    def rows_beside(self, width: int) -> int:
        """Return how many rows it takes in a column; 0 where nothing is shown, or the cards have no room."""
        view = self._view
        if view is None or _lefts(view, _CELLS[-1])[-1] + 2 * _MARGIN > width:
            return 0
        legend = self._legend_lines(view, width - 2 * _MARGIN)
        return 2 + len(view.deck) + _TOLD_ROWS + len(legend) + 2 + len(view.rows)

    def rows_across(self, width: int) -> int:
        view = self._view
        if view is None or _lefts(view, _CELLS[-1])[-1] + 2 * _MARGIN > width:
            return 0
        legend = self._legend_lines(view, self._right(view, width).width)
        return 1 + max(1 + len(view.deck) + _TOLD_ROWS, len(legend) + 1 + len(view.rows))

    # The layout

    def _cell(self, view: KnowledgeView, room: int) -> int:
        return next((cell for cell in _CELLS if _lefts(view, cell)[-1] <= room), _CELLS[-1])

    def _grid_room(self, width: int) -> int:
        return width - 2 * _MARGIN if self.narrow else int(width * _GRID_SHARE)

    def _right(self, view: KnowledgeView, width: int) -> _Spot:
        x = _MARGIN + _lefts(view, self._cell(view, int(width * _GRID_SHARE)))[-1] + _BETWEEN
        return _Spot(x, 1, max(0, width - x - _MARGIN))

    def draw(self, canvas: Canvas) -> None:
        view = self._view
        if view is None:
            return
        wide = canvas.width - 2 * _MARGIN
        canvas.put(_MARGIN, 0, self.cut(view.title, wide), "title")
        self._draw_grid(canvas, view)
        right = self._right(view, canvas.width)
        told = _Spot(_MARGIN, 2 + len(view.deck), wide if self.narrow else right.x - _BETWEEN - _MARGIN)
        for line in wrapped(view.told, told.width)[:_TOLD_ROWS]:
            ink = "quiet" if view.cursor is None else "text"
            self.put_cards(canvas, told[:2], self.cut(line, told.width), ink)
            told = told._replace(y=told.y + 1)
        spot = _Spot(_MARGIN, 2 + len(view.deck) + _TOLD_ROWS, wide) if self.narrow else right
        spot = self._draw_legend(canvas, view, spot)
        if spot.y + 1 + len(view.rows) < canvas.height:
            spot = spot._replace(y=spot.y + 1)
        canvas.put(spot.x, spot.y, self.cut(view.heading, spot.width), "title")
        for row in view.rows:
            spot = spot._replace(y=spot.y + 1)
            self._draw_row(canvas, view, row, spot)

    # The grid

    def _draw_grid(self, canvas: Canvas, view: KnowledgeView) -> None:
        cell = self._cell(view, self._grid_room(canvas.width))
        lefts = [_MARGIN + left for left in _lefts(view, cell)]
        for at, known in zip(lefts, view.deck[0], strict=False):
            canvas.put(at, 1, rank_text(known.card, ascii=self.look.ascii), "quiet")
        for y, row in enumerate(view.deck, 2):
            suit = row[0].card.suit
            style = self.style_of("title" if suit == view.trump else "text")
            red = self.red if suit in _RED else Style()
            canvas.put(_MARGIN, y, suit_text(suit, ascii=self.look.ascii), style + red)
            for at, known in zip(lefts, row, strict=False):
                self.mark(at, y, cell, 1, known.card)
                self._draw_cell(canvas, known, _Spot(at, y, cell), is_cursor=known.card == view.cursor)

    def _draw_cell(self, canvas: Canvas, known: KnownCard, spot: _Spot, *, is_cursor: bool) -> None:
        cursor = self.style_of("chosen") + Style(reverse=self.look.plain)
        if is_cursor:
            canvas.put(spot.x, spot.y, " " * (spot.width - 1), cursor)
        x = spot.x
        for sign, seat in cell_text(known, spot.width - 1):
            x = canvas.put(x, spot.y, sign, cursor if is_cursor else self._ink(known.kind, seat))

    def _ink(self, kind: Kind, seat: int | None) -> Style:
        """Return the style of a sign: a seat's own colour, or that of the kind."""
        if kind in {"seat", "some"} or (kind == "known" and seat is not None):
            if seat is None:
                return self.style_of("talon" if kind == "some" else "text")
            color = None if self.look.plain else seat_ink(seat, dark=self.app.current_theme.dark)
            return Style(color=color, bold=True)
        return self.style_of(kind if kind != "none" else "quiet")

    # Words

    def _legend_lines(self, view: KnowledgeView, width: int) -> list[list[int]]:
        lines: list[list[int]] = [[]]
        taken = 0
        for number, item in enumerate(view.legend):
            cells = cell_len(item.sign) + 1 + cell_len(item.words)
            if lines[-1] and taken + cells > width:
                lines.append([])
                taken = 0
            lines[-1].append(number)
            taken += cells + _ITEM_GAP
        return lines

    def _draw_legend(self, canvas: Canvas, view: KnowledgeView, spot: _Spot) -> _Spot:
        for line in self._legend_lines(view, spot.width):
            x = spot.x
            for number in line:
                item = view.legend[number]
                canvas.put(x, spot.y, item.sign, self._ink(item.kind, item.seat))
                x += cell_len(item.sign) + 1
                words = self.cut(item.words, spot.x + spot.width - x)
                x = canvas.put(x, spot.y, words, "quiet") + _ITEM_GAP
            spot = spot._replace(y=spot.y + 1)
        return spot

    def _draw_row(self, canvas: Canvas, view: KnowledgeView, row: CharacterRow, spot: _Spot) -> None:
        canvas.put(spot.x, spot.y, row.sign, self._ink("seat", row.seat))
        longest = max(cell_len(row.name) for row in view.rows)
        x = spot.x + 2
        name = min(longest, _LONGEST_NAME)
        canvas.put(x, spot.y, self.cut(row.name, name), "text")
        x += name + 1
        end = spot.x + spot.width
        gap = ", " if view.side == "places" else " "
        texts = [gap.join(row.parts[:count]) for count in range(len(row.parts), 0, -1)]
        shortest = row.brief or texts[-1]
        text = next((text for text in texts if x + cell_len(text) <= end), shortest)
        ink = "quiet" if row.is_quiet else "text"
        self.put_cards(canvas, (x, spot.y), self.cut(text, end - x), ink)

    def on_click(self, event: events.Click) -> None:
        event.stop()
        card = self.lies_at(event)
        if isinstance(card, Card):
            self.post_message(self.CardAsked(card))
