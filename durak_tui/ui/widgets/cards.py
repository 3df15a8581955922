"""Sizes, layout and drawing of playing cards, with or without colours, and of boxes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Final, NamedTuple

from rich.style import Style
from rich.text import Text
from textual.geometry import Offset, Region
from textual.geometry import Size as CellSize

from durak_core import Card, Rank, Suit
from durak_tui.text.phrases import card_text, suit_text
from durak_tui.ui.view.board_data import CardSize, Look
from durak_tui.ui.view.portraits import (
    COURT,
    PortraitArt,
    court_bust,
    court_portrait,
    drawn_suit,
    whole_portrait,
)
from durak_tui.ui.widgets.canvas import Canvas, CanvasWidget


@dataclass(frozen=True, slots=True)
class Size:
    """A card's size in cells, and the offset of a defence card from its attack card."""

    name: CardSize
    width: int
    height: int
    over_x: int
    over_y: int

    @property
    def pair_width(self) -> int:
        return self.width + self.over_x

    @property
    def pair_height(self) -> int:
        return self.height + self.over_y


GIANT: Final = Size("giant", 15, 11, 4, 2)
HUGE: Final = Size("huge", 11, 9, 3, 2)
LARGE: Final = Size("large", 7, 5, 2, 2)
NORMAL: Final = Size("normal", 5, 4, 2, 2)
SMALL: Final = Size("small", 5, 3, 1, 2)
TINY: Final = Size("tiny", 3, 1, 0, 1)
SIZES: Final = (GIANT, HUGE, LARGE, NORMAL, SMALL, TINY)


def sizes_up_to(name: CardSize) -> tuple[Size, ...]:
    """Return this size and the smaller ones, largest first."""
    start = next((i for i, size in enumerate(SIZES) if size.name == name), 0)
    return SIZES[start:]


UPRIGHT: Final = 60
"""Screens narrower than this use the layout for a phone in portrait orientation."""

USUAL_HEIGHT: Final = 24
"""Screens lower than this leave out what is not needed."""


def is_upright(width: int, height: int) -> bool:
    """Return whether a screen has the layout for a phone in portrait orientation."""
    return width < UPRIGHT and height >= USUAL_HEIGHT


# The hand

_LEAST_STEP: Final = 3
"""Minimum visible columns of an overlapped card: its edge and rank."""
_FINGER: Final = 5
"""The same in portrait orientation, for touch."""
_INDEX: Final = 4
"""Columns of a card's edge, rank and suit side by side."""


