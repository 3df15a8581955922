"""Layout of the board: pure functions from its size to regions of cells.

The first of `FRAMES` that fits is used. Open panels get a column, rows of their own, or no room; the table
comes first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias

from textual.geometry import Region
from textual.geometry import Size as CellSize

from durak_tui.ui.view.board_data import CardSize
from durak_tui.ui.widgets.cards import (
    FEW_PAIRS,
    GIANT,
    HUGE,
    LARGE,
    NORMAL,
    SIZES,
    SMALL,
    TINY,
    UPRIGHT,
    USUAL_PAIRS,
    Size,
    lay_hand,
    lay_table,
    sizes_up_to,
)

PanelName: TypeAlias = Literal["log", "advice", "knowledge"]


class Panel(NamedTuple):
    """An open panel.

    Attributes:
        beside: Returns the rows needed in a column of some width; 0 if it does not fit.
        across: Returns the rows needed across the table; 0 if it cannot be there.
    """

    name: PanelName
    beside: Callable[[int], int]
    across: Callable[[int], int] = lambda _width: 0


@dataclass(frozen=True, slots=True)
class Needs:
    """Contents of the board.

    Attributes:
        limit: Maximum number of attack cards.
        status: Rows of the status line.
        is_for_fingers: Whether the prompt's buttons have a finger's height.
        opened: Returns the rows that the largest open hand needs in some columns.
        is_open: Whether all cards of all opponents are known.
        panels: Open panels, the most urgent first; the last ones give way.
    """

    opponents: int
    hand: int
    pairs: int
    limit: int = USUAL_PAIRS
    status: int = 1
    size: CardSize = "auto"
    is_for_fingers: bool = False
    opened: Callable[[int], int] = lambda _width: 0
    is_open: bool = False
    panels: tuple[Panel, ...] = ()


@dataclass(frozen=True, slots=True)
class LayoutVariant:
    """A layout of the table, with its minimum columns and rows.

    Attributes:
        top: Rows of the seats at the top.
        beside: Columns of the seats at the sides; 0 if all are at the top.
        high: Rows of the seats at the sides.
        stacked: Whether seats may take two rows, the outer ones nearer to the viewer.
        prompt: Rows of a narrow prompt.
        least: Smallest card size of the hand in this layout.
        is_open: Whether the layout is for open hands, with boxes for faces and cards.
    """

    columns: int
    rows: int
    top: int
    beside: int = 0
    high: int = 0
    boxed: bool = True
    stacked: bool = False
    prompt: int = 3
    least: Size = NORMAL
    is_open: bool = False


FRAMES: Final = (
    LayoutVariant(72, 36, top=7, least=HUGE, is_open=True),
    LayoutVariant(72, 25, top=6, least=LARGE, is_open=True),
    LayoutVariant(150, 44, top=7, beside=38, high=7, least=HUGE),
    LayoutVariant(116, 44, top=7, beside=28, high=7, least=HUGE),
    LayoutVariant(116, 40, top=5, beside=24, high=5, least=HUGE),
    LayoutVariant(84, 30, top=5, beside=17, high=6, least=HUGE),
    LayoutVariant(60, 34, top=5, least=HUGE),
    LayoutVariant(60, 22, top=3),
    LayoutVariant(60, 0, top=3, boxed=False),
    LayoutVariant(60, 0, top=2, boxed=False, least=TINY),
    LayoutVariant(40, 38, top=5, stacked=True, prompt=6, least=LARGE),
    LayoutVariant(40, 30, top=3, stacked=True, prompt=6, least=NORMAL),
    LayoutVariant(40, 24, top=2, boxed=False, stacked=True, prompt=5, least=SMALL),
    LayoutVariant(0, 0, top=1, boxed=False, prompt=2, least=TINY),
)
BOXES_FROM: Final = 22
"""Rows from which opponents have boxes."""
LOG_FROM: Final = 100
"""Columns from which the log is open by default."""
_SIDES: Final = ((160, 44), (120, 34), (LOG_FROM, 28))
"""Minimum columns of the board, and columns of the panels beside the table."""
_NOOK: Final = 28
"""Columns of a log on the table's side, without a column of panels."""
_ONE_ROW_FROM: Final = 72
"""Width from which a sentence of the prompt fits in one row."""
_GIANT_FROM: Final = 44
"""Rows from which cards may be giant."""
LEAST_LOG: Final = 6
_WIDEST_BOX: Final = 34
_LEAST_BOX: Final = 15
_WIDEST_OPEN_BOX: Final = 44
OPEN_BOX: Final = CellSize(30, 6)
"""Minimum size of a box for a face and a hand of six cards."""
_LEAST_STACKED: Final = 12
_A_ROW: Final = 3
"""Maximum seats in one row of a stacked layout."""
_GAP: Final = 1
STARS_FROM: Final = 23
"""Columns from which a box has room for stars beside a name."""
_LEAST_TALON: Final = 12
_TALON_ROWS: Final = 4
_WIDE_FELT: Final = 126
"""Columns from which seats at the sides move towards the table."""


