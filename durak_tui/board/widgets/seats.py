"""The opponents' seats, and the line above the viewer's hand."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Final, NamedTuple

from rich.cells import cell_len
from rich.style import Style
from textual.geometry import Region
from textual.reactive import reactive

from durak_core import Card
from durak_tui.board.widgets.layout import OPEN_BOX, STARS_FROM
from durak_tui.players import MOST_STARS, TEAM_MARKS, stars_text
from durak_tui.text.i18n import gettext, ngettext
from durak_tui.text.phrases import rank_text, suit_text
from durak_tui.ui.theme import team_ink
from durak_tui.ui.view.board_data import SeatView
from durak_tui.ui.view.portraits import HEIGHT as FACE_HEIGHT
from durak_tui.ui.view.portraits import WIDTH as FACE_WIDTH
from durak_tui.ui.view.portraits import face_portrait, small_face
from durak_tui.ui.widgets.canvas import Canvas, ViewWidget
from durak_tui.ui.widgets.cards import (
    LARGE,
    NORMAL,
    SMALL,
    Deck,
    Face,
    Size,
    box_signs,
    draw_box,
    draw_portrait,
)

_BETWEEN_SUITS: Final = 2
_CARD_SIZES: Final = (LARGE, NORMAL, SMALL)
"""Sizes of the cards in a box, the largest first."""
_LEAST_CARD_STEP: Final = 4
"""Columns from one open card to the next that show rank and suit."""
_LEAST_UPRIGHT_STEP: Final = 3
"""The same with the suit below the rank."""
_LEAST_WITH_FACE: Final = 5
"""Columns a face leaves for the cards."""


class _Fan(NamedTuple):
    """Overlapping open cards.

    Attributes:
        step: Columns from one card to the next.
        upright: Whether overlapped cards have the suit below the rank.
    """

    size: Size
    step: int
    upright: bool


class _SeatWidget(ViewWidget[SeatView]):
    """Common base of both seat widgets."""

    DEFAULT_CSS = """
    _SeatWidget {
        & .ink--stars { color: $text-accent; }
    }
    """

    @property
    def role(self) -> str:
        if not self._view.is_thinking:
            return self._view.role
        return gettext("thinking...") if self.look.ascii else gettext("thinking…")

    @property
    def line_ink(self) -> str:
        return "title" if self._view.is_turn else "quiet"

    @property
    def role_ink(self) -> str:
        is_loud = self._view.is_defender or self._view.is_fool
        return "warning" if is_loud and not self._view.is_turn else self.line_ink

    def put_name(self, canvas: Canvas, x: int, room: int, gap: str = " ") -> int:
        """Write the turn mark, team mark and name in the first row; return the column after them."""
        seat = self._view
        arrow = f"{'>' if self.look.ascii else '▶'}{gap}" if seat.is_turn else ""
        ink = "off" if seat.place is not None else "title" if seat.is_turn else "strong"
        mark = "" if seat.team is None else f"{TEAM_MARKS[self.look.ascii][seat.team]} "
        if mark and cell_len(f"{arrow}{mark}{seat.name}") > room:
            arrow, mark = arrow.rstrip(), mark.rstrip()
        end = canvas.put(x, 0, self.cut(f"{arrow}{mark}{seat.name}", room), ink)
        if seat.team is not None:
            color = None if self.look.plain else team_ink(seat.team, dark=self.app.current_theme.dark)
            canvas.put(x + len(arrow), 0, mark[0], Style(color=color, bold=True))
        return end


def open_hand(cards: Sequence[Card], width: int) -> list[list[Card]]:
    """Split cards into lines of a width, by suit: ``♠ 6 10  ♥ K``; as few suits as possible are split."""
    lines: list[list[Card]] = [[]] if cards else []
    for suit in dict.fromkeys(card.suit for card in cards):
        group = [card for card in cards if card.suit == suit]
        if lines[-1] and _cells([*lines[-1], *group]) > width:
            lines.append([])
        for card in group:
            if lines[-1] and _cells([*lines[-1], card]) > width:
                lines.append([])
            lines[-1].append(card)
    return lines


def _cells(line: Sequence[Card]) -> int:
    suits = len({card.suit for card in line})
    return suits + sum(1 + len(rank_text(card)) for card in line) + _BETWEEN_SUITS * (suits - 1)


class Seat(_SeatWidget):
    """Draws an opponent as a box with cards, or as rows of text if there is little height."""

    boxed: reactive[bool] = reactive(default=True)
    _view = SeatView(0, "", "", 0)

    def draw(self, canvas: Canvas) -> None:
        if self.boxed:
            self._draw_box(canvas)
        else:
            self._draw_lines(canvas)

    def _stars(self, width: int) -> str:
        if not self._view.stars or width < 2:
            return ""
        return stars_text(self._view.stars, ascii_only=self.look.ascii, width=width)

    # Boxes

    def _draw_box(self, canvas: Canvas) -> None:
        seat, width, low = self._view, canvas.width, canvas.height - 1
        weight = "heavy" if seat.is_turn else "faint" if seat.place is not None else "light"
        signs = box_signs(weight, ascii=self.look.ascii)
        draw_box(canvas, Region(0, 0, width, canvas.height), signs, self.line_ink)
        beside = seat.stars > 0 and width >= STARS_FROM
        count = f" {seat.cards} " if self._is_open else ""
        canvas.put(width - 2 - len(count), 0, count, "strong")
        canvas.put(1, 0, " ")
        end = self.put_name(canvas, 2, width - 4 - len(count) - (MOST_STARS + 1) * beside)
        end = canvas.put(end, 0, " ")
        role = self.cut(self.role, width - 4)
        canvas.put(width - 3 - cell_len(role), low, f" {role} ", self.role_ink)
        area = self._draw_face(canvas, Region(2, 1, width - 4, low - 1))
        if area.x == 2:
            self._draw_face_below(canvas, width - 3 - cell_len(role))
        if beside:
            canvas.put(end, 0, f"{self._stars(MOST_STARS)} ", "stars")
        elif seat.stars:
            area = self._draw_stars_inside(canvas, area)
        room = 0 if count else self._draw_count(canvas, width - 2, 1)
        if area.y == 1:
            area = Region(area.x, 1, area.width - room, area.height)
        self._draw_cards(canvas, area)

    @property
    def _is_open(self) -> bool:
        """Whether all cards are known, and the box has room to draw them."""
        is_high = self.size.height >= OPEN_BOX.height and self.size.width >= OPEN_BOX.width
        return is_high and 0 < self._view.cards == len(self._view.shown)

    def _draw_face(self, canvas: Canvas, area: Region) -> Region:
        """Draw the player's face, in three rows or in one; return the remaining region."""
        seat, plain = self._view, self.look.ascii
        portrait = face_portrait(seat.face, seat.mood, ascii_only=plain)
        rest = Region(area.x + FACE_WIDTH + 1, area.y, area.width - FACE_WIDTH - 1, area.height)
        if portrait is None or rest.width < _LEAST_WITH_FACE or not self._fits_open(rest):
            return area
        if area.height >= FACE_HEIGHT:
            at = area.x, area.y + (area.height - FACE_HEIGHT) // 2
            draw_portrait(canvas, at, portrait.uncoloured if self.look.plain else portrait)
        elif area.height == 1:
            canvas.put(area.x, area.y, small_face(seat.face, seat.mood, ascii_only=plain), "strong")
        else:
            return area
        return rest

    def _draw_face_below(self, canvas: Canvas, room: int) -> None:
        """Draw a face that has no room inside in the lower edge, left of the role."""
        face = small_face(self._view.face, self._view.mood, ascii_only=self.look.ascii)
        if face and 4 + cell_len(face) <= room:
            canvas.put(2, canvas.height - 1, f" {face} ", "strong")

    def _fits_open(self, room: Region) -> bool:
        """Return whether the open cards fit completely in a region that also has the count and stars."""
        width = room.width - (0 if self._is_open else len(f" {self._view.cards} "))
        rows = room.height - (self._view.stars > 0 and self.size.width < STARS_FROM)
        is_drawn = self._fan(Region(0, 0, width, rows)) is not None
        return is_drawn or len(open_hand(self._view.shown, width)) <= rows

    def _card_step(self, room: Region, size: Size) -> int:
        """Return the columns from one card to the next."""
        return min(size.width, (room.width - size.width) // max(1, self._view.cards - 1))

    def _fan(self, room: Region) -> _Fan | None:
        """Return the largest cards with which all of an open hand can be read."""
        for size in _CARD_SIZES:
            step = self._card_step(room, size)
            upright = step < _LEAST_CARD_STEP
            least = _LEAST_UPRIGHT_STEP if size.height >= NORMAL.height else _LEAST_CARD_STEP
            if size.height <= room.height and step >= least:
                return _Fan(size, step, upright)
        return None

    def _draw_stars_inside(self, canvas: Canvas, area: Region) -> Region:
        """Draw the stars above the cards or in front of them; return the remaining region."""
        if area.height > 1:
            canvas.put(area.x, area.y, self._stars(area.width - 3), "stars")
            return Region(area.x, area.y + 1, area.width, area.height - 1)
        x = canvas.put(area.x, area.y, self._stars(2), "stars") + 1
        return Region(x, area.y, area.right - x, 1)

    # Rows of text

    def _draw_lines(self, canvas: Canvas) -> None:
        seat, width = self._view, canvas.width
        is_low = canvas.height < 3
        count = len(f"▒{seat.cards}") + 1 if seat.cards else 0
        x = self.put_name(canvas, 0, width - count if is_low else width, gap="") + 1
        y = 0 if is_low else 1
        if not is_low or width - x - count >= MOST_STARS:
            x = 0 if not is_low else x
            stars = self._stars(width - count - x)
            x = canvas.put(x, y, stars, "stars") + bool(stars)
        backs = seat.cards + 1
        if not is_low and x + backs + count <= width:
            canvas.put(x, y, Deck(canvas, self.look).backs(seat.cards), "back")
            x = canvas.put(x + backs, y, str(seat.cards) if seat.cards else "", "strong")
        else:
            self._draw_count(canvas, x + count - 1, y)
        below = 1 if is_low else 2
        x = canvas.put(0, below, self.cut(self.role, width), self.role_ink) + 1
        face = small_face(seat.face, seat.mood, ascii_only=self.look.ascii)
        if x + len(face) <= width and not is_low:
            canvas.put(x, below, face, "strong")
        if seat.shown:
            self._draw_cards(canvas, Region(0, below + 1, width, max(0, canvas.height - below - 1)))

    # The cards

    def _draw_count(self, canvas: Canvas, right: int, y: int) -> int:
        """Draw the card count, right-aligned at a column; return its width."""
        if not self._view.cards:
            return 0
        back = "" if self.boxed else Deck(canvas, self.look).backs(1)
        count = str(self._view.cards)
        x = canvas.put(right - len(back + count), y, back, "back")
        canvas.put(x, y, count, "strong")
        return len(back + count) + 1

    def _draw_cards(self, canvas: Canvas, room: Region) -> None:
        seat = self._view
        if seat.shown:
            if not self._draw_open_cards(canvas, room):
                self._draw_open(canvas, room)
        elif not seat.cards or not room.height:
            return
        elif room.height < SMALL.height:
            backs = Deck(canvas, self.look, SMALL).backs(min(room.width, seat.cards))
            canvas.put(room.x, room.y, backs, "back")
        else:
            size = next(size for size in _CARD_SIZES if size.height <= room.height)
            deck = Deck(canvas, self.look, size)
            step = min(2, max(1, self._card_step(room, size)))
            count = min(seat.cards, (room.width - size.width) // step + 1)
            for i in range(count):
                deck.back(room.x + i * step, room.y)

    def _draw_open_cards(self, canvas: Canvas, room: Region) -> bool:
        """Draw a hand as overlapping cards, the unknown ones as backs; return whether they fit."""
        seat, fan = self._view, self._fan(room)
        if fan is None:
            return False
        deck = Deck(canvas, self.look, fan.size)
        for i in range(seat.cards):
            x = room.x + i * fan.step
            under = i < seat.cards - 1 and fan.step < fan.size.width
            if i < len(seat.shown):
                deck.face(x, room.y, seat.shown[i], Face(upright=under and fan.upright, beneath=under))
            else:
                deck.back(x, room.y)
        return True

    def _draw_open(self, canvas: Canvas, room: Region) -> None:
        seat, deck = self._view, Deck(canvas, self.look)
        lines = open_hand(seat.shown, room.width)[: room.height]
        rest = seat.cards - sum(map(len, lines))
        while rest and lines and _cells(lines[-1]) + _BETWEEN_SUITS + len(f"+{rest}") > room.width:
            lines[-1].pop()
            lines = lines if lines[-1] else lines[:-1]
            rest += 1
        x = room.x
        for y, line in enumerate(lines, room.y):
            x = room.x
            for suit, group in groupby(line, key=lambda card: card.suit):
                cards = list(group)
                ink = deck.line_ink(cards[0])
                x = canvas.put(x, y, suit_text(suit, ascii=self.look.ascii), ink)
                for card in cards:
                    x = canvas.put(x, y, f" {rank_text(card, ascii=self.look.ascii)}", ink)
                x += _BETWEEN_SUITS
        if rest and lines:
            canvas.put(x, room.y + len(lines) - 1, f"+{rest}", "quiet")


class OwnSeat(_SeatWidget):
    """Draws the line above the hand: the viewer's name, role and card count."""

    DEFAULT_CSS = "OwnSeat { height: 1; }"

    _view = SeatView(0, "", "", 0)

    def draw(self, canvas: Canvas) -> None:
        seat = self._view
        canvas.put(0, 0, box_signs(ascii=self.look.ascii).line * canvas.width, self.line_ink)
        role, count = f" {self.role} ", ""
        if seat.place is None:
            count = ngettext(" {count} card ", " {count} cards ", seat.cards)
        end = canvas.width - 2 - len(count)
        canvas.put(end, 0, count, "quiet")
        canvas.put(2, 0, " ")
        x = self.put_name(canvas, 3, max(4, end - 6 - cell_len(role)))
        x = canvas.put(canvas.put(x, 0, " ") + 1, 0, role, self.role_ink)
        canvas.put(x + 1, 0, self._with_partners(end - x - 2), "quiet")

    def _with_partners(self, room: int) -> str:
        partners = self._view.partners
        names = ", ".join(partners)
        text = ngettext("partner: {names}", "partners: {names}", len(partners), names=names)
        texts = (f" {part} " for part in (text, f"+ {names}") if partners)
        return next((text for text in texts if cell_len(text) <= room), "")
