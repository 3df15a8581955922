"""The pictures of a report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from durak_core.lab.experiments.comparison import Figure, mean_milliseconds
from durak_core.lab.experiments.results import Results
from durak_core.lab.experiments.tables import Table
from durak_core.lab.plots.drawing import bar_plot, line_plot
from durak_core.lab.plots.series import Plot, Series
from durak_core.lab.stats.measure import Measure

_Figures = Mapping[tuple[str, str], Figure | None]


def draw(table: Table, figures: _Figures, results: Results, folder: Path) -> list[str]:
    """Draw what a table says, as far as it was played, into a folder; return the pictures' names."""
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
    groups = [
        Series.of_shares("published", labels, [one.share for one, _ in pairs]),
        Series.of_shares("here", labels, [figure.share for _, figure in pairs]),
    ]
    bar_plot(path, groups, _plot(table))
    return True


def _draw_lines(table: Table, figures: _Figures, path: Path) -> bool:
    lines = []
    for row in table.rows:
        found = {column: figure for column in table.columns if (figure := figures.get((row, column)))}
        if not found:
            continue
        places = _places(table, list(found))
        lines.append(Series.of_shares(row, places, [figure.share for figure in found.values()]))
        if table.times:
            times = [mean_milliseconds([figure]) or 0.0 for figure in found.values()]
            lines.append(Series(row, places, times, right_axis=True))
    if not lines:
        return False
    for row in table.rows:
        shares = {one.column: one.share for one in table.spec.published if one.row == row}
        columns = [column for column in table.columns if column in shares]
        if columns:
            found_there = [shares[column] for column in columns]
            lines.append(Series.of_shares(f"{row}, published", _places(table, columns), found_there))
    plot = _plot(table)
    if table.measure is Measure.LOST:
        numbers = sorted({cell.seats for cell in table.cells.values()})
        lines.append(Series("equal players", numbers, [100 / number for number in numbers]))
        plot = replace(plot, reference=None, reference_label="")
    right_label = "ms a move" if table.times else None
    log_x = table.log and _is_number(table)
    line_plot(path, lines, replace(plot, x_label=table.column_head, right_label=right_label, log_x=log_x))
    return True


def _plot(table: Table) -> Plot:
    measure = table.measure or Measure.SCORE
    return Plot(
        title=table.spec.title,
        y_label=f"{measure.games}, %",
        reference=50,
        reference_label="equal players",
        bounds=(0, 100),
    )


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
    plot = Plot(
        title=table.spec.title,
        x_label=table.column_head,
        y_label="with pruning, % of without",
        reference=100,
        reference_label="nothing saved",
    )
    line_plot(path, lines, plot)
    return True


def _is_number(table: Table) -> bool:
    return all(column.replace(".", "", 1).isdecimal() for column in table.columns)


def _places(table: Table, columns: list[str]) -> list[float] | list[str]:
    return [float(column) for column in columns] if _is_number(table) else columns
