"""Line and bar plots with confidence intervals, drawn by matplotlib (extra ``plot``).

matplotlib is imported at the first plot. The user's matplotlib settings are ignored and restored, so equal
data give identical SVG files. They are global: only one thread may draw at a time. Lines differ in colour
and marker; colours are safe for colour-blind readers.

Source: M. Okabe, K. Ito, "Color universal design" (2008).
"""

from __future__ import annotations

import io
import math
import os
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from durak_core.errors import AgentError, DurakError
from durak_core.files import write_bytes_atomically
from durak_core.installation import require
from durak_core.lab.matches.tournament import Grid
from durak_core.lab.stats.match_results import AgentTally
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
"""Minimum points of a line for a confidence band instead of error bars."""

_LEAST_GAP: Final = 0.05
"""Minimum distance of x ticks, as a share of the axis."""

_TICK_LETTERS: Final = 90
_SMALL_LETTERS: Final = 110
"""Characters that fit below the axis, in normal and small size."""

_BESIDE: Final = 18
"""Offset in points (1/72 inch) of the right axis's values in a category."""

_TITLE_LETTERS: Final = 78
_LEGEND_LETTERS: Final = 96
"""Characters per line of the title, and of the legend."""


@dataclass(frozen=True, slots=True)
class PlotSeries:
    """A line, or the bars of one colour, with values in any unit.

    ``x`` are all numbers, joined in this order, or all strings, as categories. A line with ``right_axis`` and
    the label of a left-axis line shares its colour and legend entry.
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
        low, high = self.low or self.y, self.high or self.y
        down = [max(0.0, value - end) for value, end in zip(self.y, low, strict=True)]
        return down, [max(0.0, end - value) for value, end in zip(self.y, high, strict=True)]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlotSettings:
    """Axes, title and reference line of a plot.

    With ``log_x`` the x axis is logarithmic and x must be positive. ``reference`` is a value on the left axis
    for a dashed line, such as 0.5. ``bounds`` limit the left axis, such as 0 and 1 for shares.
    """

    title: str
    y_label: str
    x_label: str = ""
    right_label: str = ""
    log_x: bool = False
    reference: float | None = None
    reference_label: str = ""
    bounds: tuple[float, float] | None = None


def check_picture(path: str | os.PathLike[str] | None) -> None:
    """Check that a plot can be drawn, apart from its folder; None means no plot.

    Raises:
        DurakError: If a name ends neither in .png nor in .svg, or matplotlib is not installed.
    """
    if path is not None:
        _format_of(path)
        require("A picture", "plot", "matplotlib")


def _format_of(path: str | os.PathLike[str]) -> str:
    suffix = Path(path).suffix.lower()
    if suffix not in (".png", ".svg"):
        raise DurakError("picture {path}: expected a name that ends in .png or .svg", path=os.fspath(path))
    return suffix[1:]


@contextmanager
def _drawing(path: str | os.PathLike[str], plot: PlotSettings) -> Iterator[tuple[Axes, dict[str, Any]]]:
    """Yield empty axes and a legend to fill; write the file after the block."""
    check_picture(path)
    import matplotlib as mpl  # noqa: PLC0415 - optional, and takes a second
    from matplotlib.figure import Figure  # noqa: PLC0415 - optional

    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(_STYLE)
        figure = Figure()
        axes = figure.add_subplot()
        legend: dict[str, Any] = {}
        yield axes, legend
        _finish(figure, axes, legend, plot)
        kind, drawn = _format_of(path), io.BytesIO()
        metadata = {"Software": None} if kind == "png" else {"Date": None, "Creator": None}
        figure.savefig(drawn, format=kind, metadata=metadata)
    write_bytes_atomically(path, drawn.getvalue())


def _finish(figure: Figure, axes: Axes, legend: dict[str, Any], plot: PlotSettings) -> None:
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


def line_plot(path: str | os.PathLike[str], lines: Sequence[PlotSeries], plot: PlotSettings) -> None:
    """Draw lines with intervals: error bars, or bands from 25 points on.

    At least one line is on the left axis. All have numbers as x or all have categories, which keep their
    order. Right-axis lines are dotted, on an axis from 0.

    Raises:
        DurakError: If the name does not end in .png or .svg, matplotlib is not installed, or a logarithmic
            axis has an x of 0 or less.
        FileError: If the file cannot be written, such as in a missing folder.
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


def bar_plot(path: str | os.PathLike[str], groups: Sequence[PlotSeries], plot: PlotSettings) -> None:
    """Draw one or more groups of bars from 0, all with categories as x; a missing category leaves a gap.

    Raises:
        DurakError: If the name does not end in .png or .svg, or matplotlib is not installed.
        FileError: If the file cannot be written, such as in a missing folder.
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


def _set_x_axis(axes: Axes, series: Sequence[PlotSeries], *, log_x: bool) -> dict[Any, float]:
    """Set scale and ticks; return the axis position of each x."""
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


def _set_categories(axes: Axes, series: Sequence[PlotSeries]) -> dict[Any, float]:
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
    """Wrap a name, such as an agent spec, after commas, colons and spaces."""
    lines = [""]
    for piece in re.findall(r"[^,:\s]*[,:\s]*", name):
        if lines[-1] and len(lines[-1] + piece.rstrip()) > width:
            lines.append("")
        lines[-1] += piece
    return "\n".join([line.rstrip() for line in lines])


def _look(place: int) -> dict[str, Any]:
    return {"color": _COLOURS[place % len(_COLOURS)], "marker": _MARKERS[place % len(_MARKERS)]}


def _shift(place: int, count: int) -> float:
    """Return a line's horizontal offset in points, so that error bars do not overlap."""
    return min(4, 24 / count) * (place - (count - 1) / 2)


