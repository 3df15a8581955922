"""The knowledge panel: the deck as one seat knows it, a legend, and notes on the other seats."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from rich.cells import cell_len
from rich.style import Style
from textual import events
from textual.geometry import Region
from textual.message import Message
from textual.reactive import reactive

from durak_core import Card
from durak_tui.hints.view.knowledge import CharacterRow, Kind, KnowledgeView, KnownCard, LegendItem, cell_text
from durak_tui.text.phrases import rank_text, suit_text
from durak_tui.ui.theme import seat_ink
from durak_tui.ui.widgets.canvas import Canvas, CanvasWidget, wrapped

_MARGIN: Final = 1
_SUIT: Final = 3
_CELLS: Final = (4, 3, 2)
"""Column widths of a card, including the gap; the first that fits is used."""
_GRID_SHARE: Final = 0.5
_BETWEEN: Final = 3
_DESCRIPTION_ROWS: Final = 2
_LONGEST_NAME: Final = 12
_ITEM_GAP: Final = 2


def _lefts(view: KnowledgeView, cell: int) -> list[int]:
    """Return each rank's column and the end of the grid; rank names do not overlap."""
    lefts = [_SUIT]
    for known in view.deck[0]:
        lefts.append(lefts[-1] + max(cell, len(rank_text(known.card)) + 1))
    return lefts