@dataclass(frozen=True, slots=True)
class BoardPlan:
    """Regions of the board's parts.

    Attributes:
        card: Card size of the hand, and maximum card size on the table.
        centre: The table's column to centre its cards on.
        parts: Regions by part name; seats are numbered from the viewer's left, `side` is the background of
            panels beside the table.
        whole: Whether open hands fit completely.
        beside: The panels in a column, not across the table.
    """

    card: Size
    boxed: bool
    centre: int
    parts: dict[str, Region]
    whole: bool
    beside: frozenset[str]


class _Aside(NamedTuple):
    """The panels and the room they take from the table.

    Attributes:
        side: Columns of the column of panels.
        nook: Columns of the log on the table's side.
        column: Rows of the panels in the column, from top to bottom.
        across: Rows of the panels above the seats, and of advice below the table.
    """

    side: int
    nook: int
    column: dict[PanelName, int]
    across: dict[PanelName, int]


def plan(width: int, height: int, needs: Needs) -> BoardPlan:
    """Lay out the board with as many panels as fit, then the most spacious frame, then the largest cards."""
    for count in range(len(needs.panels), -1, -1):
        panels = needs.panels[:count]
        aside = _panels(width, height - needs.status, panels)
        if aside is None:
            continue
        known = any(panel.name == "knowledge" for panel in panels)  # it shows all open hands
        drafts = [
            _Draft(width, height, needs, aside, frame, size, hides)
            for hides in (False, True)[: 1 + known]
            for frame, size in _choices(width - aside.side, height, needs)
        ]
        plans = (made for whole in (True, False) for draft in drafts for made in draft.plans(whole=whole))
        made = next(plans, None)
        if made is not None:
            return made
    return _Draft(width, height, needs, _Aside(0, 0, {}, {}), FRAMES[-1], TINY).plan(FRAMES[-1].top, 0)


def _choices(width: int, height: int, needs: Needs) -> Iterator[tuple[LayoutVariant, Size]]:
    sizes = [size for size in sizes_up_to(needs.size) if size is not GIANT or height >= _GIANT_FROM]
    for frame in FRAMES:
        if width >= frame.columns and height >= frame.rows and needs.is_open >= frame.is_open:
            for size in sizes:
                if size.height >= frame.least.height or size is sizes[0]:
                    yield frame, size


