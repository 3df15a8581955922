"""Pictures of results: lines with their intervals, and bars of published figures beside measured ones.

Drawn by matplotlib, which the extra ``plot`` installs and which is loaded when the first picture is
asked for. The user's matplotlib settings do not matter, and are as before afterwards: equal figures give
equal pictures, and of SVG equal files. As those settings are the process's, one thread at a time may draw.

The colours can be told apart by colour-blind people, and every line has a marker of its own besides.

Source of the colours: M. Okabe, K. Ito, "Color universal design" (2008).
"""

from __future__ import annotations

import io
import math
import os
import re
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from durak_core.errors import DurakError
from durak_core.extras import require
from durak_core.files import write_bytes_atomically
from durak_core.statistics import Share

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLOURS: Final = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_MARKERS: Final = ("o", "s", "^", "D", "v", "P", "X", "*")
_BAR_COLOURS: Final = ("#56B4E9", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#F0E442", "#999999")
_GREY: Final = "#555555"
_CAPS: Final[Any] = {"capsize": 3, "elinewidth": 1.2}

_STYLE: Final[Any] = {
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 12,
    "figure.constrained_layout.h_pad": 0.08,  # inches
    "figure.constrained_layout.use": True,
    "figure.constrained_layout.w_pad": 0.08,
    "figure.dpi": 200,
    "figure.figsize": (8, 4.8),
    "font.size": 11,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.8,
    "legend.frameon": False,
    "lines.linewidth": 1.8,
    "lines.markersize": 6,
    "svg.hashsalt": "durak",
    "text.parse_math": False,
}

_MANY_POINTS: Final = 25
"""Points of a line from which on its intervals are a band."""

_LEAST_GAP: Final = 0.05
"""The least share of the x axis between two ticks that name points."""

_TICK_LETTERS: Final = 90
_SMALL_LETTERS: Final = 110
"""Letters that fit side by side below the axis, of the usual size and of names that are longer."""

_BESIDE: Final = 18
"""Points (1/72 inch) between a category's values and those of the right axis."""

_TITLE_LETTERS: Final = 78
_LEGEND_LETTERS: Final = 96
"""Letters of a line of the title, and of the legend."""


@dataclass(frozen=True, slots=True)
class Series:
    """A line of a plot, or bars of one colour, such as the published figures or those measured here.

    Attributes:
        label: Its name in the legend. A line of the right axis that has the name of one of the left axis
            shares its colour and its entry there.
        x: Where its points are, all numbers or all texts for categories; numbers are joined by a line in
            this order.
        y: Their values, in any unit.
        low: The lower ends of their intervals, in the same unit; None for no intervals.
        right_axis: Whether its values belong to the axis at the right, as times do.
    """

    label: str
    x: Sequence[float] | Sequence[str]
    y: Sequence[float]
    low: Sequence[float] | None = None
    high: Sequence[float] | None = None
    right_axis: bool = False

    @classmethod
    def of_shares(cls, label: str, x: Sequence[float] | Sequence[str], shares: Sequence[Share]) -> Self:
        values, low, high = ([100 * getattr(one, end) for one in shares] for end in ("value", "low", "high"))
        return cls(label, x, values, low, high)

    @property
    def is_categorical(self) -> bool:
        return isinstance(self.x[0], str)

    @property
    def lengths(self) -> tuple[list[float], list[float]]:
        """How far its intervals go down and up from its values."""
        low, high = self.low or self.y, self.high or self.y
        down = [max(0.0, value - end) for value, end in zip(self.y, low, strict=True)]
        return down, [max(0.0, end - value) for value, end in zip(self.y, high, strict=True)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """What stands around lines or bars.

    Attributes:
        title: What is seen; long lines of it are broken.
        x_label: The name of the x axis, with its unit.
        right_label: The name of the right axis, for lines that belong to it.
        log_x: Whether the x axis is logarithmic; all x are above 0 then.
        reference: A value of the left axis at which to draw a dashed line, such as 0.5.
        reference_label: What it means, for the legend.
        bounds: Values beyond which the left axis does not go, such as 0 and 1 for shares.
    """

    title: str
    y_label: str
    x_label: str = ""
    right_label: str = ""
    log_x: bool = False
    reference: float | None = None
    reference_label: str = ""
    bounds: tuple[float, float] | None = None


def check_pictures(*paths: str | os.PathLike[str] | None) -> None:
    """Refuse pictures that could not be drawn, before hours of work for them; None stands for no picture.

    Whether their folders can be written to is another question.

    Raises:
        DurakError: If a name ends neither in .png nor in .svg, or matplotlib is not installed.
    """
    for path in paths:
        if path is not None:
            _format_of(path)
            require("A picture", "plot", "matplotlib")


def _format_of(path: str | os.PathLike[str]) -> str:
    suffix = Path(path).suffix.lower()
    if suffix not in (".png", ".svg"):
        raise DurakError("picture {path}: expected a name that ends in .png or .svg", path=os.fspath(path))
    return suffix[1:]


@contextmanager
def _drawing(path: str | os.PathLike[str], plot: Plot) -> Iterator[tuple[Axes, dict[str, Any]]]:
    """Give empty axes, and a legend to fill, in this module's style; write the picture after the block."""
    check_pictures(path)
    import matplotlib as mpl  # noqa: PLC0415 - optional, and takes a second
    from matplotlib.figure import Figure  # noqa: PLC0415 - likewise

    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(_STYLE)
        figure = Figure()
        axes = figure.add_subplot()
        legend: dict[str, Any] = {}
        yield axes, legend
        _finish(figure, axes, legend, plot)
        _write(figure, path)


def _finish(figure: Figure, axes: Axes, legend: dict[str, Any], plot: Plot) -> None:
    """Draw what stands around lines or bars."""
    if plot.reference is not None:
        line = axes.axhline(plot.reference, color=_GREY, linestyle="--", linewidth=1.2, zorder=1.5)
        legend |= {plot.reference_label: line} if plot.reference_label else {}
    if plot.bounds is not None:
        room = 0.02 * (plot.bounds[1] - plot.bounds[0])  # for markers at the bounds themselves
        low, high = axes.get_ylim()
        axes.set_ylim(max(low, plot.bounds[0] - room), min(high, plot.bounds[1] + room))
    axes.set_title("\n".join([textwrap.fill(line, _TITLE_LETTERS) for line in plot.title.splitlines()]))
    axes.set_xlabel(plot.x_label)
    axes.set_ylabel(plot.y_label)
    if len(legend) > 1:
        columns = max(1, min(len(legend), _LEGEND_LETTERS // (max(map(len, legend)) + 6)))
        names = [_broken(name, _LEGEND_LETTERS) for name in legend]
        figure.legend(list(legend.values()), names, loc="outside lower center", ncols=columns, fontsize=10)


def _write(figure: Figure, path: str | os.PathLike[str]) -> None:
    kind = _format_of(path)
    metadata = {"Software": None} if kind == "png" else {"Date": None, "Creator": None}
    drawn = io.BytesIO()
    figure.savefig(drawn, format=kind, metadata=metadata)
    write_bytes_atomically(path, drawn.getvalue())


def line_plot(path: str | os.PathLike[str], lines: Sequence[Series], plot: Plot) -> None:
    """Draw lines with their intervals.

    Intervals are error bars, and from 25 points on bands. Lines of the right axis are dotted and begin
    at 0 there.

    Args:
        path: The picture, whose name ends in .png or .svg; its folder must exist.
        lines: The lines, one or more, at least one of them at the left axis; either all with numbers
            as x or all with categories, which stand in the order they are first named.
        plot: What stands around them.

    Raises:
        DurakError: If the picture's name is not as described, matplotlib is not installed, or a
            logarithmic axis has an x that is not above 0.
        FileError: If the file cannot be written.
    """
    at_left = [line for line in lines if not line.right_axis]
    at_right = [line for line in lines if line.right_axis]
    names = list(dict.fromkeys([line.label for line in (*at_left, *at_right)]))
    with _drawing(path, plot) as (axes, legend):
        xs = _set_x_axis(axes, lines, log_x=plot.log_x)
        for place, line in enumerate(at_left):
            legend[line.label] = _draw_left(axes, xs, line, place, _shift(place, len(at_left)))
        if at_right:
            right = _draw_right(axes, xs, at_right, names, plot.right_label)
            shared = right.keys() & legend.keys()
            legend |= {name: handle for name, handle in right.items() if name not in shared}
            if shared:
                legend[plot.right_label] = _sample(right[min(shared)])


def bar_plot(path: str | os.PathLike[str], groups: Sequence[Series], plot: Plot) -> None:
    """Draw groups of bars beside each other, such as published figures beside one's own.

    Bars begin at 0.

    Args:
        path: The picture, whose name ends in .png or .svg; its folder must exist.
        groups: One or more colours of bars, all with categories as x; if a group lacks one there is a gap.
        plot: What stands around them.

    Raises:
        DurakError: If the picture's name is not as described, or matplotlib is not installed.
        FileError: If the file cannot be written.
    """
    width = 0.8 / len(groups)
    with _drawing(path, plot) as (axes, legend):
        axes.grid(visible=False, axis="x")
        xs = _set_categories(axes, groups)
        for place, group in enumerate(groups):
            shift = width * (place - (len(groups) - 1) / 2)
            centres = [xs[x] + shift for x in group.x]
            colour = _BAR_COLOURS[place % len(_BAR_COLOURS)]
            legend[group.label] = axes.bar(centres, group.y, 0.92 * width, color=colour)
            for centre, value, down, up in zip(centres, group.y, *group.lengths, strict=True):
                if group.low is not None:
                    ends = [down], [up]
                    axes.errorbar(centre, value, ends, fmt="none", ecolor="#222222", **_CAPS)


def _set_x_axis(axes: Axes, series: Sequence[Series], *, log_x: bool) -> dict[Any, float]:
    """Set scale and ticks; return where on the axis each x stands."""
    if series[0].is_categorical:
        return _set_categories(axes, series)
    numbers = sorted({float(x) for line in series for x in line.x})
    if log_x:
        if numbers[0] <= 0:
            raise DurakError("a logarithmic x axis: expected numbers above 0 as x")
        axes.set_xscale("log")
        axes.minorticks_off()
    scaled = [math.log(number) for number in numbers] if log_x else numbers
    kept = [0]
    for place in range(1, len(numbers)):
        if scaled[place] - scaled[kept[-1]] >= (scaled[-1] - scaled[0]) * _LEAST_GAP:
            kept.append(place)
    if log_x or len(kept) == len(numbers):
        ticks = [numbers[place] for place in kept]
        axes.set_xticks(ticks, [f"{tick:,.6g}" for tick in ticks])
    return {number: number for number in numbers}


def _set_categories(axes: Axes, series: Sequence[Series]) -> dict[Any, float]:
    """Name the categories below the axis, in smaller lines or slanting if they are long."""
    names = list(dict.fromkeys([str(x) for line in series for x in line.x]))
    texts, look = names, dict[str, Any]()
    if max(map(len, names)) > _TICK_LETTERS // len(names):
        width = _SMALL_LETTERS // len(names)
        broken = [_broken(name, width) for name in names]
        if max(map(len, "\n".join(broken).splitlines())) <= width:
            texts, look = broken, {"fontsize": 9}
        else:
            look = {"fontsize": 9, "rotation": 30, "ha": "right", "rotation_mode": "anchor"}
    axes.set_xticks(range(len(names)), texts, **look)
    axes.set_xlim(-0.6, len(names) - 0.4)
    return {name: float(place) for place, name in enumerate(names)}


def _broken(name: str, width: int) -> str:
    """Break a name, such as an agent's text, into lines of so many letters where it has a place for that."""
    lines = [""]
    for piece in re.findall(r"[^,:\s]*[,:\s]*", name):
        if lines[-1] and len(lines[-1] + piece.rstrip()) > width:
            lines.append("")
        lines[-1] += piece
    return "\n".join([line.rstrip() for line in lines])


def _look(place: int) -> dict[str, Any]:
    return {"color": _COLOURS[place % len(_COLOURS)], "marker": _MARKERS[place % len(_MARKERS)]}


def _shift(place: int, count: int) -> float:
    """Return by how many points a line is moved so that the error bars of all stand side by side."""
    return min(4, 24 / count) * (place - (count - 1) / 2)


def _moved(axes: Axes, points: float) -> Any:  # noqa: ANN401 - matplotlib's stubs miss the sum
    """Return the transform of what is drawn so many points (1/72 inch) to the right of its place."""
    from matplotlib.transforms import ScaledTranslation  # noqa: PLC0415 - as in _canvas

    return axes.transData + ScaledTranslation(points / 72, 0, axes.figure.dpi_scale_trans)


def _draw_left(axes: Axes, xs: dict[Any, float], line: Series, place: int, shift: float) -> object:
    """Draw a line of the left axis, moved by so many points; return its handle for the legend."""
    where = [xs[x] for x in line.x]
    look = {**_look(place), "linestyle": "none" if line.is_categorical else "-"}
    low, high = line.low or line.y, line.high or line.y
    if len(where) >= _MANY_POINTS and not line.is_categorical:
        axes.fill_between(where, low, high, color=look["color"], alpha=0.2, linewidth=0)
        return axes.plot(where, line.y, **look, markersize=3)[0]
    axes.update_datalim([*zip(where, low, strict=True), *zip(where, high, strict=True)])
    look["transform"] = _moved(axes, shift)
    if line.low is None:
        return axes.plot(where, line.y, **look)[0]
    return axes.errorbar(where, line.y, line.lengths, **look, **_CAPS)


def _draw_right(
    left: Axes, xs: dict[Any, float], lines: Sequence[Series], names: Sequence[str], label: str
) -> dict[str, Any]:
    """Draw the lines of the right axis; return their handles for the legend."""
    axes = left.twinx()
    axes.grid(visible=False)
    axes.spines["right"].set_visible(True)
    left.set_zorder(axes.get_zorder() + 1)  # its lines are the ones that matter
    left.patch.set_visible(False)
    legend: dict[str, Any] = {}
    for place, line in enumerate(lines):
        where = [xs[x] for x in line.x]
        look = {**_look(names.index(line.label)), "fillstyle": "none"}
        if line.is_categorical:
            axes.update_datalim(list(zip(where, line.y, strict=True)))
            moved = _moved(axes, _BESIDE + _shift(place, len(lines)))
            look |= {"linestyle": "none", "transform": moved}
        else:
            look |= {"linestyle": ":", "linewidth": 1.4}
            if len(where) >= _MANY_POINTS:
                look["marker"] = ""
        legend[line.label] = axes.plot(where, line.y, **look)[0]
    axes.set_ylim(bottom=0)
    axes.set_ylabel(label)
    return legend


def _sample(handle: Any) -> object:  # noqa: ANN401 - a line of matplotlib
    """Return a grey line, or a point, of the right axis for the legend of colours that both axes share."""
    sample = copy(handle)
    sample.set(color=_GREY, marker="o" if handle.get_linestyle() == "None" else "")
    return sample
