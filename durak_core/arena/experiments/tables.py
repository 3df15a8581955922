"""The tables of an experiment: rows and columns, and for each cell a piece of work and a published figure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from durak_core.arena.experiments.works import Work
from durak_core.statistics import Share

SCORE: Final = "score"
"""Wins and half the draws, as a share of the games."""
LOST: Final = "lost"
"""Lost games as a share of all, to be held against one over the number of seats."""


@dataclass(frozen=True)
class Cell:
    """A figure of a table.

    Attributes:
        work: What has to be done for it.
        player: Whose figure of that work it is, by canonical text; empty where no player has one.
        seats: How many play.
    """

    work: Work
    player: str
    seats: int


@dataclass(frozen=True)
class Published:
    """What somebody else has found for a cell.

    Attributes:
        row: The cell's row.
        column: Its column.
        value: The share, or None where only an interval was published.
        interval: The published 95 % interval, or None.
        games: How many games it came from, or None.
        why: Why ours may differ; printed where the intervals do not overlap.
    """

    row: str
    column: str
    value: float | None
    interval: tuple[float, float] | None
    games: int | None
    why: str

    @property
    def share(self) -> Share:
        """The figure with an interval: Wilson's where none was published, the middle where no value was."""
        if self.interval is None:
            return Share.wilson(self.value or 0.0, self.games or 0)
        middle = (self.interval[0] + self.interval[1]) / 2
        return Share(middle if self.value is None else self.value, *self.interval)


@dataclass(frozen=True)
class Table:
    """A table of a report.

    Attributes:
        name: Of its pictures.
        kind: One of `durak_core.arena.experiments.kinds.KINDS`.
        title: Its heading.
        note: What else is to be known.
        rows: The rows' names.
        columns: The columns' names.
        row_head: What the rows are.
        column_head: What the columns are.
        measure: `SCORE` or `LOST`.
        cells: Those that can be played, by row and column.
        skipped: Why others cannot.
        published: What was published.
        log: Whether the columns are numbers to be drawn on a logarithmic axis.
        times: Whether the time a move takes is drawn too.
    """

    name: str
    kind: str
    title: str
    note: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    row_head: str
    column_head: str
    measure: str
    cells: Mapping[tuple[str, str], Cell]
    skipped: Mapping[tuple[str, str], str] = field(default_factory=dict)
    published: tuple[Published, ...] = ()
    log: bool = False
    times: bool = False

    @property
    def works(self) -> list[Work]:
        """What has to be done, each once."""
        return list({cell.work.key: cell.work for cell in self.cells.values()}.values())