def _moved(axes: Axes, points: float) -> Any:  # noqa: ANN401 - matplotlib's stubs miss the sum
    """Return a transform that shifts by ``points`` (1/72 inch) to the right."""
    from matplotlib.transforms import ScaledTranslation  # noqa: PLC0415 - optional

    return axes.transData + ScaledTranslation(points / 72, 0, axes.figure.dpi_scale_trans)


def _draw_left(axes: Axes, xs: dict[Any, float], line: PlotSeries, place: int, shift: float) -> object:
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
    left: Axes, xs: dict[Any, float], lines: Sequence[PlotSeries], names: Sequence[str], label: str
) -> dict[str, Any]:
    axes = left.twinx()
    axes.grid(visible=False)
    axes.spines["right"].set_visible(True)
    left.set_zorder(axes.get_zorder() + 1)  # draw left-axis lines on top
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
    """Return a grey copy of a right-axis handle, for the legend of shared colours."""
    sample = copy(handle)
    sample.set(color=_GREY, marker="o" if handle.get_linestyle() == "None" else "")
    return sample


_MOST_LINES: Final = 12
"""Maximum number of distinguishable lines."""

_SLOW: Final = 1.0
"""Seconds per move from which the unit is seconds, not milliseconds."""


def plotted_grids(grids: Sequence[Grid]) -> tuple[Grid, Grid | None]:
    """Return the grid of the x axis, and the other one, with a line per value, or None.

    The x axis is the first grid with more than two values, all numeric, otherwise the first one.

    Raises:
        AgentError: If there are no grids, more than two, or more than 12 lines.
    """
    if not 1 <= len(grids) <= 2:
        raise AgentError("a picture of {count} grids: expected one or two", count=len(grids))
    across = next((grid for grid in grids if grid.numbers and len(grid.values) > 2), grids[0])
    lines = next((grid for grid in grids if grid is not across), None)
    if lines and len(lines.values) > _MOST_LINES:
        message = "a picture with a line for each of {count} values of {option}: expected at most {most}"
        raise AgentError(message, count=len(lines.values), option=lines.option, most=_MOST_LINES)
    return across, lines


def tuning_plot(
    path: str | os.PathLike[str],
    grids: Sequence[Grid],
    results: Mapping[tuple[str, ...], AgentTally],
    *,
    title: str,
) -> None:
    """Plot the score, or the loss rate with more than two seats, and the time per move.

    ``results`` are keyed by values in the order of ``grids``; combinations may be missing. Each value of the
    grid that is not on the x axis has its own lines. Values that are not numbers are categories.

    Raises:
        AgentError: As for `plotted_grids`.
        DurakError: As for `line_plot`.
        FileError: If the file cannot be written.
    """
    across, lines = plotted_grids(grids)
    first = next(iter(results.values()))
    slowest = max([tally.seconds_a_move for tally in results.values()])
    unit, scale = ("s", 1.0) if slowest >= _SLOW else ("ms", 1000.0)
    name = first.measure.phrase
    ordered = across.values if across.numbers is None else sorted(across.values, key=float)
    shares: list[PlotSeries] = []
    times: list[PlotSeries] = []
    for value in lines.values if lines else ("",):
        keys = {x: tuple([x if grid is across else value for grid in grids]) for x in ordered}
        found = {x: results[key] for x, key in keys.items() if key in results}
        if not found:
            continue
        label = f"{lines.option} = {value}" if lines else name
        xs = list(found) if across.numbers is None else list(map(float, found))
        shares.append(PlotSeries.of_shares(label, xs, [tally.share for tally in found.values()]))
        seconds = [scale * tally.seconds_a_move for tally in found.values()]
        times.append(PlotSeries(label if lines else "time per move", xs, seconds, right_axis=True))
    plot = PlotSettings(
        title=title,
        x_label=across.option,
        y_label=f"{name}, % (95 % interval)",
        right_label=f"{unit} a move",
        log_x=_is_more_even_as_logarithms(across.numbers or ()),
        reference=100 * first.par,
        reference_label="equal players",
        bounds=(0, 100),
    )
    line_plot(path, [*shares, *times] if slowest else shares, plot)


def _is_more_even_as_logarithms(numbers: Sequence[float]) -> bool:
    if len(numbers) < 3 or min(numbers) <= 0:
        return False
    return _largest_gap([math.log(number) for number in numbers]) < _largest_gap(numbers)


def _largest_gap(numbers: Sequence[float]) -> float:
    ordered = sorted(numbers)
    return max([high - low for low, high in pairwise(ordered)]) / (ordered[-1] - ordered[0])
