"""The tables of an experiment: what a manifest says of them, and for each cell a piece of work."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Final

from durak_core.config import ConfigError, NamedTexts, Range, Text, expected, under
from durak_core.kernel.random import MASK63
from durak_core.lab.experiments.works import Work
from durak_core.lab.stats.measure import Measure
from durak_core.rules import Rules
from durak_core.statistics import Share

_NAME: Final = re.compile(r"[a-z0-9][a-z0-9-]*")


def _table_name(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise expected("small letters, digits and hyphens", name)
    return name


def rules_by_name(told: str | Mapping[str, str]) -> Mapping[str, str]:
    """Check rules; a single text is its own name."""
    if isinstance(told, str):
        Rules.parse(told)
        return {told: told}
    for name, text in told.items():
        with under(name):
            Rules.parse(text)
    return told


Games = Annotated[int, Range(1, 10**9)]
Seed = Annotated[int, Range(0, MASK63)]
RulesByName = Annotated[Text | NamedTexts, rules_by_name]
_Percent = Annotated[float, Range(0, 100)]


@dataclass(frozen=True, kw_only=True)
class Published:
    """What somebody else has found for a cell.

    Attributes:
        value: The figure in percent, or None where only an interval was published.
        low: The lower end of the published interval in percent, or None.
        why: Why ours may differ; printed where the intervals do not overlap.
    """

    row: Text
    column: Text
    value: _Percent | None = None
    low: _Percent | None = None
    high: _Percent | None = None
    games: Games | None = None
    why: str = ""

    def __post_init__(self) -> None:
        if (self.low is None) != (self.high is None):
            raise ConfigError(
                "missing: expected both ends of the interval", "low" if self.low is None else "high"
            )
        if self.low is None or self.high is None:
            if self.value is None or self.games is None:
                raise ConfigError("missing: expected low and high, or value and games", "low")
        elif not self.low <= (self.high if self.value is None else self.value) <= self.high:
            raise ConfigError("expected low, value and high in this order", "low")

    @property
    def share(self) -> Share:
        """The figure with an interval: Wilson's where none was published, the middle where no value was."""
        if self.low is None or self.high is None:
            value = (self.value or 0.0) / 100
            return Share.wilson(value, self.games or 0)
        middle = (self.low + self.high) / 2
        return Share((middle if self.value is None else self.value) / 100, self.low / 100, self.high / 100)


@dataclass(frozen=True)
class Frame:
    """What all tables of a manifest share, and one of them may say anew; agents are canonical texts."""

    agents: Mapping[str, str]
    rules: Mapping[str, str]
    games: int
    seed: int
    keeps_games: bool
    quick: bool


@dataclass(frozen=True, kw_only=True)
class TableSpec(ABC):
    """What a manifest says of a table; its rules, games and seed stand for the manifest's."""

    name: Annotated[Text, _table_name]
    kind: str
    title: Text
    note: str = ""
    rules: RulesByName | None = None
    games: Games | None = None
    seed: Seed | None = None
    published: tuple[Published, ...] = ()

    @abstractmethod
    def table(self, frame: Frame) -> Table:
        """Return the table with its work, or raise a `ConfigError` if it cannot be played."""


@dataclass(frozen=True)
class Cell:
    """A figure of a table: that of a player, by canonical text, or of nobody, in the result of some work."""

    work: Work
    player: str
    seats: int


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table of a report.

    Attributes:
        measure: What its figures are; None where no player has one.
        cells: Those that can be played, by row and column.
        skipped: Why others cannot.
        labels: The names of the rules, where rows are made for each.
        log: Whether the columns are numbers to be drawn on a logarithmic axis.
        times: Whether the time a move takes is drawn too.
    """

    spec: TableSpec
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    row_head: str
    column_head: str
    measure: Measure | None
    cells: Mapping[tuple[str, str], Cell]
    skipped: Mapping[tuple[str, str], str] = field(default_factory=dict)
    labels: tuple[str, ...] = ()
    log: bool = False
    times: bool = False

    @property
    def works(self) -> list[Work]:
        return list({cell.work.key: cell.work for cell in self.cells.values()}.values())
