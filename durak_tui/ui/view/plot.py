"""Data of a plot: lines over moves or games, and the axes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Final, TypeAlias

from durak_tui.text.i18n import gettext, percent_sign, pgettext

Curve: TypeAlias = Sequence[float | None]

_STEP: Final = 0.1
_SLACK: Final = 1e-9


@dataclass(frozen=True, slots=True)
class PlotLine:
    """A line of a plot.

    Attributes:
        values: Values at equal distances; None leaves a gap.
        short: A shorter name for a narrow legend; without it, long names are cut.
        figure: The value at the cursor, as text.
        last: The last value, as text.
    """

    values: Curve
    style: str = ""
    name: str = ""
    short: str = ""
    figure: str = ""
    last: str = ""
    is_bold: bool = False


@dataclass(frozen=True, slots=True)
class PlotLook:
    """Axes and marks of a plot.

    Attributes:
        guide: Height of a dotted horizontal line, such as 1/n.
        cursor: Index of the highlighted column.
        marks: One-cell signs above values, by index, each with a style.
        titles: What the plot shows, in a long and a short form.
        figures: Whether each line has its figure next to the cursor, unless the cursor is at the end.
        unit: ``%`` for percentages, otherwise plain numbers.
    """

    low: float = 0.0
    high: float = 1.0
    guide: float | None = None
    cursor: int | None = None
    marks: Mapping[int, tuple[str, str]] = field(default_factory=dict)
    titles: tuple[str, ...] = ()
    figures: bool = False
    unit: str = "%"


def dangers(chances: Sequence[Curve]) -> list[list[float | None]]:
    """Return each seat's probability of being the fool, from the seats' probabilities of not being it.

    They sum to 1 at each moment. A seat without an estimate counts as 1/n; if no seat has one, all are None.
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
    """Round shares of a whole to percentages that sum to 100."""
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
    """Plot each seat's probability of not being the fool. For two seats they sum to 1.

    In team games, each line is a team. The labels are a long and a short name for each line. From three
    seats, the y-axis ignores the last moment, which is the game's result.
    """
    risks = dangers(chances)
    count, figures = len(risks), _figures([risk[cursor] for risk in risks if cursor < len(risk)])
    lasts = _figures([next((share for share in reversed(risk) if share is not None), None) for risk in risks])
    low = 0.0 if count == 2 else 1 - _top(risks)
    titles = gettext("chance of not being the fool"), pgettext("chance", "not the fool")
    look = PlotLook(low=low, guide=1 - 1 / count, cursor=cursor, titles=titles)
    lines = [
        PlotLine(
            [None if share is None else 1 - share for share in risk],
            ink(seat),
            *labels[seat],
            figures[seat] if figures else "",
            lasts[seat] if lasts else "",
            is_bold=seat == chosen,
        )
        for seat, risk in enumerate(risks)
    ]
    return lines, look


def _figures(risks: Sequence[float | None]) -> list[str]:
    """Return the chances of not being the fool as text; empty if they are unknown."""
    known = [risk for risk in risks if risk is not None]
    return [percent_sign(str(100 - figure)) for figure in percents(known)] if known else []


def _top(curves: Sequence[Curve]) -> float:
    """Return the limit above all values but the last, and at least 2/n."""
    heights = [value for curve in curves for value in curve[:-1] if value is not None]
    return min(1.0, math.ceil(max(*heights, 2 / len(curves), 0) / _STEP - _SLACK) * _STEP)
