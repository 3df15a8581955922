"""Plots for reports."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from durak_core.lab.experiments.document import Figures, mean_milliseconds
from durak_core.lab.experiments.results import Results
from durak_core.lab.experiments.table_types import GridTable
from durak_core.lab.experiments.tables import Table
from durak_core.lab.plots.drawing import Plot, Series, bar_plot, line_plot
from durak_core.lab.stats.match_results import ResultMeasure


def draw(table: Table, figures: Figures, results: Results, folder: Path) -> list[str]:
    """Plot a table's played figures into a folder; return the file names."""
    path = folder / f"{table.spec.name}.svg"
    if table.spec.kind in {"matrix", "versus"}:
        bars = _bars(table, figures)
        if bars:
            bar_plot(path, bars, _plot(table))
        return [path.name] if bars else []
    pruning = table.spec.kind == "pruning"
    lines = _pruning_lines(table, results) if pruning else _lines(table, figures)
    if lines:
        line_plot(path, lines, _pruning_plot(table) if pruning else _line_plot(table))
    return [path.name] if lines else []


def _plot(table: Table) -> Plot:
    measure = table.spec.measure or ResultMeasure.SCORE
    return Plot(
        title=table.spec.title,
        y_label=f"{measure.games}, %",
        reference=50,
        reference_label="equal players",
        bounds=(0, 100),
    )


def _bars(table: Table, figures: Figures) -> list[Series]:
    """Return published figures next to the measured ones; without any, a group for each player."""
    if not table.spec.published:
        return _players_bars(table, figures) if table.spec.kind == "versus" else []
    pairs = [(one, figure) for one in table.spec.published if (figure := figures[one.row, one.column])]
    labels = [f"{one.row} against {one.column}" for one, _ in pairs]
    groups = {
        "published": [one.share for one, _ in pairs],
        "here": [figure.share for _, figure in pairs],
    }
    return [Series.of_shares(name, labels, shares) for name, shares in groups.items() if shares]


def _players_bars(table: Table, figures: Figures) -> list[Series]:
    groups = []
    for row in table.rows:
        found = {column: figure.share for column in table.columns if (figure := figures.get((row, column)))}
        if found:
            groups.append(Series.of_shares(row, list(found), list(found.values())))
    return groups


def _line_plot(table: Table) -> Plot:
    spec, plot = table.spec, replace(_plot(table), x_label=table.spec.column_head)
    if spec.measure is ResultMeasure.LOST:
        plot = replace(plot, reference=None, reference_label="")
    if isinstance(spec, GridTable):
        right_label = "ms a move" if spec.times else ""
        plot = replace(plot, right_label=right_label, log_x=spec.log and _is_number(table))
    return plot


def _lines(table: Table, figures: Figures) -> list[Series]:
    spec = table.spec
    lines = []
    for row in table.rows:
        found = {column: figure for column in table.columns if (figure := figures.get((row, column)))}
        if not found:
            continue
        places = _places(table, list(found))
        lines.append(Series.of_shares(row, places, [figure.share for figure in found.values()]))
        if isinstance(spec, GridTable) and spec.times:
            times = [mean_milliseconds([figure]) or 0.0 for figure in found.values()]
            lines.append(Series(row, places, times, right_axis=True))
    if not lines:
        return []
    for row in table.rows:
        shares = {one.column: one.share for one in spec.published if one.row == row}
        columns = [column for column in table.columns if column in shares]
        if columns:
            found_there = [shares[column] for column in columns]
            lines.append(Series.of_shares(f"{row}, published", _places(table, columns), found_there))
    if spec.measure is ResultMeasure.LOST:
        numbers = sorted({cell.seats for cell in table.cells.values()})
        lines.append(Series("equal players", numbers, [100 / number for number in numbers]))
    return lines


def _pruning_plot(table: Table) -> Plot:
    return Plot(
        title=table.spec.title,
        x_label=table.spec.column_head,
        y_label="with pruning, % of without",
        reference=100,
        reference_label="nothing saved",
    )


def _pruning_lines(table: Table, results: Results) -> list[Series]:
    lines = []
    for row in table.rows:
        found = {
            column: result.tally
            for column in table.columns
            if (result := results.get(table.cells[row, column].work))
        }
        for what in ("nodes", "seconds") if found else ():
            shares = [100 * tally[what]["pruned"] / (tally[what]["whole"] or 1.0) for tally in found.values()]
            name = what if len(table.rows) == 1 else f"{what}, {row}"
            lines.append(Series(name, _places(table, list(found)), shares))
    return lines


def _is_number(table: Table) -> bool:
    return all(column.replace(".", "", 1).isdecimal() for column in table.columns)


def _places(table: Table, columns: list[str]) -> list[float] | list[str]:
    return [float(column) for column in columns] if _is_number(table) else columns
