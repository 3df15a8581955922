"""What a plot shows: curves over the moves or games, and their frame."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Final, TypeAlias

from durak_tui.text.i18n import percent, percent_sign, say

Curve: TypeAlias = Sequence[float | None]

_STEP: Final = 0.1
"""Heights of the axis at which its upper end may lie."""
_SLACK: Final = 1e-9


@dataclass(frozen=True, slots=True)
class PlotLine:
    """A line of a plot.

    Attributes:
        values: Heights at equal distances; None leaves a gap.
        style: How it is coloured, as Rich writes it.
        short: What a legend calls it where there is no room for all names; without one they are cut.
        figure: What stands behind its name, such as its height at the cursor.
        is_bold: Whether it stands out from the others.
    """

    values: Curve
    style: str = ""
    name: str = ""
    short: str = ""
    figure: str = ""
    is_bold: bool = False


@dataclass(frozen=True, slots=True)
class PlotLook:
    """How a plot is framed.

    Attributes:
        guide: A height with a dotted line of its own, such as the fair share; or None.
        cursor: Index of the values that is marked; or None.
        marks: Signs of one cell over the values of some indices, each with its style.
        title: A word before the names of the lines.
        unit: ``%`` to write heights as per cent, else they are written as they are.
    """

    low: float = 0.0
    high: float = 1.0
    guide: float | None = None
    cursor: int | None = None
    marks: Mapping[int, tuple[str, str]] = field(default_factory=dict)
    title: str = ""
    unit: str = "%"


# Who will be the fool?


def dangers(chances: Sequence[Curve]) -> list[list[float | None]]:
    """Return each seat's share of being the fool, by the seats' chances of not being it.

    At each moment the shares sum to 1. Of whom nothing is known has the fair share; where nothing is known
    of anybody there is None.
    """
    moments = [_shares(at) for at in zip_longest(*chances)]
    return [list(curve) for curve in zip(*moments, strict=True)] or [[] for _ in chances]


def _shares(chances: Sequence[float | None]) -> Sequence[float | None]:
    fair = 1 / len(chances)
    if all(chance is None for chance in chances):
        return (None,) * len(chances)
    known = [fair if chance is None else 1 - chance for chance in chances]
    total = sum(known)
    return [share / total if total else fair for share in known]


def percents(shares: Sequence[float]) -> list[int]:
    """Round shares of a whole to per cent that sum to 100."""
    exact = [100 * share for share in shares]
    rounded = [math.floor(value) for value in exact]
    by_rest = sorted(range(len(exact)), key=lambda index: rounded[index] - exact[index])
    for index in by_rest[: 100 - sum(rounded)]:
        rounded[index] += 1
    return rounded


def fool_plot(
    chances: Sequence[Curve],
    labels: Sequence[tuple[str, str]],
    ink: Callable[[int], str],
    chosen: int,
    cursor: int,
) -> tuple[list[PlotLine], PlotLook]:
    """Draw the seats' chances of not being the fool, or from three seats on each one's danger of being it.

    With teams these are the teams' chances and dangers. The labels are a name and a short one for each line.
    The line of the chosen seat is bold. The dangers lie around the fair share; their axis goes as far as they
    did before the last moment, at which a game's result stands.
    """
    curves = chances if len(chances) == 2 else dangers(chances)
    now = [curve[cursor] if cursor < len(curve) else None for curve in curves]
    if len(curves) == 2:
        figures = ["" if value is None else percent(value) for value in now]
        look = PlotLook(guide=1 / 2, cursor=cursor, title=say("wins?"))
    else:
        shares = [share for share in now if share is not None]
        figures = [percent_sign(str(figure)) for figure in percents(shares)] if shares else [""] * len(curves)
        look = PlotLook(high=_top(curves), guide=1 / len(curves), cursor=cursor, title=say("fool?"))
    lines = [
        PlotLine(curve, ink(seat), *labels[seat], figures[seat], is_bold=seat == chosen)
        for seat, curve in enumerate(curves)
    ]
    return lines, look


def _top(curves: Sequence[Curve]) -> float:
    """Return the next round height above all values but the last, and twice the fair share at least."""
    heights = [value for curve in curves for value in curve[:-1] if value is not None]
    return min(1.0, math.ceil(max(*heights, 2 / len(curves), 0) / _STEP - _SLACK) * _STEP)
