"""The opponents' boxes, and the line over the viewer's own hand."""

from __future__ import annotations

from typing import ClassVar, TypeVar

from rich.cells import cell_len
from rich.style import Style
from textual.geometry import Offset, Region

from durak_tui.text.i18n import say, say_count
from durak_tui.views.data import SeatView
from durak_tui.widgets.canvas import Canvas, ViewWidget, part_names
from durak_tui.widgets.cards import Deck, box_signs, draw_box

_WIDEST_BOX = 30
_GAP = 1
_ViewT = TypeVar("_ViewT")


class _SeatWidget(ViewWidget[_ViewT]):
    """What both widgets know: how a seat's state looks."""

    DEFAULT_CSS = """
    _SeatWidget {
        & .seat--quiet { color: $text-muted; }
        & .seat--turn { color: $text-accent; text-style: bold; }
        & .seat--defends { color: $text-warning; }
        & .seat--out { color: $text-disabled; }
        & .seat--name { color: $text; text-style: bold; }
        & .seat--back { color: $text-secondary; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = part_names(DEFAULT_CSS)

    def role(self, seat: SeatView) -> str:
        if not seat.is_thinking:
            return seat.role
        return say("thinking...") if self.look.ascii else say("thinking…")

    def line_style(self, seat: SeatView) -> Style:
        return self.style_of("seat--turn" if seat.is_turn else "seat--quiet")

    def name_style(self, seat: SeatView) -> Style:
        if seat.place is not None:
            return self.style_of("seat--out")
        return self.style_of("seat--turn" if seat.is_turn else "seat--name")

    def role_style(self, seat: SeatView) -> Style:
        if seat.is_turn:
            return self.style_of("seat--turn")
        return self.style_of("seat--defends" if seat.is_defender or seat.is_fool else "seat--quiet")

    @property
    def arrow(self) -> str:
        return ">" if self.look.ascii else "▶"


class Seats(_SeatWidget[tuple[SeatView, ...]]):
    """Draws the opponents side by side: boxes of three rows, or two rows of text where height is short."""

    DEFAULT_CSS = "Seats { height: 3; }"

    _view: tuple[SeatView, ...] = ()

    def _columns(self, total: int) -> tuple[int, list[int]]:
        count = len(self._view)
        width = min(_WIDEST_BOX, (total - _GAP * (count - 1)) // max(1, count))
        left = (total - count * width - _GAP * (count - 1)) // 2
        return width, [left + i * (width + _GAP) for i in range(count)]

    def place_of(self, seat: int) -> Offset:
        width, lefts = self._columns(self.size.width)
        numbers = [view.seat for view in self._view]
        left = lefts[numbers.index(seat)] if seat in numbers else 0
        return Offset(left + width // 2, 0)

    def draw(self, canvas: Canvas) -> None:
        boxed = canvas.height >= 3
        width, lefts = self._columns(canvas.width)
        for x, seat in zip(lefts, self._view, strict=True):
            if boxed:
                self._draw_box(canvas, x, width, seat)
            else:
                self._draw_lines(canvas, x, width, seat)

    def _draw_box(self, canvas: Canvas, x: int, width: int, seat: SeatView) -> None:
        draw_box(canvas, Region(x, 0, width, 3), box_signs(ascii=self.look.ascii), self.line_style(seat))
        name = f"{self.arrow} {seat.name}" if seat.is_turn else seat.name
        canvas.put(x + 1, 0, f" {self.cut(name, width - 4)} ", self.name_style(seat))
        role = self.cut(self.role(seat), width - 4)
        canvas.put(x + width - 3 - cell_len(role), 2, f" {role} ", self.role_style(seat))
        self._draw_cards(canvas, x + 2, 1, width - 4, seat)

    def _draw_lines(self, canvas: Canvas, x: int, width: int, seat: SeatView) -> None:
        count = "" if seat.place is not None else str(seat.cards)
        name = f"{self.arrow}{seat.name}" if seat.is_turn else seat.name
        end = canvas.put(x, 0, self.cut(name, width - len(count) - 1), self.name_style(seat))
        canvas.put(end + 1, 0, count, self.style_of("seat--name"))
        canvas.put(x, 1, self.cut(self.role(seat), width), self.role_style(seat))

    def _draw_cards(self, canvas: Canvas, x: int, y: int, width: int, seat: SeatView) -> None:
        if seat.cards == 0:
            return
        deck = Deck(canvas, self.look)
        count = str(seat.cards)
        canvas.put(x + width - len(count), y, count, self.style_of("seat--name"))
        room = width - len(count) - 1
        for card in seat.shown:
            index = deck.index(card, 2)
            if room < len(index):
                break
            x = canvas.put(x, y, index, deck.ink(card))
            room -= len(index)
        backs = min(room, seat.cards - len(seat.shown))
        canvas.put(x, y, deck.backs(max(0, backs)), self.style_of("seat--back"))


class OwnSeat(_SeatWidget[SeatView]):
    """Draws the line over the hand: the viewer's name, role and card count."""

    DEFAULT_CSS = "OwnSeat { height: 1; }"

    _view = SeatView(0, "", "", 0, is_viewer=True)

    def draw(self, canvas: Canvas) -> None:
        seat = self._view
        canvas.put(0, 0, box_signs(ascii=self.look.ascii).line * canvas.width, self.line_style(seat))
        name = f" {self.arrow} {seat.name} " if seat.is_turn else f" {seat.name} "
        x = canvas.put(2, 0, self.cut(name, max(4, canvas.width - 34)), self.name_style(seat))
        canvas.put(x + 1, 0, f" {self.role(seat)} ", self.role_style(seat))
        if seat.place is None:
            count = say_count(" {count} card ", " {count} cards ", seat.cards)
            canvas.put(canvas.width - 2 - len(count), 0, count, self.style_of("seat--quiet"))