def _panels(width: int, height: int, panels: Sequence[Panel]) -> _Aside | None:
    """Place each panel beside or across the table, the log also on its side; None if one does not fit."""
    side = next((columns for least, columns in _SIDES if width >= least), 0)
    column: dict[PanelName, int] = {}
    across: dict[PanelName, int] = {}
    spare, nook = height, 0
    for panel in panels:
        rows = panel.beside(side - 1) if side else 0
        if rows and rows + bool(column) <= spare:
            spare -= rows + bool(column)
            column[panel.name] = rows
        elif panel.name == "log" and width >= UPRIGHT:
            nook = _NOOK
        else:
            across[panel.name] = rows = panel.across(width - (side if column else 0))
            if not rows:
                return None
    if nook and side:
        return None
    if "log" in column:
        column["log"] += spare
    order: tuple[PanelName, ...] = ("log", "advice", "knowledge")
    ordered = {name: column[name] for name in order if name in column}
    return _Aside(side if column else 0, nook, ordered, across)


@dataclass(frozen=True, slots=True)
class _Draft:
    """Plans for one frame and card size, which may not fit."""

    width: int
    height: int
    needs: Needs
    aside: _Aside
    frame: LayoutVariant
    size: Size
    hides_hands: bool = False

    @property
    def play(self) -> int:
        """Columns of everything but the column of panels."""
        return self.width - self.aside.side

    @property
    def felt(self) -> int:
        """Columns of the seats and the table."""
        return self.play - self.aside.nook

    @property
    def around(self) -> bool:
        """Whether seats are also at the sides."""
        return self.frame.beside > 0 and self.needs.opponents > 1

    @property
    def along(self) -> int:
        """Number of seats at the top."""
        return self.needs.opponents - (2 if self.around else 0)

    @property
    def in_two_rows(self) -> bool:
        return self.frame.stacked and self.along > _A_ROW

    @property
    def box(self) -> int:
        """Columns of a seat at the top."""
        count = max(1, self.along - 2 if self.in_two_rows else self.along, 2 * self.in_two_rows)
        widest = _WIDEST_OPEN_BOX if self.frame.is_open else max(_WIDEST_BOX, self.frame.beside)
        return min(widest, (self.felt - _GAP * (count - 1)) // count)

    def plans(self, *, whole: bool) -> Iterator[BoardPlan]:
        """Yield the plans that fit, with open hands complete or cut as little as possible."""
        least = OPEN_BOX.width if self.frame.is_open else _LEAST_BOX
        if self.frame.boxed and self.box < (_LEAST_STACKED if self.frame.stacked else least):
            return
        top, high = self._opened(self.box), self._opened(self.frame.beside)
        most = max(0, top - self.frame.top, (high - self.frame.high) * self.around)
        if whole and most and self.size is TINY and self.needs.size != "tiny":
            return  # the smallest cards cost more than they gain
        for fewer in [0] if whole else range(1, most + 1):
            along, at_sides = max(self.frame.top, top - fewer), max(self.frame.high, high - fewer)
            made = self.plan(along, at_sides, whole=whole)
            if self._has_room(made.parts, at_sides):
                yield made

    def _opened(self, columns: int) -> int:
        """Return the rows a seat of this width needs for its open hand; 0 if it has none."""
        rows = self.needs.opened(max(1, columns - 4 * self.frame.boxed))
        if not rows or self.hides_hands:
            return 0
        return rows + 3 if not self.frame.boxed else rows + 2 + (columns < STARS_FROM)

    def _has_room(self, parts: dict[str, Region], high: int) -> bool:
        """Return whether a usual bout fits, with cards at most one size smaller than the hand's."""
        needs, table = self.needs, parts.get("table", Region())
        if table.height < (high + _TALON_ROWS if self.around else TINY.pair_height):
            return False
        if self.aside.nook and parts["log"].height < LEAST_LOG:
            return False
        at_most = max(needs.pairs, min(needs.limit, USUAL_PAIRS))
        usual = lay_table(table.size, at_most, needs.limit, self.size)
        if usual is None:
            return False
        few = min(FEW_PAIRS, needs.limit)
        if self.size is GIANT and table.width < few * (self.size.pair_width + 2) - 2:
            return False  # smaller cards in one row look better
        is_long = needs.pairs > USUAL_PAIRS and self.size.height <= NORMAL.height
        return is_long or SIZES.index(usual.size) <= SIZES.index(self.size) + 1

    def plan(self, along: int, high: int, *, whole: bool = True) -> BoardPlan:
        """Return the plan with these rows for the seats at the top and at the sides."""
        needs, aside, width = self.needs, self.aside, self.play
        status, rest = Region(0, 0, self.width, self.height).split_horizontal(needs.status)
        play, side = rest.split_vertical(width)
        wide = 3 if needs.is_for_fingers else 2
        prompt = wide if width >= _ONE_ROW_FROM else self.frame.prompt
        hand = 0 if self.hides_hands else lay_hand(needs.hand, width, self.size).height
        own = Region(0, self.height - hand - prompt - 1, width, 1)
        panels: dict[str, Region] = {}
        column = side.shrink((0, 0, 0, 1))
        for name, rows in aside.column.items():
            panels[name], column = column.split_horizontal(rows)
            column = column.shrink((1, 0, 0, 0))
        for name, rows in aside.across.items():
            if name != "advice":
                panels[name], play = play.split_horizontal(rows)
        advice = aside.across.get("advice", 0)
        felt = Region(0, play.y, self.felt, max(0, own.y - advice - play.y))
        panels |= {"advice": Region(0, felt.bottom, width, advice)} if advice else {}
        if aside.nook:
            side = Region(felt.right, felt.y, aside.nook, felt.height)
            panels["log"] = side.shrink((0, 0, 0, 1))
        seats, table, talon = self._felt(felt, along, high)
        parts = {
            "side": side,
            "status": status,
            "table": table,
            "talon": talon,
            "own": own,
            "prompt": Region(0, own.bottom, width, prompt),
            "hand": Region(0, own.bottom + prompt, width, hand),
            **{f"seat-{number}": seat for number, seat in enumerate(seats)},
            **panels,
        }
        beside = {*aside.column} | ({"log"} if aside.nook else set())
        shown = {name: region for name, region in parts.items() if region.area}
        return BoardPlan(
            self.size, self.frame.boxed, self.felt // 2 - table.x, shown, whole, frozenset(beside)
        )

    def _felt(self, felt: Region, along: int, high: int) -> tuple[tuple[Region, ...], Region, Region]:
        top = along * (1 + self.in_two_rows) if self.along else 0
        middle = Region(0, felt.y + top, felt.width, max(0, felt.height - top))
        seats = tuple(self._along(felt.y, along))
        if not self.around:
            if middle.height < _TALON_ROWS:  # the status line has both counts
                return seats, middle, Region()
            widest = LARGE if felt.width < UPRIGHT else SIZES[0]
            talon = max(_LEAST_TALON, min(self.size.pair_width, widest.pair_width) + 2)
            return seats, *middle.split_vertical(felt.width - talon)
        column, row = self.frame.beside, FEW_PAIRS * (self.size.pair_width + 2)
        inset = max(0, min((felt.width - _WIDE_FELT) // 3, (felt.width - 2 * column - row) // 2))
        above = max(0, middle.height - high - self.size.pair_height - 2) // 3
        left = Region(inset, middle.y + above, column, high)
        right = Region(felt.width - inset - column, middle.y + above, column, high)
        below = Region(right.x, right.bottom, column, max(0, middle.bottom - right.bottom))
        table = Region(left.right, middle.y, right.x - left.right, middle.height)
        return (left, *seats, right), table, below

    def _along(self, y: int, rows: int) -> Iterator[Region]:
        count, box, felt = self.along, self.box, self.felt
        above = range(1, count - 1) if self.in_two_rows else range(count)
        left = (felt - len(above) * box - _GAP * (len(above) - 1)) // 2
        for number in range(count):
            if number in above:
                yield Region(left + (number - above[0]) * (box + _GAP), y, box, rows)
            else:
                yield Region(felt - box if number else 0, y + rows, box, rows)
