"""Pictures of results: lines with their intervals, and bars of published figures beside measured ones.

Drawn by matplotlib, which the extra ``plot`` installs and which is loaded when the first picture is
asked for. What the user's matplotlib settings say does not matter: equal figures give equal pictures,
and of SVG equal files, so that a committed picture changes only with its figures or with matplotlib.
The colours can be told apart by colour-blind people, and every line has a marker of its own besides.

Source of the colours: M. Okabe, K. Ito, "Color universal design" (2008).
"""

from __future__ import annotations

import io
import math
import os
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from durak_core.errors import DurakError
from durak_core.game.files import write_bytes_atomically

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Bars", "Series", "bar_plot", "check_pictures", "line_plot"]

_COLOURS: Final = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_MARKERS: Final = ("o", "s", "^", "D", "v", "P", "X", "*")
_GREY: Final = "#555555"

_STYLE: Final[Any] = {
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 12,
    "figure.constrained_layout.use": True,
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

_TICK_LETTERS: Final = 72
"""Letters that fit side by side below the axis; more are written slanting."""

_TITLE_LETTERS: Final = 78
_LEGEND_LETTERS: Final = 96
"""Letters of a line of the title, and of the legend."""


@dataclass(frozen=True, slots=True)
class Series:
    """A line of a plot.

    Attributes:
        label: Its name in the legend. A line of the right axis that is named as one of the left
            axis shares its colour, and its entry in the legend.
        x: Where its points are, ascending: numbers, or texts for categories.
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
        if not self.x:
            raise DurakError(f"line {self.label!r} has no points: expected one or more")
        if any(isinstance(x, str) for x in self.x):
            if not self.is_categorical:
                raise DurakError(f"line {self.label!r} has numbers and texts as x: expected one of them")
        elif not all(map(math.isfinite, self.x)):  # type: ignore[arg-type] # no texts left
            raise DurakError(f"line {self.label!r} has an x that is not finite: expected numbers")
        if len(self.x) != len(self.y):
            raise DurakError(f"line {self.label!r} has {len(self.x)} x and {len(self.y)} y: expected as many")
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
        raise DurakError(f"{name}: intervals with one end: expected both, or none")
    none = [None] * len(values)
    lows, highs = low if low is not None else none, high if high is not None else none
    if not len(values) == len(lows) == len(highs):
        raise DurakError(f"{name}: {len(values)} values, intervals {len(lows)} and {len(highs)}")
    for value, bottom, top in zip(values, lows, highs, strict=True):
        if not all(map(math.isfinite, [one for one in (value, bottom, top) if one is not None])):
            raise DurakError(f"{name}: {value} ({bottom} to {top}): expected finite numbers")
        if bottom is None and top is None:
            continue
        if value is None or bottom is None or top is None:
            raise DurakError(f"{name}: {value} ({bottom} to {top}): expected a value and both ends")
        room = 1e-9 * max(1.0, abs(value))  # what rounding may do
        if not bottom - room <= value <= top + room:
            raise DurakError(f"{name}: the interval {bottom} to {top} leaves out its value {value}")


def check_pictures(*paths: str | os.PathLike[str] | None) -> None:
    """Refuse pictures that could not be drawn, before hours of work for them.

    Whether their folders can be written to is another question.

    Args:
        paths: The files; None stands for no picture.

    Raises:
        DurakError: If a name ends neither in .png nor in .svg, or matplotlib is not installed.
    """
    wanted = [path for path in paths if path is not None]
    for path in wanted:
        _format_of(path)
    if wanted:
        with _canvas():
            pass


def _format_of(path: str | os.PathLike[str]) -> str:
    suffix = Path(path).suffix.lower()
    if suffix not in (".png", ".svg"):
        raise DurakError(f"picture {os.fspath(path)}: expected a name that ends in .png or .svg")
    return suffix[1:]


@contextmanager
def _canvas() -> Iterator[Figure]:
    """Give an empty figure in this module's style; the style ends with the block."""
    try:  # here, for it takes a second, and not everybody has it
        import matplotlib as mpl  # noqa: PLC0415
        from matplotlib.figure import Figure  # noqa: PLC0415
    except ImportError as error:
        raise DurakError(
            f"pictures need matplotlib ({error}): python3 -m pip install 'durak[plot]'"
        ) from None
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(_STYLE)
        yield Figure()


def _write(figure: Figure, path: str | os.PathLike[str]) -> None:
    kind = _format_of(path)
    metadata = {"Software": None} if kind == "png" else {"Date": None, "Creator": None}
    drawn = io.BytesIO()
    figure.savefig(drawn, format=kind, metadata=metadata)
    write_bytes_atomically(path, drawn.getvalue())


def line_plot(  # noqa: PLR0913 - what a plot says
    path: str | os.PathLike[str],
    series: Sequence[Series],
    *,
    title: str,
    x_label: str,
    y_label: str,
    right_label: str | None = None,
    log_x: bool = False,
    reference: float | None = None,
    reference_label: str = "",
    bounds: tuple[float, float] | None = None,
) -> None:
    """Draw lines with their intervals.

    Intervals are error bars, and from 25 points on bands. Lines of the right axis are dotted and begin
    at 0 there.

    Args:
        path: The picture, whose name ends in .png or .svg; its folder must exist.
        series: The lines, one or more, at least one of them at the left axis; either all with numbers
            as x or all with categories, which stand in the order they are first named.
        title: What is seen; long titles are broken into lines.
        x_label: The name of the x axis, with its unit.
        y_label: The name of the left axis.
        right_label: The name of the right axis, needed if a line belongs to it.
        log_x: Whether the x axis is logarithmic; all x are above 0 then.
        reference: A value of the left axis at which to draw a dashed line, such as 0.5.
        reference_label: What it means, for the legend.
        bounds: Values that the left axis shall not pass, such as 0 and 1 for shares.

    Raises:
        DurakError: If the name or the lines are not as described, or matplotlib is not installed.
        OSError: If the file cannot be written.
    """
    _format_of(path)
    _check_lines(series, right_label, log_x=log_x)
    at_left = [line for line in series if not line.right_axis]
    at_right = [line for line in series if line.right_axis]
    names = list(dict.fromkeys([line.label for line in (*at_left, *at_right)]))
    with _canvas() as figure:
        axes = figure.add_subplot()
        xs = _set_x_axis(axes, series, log_x=log_x)
        legend: dict[str, Any] = {}
        for place, line in enumerate(at_left):
            shift = 4 * (place - (len(at_left) - 1) / 2)  # so that error bars stand side by side
            legend[line.label] = _draw_left(axes, xs, line, names.index(line.label), shift)
        legend |= _set_y_axis(axes, y_label, reference, reference_label, bounds)
        if at_right and right_label is not None:
            legend |= _draw_right(axes, xs, at_right, names, right_label)
        _finish(figure, axes, legend, title, x_label)
        _write(figure, path)


def bar_plot(  # noqa: PLR0913 - what a plot says
    path: str | os.PathLike[str],
    labels: Sequence[str],
    groups: Sequence[Bars],
    *,
    title: str,
    y_label: str,
    x_label: str = "",
    reference: float | None = None,
    reference_label: str = "",
    bounds: tuple[float, float] | None = None,
) -> None:
    """Draw groups of bars beside each other, such as published figures beside one's own.

    Bars begin at 0.

    Args:
        path: The picture, whose name ends in .png or .svg; its folder must exist.
        labels: What stands below the bars, one text for each place.
        groups: One or more colours of bars, each with as many values as there are labels.
        title: What is seen; long titles are broken into lines.
        y_label: The name of the y axis, with its unit.
        x_label: The name of the x axis.
        reference: A value at which to draw a dashed line.
        reference_label: What it means, for the legend.
        bounds: Values that the y axis shall not pass.

    Raises:
        DurakError: If the name or the bars are not as described, or matplotlib is not installed.
        OSError: If the file cannot be written.
    """
    _format_of(path)
    _check_bars(labels, groups)
    width = 0.8 / len(groups)
    with _canvas() as figure:
        axes = figure.add_subplot()
        axes.grid(visible=False, axis="x")
        _set_categories(axes, labels)
        legend: dict[str, Any] = {}
        for place, group in enumerate(groups):
            centres = [number + width * (place - (len(groups) - 1) / 2) for number in range(len(labels))]
            heights = [value or 0.0 for value in group.values]
            colour = _COLOURS[place % len(_COLOURS)]
            legend[group.label] = axes.bar(centres, heights, 0.92 * width, color=colour)
            _draw_intervals(axes, centres, group)
        legend |= _set_y_axis(axes, y_label, reference, reference_label, bounds)
        _finish(figure, axes, legend, title, x_label)
        _write(figure, path)


def _check_lines(series: Sequence[Series], right_label: str | None, *, log_x: bool) -> None:
    if all(line.right_axis for line in series):
        raise DurakError("there is no line at the left axis: expected one or more")
    if right_label is None and any(line.right_axis for line in series):
        raise DurakError("a line belongs to the right axis: expected a right_label")
    for right in (False, True):
        _check_names([line.label for line in series if line.right_axis == right])
    if len({line.is_categorical for line in series}) > 1:
        raise DurakError("some lines have categories as x, others numbers: expected one of them")
    if log_x and (series[0].is_categorical or min(_numbers(series)) <= 0):
        raise DurakError("a logarithmic x axis: expected numbers above 0 as x")


def _check_bars(labels: Sequence[str], groups: Sequence[Bars]) -> None:
    for group in groups:
        if len(group.values) != len(labels):
            raise DurakError(
                f"bars {group.label!r}: {len(group.values)} values for {len(labels)} labels: expected as many"
            )
    _check_names([group.label for group in groups])
    if all(value is None for group in groups for value in group.values):
        raise DurakError("there is no bar: expected one or more")


def _check_names(labels: Sequence[str]) -> None:
    for place, label in enumerate(labels):
        if label in labels[:place]:
            raise DurakError(f"the label {label!r} is there twice: expected different ones")


def _numbers(series: Sequence[Series]) -> list[float]:
    return sorted({float(x) for line in series for x in line.x})


def _set_x_axis(axes: Axes, series: Sequence[Series], *, log_x: bool) -> dict[Any, float]:
    """Set scale and ticks; return where on the axis each x stands."""
    if series[0].is_categorical:
        names = list(dict.fromkeys([str(x) for line in series for x in line.x]))
        _set_categories(axes, names)
        return {name: float(place) for place, name in enumerate(names)}
    numbers = _numbers(series)
    if log_x:
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


def _set_categories(axes: Axes, names: Sequence[str]) -> None:
    fits = max(map(len, names)) * len(names) <= _TICK_LETTERS
    turned: dict[str, Any] = {} if fits else {"rotation": 30, "ha": "right", "rotation_mode": "anchor"}
    axes.set_xticks(range(len(names)), list(names), **turned)
    axes.set_xlim(-0.6, len(names) - 0.4)


def _set_y_axis(
    axes: Axes, label: str, reference: float | None, meaning: str, bounds: tuple[float, float] | None
) -> dict[str, Any]:
    """Set the left axis and draw the reference; return what the legend says of it."""
    axes.set_ylabel(label)
    legend: dict[str, Any] = {}
    if reference is not None:
        line = axes.axhline(reference, color=_GREY, linestyle="--", linewidth=1.2, zorder=1.5)
        legend = {meaning: line} if meaning else {}
    if bounds is not None:
        room = 0.02 * (bounds[1] - bounds[0])  # for markers at the bounds themselves
        low, high = axes.get_ylim()
        axes.set_ylim(max(low, bounds[0] - room), min(high, bounds[1] + room))
    return legend


def _look(place: int) -> dict[str, Any]:
    return {"color": _COLOURS[place % len(_COLOURS)], "marker": _MARKERS[place % len(_MARKERS)]}


def _draw_left(axes: Axes, xs: dict[Any, float], line: Series, place: int, shift: float) -> object:
    """Draw a line of the left axis, moved by so many points; return its handle for the legend."""
    from matplotlib.transforms import ScaledTranslation  # noqa: PLC0415 - as in _canvas

    where = [xs[x] for x in line.x]
    look = {**_look(place), "linestyle": "none" if line.is_categorical else "-"}
    if line.low is None or line.high is None:
        return axes.plot(where, line.y, **look)[0]
    if len(where) >= _MANY_POINTS and not line.is_categorical:
        axes.fill_between(where, line.low, line.high, color=look["color"], alpha=0.2, linewidth=0)
        return axes.plot(where, line.y, **look, markersize=3)[0]
    moved = axes.transData + ScaledTranslation(shift / 72, 0, axes.figure.dpi_scale_trans)
    lengths = _lengths(line.y, line.low, line.high)
    return axes.errorbar(where, line.y, lengths, **look, capsize=3, elinewidth=1.2, transform=moved)


def _draw_right(
    left: Axes, xs: dict[Any, float], lines: Sequence[Series], names: Sequence[str], label: str
) -> dict[str, Any]:
    """Draw the lines of the right axis; return what the legend says of them."""
    axes = left.twinx()
    axes.grid(visible=False)
    axes.spines["right"].set_visible(True)
    left.set_zorder(axes.get_zorder() + 1)  # its lines are the ones that matter
    left.patch.set_visible(False)
    legend: dict[str, Any] = {}
    for line in lines:
        look = {**_look(names.index(line.label)), "linestyle": "none" if line.is_categorical else ":"}
        legend[line.label] = axes.plot([xs[x] for x in line.x], line.y, **look, fillstyle="none")[0]
    axes.set_ylim(bottom=0)
    axes.set_ylabel(label)
    return legend


def _draw_intervals(axes: Axes, centres: Sequence[float], bars: Bars) -> None:
    if bars.low is None or bars.high is None:
        return
    for centre, value, low, high in zip(centres, bars.values, bars.low, bars.high, strict=True):
        if value is not None and low is not None and high is not None:
            down, up = _lengths([value], [low], [high])
            axes.errorbar(centre, value, (down, up), color="#222222", capsize=3, elinewidth=1.2)


def _lengths(
    values: Sequence[float], low: Sequence[float], high: Sequence[float]
) -> tuple[list[float], list[float]]:
    """Return how far intervals reach down and up."""
    down = [max(0.0, value - bottom) for value, bottom in zip(values, low, strict=True)]
    return down, [max(0.0, top - value) for value, top in zip(values, high, strict=True)]


def _finish(figure: Figure, axes: Axes, legend: dict[str, Any], title: str, x_label: str) -> None:
    axes.set_title(textwrap.fill(title, _TITLE_LETTERS))
    axes.set_xlabel(x_label)
    if len(legend) > 1:
        columns = max(1, min(len(legend), _LEGEND_LETTERS // (max(map(len, legend)) + 6)))
        figure.legend(
            list(legend.values()), list(legend), loc="outside lower center", ncols=columns, fontsize=10
        )
