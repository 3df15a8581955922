"""Widgets that draw the hint and knowledge panels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import monotonic
from typing import Final

from rich.cells import cell_len
from rich.style import Style
from textual import events
from textual.geometry import Region
from textual.message import Message
from textual.reactive import reactive

from durak_core import Action, Card
from durak_tui.hints.view.advice import AdviceRow, AdviceView
from durak_tui.hints.view.knowledge import CharacterRow, Kind, KnowledgeView, KnownCard, LegendItem, cell_text
from durak_tui.text.phrases import rank_text, suit_text
from durak_tui.ui.theme import seat_ink
from durak_tui.ui.widgets.canvas import Canvas, CanvasWidget, wrapped
from durak_tui.ui.widgets.cards import UPRIGHT

_FRAMES: Final = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_ASCII_FRAMES: Final = "|/-\\"
_FRAME_SECONDS: Final = 0.1
_OUTCOMES: Final = {"win": "win", "loss": "bad"}
_SPINNER: Final = 4
"""Columns of the spinner behind the title, and around it."""
_MOST_LINES: Final = 3
"""Lines of a reason on a phone, besides the first."""


class AdvicePanel(CanvasWidget):
    """Draws an `AdviceView`, across the table with one line per action, or beside it with two.

    A click on an action posts it.
    """

    @dataclass
    class Chosen(Message):
        """An action was clicked."""

        action: Action

    DEFAULT_CSS = """
    AdvicePanel {
        background: $surface;
        & .ink--win { color: $text-success; text-style: bold; }
        &:ansi { background: ansi_default; }
    }
    """

    narrow: reactive[bool] = reactive(default=False)

    _view: AdviceView | None = None

    def show(self, view: AdviceView | None) -> None:
        self._view = view
        if view is not None:
            self.look = replace(self.look, ascii=view.ascii)
        turns = view is not None and view.is_running and not view.calm
        self.auto_refresh = _FRAME_SECONDS if turns else None
        self.refresh()

    def rows_beside(self, _width: int) -> int:
        return 0 if self._view is None else 5 + 2 * self._view.room

    def rows_across(self, width: int) -> int:
        view = self._view
        return 0 if view is None else view.room + len(self._about(view, width))

    def _about(self, view: AdviceView, width: int) -> list[str]:
        """Return the lines across the table on the figures or, once they hold, on the reason.

        The first line is behind the title. The last one may be too long, but not on a phone.
        """
        room = width - _start(view) - 1
        if view.problem or not view.why:
            return [view.problem or view.basis]
        first, *others = wrapped(view.why, room)
        rest = " ".join(others)
        return [first, *(wrapped(rest, width - 3)[:_MOST_LINES] if width < UPRIGHT else filter(None, [rest]))]

    def _spinner(self, view: AdviceView) -> str:
        if not view.is_running:
            return ""
        if view.calm:
            return "..." if view.ascii else "…"
        frames = _ASCII_FRAMES if view.ascii else _FRAMES
        return frames[int(monotonic() / _FRAME_SECONDS) % len(frames)]

    def draw(self, canvas: Canvas) -> None:
        view = self._view
        if view is None:
            return
        x = canvas.put(1, 0, view.title, "title")
        canvas.put(x + 1, 0, self._spinner(view), "title")
        if self.narrow:
            self._draw_narrow(canvas, view)
        else:
            self._draw_strip(canvas, view)

    # Across the table: one line per action

    def _draw_strip(self, canvas: Canvas, view: AdviceView) -> None:
        ink = "warning" if view.problem else "text" if view.why else "quiet"
        x, about = _start(view), self._about(view, canvas.width)
        for y, line in enumerate(about):
            self.put_cards(canvas, (x, y), self.cut(line, canvas.width - x - 1), ink)
            x = 2
        start = 2 + _key_width(view)
        wide = max((cell_len(row.words) for row in view.rows), default=0)
        chances = max((cell_len(row.chance) for row in view.rows), default=0)
        for number, row in enumerate(view.rows):
            y = number + len(about)
            self._draw_row(canvas, view, number, y)
            x = start + wide + 2
            canvas.put(x, y, row.chance, _chance_ink(row, number))
            x += chances + 2
            self._draw_ahead(canvas, row, x, y)
            self._end_row(canvas, view, number, y, 1)

    def _draw_row(self, canvas: Canvas, view: AdviceView, number: int, y: int) -> None:
        row = view.rows[number]
        canvas.put(2, y, row.key, "quiet")
        self.put_cards(canvas, (2 + _key_width(view), y), row.words, "strong" if number == 0 else "text")

    def _draw_ahead(self, canvas: Canvas, row: AdviceRow, x: int, y: int) -> None:
        """Draw the longest form that fits, if one does."""
        room = canvas.width - 1 - x
        text = next((text for text in row.ahead if cell_len(text) <= room), "")
        self.put_cards(canvas, (x, y), text, "quiet")

    def _end_row(self, canvas: Canvas, view: AdviceView, number: int, y: int, height: int) -> None:
        """Make a row clickable, and highlight the chosen one."""
        self.mark(0, y, canvas.width, height, view.rows[number])
        if number == view.chosen:
            canvas.put(0, y, ">" if view.ascii else "▸", "warning")
            canvas.fill(y, Style(bgcolor=self.style_of("cursor").bgcolor))

    # Beside the table: two lines per action

    def _draw_narrow(self, canvas: Canvas, view: AdviceView) -> None:
        right = canvas.width - 1
        y, x = 1, 2 + _key_width(view)
        for number, row in enumerate(view.rows):
            self._draw_row(canvas, view, number, y)
            beside = x + cell_len(row.words) + 2 + cell_len(row.chance) <= right
            at = right - cell_len(row.chance) if beside else x
            canvas.put(at, y + (not beside), row.chance, _chance_ink(row, number))
            if beside:
                self._draw_ahead(canvas, row, x, y + 1)
            self._end_row(canvas, view, number, y, 2)
            y += 2
        y = 1 if view.problem and not view.rows else max(y, 3)
        about, name = (view.problem, "warning") if view.problem else (view.why or view.basis, "quiet")
        for line in wrapped(about, right - 1)[: canvas.height - y]:
            self.put_cards(canvas, (1, y), self.cut(line, right - 1), "text" if about == view.why else name)
            y += 1

    def on_click(self, event: events.Click) -> None:
        row = self.lies_at(event.offset)
        if isinstance(row, AdviceRow):
            event.stop()
            self.post_message(self.Chosen(row.action))


def _start(view: AdviceView) -> int:
    """Return the column behind the title."""
    return 1 + cell_len(view.title) + _SPINNER


def _key_width(view: AdviceView) -> int:
    """Return the columns of the keys; 0 without any."""
    widest = max((cell_len(row.key) for row in view.rows), default=0)
    return widest + 2 if widest else 0


def _chance_ink(row: AdviceRow, number: int) -> str:
    if row.is_rough:
        return "quiet"
    return _OUTCOMES.get(row.outcome, "strong" if number == 0 else "text")


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
        lefts = {
            known.card.rank: _MARGIN + left
            for known, left in zip(view.deck[0], _lefts(view, cell), strict=False)
        }
        for known in view.deck[0]:
            canvas.put(lefts[known.card.rank], 1, rank_text(known.card, ascii=self.look.ascii), "quiet")
        for y, row in enumerate(view.deck, 2):
            suit = row[0].card.suit
            style = self.style_of("title" if suit == view.trump else "text")
            sign = suit_text(suit, ascii=self.look.ascii)
            canvas.put(_MARGIN, y, sign, style + self.suit_style(suit))
            for known in row:
                x = lefts[known.card.rank]
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
        card = self.lies_at(event.offset)
        if isinstance(card, Card):
            self.post_message(self.CardAsked(card))
