"""A result as the figure of a cell, beside what was published."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from durak_core.lab.experiments.results import Result, Results
from durak_core.lab.experiments.tables import Cell, Published, Table
from durak_core.lab.stats.measure import Measure
from durak_core.statistics import Share

NOT_PLAYED: Final = "?"

_ENOUGH: Final = 1000
"""Games that a match needs with each of two seeds before its figures are relied on."""
_LOOK: Final = (
    f" **A look, not to be relied on**: not every match has {_ENOUGH:,} games with each of two seeds."
)


@dataclass(frozen=True)
class Figure:
    """What was measured for a cell; the share is the score or the share of lost games.

    Attributes:
        otherwise: The figure of the same match with another seed, and as many games at least, if the two
            contradict each other.
    """

    share: Share
    games: int
    forfeits: int
    decisions: int
    seconds: float
    otherwise: Figure | None = None

    def contradicts(self, other: Figure) -> bool:
        """Return whether two figures differ by more than chance makes them differ once in twenty times."""
        ours, theirs = self.share, other.share
        if ours.value > theirs.value:
            ours, theirs = theirs, ours
        return theirs.value - ours.value > math.hypot(ours.high - ours.value, theirs.value - theirs.low)


def figure_of(table: Table, cell: Cell, results: Results) -> Figure | None:
    """Return a cell's figure, or None where it has not been played, or no player has it."""
    result = results.get(cell.work)
    if result is None or table.measure is None:
        return None
    figure = _figure(table.measure, cell.player, result)
    others = [_figure(table.measure, cell.player, one) for one in results.with_other_seeds(cell.work)]
    contradicting = [one for one in others if one.games >= figure.games and figure.contradicts(one)]
    return replace(figure, otherwise=max(contradicting, key=lambda one: one.games, default=None))


def _figure(measure: Measure, player: str, result: Result) -> Figure:
    agent = result.agent(player)
    share = Share(agent[measure.key], *agent[measure.interval_key])
    return Figure(share, agent["games"], agent["forfeits"], agent["decisions"], agent["seconds"])


def caveat(table: Table, results: Results) -> str:
    """Return a sentence, after a space, that calls a table with too few games a look; else nothing."""
    if table.measure is None:
        return ""
    played = [(result, work) for work in table.works if (result := results.get(work))]
    enough = [
        _is_enough(result) and any(map(_is_enough, results.with_other_seeds(work))) for result, work in played
    ]
    return "" if all(enough) else _LOOK


def _is_enough(result: Result) -> bool:
    games: int = result.tally["games"]
    return games >= _ENOUGH


def mean_milliseconds(figures: Iterable[Figure | None]) -> float | None:
    """Return the time of a decision over figures, or None where none was measured."""
    known = [figure for figure in figures if figure]
    decisions = sum(figure.decisions for figure in known)
    return 1000 * sum(figure.seconds for figure in known) / decisions if decisions else None


def milliseconds_text(spent: float | None) -> str:
    if spent is None:
        return NOT_PLAYED
    return f"{spent:.3f}" if spent < 1 else f"{spent:.1f}"


def share_text(share: Share) -> str:
    """Return a share and its interval in percent."""
    return f"{100 * share.value:.1f} ({100 * share.low:.1f} to {100 * share.high:.1f})"


def cell_name(table: Table, row: str, column: str) -> str:
    if table.column_head == "against":
        return f"{row} against {column}"
    if table.column_head == "seats":
        return f"{row}, {column} seats"
    return f"{row}, {table.column_head} {column}"


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
