"""The kinds of tables in manifests: their keys and the games they imply."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import cycle, islice, pairwise
from typing import Annotated, ClassVar, Final

from durak_core.config import ConfigError, NamedTexts, OneOf, Range, Text, Texts, distinct, under
from durak_core.lab.experiments.tables import QUICK_DEALS, Frame, Games, Table, TableCell, TableSpec, seated
from durak_core.lab.experiments.tasks import FirstAttackerTask, PruningTask, Task
from durak_core.lab.matches.players import is_external
from durak_core.lab.matches.tuning import Grid, combinations_of
from durak_core.lab.stats.match_results import ResultMeasure
from durak_core.rules import Rules
from durak_core.search.determinized.look_ahead import DEEPEST
from durak_core.search.determinized.searches import EVALUATIONS

_QUICK_POSITIONS: Final = 4

BELOW: Final = "against the one before"
"""Column of a chain."""

_Seats = Annotated[tuple[Annotated[int, Range(2, 6)], ...], distinct]


@dataclass(frozen=True, kw_only=True)
class Matrix(TableSpec):
    """A round robin."""

    players: Texts

    def table(self, frame: Frame) -> Table:
        players = frame.players("players", self.players)
        if len(players) < 2:
            raise ConfigError("expected two or more players", "players")
        return self.duels(frame, players, players)

    def duels(self, frame: Frame, players: Mapping[str, str], others: Mapping[str, str]) -> Table:
        def cell(rules: str, row: str, column: str) -> TableCell | None:
            if others is players and row == column:
                return None
            return TableCell(frame.duel(rules, (row, players[row]), (column, others[column])), players[row])

        return self.filled(frame.rules_for_two(), players, others, cell)


@dataclass(frozen=True, kw_only=True)
class Versus(Matrix):
    """Players against opponents."""

    against: Texts

    def table(self, frame: Frame) -> Table:
        players = frame.players("players", self.players)
        return self.duels(frame, players, frame.players("against", self.against))


@dataclass(frozen=True, kw_only=True)
class Chain(TableSpec):
    """Each player against the previous one; ``names`` are their labels."""

    players: Texts
    names: Texts

    heads: ClassVar[tuple[str, str]] = ("level", "")

    def table(self, frame: Frame) -> Table:
        players = frame.players("players", self.players)
        if len(self.names) != len(players):
            raise ConfigError(f"{len(self.names)} names for {len(players)} players", "names")
        if len(players) < 2 or len(frame.rules) != 1:
            raise ConfigError("expected two or more players, and one kind of rules", "players")
        steps = dict(zip(self.names[1:], pairwise(players.items()), strict=True))

        def cell(rules: str, row: str, _: str) -> TableCell | None:
            return TableCell(frame.duel(rules, *steps[row]), steps[row][1][1]) if row in steps else None

        return self.filled(frame.rules_for_two(), self.names, [BELOW], cell)


@dataclass(frozen=True, kw_only=True)
class GridTable(TableSpec):
    """Agents with several values of an option, against one opponent."""

    against: Text
    grid: NamedTexts
    columns: Texts | None = None
    x_label: Text = "value"
    log: bool = False
    times: bool = False

    @property
    def column_head(self) -> str:
        return self.x_label

    def table(self, frame: Frame) -> Table:
        other = frame.player("against", self.against)
        agents: dict[tuple[str, str], str] = {}
        columns = self.columns or ()
        for name, text in self.grid.items():
            with under(f"grid.{name}"):
                grid = Grid.parse(text)
                texts = list(combinations_of(frame.player("", name), [grid]))
                if other in texts:
                    raise ConfigError(f"{other} would play against itself")
                columns = columns or tuple(grid.values)
                if len(texts) != len(columns):
                    raise ConfigError(f"{len(texts)} values for {len(columns)} columns")
                agents |= {(name, column): text for column, text in zip(columns, texts, strict=True)}

        def cell(rules: str, row: str, column: str) -> TableCell:
            text = agents[row, column]
            return TableCell(frame.match(rules, text, other), text)

        return self.filled(frame.rules_for_two(), self.grid, columns, cell)


@dataclass(frozen=True, kw_only=True)
class _BySeats(TableSpec):
    """A player at several numbers of seats."""

    players: Texts
    seats: _Seats

    heads: ClassVar[tuple[str, str]] = ("player", "seats")
    measure: ClassVar[ResultMeasure | None] = ResultMeasure.LOST

    def by_seats(self, frame: Frame, players: Mapping[str, str], work: Callable[[str, str], Task]) -> Table:
        def cell(rules: str, row: str, column: str) -> TableCell:
            return TableCell(work(seated(rules, int(column)), players[row]), players[row], int(column))

        return self.filled(frame.rules, players, map(str, self.seats), cell)


@dataclass(frozen=True, kw_only=True)
class Field(_BySeats):
    """One player against a field, which is repeated around the other seats."""

    among: Texts

    def table(self, frame: Frame) -> Table:
        among = frame.players("among", self.among).values()
        players = frame.players("players", self.players)
        for name, text in players.items():
            if set(among) == {text}:
                raise ConfigError(f"{name} would play among itself: expected others in among", "players")

        def work(rules: str, player: str) -> Task:
            return frame.match(rules, player, *islice(cycle(among), Rules.parse(rules).seats - 1))

        return self.by_seats(frame, players, work)


@dataclass(frozen=True, kw_only=True)
class First(_BySeats):
    """Loss rate of the first attacker among equal players."""

    def table(self, frame: Frame) -> Table:
        players = frame.players("players", self.players)
        for place, player in enumerate(players.values()):
            if is_external(player):
                raise ConfigError(f"{player}: expected an agent of this program", f"players[{place}]")

        def work(rules: str, player: str) -> Task:
            games = QUICK_DEALS * Rules.parse(rules).seats if frame.quick else frame.games
            return FirstAttackerTask(rules, games, frame.seed, player)

        return self.by_seats(frame, players, work)


@dataclass(frozen=True, kw_only=True)
class Pruning(TableSpec):
    """Minimax with and without pruning on the same positions."""

    depths: Annotated[tuple[Annotated[int, Range(1, DEEPEST)], ...], distinct]
    positions: Games
    evaluation: Annotated[str, OneOf(EVALUATIONS)] = "playout"

    heads: ClassVar[tuple[str, str]] = ("rules", "depth")
    measure: ClassVar[ResultMeasure | None] = None

    def table(self, frame: Frame) -> Table:
        if self.published:
            raise ConfigError("no figures of pruning were published", "published")
        positions = _QUICK_POSITIONS if frame.quick else self.positions

        def cell(rules: str, _: str, column: str) -> TableCell:
            return TableCell(PruningTask(rules, positions, frame.seed, self.evaluation, int(column)), "")

        return self.filled(frame.rules_for_two(), [""], map(str, self.depths), cell)


KINDS: Final[Mapping[str, type[TableSpec]]] = {
    "matrix": Matrix,
    "versus": Versus,
    "grid": GridTable,
    "field": Field,
    "chain": Chain,
    "first": First,
    "pruning": Pruning,
}
"""Table kinds by manifest keyword."""

OF_TWO: Final = ("matrix", "versus", "chain")
"""Kinds for two seats or two teams."""

IN_DOCUMENTS: Final = ("matrix", "versus", "field", "chain")
"""Kinds allowed in documents."""
