"""The pictures of a report."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from durak_core.arena.experiments.comparison import Figure, mean_milliseconds
from durak_core.arena.experiments.results import Results
from durak_core.arena.experiments.tables import Table
from durak_core.arena.plots.data import Bars, Series
from durak_core.arena.plots.drawing import bar_plot, line_plot
from durak_core.arena.results.measure import Measure

_Figures = Mapping[tuple[str, str], Figure | None]
_WHOLE: Final = (0.0, 100.0)


def draw(table: Table, figures: _Figures, results: Results, folder: Path) -> list[str]:
    """Draw what a table says, as far as it was played.

    Args:
        table: The table.
        figures: Its figures by row and column.
        results: For what is no figure of a player.
        folder: Where the pictures go.

    Returns:
        The pictures' names.
    """
    path = folder / f"{table.spec.name}.svg"
    if table.spec.kind == "pruning":
        drawn = _draw_pruning(table, results, path)
    elif table.spec.kind in {"matrix", "versus"}:
        drawn = _draw_bars(table, figures, path)
    else:
        drawn = _draw_lines(table, figures, path)
    return [path.name] if drawn else []


def _draw_bars(table: Table, figures: _Figures, path: Path) -> bool:
    """Draw the published figures beside ours; where there are none, a table is enough."""
    pairs = [(one, figure) for one in table.spec.published if (figure := figures[one.row, one.column])]
    if not pairs:
        return False
    labels = [f"{one.row} against {one.column}" for one, _ in pairs]
    groups = []
    theirs = [one.share for one, _ in pairs]
    for label, shares in (("published", theirs), ("here", [figure.share for _, figure in pairs])):
        values, low, high = zip(*[(100 * s.value, 100 * s.low, 100 * s.high) for s in shares], strict=True)
        groups.append(Bars(label, values, low, high))
    bar_plot(
        path,
        labels,
        groups,
        title=table.spec.title,
        y_label="score, %",
        reference=50,
        reference_label="equal players",
        bounds=_WHOLE,
    )
    return True


def _draw_lines(table: Table, figures: _Figures, path: Path) -> bool:
    lines = []
    for row in table.rows:
        found = [(column, figure) for column in table.columns if (figure := figures.get((row, column)))]
        if not found:
            continue
        shares = [figure.share for _, figure in found]
        lines.append(
            Series(
                row,
                _places(table, [column for column, _ in found]),
                [100 * share.value for share in shares],
                [100 * share.low for share in shares],
                [100 * share.high for share in shares],
            )
        )
        if table.times:
            times = [mean_milliseconds([figure]) or 0.0 for _, figure in found]
            lines.append(Series(row, _places(table, [column for column, _ in found]), times, right_axis=True))
    if not lines:
        return False
    lines += _published(table)
    if table.measure is Measure.LOST:
        seats = [cell.seats for cell in table.cells.values()]
        numbers = sorted(set(seats))
        lines.append(Series("equal players", numbers, [100 / number for number in numbers]))
    line_plot(
        path,
        lines,
        title=table.spec.title,
        x_label=table.column_head,
        y_label="score, %" if table.measure is Measure.SCORE else "lost games, %",
        right_label="ms a move" if table.times else None,
        log_x=table.log and _is_number(table),
        reference=50 if table.measure is Measure.SCORE else None,
        reference_label="equal players" if table.measure is Measure.SCORE else "",
        bounds=_WHOLE,
    )
    return True


def _published(table: Table) -> list[Series]:
    lines = []
    for row in table.rows:
        found = {one.column: one for one in table.spec.published if one.row == row}
        columns = [column for column in table.columns if column in found]
        if columns:
            shares = [found[column].share for column in columns]
            lines.append(
                Series(
                    f"{row}, published",
                    _places(table, columns),
                    [100 * share.value for share in shares],
                    [100 * share.low for share in shares],
                    [100 * share.high for share in shares],
                )
            )
    return lines


def _draw_pruning(table: Table, results: Results, path: Path) -> bool:
    lines = []
    for row in table.rows:
        found = [
            (column, result.tally)
            for column in table.columns
            if (result := results.get(table.cells[row, column].work))
        ]
        for what in ("nodes", "seconds") if found else ():
            shares = [100 * tally[what]["pruned"] / (tally[what]["whole"] or 1.0) for _, tally in found]
            name = what if len(table.rows) == 1 else f"{what}, {row}"
            lines.append(Series(name, _places(table, [column for column, _ in found]), shares))
    if not lines:
        return False
    line_plot(
        path,
        lines,
        title=table.spec.title,
        x_label=table.column_head,
        y_label="with pruning, % of without",
        reference=100,
        reference_label="nothing saved",
    )
    return True


def _is_number(table: Table) -> bool:
    return all(column.replace(".", "", 1).isdecimal() for column in table.columns)


def _places(table: Table, columns: list[str]) -> list[float] | list[str]:
    return [float(column) for column in columns] if _is_number(table) else columns
