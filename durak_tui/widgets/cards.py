"""How a card is drawn: its sizes, its signs and its colours.

A card is a sheet of paper with a line around it, so it reads the same with colours, without them,
and in ASCII. Suits are signs or letters; colour only helps. The deck's own colours stand here and
do not change with the theme, as a printed deck does not; everything around the cards does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from rich.style import Style
from textual.geometry import Region

from durak_core import Card, Suit
from durak_tui.text.phrases import rank_text, short_rank_text, suit_text
from durak_tui.views.data import CardSize, Look
from durak_tui.widgets.canvas import Canvas, CanvasWidget


@dataclass(frozen=True, slots=True)
class Size:
    """The cells of a card, and how a second card lies on it.

    Attributes:
        over_x: How far right of an attack card its defence lies.
        over_y: How far below.
        least_step: Columns of an overlapped card that must stay in sight.
    """

    name: CardSize
    width: int
    height: int
    over_x: int
    over_y: int
    least_step: int

    @property
    def pair_width(self) -> int:
        return self.width + self.over_x

    @property
    def pair_height(self) -> int:
        return self.height + self.over_y


LARGE: Final = Size("large", 7, 5, 2, 2, 2)
NORMAL: Final = Size("normal", 5, 4, 2, 2, 2)
SMALL: Final = Size("small", 4, 3, 1, 2, 3)
TINY: Final = Size("tiny", 3, 1, 0, 1, 3)
SIZES: Final = (LARGE, NORMAL, SMALL, TINY)


def sizes_up_to(name: CardSize) -> tuple[Size, ...]:
    """Return the sizes that may be used when a size is asked for, largest first."""
    start = next((i for i, size in enumerate(SIZES) if size.name == name), 0)
    return SIZES[start:]


# The printed deck

_PAPER: Final = "#f4f0e6"
_PAPER_DIM: Final = "#a5a798"
_EDGE: Final = "#b9b2a0"
_EDGE_DIM: Final = "#86897b"
_BACK: Final = "#3d5a9e"
_BLACK: Final = "#17171b"
_RED: Final = "#c8102e"
_BLUE: Final = "#1450c8"
_GREEN: Final = "#0a6e2f"
_INKS: Final = {
    "two": {Suit.SPADES: _BLACK, Suit.HEARTS: _RED, Suit.DIAMONDS: _RED, Suit.CLUBS: _BLACK},
    "four": {Suit.SPADES: _BLACK, Suit.HEARTS: _RED, Suit.DIAMONDS: _BLUE, Suit.CLUBS: _GREEN},
}
_INKS_DIM: Final = {_BLACK: "#3c3f3a", _RED: "#7d1424", _BLUE: "#173a80", _GREEN: "#0d4a23"}


class BoxSigns(NamedTuple):
    """The signs of a box."""

    top_left: str
    line: str
    top_right: str
    side: str
    low_left: str
    low_right: str


_BOXES: Final = {
    ("light", False): BoxSigns("╭", "─", "╮", "│", "╰", "╯"),
    ("heavy", False): BoxSigns("┏", "━", "┓", "┃", "┗", "┛"),
    ("faint", False): BoxSigns("╭", "╌", "╮", "┆", "╰", "╯"),
    ("light", True): BoxSigns("+", "-", "+", "|", "+", "+"),
    ("heavy", True): BoxSigns("#", "=", "#", "|", "#", "#"),
    ("faint", True): BoxSigns(".", ".", ".", ":", ".", "."),
}


def box_signs(weight: str = "light", *, ascii: bool) -> BoxSigns:  # noqa: A002 - the deck is called that
    """Return the signs to draw a ``light``, ``heavy`` or ``faint`` box with."""
    return _BOXES[weight, ascii]


def draw_box(canvas: Canvas, where: Region, signs: BoxSigns, style: Style) -> None:
    x, y, width, height = where
    inside, low = width - 2, y + height - 1
    canvas.put(x, y, signs.top_left + signs.line * inside + signs.top_right, style)
    for row in range(y + 1, low):
        canvas.put(x, row, signs.side + " " * inside + signs.side, style)
    canvas.put(x, low, signs.low_left + signs.line * inside + signs.low_right, style)


@dataclass(frozen=True, slots=True)
class Face:
    """How one card's face differs from the ordinary.

    Attributes:
        mark: A style for a heavy line around it, or None for the ordinary line.
        label: A sign in the lower line.
        corner: A sign in the upper line.
        upright: Columns in sight of a card that lies beneath another: the suit is then written under
            the rank. 0 for a card whose index is in sight.
    """

    dim: bool = False
    mark: Style | None = None
    label: str = ""
    corner: str = ""
    upright: int = 0


_ORDINARY: Final = Face()


class Deck:
    """The pen that draws cards of one look and size."""

    def __init__(self, canvas: Canvas, look: Look, size: Size = TINY) -> None:
        self.size = size
        self.ascii = look.ascii
        self._canvas = canvas
        self._plain = look.plain
        self._inks = _INKS[look.colours]

    def index(self, card: Card, width: int = 3) -> str:
        """Name a card in so many cells; ten has a letter where ``10`` has no room."""
        rank = rank_text(card, ascii=self.ascii)
        if len(rank) >= width:
            rank = short_rank_text(card, ascii=self.ascii)
        return rank + suit_text(card.suit, ascii=self.ascii)

    def ink(self, card: Card, *, dim: bool = False) -> Style:
        if self._plain:
            return Style(bold=not dim, dim=dim)
        ink = self._inks[card.suit]
        return Style(color=_INKS_DIM[ink] if dim else ink, bold=True) + self._paper(dim=dim)

    def backs(self, count: int) -> str:
        return (":" if self.ascii else "▒") * count

    def face(self, x: int, y: int, card: Card, face: Face = _ORDINARY) -> None:
        """Draw a card's face with its upper left corner here."""
        size, ink = self.size, self.ink(card, dim=face.dim)
        if size is TINY:
            style = ink if face.mark is None else ink + face.mark + Style(reverse=self._plain)
            self._canvas.put(x, y, self.index(card).ljust(size.width), style)
            return
        edge = self._edge(face)
        faint = "faint" if face.dim and self._plain else "light"
        self._box(x, y, edge, faint if face.mark is None else "heavy")
        self._write_index(x, y, card, face)
        label_style = ink if self._plain else edge + Style(color=_INKS_DIM[_BLACK])
        offset = 1 if face.upright or size is SMALL else size.width // 2
        self._canvas.put(x + offset, y + size.height - 1, face.label, label_style)
        self._canvas.put(x + 1, y, face.corner, label_style)

    def back(self, x: int, y: int) -> None:
        size = self.size
        pattern = Style() if self._plain else Style(color=_BACK) + self._paper(dim=False)
        if size is TINY:
            self._canvas.put(x, y, self.backs(size.width), pattern)
            return
        self._box(x, y, self._edge(_ORDINARY), "light")
        for row in range(1, size.height - 1):
            self._canvas.put(x + 1, y + row, self.backs(size.width - 2), pattern)

    def _write_index(self, x: int, y: int, card: Card, face: Face) -> None:
        size, ink = self.size, self.ink(card, dim=face.dim)
        index = self.index(card, face.upright or size.width - 2)
        if face.upright:
            self._canvas.put(x + 1, y + 1, index[:-1], ink)
            self._canvas.put(x + 1, y + 2, index[-1], ink)
            return
        self._canvas.put(x + 1, y + 1, index, ink)
        if size is LARGE:
            self._canvas.put(x + size.width - 1 - len(index), y + size.height - 2, index, ink)

    def _edge(self, face: Face) -> Style:
        mark = Style() if face.mark is None else face.mark
        if self._plain:
            return Style(dim=face.dim) + Style(bold=face.mark is not None)
        return Style(color=_EDGE_DIM if face.dim else _EDGE) + self._paper(dim=face.dim) + mark

    def _paper(self, *, dim: bool) -> Style:
        return Style() if self._plain else Style(bgcolor=_PAPER_DIM if dim else _PAPER)

    def _box(self, x: int, y: int, edge: Style, weight: str) -> None:
        signs = box_signs(weight, ascii=self.ascii)
        draw_box(self._canvas, Region(x, y, self.size.width, self.size.height), signs, edge)


class Flyer(CanvasWidget):
    """A card on its way over the board: it only shows what has happened already, and nothing waits for it."""

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
        self._card, self._card_size, self.look = card, size, look
        self.styles.width, self.styles.height = size.width, size.height
        self.refresh()

    def draw(self, canvas: Canvas) -> None:
        if self._card is not None:
            Deck(canvas, self.look, self._card_size).face(0, 0, self._card)
