"""Card sizes and the layout of a hand and of the pairs on the table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from textual.geometry import Offset

from durak_tui.ui.view.board_data import CardSize


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
