"""What a plot shows, checked before anything is drawn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from durak_core.errors import DurakError
from durak_core.statistics import Share


@dataclass(frozen=True, slots=True)
class Series:
    """A line of a plot, or bars of one colour, such as the published figures or those measured here.

    Attributes:
        label: Its name in the legend. A line of the right axis that is named as one of the left axis
            shares its colour and its entry there.
        x: Where its points are, numbers or texts for categories; numbers are joined by a line in this
            order.
        y: Their values, in any unit.
        low: The lower ends of their intervals, in the same unit; None for no intervals.
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
        label, count = self.label, len(self.y)
        if len(self.x) == 0:
            raise DurakError("line {label!r} has no points: expected one or more", label=label)
        numbers = [x for x in self.x if not isinstance(x, str)]
        if 0 < len(numbers) < len(self.x):
            raise DurakError("line {label!r} has numbers and texts as x: expected one of them", label=label)
        if not all(map(math.isfinite, numbers)):
            raise DurakError("line {label!r} has an x that is not finite: expected numbers", label=label)
        if len(self.x) != count:
            message = "line {label!r} has {xs} x and {ys} y: expected as many"
            raise DurakError(message, label=label, xs=len(self.x), ys=count)
        if (self.low is None) != (self.high is None):
            raise DurakError("line {label!r}: intervals with one end: expected both, or none", label=label)
        lows, highs = self.low or self.y, self.high or self.y
        if not count == len(lows) == len(highs):
            message = "line {label!r}: {count} values, intervals {lows} and {highs}"
            raise DurakError(message, label=label, count=count, lows=len(lows), highs=len(highs))
        for value, low, high in zip(self.y, lows, highs, strict=True):
            if not all(map(math.isfinite, (value, low, high))):
                message = "line {label!r}: {value} ({low} to {high}): expected finite numbers"
                raise DurakError(message, label=label, value=value, low=low, high=high)
            room = 1e-9 * max(1.0, abs(value))  # what rounding may do
            if not low - room <= value <= high + room:
                message = "line {label!r}: the interval {low} to {high} leaves out its value {value}"
                raise DurakError(message, label=label, value=value, low=low, high=high)

    @classmethod
    def of_shares(cls, label: str, x: Sequence[float] | Sequence[str], shares: Sequence[Share]) -> Self:
        values, low, high = ([100 * getattr(one, end) for one in shares] for end in ("value", "low", "high"))
        return cls(label, x, values, low, high)

    @property
    def is_categorical(self) -> bool:
        return all(isinstance(x, str) for x in self.x)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """What stands around lines or bars.

    Attributes:
        title: What is seen; long lines of it are broken.
        x_label: The name of the x axis, with its unit.
        right_label: The name of the right axis, needed if a line belongs to it.
        log_x: Whether the x axis is logarithmic; all x are above 0 then.
        reference: A value of the left axis at which to draw a dashed line, such as 0.5.
        reference_label: What it means, for the legend.
        bounds: Values that the left axis shall not pass, such as 0 and 1 for shares.
    """

    title: str
    y_label: str
    x_label: str = ""
    right_label: str | None = None
    log_x: bool = False
    reference: float | None = None
    reference_label: str = ""
    bounds: tuple[float, float] | None = None

    def check_lines(self, lines: Sequence[Series]) -> None:
        """Raise a `DurakError` that says why, if lines cannot stand in one plot."""
        if all(line.right_axis for line in lines):
            raise DurakError("there is no line at the left axis: expected one or more")
        if self.right_label is None and any(line.right_axis for line in lines):
            raise DurakError("a line belongs to the right axis: expected a right_label")
        for right in (False, True):
            _check_names([line.label for line in lines if line.right_axis == right])
        if len({line.is_categorical for line in lines}) > 1:
            raise DurakError("some lines have categories as x, others numbers: expected one of them")
        if self.log_x and (lines[0].is_categorical or min(numbers_of(lines)) <= 0):
            raise DurakError("a logarithmic x axis: expected numbers above 0 as x")


def check_bars(groups: Sequence[Series]) -> None:
    """Raise a `DurakError` that says why, if bars cannot stand in one plot."""
    if not groups:
        raise DurakError("there is no bar: expected one or more")
    if not all(group.is_categorical for group in groups):
        raise DurakError("some bars have numbers as x: expected categories")
    _check_names([group.label for group in groups])


def _check_names(labels: Sequence[str]) -> None:
    for place, label in enumerate(labels):
        if label in labels[:place]:
            raise DurakError("the label {label!r} is there twice: expected different ones", label=label)


def numbers_of(series: Sequence[Series]) -> list[float]:
    """Return all x of lines that have numbers there, each once and ascending."""
    return sorted({float(x) for line in series for x in line.x})


def categories_of(series: Sequence[Series]) -> list[str]:
    """Return all x that are categories, each once, in the order they are first named."""
    return list(dict.fromkeys([str(x) for line in series for x in line.x]))
