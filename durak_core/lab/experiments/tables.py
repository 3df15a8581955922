"""Tables of an experiment: the part that all kinds share, and the task of each cell."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Annotated, ClassVar, Final

from durak_core.config import ConfigError, NamedTexts, Range, Text, expected, under
from durak_core.errors import DurakError, RulesError
from durak_core.kernel.random import MASK63
from durak_core.lab.experiments.tasks import MatchTask, Task
from durak_core.lab.matches.match import entry_text
from durak_core.lab.stats.match_results import ResultMeasure
from durak_core.rules import Rules
from durak_core.statistics import Share

QUICK_DEALS: Final = 2


def _table_name(name: str) -> str:
    if not re.fullmatch(r"[a-z0-9][a-z0-9-]*", name):
        raise expected("small letters, digits and hyphens", name)
    return name


def rules_by_name(told: str | Mapping[str, str]) -> Mapping[str, str]:
    """Check rules; a single spec is its own name."""
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
    """A published figure in percent; ``value`` is None if only an interval was published.

    ``why`` names a possible reason for a difference and is printed if the intervals do not overlap.
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
        """The figure and interval, by Wilson if none was published; the midpoint if no value was."""
        if self.low is None or self.high is None:
            return Share.wilson((self.value or 0.0) / 100, self.games or 0)
        middle = (self.low + self.high) / 2
        return Share((middle if self.value is None else self.value) / 100, self.low / 100, self.high / 100)


@dataclass(frozen=True)
class Frame:
    """Settings of one table's tasks; agents are canonical specs."""

    agents: Mapping[str, str]
    rules: Mapping[str, str]
    games: int
    seed: int
    keeps_games: bool
    quick: bool

    def player(self, key: str, name: str) -> str:
        text = self.agents.get(name, name)
        try:
            for rules in self.rules.values():
                text = entry_text(Rules.parse(rules), text)
        except DurakError as error:
            ours = f"; [agents] names {', '.join(self.agents)}" if self.agents else ""
            raise ConfigError(f"{error}{ours}", key) from None
        return text

    def players(self, key: str, names: Iterable[str]) -> dict[str, str]:
        return {name: self.player(f"{key}[{place}]", name) for place, name in enumerate(names)}

    def match(self, rules: str, *players: str) -> MatchTask:
        """Return a match of complete deals; the order of two players does not matter."""
        seats = Rules.parse(rules).seats
        deals = QUICK_DEALS if self.quick else -(-self.games // seats)
        ordered = tuple(sorted(players)) if len(players) == 2 else players
        return MatchTask(rules, deals * seats, self.seed, ordered, self.keeps_games)

    def duel(self, rules: str, first: tuple[str, str], second: tuple[str, str]) -> MatchTask:
        if first[1] == second[1]:
            message = f"{first[0]} and {second[0]} are the same agent {first[1]}: expected two"
            raise ConfigError(message, "players")
        return self.match(rules, first[1], second[1])

    def rules_for_two(self) -> dict[str, str]:
        with under("rules"):
            return {name: _for_two(text) for name, text in self.rules.items()}


def _for_two(text: str) -> str:
    rules = Rules.parse(text)
    if rules.team_count == 2:
        return rules.text
    if rules.teams is None:
        raise ConfigError(f"{text}: expected seats=2; the kind field is for more seats")
    raise ConfigError(f"{text}: expected two teams, teams=2x2 or teams=2x3; durak match plays three")


def seated(rules: str, seats: int) -> str:
    name, _, rest = rules.partition(":")
    settings = [part for part in rest.split(",") if part.strip()]
    return Rules.parse(f"{name}:{','.join([*settings, f'seats={seats}'])}").text


@dataclass(frozen=True)
class TableCell:
    """A table's figure: a player's, by canonical spec, in one task."""

    work: Task
    player: str
    seats: int = 2


@dataclass(frozen=True)
class Table:
    """A table to play; cells that are not playable have a reason in ``skipped``.

    ``labels`` are the names of the rules. Rows carry them if there are several.
    """

    spec: TableSpec
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: Mapping[tuple[str, str], TableCell]
    skipped: Mapping[tuple[str, str], str]
    labels: tuple[str, ...]

    @property
    def works(self) -> list[Task]:
        return list({cell.work.key: cell.work for cell in self.cells.values()}.values())


_CellOf = Callable[[str, str, str], TableCell | None]
"""Return the cell for rules, row and column, or None; may raise `RulesError`."""


@dataclass(frozen=True, kw_only=True)
class TableSpec(ABC):
    """A table in a manifest; its rules, games and seed override the manifest's.

    ``heads`` are the headings of rows and columns. ``measure`` is None for a table without players.
    """

    name: Annotated[Text, _table_name]
    kind: str
    title: Text
    note: str = ""
    rules: RulesByName | None = None
    games: Games | None = None
    seed: Seed | None = None
    published: tuple[Published, ...] = ()

    heads: ClassVar[tuple[str, str]] = ("player", "against")
    measure: ClassVar[ResultMeasure | None] = ResultMeasure.SCORE

    @property
    def column_head(self) -> str:
        return self.heads[1]

    @abstractmethod
    def table(self, frame: Frame) -> Table:
        """Return the table; `ConfigError` if it is not playable."""

    def filled(
        self, rules: Mapping[str, str], rows: Iterable[str], columns: Iterable[str], cell_of: _CellOf
    ) -> Table:
        """Return the table over all rules, rows and columns; an empty row gets its rules' name."""
        rows, columns = tuple(rows), tuple(columns)
        named = {
            (label, row): (f"{row}, {label}" if len(rules) > 1 else row) if row else label
            for label, row in product(rules, rows)
        }
        cells, skipped = {}, {}
        for (label, row), column in product(named, columns):
            place = named[label, row], column
            try:
                cell = cell_of(rules[label], row, column)
            except RulesError as error:
                skipped[place] = str(error)
            else:
                if cell:
                    cells[place] = cell
        if not cells:
            raise ConfigError(f"nothing can be played: {next(iter(skipped.values()))}", "seats")
        return Table(self, tuple(named.values()), columns, cells, skipped, tuple(rules))
