"""A result as the figure of a cell, beside what was published."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from durak_core.lab.experiments.results import Figure, Result, Results
from durak_core.lab.experiments.tables import Cell, Published, Table
from durak_core.statistics import Share

NOT_PLAYED: Final = "?"

_ENOUGH: Final = 1000
"""Games that a match needs with each of two seeds before its figures are relied on."""
_LOOK: Final = (
    f" **A look, not to be relied on**: not every match has {_ENOUGH:,} games with each of two seeds."
)


Figures = Mapping[tuple[str, str], Figure | None]
"""The figures of a table by row and column, None if not played; cells that cannot be played are missing."""


def figures_of(table: Table, results: Results) -> Figures:
    return {place: figure_of(table, cell, results) for place, cell in table.cells.items()}


def figure_of(table: Table, cell: Cell, results: Results) -> Figure | None:
    """Return a cell's figure, or None if it has not been played, or no player has it."""
    measure = table.spec.measure
    return results.figure(cell.work, cell.player, measure) if measure else None


def caveat(table: Table, results: Results) -> str:
    """Return a sentence, after a space, that calls a table with too few games a look; else nothing."""
    if table.spec.measure is None:
        return ""
    for work in table.works:
        result = results.get(work)
        if result and not (_is_enough(result) and any(map(_is_enough, results.with_other_seeds(work)))):
            return _LOOK
    return ""


def _is_enough(result: Result) -> bool:
    games: int = result.tally["games"]
    return games >= _ENOUGH


def mean_milliseconds(figures: Iterable[Figure | None]) -> float | None:
    """Return the time of a decision over figures, or None where none was measured."""
    known = [figure for figure in figures if figure]
    decisions = sum(figure.decisions for figure in known)
    return 1000 * sum(figure.seconds for figure in known) / decisions if decisions else None


def spent_text(figures: Iterable[Figure | None]) -> str:
    return milliseconds_text(mean_milliseconds(figures))


def milliseconds_text(spent: float | None) -> str:
    if spent is None:
        return NOT_PLAYED
    return f"{spent:.3f}" if spent < 1 else f"{spent:.1f}"


def share_text(share: Share) -> str:
    """Return a share and its interval in percent."""
    return f"{100 * share.value:.1f} ({100 * share.low:.1f} to {100 * share.high:.1f})"


def cell_name(table: Table, row: str, column: str) -> str:
    head = table.spec.column_head
    if head == "against":
        return f"{row} against {column}"
    return f"{row}, {column} seats" if head == "seats" else f"{row}, {head} {column}"


def sentence(table: Table, published: Published, figure: Figure | None) -> str:
    name = cell_name(table, published.row, published.column)
    if figure is None:
        return f"{name}: not played yet."
    ours, theirs = figure.share, published.share
    if ours.overlaps(theirs):
        return f"{name}: the 95 % intervals overlap."
    higher = ours.low > theirs.high
    gap = ours.low - theirs.high if higher else theirs.low - ours.high
    said = f"{name}: the 95 % intervals do not overlap, ours is {'higher' if higher else 'lower'}"
    why = f" {published.why}" if published.why else ""
    return f"{said}, and {100 * gap:.1f} points lie between them.{why}"
