"""Manifests: TOML files that define an experiment and published figures to compare with.

docs/matches.md lists the keys.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import cycle, islice, pairwise
from pathlib import Path
from typing import Annotated, ClassVar, Final

from durak_core.config import (
    ConfigError,
    ConfigFile,
    NamedTexts,
    OneOf,
    Range,
    Tagged,
    Text,
    Texts,
    distinct,
    expected,
    read,
    under,
)
from durak_core.files import reading
from durak_core.lab.experiments.tables import (
    QUICK_DEALS,
    ExperimentTable,
    FirstAttackerTask,
    Games,
    PruningTask,
    RulesByName,
    Seed,
    TableCell,
    TableSettings,
    TableSpec,
    Task,
    rules_by_name,
    seated,
)
from durak_core.lab.matches.players import is_external, player_text, team_members, team_size, team_text
from durak_core.lab.matches.tournament import Grid, combinations_of
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

    def table(self, settings: TableSettings) -> ExperimentTable:
        players = settings.players("players", self.players)
        if len(players) < 2:
            raise ConfigError("expected two or more players", "players")
        return self.duels(settings, players, players)

    def duels(
        self, settings: TableSettings, players: Mapping[str, str], others: Mapping[str, str]
    ) -> ExperimentTable:
        def cell(rules: str, row: str, column: str) -> TableCell | None:
            if others is players and row == column:
                return None
            return TableCell(
                settings.duel(rules, (row, players[row]), (column, others[column])), players[row]
            )

        return self.filled(settings.rules_for_two(), players, others, cell)


@dataclass(frozen=True, kw_only=True)
class Versus(Matrix):
    """Players against opponents."""

    against: Texts

    def table(self, settings: TableSettings) -> ExperimentTable:
        players = settings.players("players", self.players)
        return self.duels(settings, players, settings.players("against", self.against))


@dataclass(frozen=True, kw_only=True)
class Chain(TableSpec):
    """Each player against the previous one; ``names`` are their labels."""

    players: Texts
    names: Texts

    heads: ClassVar[tuple[str, str]] = ("level", "")

    def table(self, settings: TableSettings) -> ExperimentTable:
        players = settings.players("players", self.players)
        if len(self.names) != len(players):
            raise ConfigError(f"{len(self.names)} names for {len(players)} players", "names")
        if len(players) < 2 or len(settings.rules) != 1:
            raise ConfigError("expected two or more players, and one kind of rules", "players")
        steps = dict(zip(self.names[1:], pairwise(players.items()), strict=True))

        def cell(rules: str, row: str, _: str) -> TableCell | None:
            return TableCell(settings.duel(rules, *steps[row]), steps[row][1][1]) if row in steps else None

        return self.filled(settings.rules_for_two(), self.names, [BELOW], cell)


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

    def table(self, settings: TableSettings) -> ExperimentTable:
        other = settings.player("against", self.against)
        agents: dict[tuple[str, str], str] = {}
        columns = self.columns or ()
        for name, text in self.grid.items():
            with under(f"grid.{name}"):
                grid = Grid.parse(text)
                texts = list(combinations_of(settings.player("", name), [grid]))
                if other in texts:
                    raise ConfigError(f"{other} would play against itself")
                columns = columns or tuple(grid.values)
                if len(texts) != len(columns):
                    raise ConfigError(f"{len(texts)} values for {len(columns)} columns")
                agents |= {(name, column): text for column, text in zip(columns, texts, strict=True)}

        def cell(rules: str, row: str, column: str) -> TableCell:
            text = agents[row, column]
            return TableCell(settings.match(rules, text, other), text)

        return self.filled(settings.rules_for_two(), self.grid, columns, cell)


@dataclass(frozen=True, kw_only=True)
class _BySeats(TableSpec):
    """A player at several numbers of seats."""

    players: Texts
    seats: _Seats

    heads: ClassVar[tuple[str, str]] = ("player", "seats")
    measure: ClassVar[ResultMeasure | None] = ResultMeasure.LOST

    def by_seats(
        self, settings: TableSettings, players: Mapping[str, str], work: Callable[[str, str], Task]
    ) -> ExperimentTable:
        def cell(rules: str, row: str, column: str) -> TableCell:
            return TableCell(work(seated(rules, int(column)), players[row]), players[row], int(column))

        return self.filled(settings.rules, players, map(str, self.seats), cell)


@dataclass(frozen=True, kw_only=True)
class Field(_BySeats):
    """One player against a field, which is repeated around the other seats."""

    among: Texts

    def table(self, settings: TableSettings) -> ExperimentTable:
        among = settings.players("among", self.among).values()
        players = settings.players("players", self.players)
        for name, text in players.items():
            if set(among) == {text}:
                raise ConfigError(f"{name} would play among itself: expected others in among", "players")

        def work(rules: str, player: str) -> Task:
            return settings.match(rules, player, *islice(cycle(among), Rules.parse(rules).seats - 1))

        return self.by_seats(settings, players, work)


@dataclass(frozen=True, kw_only=True)
class First(_BySeats):
    """Loss rate of the first attacker among equal players."""

    def table(self, settings: TableSettings) -> ExperimentTable:
        players = settings.players("players", self.players)
        for place, player in enumerate(players.values()):
            if is_external(player):
                raise ConfigError(f"{player}: expected an agent of this program", f"players[{place}]")

        def work(rules: str, player: str) -> Task:
            games = QUICK_DEALS * Rules.parse(rules).seats if settings.quick else settings.games
            return FirstAttackerTask(rules, games, settings.seed, player)

        return self.by_seats(settings, players, work)


@dataclass(frozen=True, kw_only=True)
class Pruning(TableSpec):
    """Minimax with and without pruning on the same positions."""

    depths: Annotated[tuple[Annotated[int, Range(1, DEEPEST)], ...], distinct]
    positions: Games
    evaluation: Annotated[str, OneOf(EVALUATIONS)] = "playout"

    heads: ClassVar[tuple[str, str]] = ("rules", "depth")
    measure: ClassVar[ResultMeasure | None] = None

    def table(self, settings: TableSettings) -> ExperimentTable:
        if self.published:
            raise ConfigError("no figures of pruning were published", "published")
        positions = _QUICK_POSITIONS if settings.quick else self.positions

        def cell(rules: str, _: str, column: str) -> TableCell:
            return TableCell(PruningTask(rules, positions, settings.seed, self.evaluation, int(column)), "")

        return self.filled(settings.rules_for_two(), [""], map(str, self.depths), cell)


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


def _canonical(agents: Mapping[str, str]) -> Mapping[str, str]:
    found = {}
    for name, text in agents.items():
        with under(name):
            found[name] = team_text(team_members(text)) if team_size(text) > 1 else player_text(text)
    return found


def _begun(tables: tuple[TableSpec, ...]) -> tuple[TableSpec, ...]:
    if not tables:
        raise ConfigError("expected one or more tables, each begun by [[table]]")
    for place, table in enumerate(tables):
        if table.name in [other.name for other in tables[:place]]:
            raise ConfigError(f"{table.name!r} is the name of another table", f"[{place}].name")
    return tables


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """The content of a manifest.

    ``agents`` are canonical specs by name. ``document`` is a file that receives the tables instead of a
    report. ``takes`` is the duration in words.
    """

    title: Text
    question: Text
    source: str = ""
    takes: str = ""
    agents: Annotated[NamedTexts, _canonical] = field(default_factory=dict)
    rules: RulesByName = field(default_factory=lambda: {"podkidnoy": "podkidnoy"})
    games: Games = 500
    seed: Seed = 1
    keep_games: bool = True
    document: str = ""
    table: Annotated[tuple[Annotated[TableSpec, Tagged("kind", KINDS)], ...], _begun]


@dataclass(frozen=True)
class Experiment:
    """A checked manifest; ``quick`` limits each match to a few games."""

    path: Path
    file: ConfigFile
    manifest: Manifest
    tables: tuple[ExperimentTable, ...]
    quick: bool

    @property
    def name(self) -> str:
        return self.path.stem

    @property
    def document(self) -> Path | None:
        """The document to write, if any; never for a quick run."""
        named = self.manifest.document
        return Path(named) if named and not self.quick else None

    @property
    def works(self) -> list[Task]:
        return list({work.key: work for table in self.tables for work in table.works}.values())

    def only(self, names: Collection[str]) -> Experiment:
        """Return this experiment with the named tables, or all if none are named.

        Raises:
            ConfigError: If there is no such table.
        """
        known = {table.spec.name: table for table in self.tables}
        for name in names:
            if name not in known:
                raise ConfigError(f"there is no table {name!r}; there are {', '.join(known)}")
        return replace(self, tables=tuple([known[name] for name in names])) if names else self


def find_manifests(folder: Path) -> list[Path]:
    with reading(folder):
        return sorted(path for path in folder.iterdir() if path.suffix == ".toml")


def read_experiment(path: Path, *, quick: bool = False) -> Experiment:
    """Read a manifest and check that all of it is playable.

    Raises:
        ConfigError: If something is wrong, with file and key.
        FileError: If the file cannot be read.
    """
    file = ConfigFile(path)
    with file.located():
        manifest = read(Manifest, file.values)
        tables = []
        for place, spec in enumerate(manifest.table):
            with under(f"table[{place}]"):
                if manifest.document and spec.kind not in IN_DOCUMENTS:
                    raise expected(f"one of {', '.join(IN_DOCUMENTS)} in a document", spec.kind).under("kind")
                tables.append(_table(spec, manifest, quick=quick))
    return Experiment(path, file, manifest, tuple(tables), quick)


def _table(spec: TableSpec, manifest: Manifest, *, quick: bool) -> ExperimentTable:
    rules = rules_by_name(spec.rules or manifest.rules)
    for text in rules.values():
        if spec.kind not in OF_TWO and Rules.parse(text).teams is not None:
            message = f"{text}: expected teams=none; teams are for the kinds {', '.join(OF_TWO)}"
            raise ConfigError(message, "rules")
    games, seed = spec.games or manifest.games, manifest.seed if spec.seed is None else spec.seed
    table = spec.table(TableSettings(manifest.agents, rules, games, seed, manifest.keep_games, quick))
    for place, one in enumerate(spec.published):
        if (one.row, one.column) not in table.cells:
            raise ConfigError(
                f"{one.row!r} has no figure in the column {one.column!r}: expected a row and a column of the "
                f"table; rows {_quoted(table.rows)}; columns {_quoted(table.columns)}",
                f"published[{place}].row",
            )
    return table


def _quoted(names: Iterable[str]) -> str:
    return ", ".join(map(repr, names))