class KnowledgePanel(CanvasWidget):
    """Draws a `KnowledgeView`, across the table or as a narrow column beside it."""

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
    _view: KnowledgeView | None = None

    def show(self, view: KnowledgeView | None) -> None:
        self._view = view
        if view is not None:
            self.look = view.look
        self.refresh()

    def rows_beside(self, width: int) -> int:
        view = self._view
        if view is None or _lefts(view, _CELLS[-1])[-1] + 2 * _MARGIN > width:
            return 0
        legend = self._legend_lines(view, width - 2 * _MARGIN)
        return 2 + len(view.deck) + _DESCRIPTION_ROWS + len(legend) + 2 + len(view.rows)

    def rows_across(self, width: int) -> int:
        view = self._view
        if view is None or _lefts(view, _CELLS[-1])[-1] + 2 * _MARGIN > width:
            return 0
        legend = self._legend_lines(view, self._right(view, width).width)
        return 1 + max(1 + len(view.deck) + _DESCRIPTION_ROWS, len(legend) + 1 + len(view.rows))

    # Layout

    def _cell(self, view: KnowledgeView, room: int) -> int:
        return next((cell for cell in _CELLS if _lefts(view, cell)[-1] <= room), _CELLS[-1])

    def _right(self, view: KnowledgeView, width: int) -> Region:
        """Return the area to the right of the grid, if the panel is across the table."""
        x = _MARGIN + _lefts(view, self._cell(view, int(width * _GRID_SHARE)))[-1] + _BETWEEN
        return Region(x, 1, max(0, width - x - _MARGIN), 0)

    def draw(self, canvas: Canvas) -> None:
        view = self._view
        if view is None:
            return
        wide, below = canvas.width - 2 * _MARGIN, 2 + len(view.deck)
        canvas.put(_MARGIN, 0, self.cut(view.title, wide), "title")
        room, width, cells = Region(_MARGIN, below + _DESCRIPTION_ROWS, wide, 0), wide, wide
        if not self.narrow:
            room = self._right(view, canvas.width)
            width, cells = room.x - _BETWEEN - _MARGIN, int(canvas.width * _GRID_SHARE)
        self._draw_grid(canvas, view, self._cell(view, cells))
        for y, line in enumerate(wrapped(view.description, width)[:_DESCRIPTION_ROWS], below):
            ink = "quiet" if view.cursor is None else "text"
            self.put_cards(canvas, (_MARGIN, y), self.cut(line, width), ink)
        y = self._draw_legend(canvas, view, room)
        if y + 1 + len(view.rows) < canvas.height:
            y += 1
        canvas.put(room.x, y, self.cut(view.heading, room.width), "title")
        for row in view.rows:
            y += 1
            self._draw_row(canvas, view, row, room.at_offset((room.x, y)))

    # The grid

    def _draw_grid(self, canvas: Canvas, view: KnowledgeView, cell: int) -> None:
        lefts = [_MARGIN + left for left in _lefts(view, cell)]
        for x, known in zip(lefts, view.deck[0], strict=False):
            canvas.put(x, 1, rank_text(known.card, ascii=self.look.ascii), "quiet")
        for y, row in enumerate(view.deck, 2):
            suit = row[0].card.suit
            style = self.style_of("title" if suit == view.trump else "text")
            sign = suit_text(suit, ascii=self.look.ascii)
            canvas.put(_MARGIN, y, sign, style + self.suit_style(suit))
            for x, known in zip(lefts, row, strict=False):
                self.mark(x, y, cell, 1, known.card)
                self._draw_cell(canvas, known, Region(x, y, cell, 1), is_cursor=known.card == view.cursor)

    def _draw_cell(self, canvas: Canvas, known: KnownCard, room: Region, *, is_cursor: bool) -> None:
        cursor = self.style_of("chosen") + Style(reverse=self.look.plain)
        if is_cursor:
            canvas.put(room.x, room.y, " " * (room.width - 1), cursor)
        x = room.x
        for sign, seat in cell_text(known, room.width - 1):
            x = canvas.put(x, room.y, sign, cursor if is_cursor else self._ink(known.kind, seat))

    def _ink(self, kind: Kind, seat: int | None) -> Style:
        if kind in {"seat", "some"} or (kind == "known" and seat is not None):
            if seat is None:
                return self.style_of("talon" if kind == "some" else "text")
            color = None if self.look.plain else seat_ink(seat, dark=self.app.current_theme.dark)
            return Style(color=color, bold=True)
        return self.style_of(kind if kind != "none" else "quiet")

    # Texts

    def _legend_lines(self, view: KnowledgeView, width: int) -> list[list[LegendItem]]:
        lines: list[list[LegendItem]] = [[]]
        taken = 0
        for item in view.legend:
            cells = cell_len(f"{item.sign} {item.words}")
            if lines[-1] and taken + cells > width:
                lines.append([])
                taken = 0
            lines[-1].append(item)
            taken += cells + _ITEM_GAP
        return lines

    def _draw_legend(self, canvas: Canvas, view: KnowledgeView, room: Region) -> int:
        lines = self._legend_lines(view, room.width)
        for y, line in enumerate(lines, room.y):
            x = room.x
            for item in line:
                x = canvas.put(x, y, item.sign, self._ink(item.kind, item.seat)) + 1
                x = canvas.put(x, y, self.cut(item.words, room.right - x), "quiet") + _ITEM_GAP
        return room.y + len(lines)

    def _draw_row(self, canvas: Canvas, view: KnowledgeView, row: CharacterRow, room: Region) -> None:
        x, y = room.offset
        canvas.put(x, y, row.sign, self._ink("seat", row.seat))
        name = min(max(cell_len(row.name) for row in view.rows), _LONGEST_NAME)
        canvas.put(x + 2, y, self.cut(row.name, name), "text")
        x += 2 + name + 1
        gap = ", " if view.side == "places" else " "
        texts = [gap.join(row.parts[:count]) for count in range(len(row.parts), 0, -1)]
        shortest = row.brief or texts[-1]
        text = next((text for text in texts if x + cell_len(text) <= room.right), shortest)
        self.put_cards(canvas, (x, y), self.cut(text, room.right - x), "quiet" if row.is_quiet else "text")

    def on_click(self, event: events.Click) -> None:
        event.stop()
        card = self.lies_at(event)
        if isinstance(card, Card):
            self.post_message(self.CardAsked(card))
