"""What a plot shows: curves over the moves or games, and their frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class PlotLine:
    """A line of a plot.

    Attributes:
        values: Heights at equal distances; None leaves a gap.
        style: How it is coloured, as Rich writes it.
    """

    values: Sequence[float | None]
    style: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class PlotLook:
    """How a plot is framed.

    Attributes:
        guide: A height with a dotted line of its own, such as the fair share; or None.
        cursor: Index of the values that is marked; or None.
        marks: Signs of one cell over the values of some indices, each with its style.
        unit: ``%`` to write heights as per cent, else they are written as they are.
    """

    low: float = 0.0
    high: float = 1.0
    guide: float | None = None
    cursor: int | None = None
    marks: Mapping[int, tuple[str, str]] = field(default_factory=dict)
    unit: str = "%"
    frame_style: str = "dim"
    cursor_style: str = "reverse"
