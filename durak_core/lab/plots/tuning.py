"""The picture of an agent with many settings: its results and its time over an option's values."""

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
"""Lines that a person can tell apart."""

_SLOW: Final = 1.0
"""Seconds a move from which on times are written in seconds."""


def plotted_grids(grids: Sequence[Grid]) -> tuple[Grid, Grid | None]:
    """Return which of one or two grids is the x axis, and which one has a line for each of its values.

    The x axis is the first grid with more than two values that are all numbers, or else the first one.

    Raises:
        AgentError: If there are none, or more, or more than 12 lines.
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
    """Draw the score, or with more than two seats the share of lost games, and the time a move.

    With one grid there is a line of results and one of times; with two, one of each for every value of
    the grid that is not the x axis. Values that are not numbers are categories.

    Args:
        path: The picture, whose name ends in .png or .svg; its folder must exist.
        grids: One or two grids.
        results: The agent's results by its values, these in the order of the grids; one or more
            combinations, not necessarily all.
        title: What the picture shows.

    Raises:
        AgentError: As for `plotted_grids`.
        DurakError: If the picture's name is not as described, or matplotlib is not installed.
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
        times.append(Series(label if lines else "time a move", xs, seconds, right_axis=True))
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
    """Return whether a logarithmic axis leaves smaller gaps between numbers than a linear one."""
    if len(numbers) < 3 or min(numbers) <= 0:
        return False
    return _largest_gap([math.log(number) for number in numbers]) < _largest_gap(numbers)


def _largest_gap(numbers: Sequence[float]) -> float:
    """Return the largest distance between neighbours as a share of the whole."""
    ordered = sorted(numbers)
    return max([high - low for low, high in pairwise(ordered)]) / (ordered[-1] - ordered[0])
