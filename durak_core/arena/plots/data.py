"""What a plot shows, checked before anything is drawn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from durak_core.errors import DurakError


@dataclass(frozen=True, slots=True)
class Series:
    """A line of a plot.

    Attributes:
        label: Its name in the legend. A line of the right axis that is named as one of the left axis
            shares its colour and its entry there.
        x: Where its points are, numbers or texts for categories; numbers are joined by a line in this
            order.
        y: Their values, in any unit.
        low: The lower ends of their intervals, in the same unit; None for no intervals.
        high: The upper ends.
        right_axis: Whether its values belong to the axis at the right, as times do.

    Raises:
        DurakError: If the lengths differ, there are no points, a number is not finite, numbers and
            texts are mixed, or an interval has one end or leaves its value out.
    """

    label: str
    x: Sequence[float] | Sequence[str]
    y: Sequence[float]
    low: Sequence[float] | None = None
    high: Sequence[float] | None = None
    right_axis: bool = False

    def __post_init__(self) -> None:
        if len(self.x) == 0:
            raise DurakError("line {label!r} has no points: expected one or more", label=self.label)
        numbers = [x for x in self.x if not isinstance(x, str)]
        if 0 < len(numbers) < len(self.x):
            raise DurakError(
                "line {label!r} has numbers and texts as x: expected one of them", label=self.label
            )
        if not all(map(math.isfinite, numbers)):
            raise DurakError("line {label!r} has an x that is not finite: expected numbers", label=self.label)
        if len(self.x) != len(self.y):
            raise DurakError(
                "line {label!r} has {xs} x and {ys} y: expected as many",
                label=self.label,
                xs=len(self.x),
                ys=len(self.y),
            )
        _check_values(f"line {self.label!r}", self.y, self.low, self.high)

    @property
    def is_categorical(self) -> bool:
        """Whether the points stand at categories, not at numbers."""
        return all(isinstance(x, str) for x in self.x)


@dataclass(frozen=True, slots=True)
class Bars:
    """Bars of one colour, such as the published figures, or those measured here.

    Attributes:
        label: Their name in the legend.
        values: One for each label of the plot; None where there is no bar.
        low: The lower ends of their intervals; None for no intervals, or for none at this bar.
        high: The upper ends.

    Raises:
        DurakError: If the lengths differ, a number is not finite, or an interval has one end or leaves
            its value out.
    """

    label: str
    values: Sequence[float | None]
    low: Sequence[float | None] | None = None
    high: Sequence[float | None] | None = None

    def __post_init__(self) -> None:
        _check_values(f"bars {self.label!r}", self.values, self.low, self.high)


def _check_values(
    name: str,
    values: Sequence[float | None],
    low: Sequence[float | None] | None,
    high: Sequence[float | None] | None,
) -> None:
    if (low is None) != (high is None):
        raise DurakError("{name}: intervals with one end: expected both, or none", name=name)
    none = [None] * len(values)
    lows, highs = low if low is not None else none, high if high is not None else none
    if not len(values) == len(lows) == len(highs):
        raise DurakError(
            "{name}: {count} values, intervals {lows} and {highs}",
            name=name,
            count=len(values),
            lows=len(lows),
            highs=len(highs),
        )
    for value, bottom, top in zip(values, lows, highs, strict=True):
        if not all(map(math.isfinite, [one for one in (value, bottom, top) if one is not None])):
            raise DurakError(
                "{name}: {value} ({bottom} to {top}): expected finite numbers",
                name=name,
                value=value,
                bottom=bottom,
                top=top,
            )
        if bottom is None and top is None:
            continue
        if value is None or bottom is None or top is None:
            raise DurakError(
                "{name}: {value} ({bottom} to {top}): expected a value and both ends",
                name=name,
                value=value,
                bottom=bottom,
                top=top,
            )
        room = 1e-9 * max(1.0, abs(value))  # what rounding may do
        if not bottom - room <= value <= top + room:
            raise DurakError(
                "{name}: the interval {bottom} to {top} leaves out its value {value}",
                name=name,
                bottom=bottom,
                top=top,
                value=value,
            )


def check_lines(series: Sequence[Series], right_label: str | None, *, log_x: bool) -> None:
    """Refuse lines that cannot stand in one plot.

    Args:
        series: All lines.
        right_label: The name of the right axis, or None.
        log_x: Whether the x axis is logarithmic.

    Raises:
        DurakError: If they cannot; the message tells why.
    """
    if all(line.right_axis for line in series):
        raise DurakError("there is no line at the left axis: expected one or more")
    if right_label is None and any(line.right_axis for line in series):
        raise DurakError("a line belongs to the right axis: expected a right_label")
    for right in (False, True):
        _check_names([line.label for line in series if line.right_axis == right])
    if len({line.is_categorical for line in series}) > 1:
        raise DurakError("some lines have categories as x, others numbers: expected one of them")
    if log_x and (series[0].is_categorical or min(numbers_of(series)) <= 0):
        raise DurakError("a logarithmic x axis: expected numbers above 0 as x")


def check_bars(labels: Sequence[str], groups: Sequence[Bars]) -> None:
    """Refuse bars that cannot stand in one plot.

    Args:
        labels: What stands below them.
        groups: The bars of each colour.

    Raises:
        DurakError: If they cannot; the message tells why.
    """
    for group in groups:
        if len(group.values) != len(labels):
            raise DurakError(
                "bars {label!r}: {count} values for {labels} labels: expected as many",
                label=group.label,
                count=len(group.values),
                labels=len(labels),
            )
    _check_names([group.label for group in groups])
    if all(value is None for group in groups for value in group.values):
        raise DurakError("there is no bar: expected one or more")


def _check_names(labels: Sequence[str]) -> None:
    for place, label in enumerate(labels):
        if label in labels[:place]:
            raise DurakError("the label {label!r} is there twice: expected different ones", label=label)


def numbers_of(series: Sequence[Series]) -> list[float]:
    """Return all x of lines that have numbers there, each once and ascending."""
    return sorted({float(x) for line in series for x in line.x})