@dataclass(frozen=True, slots=True)
class HandLayout:
    """Layout of a hand in overlapping rows; the last row is in front.

    Attributes:
        step: Columns from one card to the next.
        peek: Visible rows of a covered row of cards.
        columns: Maximum cards in a row.
    """

    size: Size
    count: int
    width: int
    step: int
    peek: int
    columns: int

    @property
    def rows(self) -> int:
        return -(-self.count // self.columns)

    @property
    def height(self) -> int:
        """Rows of the hand, including one for a raised card."""
        return self.size.height + 1 + (self.rows - 1) * self.peek

    @property
    def is_narrow(self) -> bool:
        """Whether overlapped cards show too little for rank and suit side by side."""
        return self.size is not TINY and self.step < _INDEX

    def is_last(self, index: int) -> bool:
        """Return whether no card of its row overlaps this one."""
        return index == self.count - 1 or (index + 1) % self.columns == 0

    def is_covered(self, index: int) -> bool:
        return index // self.columns < self.rows - 1

    def place(self, index: int) -> Offset:
        """Return a card's position when it is not raised."""
        row, column = divmod(index, self.columns)
        cards = min(self.columns, self.count - row * self.columns)
        left = (self.width - (cards - 1) * self.step - self.size.width) // 2
        return Offset(left + column * self.step, 1 + row * self.peek)


def lay_hand(count: int, width: int, size: Size) -> HandLayout:
    """Lay out a hand in as few rows as possible, then with as little overlap as possible."""
    least = min(_FINGER, size.width + 1) if width < UPRIGHT else _LEAST_STEP
    most = max(1, (width - size.width) // least + 1)
    rows = max(1, -(-count // most))
    columns = max(1, -(-count // rows))
    step = size.width + 1
    if columns > 1:
        step = min(step, max(least, (width - size.width) // (columns - 1)))
    if step == size.width and size.height > 1:
        step -= 1
    peek = 1 if size is TINY else 2 if step >= _INDEX else 3
    return HandLayout(size, max(1, count), width, step, peek, columns)


# The cards on the table

FEW_PAIRS: Final = 3
"""Pairs of most bouts, which are to lie in one row."""
USUAL_PAIRS: Final = 6
"""Pairs to reserve room for, so that cards rarely shrink during a bout."""


class TableLayout(NamedTuple):
    """Layout of the pairs on the table."""

    size: Size
    columns: int
    left: int
    top: int
    across: int
    down: int

    def place(self, index: int) -> Offset:
        row, column = divmod(index, self.columns)
        return Offset(self.left + column * self.across, self.top + row * self.down)


def lay_table(
    room: tuple[int, int], pairs: int, limit: int, largest: Size, centre: int = 0
) -> TableLayout | None:
    """Choose the largest cards with which up to ``limit`` pairs fit in a room; None if none do.

    The pairs are centred on a column if possible; 0 is the middle.
    """
    usual = FEW_PAIRS if pairs <= FEW_PAIRS else USUAL_PAIRS
    room_for = max(pairs, min(limit, usual), 1)
    spacings = [(size, gap, 1) for size in sizes_up_to(largest.name) for gap in (2, 1)]
    for size, gap, below in (*spacings, (TINY, 1, 0), (TINY, 0, 0)):
        across, down = size.pair_width + gap, size.pair_height + below
        columns = min((room[0] + gap) // across, room_for)
        if columns < 1 or -(-room_for // columns) * down > room[1]:
            continue
        used = max(1, min(columns, pairs))
        rows = -(-max(pairs, 1) // columns)
        wide = used * across - gap
        left = max(0, min((centre or room[0] // 2) - wide // 2, room[0] - wide))
        return TableLayout(size, columns, left, (room[1] - rows * down + below) // 2, across, down)
    return None


# The printed deck

PAPER: Final = "#f4f0e6"
_PAPER_DIM: Final = "#a5a798"
_EDGE: Final = "#b9b2a0"
_EDGE_DIM: Final = "#86897b"
_BACK: Final = "#3d5a9e"
BLACK: Final = "#17171b"
RED: Final = "#c8102e"
BLUE: Final = "#1450c8"
GREEN: Final = "#0a6e2f"
_INKS: Final = {
    "two": {Suit.SPADES: BLACK, Suit.HEARTS: RED, Suit.DIAMONDS: RED, Suit.CLUBS: BLACK},
    "four": {Suit.SPADES: BLACK, Suit.HEARTS: RED, Suit.DIAMONDS: BLUE, Suit.CLUBS: GREEN},
}
_TRUMP_INK: Final = "#8f5a00"
_TRUMP_SIGN: Final = {False: "◤", True: "*"}
INKS_DIM: Final = {BLACK: "#3c3f3a", RED: "#7d1424", BLUE: "#173a80", GREEN: "#0d4a23"}


_SIGNS: Final[dict[Rank, tuple[Sequence[int], Sequence[int]]]] = {
    Rank.TWO: ((), (2, 6)),
    Rank.THREE: ((), (2, 4, 6)),
    Rank.FOUR: ((2, 6), ()),
    Rank.FIVE: ((2, 6), (4,)),
    Rank.SIX: ((2, 4, 6), ()),
    Rank.SEVEN: ((2, 4, 6), (3,)),
    Rank.EIGHT: ((2, 4, 6), (3, 5)),
    Rank.NINE: ((2, 3, 5, 6), (4,)),
    Rank.TEN: ((2, 3, 5, 6), (3, 5)),
}
"""Rows of the suit signs in the two outer columns, and in the middle column, of a huge card."""
_GIANT_SIGNS: Final[dict[Rank, tuple[Sequence[int], Sequence[int]]]] = {
    Rank.TWO: ((), (2, 8)),
    Rank.THREE: ((), (2, 5, 8)),
    Rank.FOUR: ((2, 8), ()),
    Rank.FIVE: ((2, 8), (5,)),
    Rank.SIX: ((2, 5, 8), ()),
    Rank.SEVEN: ((2, 5, 8), (3,)),
    Rank.EIGHT: ((2, 5, 8), (3, 7)),
    Rank.NINE: ((2, 4, 6, 8), (5,)),
    Rank.TEN: ((2, 4, 6, 8), (3, 7)),
}
_PIPS: Final = {HUGE: (_SIGNS, (3, 5, 7), 7), GIANT: (_GIANT_SIGNS, (4, 7, 10), 9)}
"""The rows of the suit signs, their columns, and the width of an ace's sign."""


class BoxSigns(NamedTuple):
    """The characters of a box."""

    top_left: str
    line: str
    top_right: str
    side: str
    low_left: str
    low_right: str

    def top(self, inside: int) -> str:
        return self.top_left + self.line * inside + self.top_right

    def low(self, inside: int) -> str:
        return self.low_left + self.line * inside + self.low_right


SUIT_SIGNS: Final = {False: "♠♥♦♣", True: "shdc"}
"""The signs of the suits; under True in ASCII."""

_BOXES: Final = {
    ("light", False): BoxSigns("╭", "─", "╮", "│", "╰", "╯"),
    ("heavy", False): BoxSigns("┏", "━", "┓", "┃", "┗", "┛"),
    ("faint", False): BoxSigns("╭", "╌", "╮", "┆", "╰", "╯"),
    ("light", True): BoxSigns("+", "-", "+", "|", "+", "+"),
    ("heavy", True): BoxSigns("#", "=", "#", "|", "#", "#"),
    ("faint", True): BoxSigns(".", ".", ".", ":", ".", "."),
}


def box_signs(weight: str = "light", *, ascii: bool) -> BoxSigns:  # noqa: A002 - as `Look.ascii`
    return _BOXES[weight, ascii]


_NO_STYLE: Final = Style()
_SKIN: Final = "#f0c49a"
_FEATURE: Final = "#2b1b12"
_GOLD: Final = "#b07d12"
_SKIN_DIM: Final = "#a98c6e"
_GOLD_DIM: Final = "#7a5a1c"


def draw_portrait(
    canvas: Canvas,
    at: tuple[int, int],
    portrait: PortraitArt,
    clothes: Style = _NO_STYLE,
    *,
    dim: bool = False,
) -> None:
    """Draw a portrait, over the ground of the clothes' style."""
    x, y = at
    for row, text in enumerate(portrait_lines(portrait, clothes, dim=dim), y):
        for column, (sign, style) in enumerate(text, x):
            canvas.put(column, row, sign, style)


def portrait_lines(
    portrait: PortraitArt, clothes: Style = _NO_STYLE, *, dim: bool = False
) -> Iterator[list[tuple[str, Style]]]:
    """Yield the characters of each row with their styles, over the ground of the clothes' style."""
    ground, skin = Style(bgcolor=clothes.bgcolor), _SKIN_DIM if dim else _SKIN
    styles = {
        "h": Style(color=portrait.hair) + ground,
        "e": Style(color=portrait.hair, bgcolor=skin),
        "f": Style(color=_FEATURE, bgcolor=skin, bold=True),
        "s": Style(color=skin) + ground,
        "g": Style(color=_GOLD_DIM if dim else _GOLD) + ground,
        "c": clothes,
    }
    for text, codes in zip(portrait.rows, portrait.codes, strict=True):
        yield [(sign, styles[code]) for sign, code in zip(text, codes, strict=True)]


def draw_box(canvas: Canvas, where: Region, signs: BoxSigns, style: Style | str) -> None:
    x, y, width, height = where
    inside, low = width - 2, y + height - 1
    canvas.put(x, y, signs.top(inside), style)
    for row in range(y + 1, low):
        canvas.put(x, row, signs.side + " " * inside + signs.side, style)
    canvas.put(x, low, signs.low(inside), style)


@dataclass(frozen=True, slots=True)
class Face:
    """How a card's face is drawn.

    Attributes:
        mark: Style of a heavy edge; None for an ordinary edge.
        label: A sign in the lower edge.
        corner: A sign in the upper edge.
        upright: Whether an overlapping card leaves room only for the suit below the rank.
        covered: Whether another card covers the lower edge.
        beneath: Whether another card covers all but the upper left.
    """

    dim: bool = False
    mark: Style | None = None
    label: str = ""
    corner: str = ""
    upright: bool = False
    covered: bool = False
    beneath: bool = False


_ORDINARY: Final = Face()


class Deck:
    """Draws cards in one style and size.

    Trumps have a sign in the upper left corner, or an underline if a card is one line of text.
    """

    def __init__(self, canvas: Canvas, look: Look, size: Size = TINY) -> None:
        self.size = size
        self.ascii = look.ascii
        self._canvas = canvas
        self._plain = look.plain
        self._trump = look.trump
        self._inks = _INKS[look.colours]

    def index(self, card: Card) -> str:
        return card_text(card, ascii=self.ascii)

    def ink(self, card: Card, *, dim: bool = False) -> Style:
        if self._plain:
            return Style(bold=not dim, dim=dim)
        ink = self._inks[card.suit]
        return Style(color=INKS_DIM[ink] if dim else ink, bold=True) + self._paper(dim=dim)

    def line_ink(self, card: Card, *, dim: bool = False) -> Style:
        """Return the ink of a card that is one line of text."""
        return self.ink(card, dim=dim) + Style(underline=card.is_of(self._trump) or None)

    def backs(self, count: int) -> str:
        return (":" if self.ascii else "▒") * count

    def face(self, x: int, y: int, card: Card, face: Face = _ORDINARY) -> None:
        size, ink = self.size, self.ink(card, dim=face.dim)
        if size is TINY:
            style = self.line_ink(card, dim=face.dim)
            if face.mark is not None:
                style += Style(reverse=True) if self._plain else Style(color=PAPER, bgcolor=ink.color)
            self._canvas.put(x, y, self.index(card).ljust(size.width), style)
            return
        edge = self._edge(face)
        faint = "faint" if face.dim and self._plain else "light"
        self._box(x, y, edge, faint if face.mark is None else "heavy")
        if card.is_of(self._trump):
            trump = Style(bold=True) if self._plain else Style(color=_TRUMP_INK) + self._paper(dim=face.dim)
            self._canvas.put(x, y, _TRUMP_SIGN[self.ascii], trump)
        self._write_index(x, y, card, face)
        if not face.upright and not face.beneath:
            self._write_middle(x, y, card, dim=face.dim)
        label_style = ink if self._plain else edge + Style(color=INKS_DIM[BLACK])
        offset = 2 if face.covered else 1 if face.upright else size.width // 2
        self._canvas.put(x + offset, y if face.covered else y + size.height - 1, face.label, label_style)
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
        index = self.index(card)
        if face.upright:
            self._canvas.put(x + 1, y + 1, index[:-1], ink)
            self._canvas.put(x + 1, y + 2, index[-1], ink)
            return
        self._canvas.put(x + 1, y + 1, index, ink)
        if (size in _PIPS or (size is LARGE and card.rank not in COURT)) and not face.beneath:
            self._canvas.put(x + size.width - 1 - len(index), y + size.height - 2, index, ink)

    def _write_middle(self, x: int, y: int, card: Card, *, dim: bool) -> None:
        """Draw a portrait, or the suit signs of a huge or giant card."""
        if card.rank in COURT:
            self._draw_court(x, y, card, dim=dim)
            return
        if self.size not in _PIPS:
            return
        ink = self.ink(card, dim=dim)
        signs, (left, centre, right), width = _PIPS[self.size]
        if card.rank not in signs:
            first = x + (self.size.width - width) // 2
            for row, cells in enumerate(drawn_suit(card.suit, width, ascii_only=self.ascii), y + 3):
                self._canvas.put(first, row, cells, ink)
            return
        suit = suit_text(card.suit, ascii=self.ascii)
        sides, middle = signs[card.rank]
        for column, rows in ((left, sides), (centre, middle), (right, sides)):
            for row in rows:
                self._canvas.put(x + column, y + row, suit, ink)

    def _draw_court(self, x: int, y: int, card: Card, *, dim: bool) -> None:
        portraits = {
            GIANT: (whole_portrait, 3, 2),
            HUGE: (court_portrait, 3, 2),
            LARGE: (court_bust, 3, 1),
        }
        if self.size in portraits:
            make, right, down = portraits[self.size]
            portrait, at = make(card.rank, ascii_only=self.ascii), (x + right, y + down)
            ink = self.ink(card, dim=dim)
            portrait = portrait.uncoloured if self._plain else portrait
            draw_portrait(self._canvas, at, portrait, ink, dim=dim)

    def _edge(self, face: Face) -> Style:
        mark = Style() if face.mark is None else face.mark
        if self._plain:
            return Style(dim=face.dim) + Style(bold=face.mark is not None)
        return Style(color=_EDGE_DIM if face.dim else _EDGE) + self._paper(dim=face.dim) + mark

    def _paper(self, *, dim: bool) -> Style:
        return Style() if self._plain else Style(bgcolor=_PAPER_DIM if dim else PAPER)

    def _box(self, x: int, y: int, edge: Style, weight: str) -> None:
        signs = box_signs(weight, ascii=self.ascii)
        draw_box(self._canvas, Region(x, y, self.size.width, self.size.height), signs, edge)


class Flyer(CanvasWidget):
    """A card moving across the board as animation only."""

    DEFAULT_CSS = """
    Flyer {
        layer: over;
        display: none;
    }
    """

    _card: Card | None = None
    _card_size = NORMAL

    def carry(self, card: Card, size: Size, look: Look) -> None:
        self._card, self._card_size, self.look = card, size, look
        self.refresh(layout=True)

    @property
    def cells(self) -> CellSize:
        return CellSize(self._card_size.width, self._card_size.height)

    def draw(self, canvas: Canvas) -> None:
        if self._card is not None:
            Deck(canvas, self.look, self._card_size).face(0, 0, self._card)


def letter_cards(word: str, *, turned: int | None = None, ascii_only: bool = False) -> Text:
    """Draw a word as small cards, one for each letter, four rows high; the first ``turned`` are face up."""
    signs = box_signs(ascii=ascii_only)
    rows = [Text() for _ in range(4)]
    for place, (letter, suit) in enumerate(zip(word, cycle(SUIT_SIGNS[ascii_only]), strict=False)):
        ink = Style(color=RED if suit in "♥♦hd" else BLACK, bgcolor=PAPER)
        texts = (f"{letter}  ", f"  {suit}")
        if turned is not None and place >= turned:
            ink, texts = Style(color=_BACK, bgcolor=PAPER), ((":" if ascii_only else "▒") * 3,) * 2
        inside = tuple(f"{signs.side}{text}{signs.side}" for text in texts)
        card = (signs.top(3), *inside, signs.low(3))
        for number, (row, text) in enumerate(zip(rows, card, strict=True)):
            if row.plain:
                row.append(" ")
            row.append(text, ink + Style(bold=number in {1, 2}))
    return Text("\n").join(rows)
