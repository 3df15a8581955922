"""Plot of a tuning: an agent's results and time over option values."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final

from durak_core.errors import AgentError
from durak_core.lab.matches.tuning import Grid
from durak_core.lab.plots.drawing import Plot, Series, line_plot
from durak_core.lab.stats.match_results import AgentTally

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
    shares: list[Series] = []
    times: list[Series] = []
    for value in lines.values if lines else (None,):
        line = _line(grids, across, value, results)
        if not line:
            continue
        label = f"{lines.option} = {value}" if lines else name
        xs = [x for x, _ in line] if across.numbers is None else [float(x) for x, _ in line]
        shares.append(Series.of_shares(label, xs, [tally.share for _, tally in line]))
        seconds = [scale * tally.seconds_a_move for _, tally in line]
        times.append(Series(label if lines else "time per move", xs, seconds, right_axis=True))
    plot = Plot(
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


def _line(
    grids: Sequence[Grid], across: Grid, value: str | None, results: Mapping[tuple[str, ...], AgentTally]
) -> list[tuple[str, AgentTally]]:
    ordered = across.values if across.numbers is None else sorted(across.values, key=float)
    line = []
    for x in ordered:
        key = tuple([x if grid is across else str(value) for grid in grids])
        if key in results:
            line.append((x, results[key]))
    return line


def _is_more_even_as_logarithms(numbers: Sequence[float]) -> bool:
    if len(numbers) < 3 or min(numbers) <= 0:
        return False
    return _largest_gap([math.log(number) for number in numbers]) < _largest_gap(numbers)


def _largest_gap(numbers: Sequence[float]) -> float:
    ordered = sorted(numbers)
    return max([high - low for low, high in pairwise(ordered)]) / (ordered[-1] - ordered[0])
