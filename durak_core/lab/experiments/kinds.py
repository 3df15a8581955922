"""The kinds of tables of a manifest: what each one holds, and which games that means."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise, permutations, product
from typing import Annotated, Final

from durak_core.config import ConfigError, NamedTexts, OneOf, Range, Text, Texts, distinct, under
from durak_core.errors import DurakError
from durak_core.lab.experiments.tables import Cell, Frame, Games, Table, TableSpec
from durak_core.lab.experiments.works import FirstWork, MatchWork, PruningWork, Work
from durak_core.lab.matches.match import entry_text
from durak_core.lab.matches.players import is_foreign
from durak_core.lab.matches.tuning import Grid, combinations_of
from durak_core.lab.stats.measure import Measure
from durak_core.rules import Rules
from durak_core.search.determinized.deciders import EVALUATIONS
from durak_core.search.determinized.look_ahead import DEEPEST

_QUICK_DEALS: Final = 2
_QUICK_POSITIONS: Final = 4

BELOW: Final = "against the one before"
"""The column of a chain."""

_Seats = Annotated[tuple[Annotated[int, Range(2, 6)], ...], distinct]


def _player(frame: Frame, key: str, name: str) -> str:
    text = frame.agents.get(name, name)
    try:
        for rules in frame.rules.values():
            text = entry_text(Rules.parse(rules), text)
    except DurakError as error:
        ours = f"; [agents] names {', '.join(frame.agents)}" if frame.agents else ""
        raise ConfigError(f"{error}{ours}", key) from None
    return text


def _players(frame: Frame, key: str, names: Iterable[str]) -> dict[str, str]:
    return {name: _player(frame, f"{key}[{place}]", name) for place, name in enumerate(names)}


def _seated(rules: str, seats: int) -> str:
    name, _, rest = rules.partition(":")
    settings = [part for part in rest.split(",") if part.strip()]
    return Rules.parse(f"{name}:{','.join([*settings, f'seats={seats}'])}").text


def _rules_for_two(frame: Frame) -> dict[str, str]:
    """Return the rules for two seats or two teams, by name; all of them have to be playable."""
    with under("rules"):
        return {name: _for_two(text) for name, text in frame.rules.items()}


def _for_two(rules: str) -> str:
    found = Rules.parse(rules)
    if found.teams is None:
        return _seated(rules, 2)
    if found.team_count != 2:
        raise ConfigError(f"{rules}: expected two teams, teams=2x2 or teams=2x3; durak match plays three")
    return found.text


def _refuse_teams(frame: Frame) -> None:
    """Raise a `ConfigError` for rules with teams, in a table that is about single players."""
    for text in frame.rules.values():
        if Rules.parse(text).teams is not None:
            raise ConfigError(
                f"{text}: expected teams=none; teams are for the kinds {', '.join(OF_TWO)}", "rules"
            )


def _row(rules: Mapping[str, str], name: str, label: str) -> str:
    """Name a row; the rules are part of it where there are several."""
    return f"{name}, {label}" if len(rules) > 1 else name


def _rows(rules: Mapping[str, str], names: Iterable[str]) -> tuple[str, ...]:
    return tuple([_row(rules, name, label) for label, name in product(rules, names)])


def _match(frame: Frame, players: tuple[str, ...], rules: str) -> Work:
    """Return a match: whole deals, of two sides the same one whoever is named first."""
    seats = Rules.parse(rules).seats
    deals = _QUICK_DEALS if frame.quick else -(-frame.games // seats)
    ordered = tuple(sorted(players)) if len(players) == 2 else players
    return MatchWork(rules, deals * seats, frame.seed, ordered, frame.keeps_games)


def _duel(frame: Frame, first: tuple[str, str], second: tuple[str, str], rules: str) -> Work:
    if first[1] == second[1]:
        raise ConfigError(f"{first[0]} and {second[0]} are the same agent {first[1]}: expected two")
    return _match(frame, (first[1], second[1]), rules)


@dataclass(frozen=True, kw_only=True)
class Matrix(TableSpec):
    """Everybody against everybody."""

    players: Texts

    def table(self, frame: Frame) -> Table:
        players = _players(frame, "players", self.players)
        if len(players) < 2:
            raise ConfigError("expected two or more players", "players")
        return _duels(self, frame, list(permutations(players, 2)), players, players)


@dataclass(frozen=True, kw_only=True)
class Versus(TableSpec):
    """Players against opponents."""

    players: Texts
    against: Texts

    def table(self, frame: Frame) -> Table:
        players = _players(frame, "players", self.players)
        against = _players(frame, "against", self.against)
        return _duels(self, frame, list(product(players, against)), players, against)


def _duels(
    spec: TableSpec,
    frame: Frame,
    pairs: list[tuple[str, str]],
    players: Mapping[str, str],
    against: Mapping[str, str],
) -> Table:
    rules = _rules_for_two(frame)
    cells = {}
    for (label, text), (row, column) in product(rules.items(), pairs):
        with under("players"):
            work = _duel(frame, (row, players[row]), (column, against[column]), text)
        cells[_row(rules, row, label), column] = Cell(work, players[row], 2)
    return Table(
        spec=spec,
        rows=_rows(rules, players),
        columns=tuple(against),
        row_head="player",
        column_head="against",
        measure=Measure.SCORE,
        cells=cells,
    )


@dataclass(frozen=True, kw_only=True)
class Chain(TableSpec):
    """Each player against the one before; `names` is what they are called."""

    players: Texts
    names: Texts

    def table(self, frame: Frame) -> Table:
        players = _players(frame, "players", self.players)
        if len(self.names) != len(players):
            raise ConfigError(f"{len(self.names)} names for {len(players)} players", "names")
        if len(players) < 2 or len(frame.rules) != 1:
            raise ConfigError("expected two or more players, and one kind of rules", "players")
        (rules,) = _rules_for_two(frame).values()
        with under("players"):
            works = [_duel(frame, *two, rules) for two in pairwise(players.items())]
        steps = zip(self.names[1:], works, list(players.values())[1:], strict=True)
        return Table(
            spec=self,
            rows=self.names,
            columns=(BELOW,),
            row_head="level",
            column_head="",
            measure=Measure.SCORE,
            cells={(name, BELOW): Cell(work, player, 2) for name, work, player in steps},
        )


@dataclass(frozen=True, kw_only=True)
class GridTable(TableSpec):
    """Agents with many values of an option, against an opponent."""

    against: Text
    grid: NamedTexts
    columns: Texts | None = None
    x_label: Text = "value"
    log: bool = False
    times: bool = False

    def table(self, frame: Frame) -> Table:
        _refuse_teams(frame)
        other = _player(frame, "against", self.against)
        agents: dict[str, list[str]] = {}
        columns = self.columns or ()
        for name, text in self.grid.items():
            with under(f"grid.{name}"):
                grid = Grid.parse(text)
                agents[name] = list(combinations_of(_player(frame, "", name), [grid]))
                if other in agents[name]:
                    raise ConfigError(f"{other} would play against itself")
                columns = columns or tuple(grid.values)
                if len(agents[name]) != len(columns):
                    raise ConfigError(f"{len(agents[name])} values for {len(columns)} columns")
        rules = _rules_for_two(frame)
        return Table(
            spec=self,
            rows=_rows(rules, agents),
            columns=columns,
            row_head="player",
            column_head=self.x_label,
            measure=Measure.SCORE,
            cells={
                (_row(rules, name, label), column): Cell(_match(frame, (text, other), rules_text), text, 2)
                for (label, rules_text), (name, texts) in product(rules.items(), agents.items())
                for column, text in zip(columns, texts, strict=True)
            },
            log=self.log,
            times=self.times,
        )


@dataclass(frozen=True, kw_only=True)
class Field(TableSpec):
    """One player among others, who are dealt round the other seats."""

    players: Texts
    among: Texts
    seats: _Seats

    def table(self, frame: Frame) -> Table:
        _refuse_teams(frame)
        among = list(_players(frame, "among", self.among).values())
        players = _players(frame, "players", self.players)
        for name, text in players.items():
            if set(among) == {text}:
                raise ConfigError(f"{name} would play among itself: expected others in among", "players")

        def work(player: str, rules: str, seats: int) -> Work:
            others = [among[place % len(among)] for place in range(seats - 1)]
            return _match(frame, (player, *others), rules)

        return _by_seats(self, frame, players, self.seats, work)


@dataclass(frozen=True, kw_only=True)
class First(TableSpec):
    """How often the first attacker loses among equals."""

    players: Texts
    seats: _Seats

    def table(self, frame: Frame) -> Table:
        _refuse_teams(frame)
        players = _players(frame, "players", self.players)
        for place, player in enumerate(players.values()):
            if is_foreign(player):
                raise ConfigError(f"{player}: expected an agent of this program", f"players[{place}]")

        def work(player: str, rules: str, seats: int) -> Work:
            games = _QUICK_DEALS * seats if frame.quick else frame.games
            return FirstWork(rules, games, frame.seed, player)

        return _by_seats(self, frame, players, self.seats, work)


def _by_seats(
    spec: TableSpec,
    frame: Frame,
    players: Mapping[str, str],
    seats: Iterable[int],
    work: Callable[[str, str, int], Work],
) -> Table:
    """Make a row for each player and rules, and a column for each number of seats that the rules allow."""
    cells, skipped = {}, {}
    for (label, rules), (name, player), number in product(frame.rules.items(), players.items(), seats):
        place = _row(frame.rules, name, label), str(number)
        try:
            text = _seated(rules, number)
        except DurakError as error:
            skipped[place] = str(error)
        else:
            cells[place] = Cell(work(player, text, number), player, number)
    if not cells:
        raise ConfigError(f"nothing can be played: {next(iter(skipped.values()))}", "seats")
    return Table(
        spec=spec,
        rows=_rows(frame.rules, players),
        columns=tuple(map(str, seats)),
        row_head="player",
        column_head="seats",
        measure=Measure.LOST,
        cells=cells,
        skipped=skipped,
        labels=tuple(frame.rules),
    )


@dataclass(frozen=True, kw_only=True)
class Pruning(TableSpec):
    """Minimax with all that saves work and without, over the same positions."""

    depths: Annotated[tuple[Annotated[int, Range(1, DEEPEST)], ...], distinct]
    positions: Games
    evaluation: Annotated[str, OneOf(EVALUATIONS)] = "playout"

    def table(self, frame: Frame) -> Table:
        if self.published:
            raise ConfigError("no figures of pruning were published", "published")
        _refuse_teams(frame)
        rules = _rules_for_two(frame)
        positions = _QUICK_POSITIONS if frame.quick else self.positions
        return Table(
            spec=self,
            rows=tuple(rules),
            columns=tuple(map(str, self.depths)),
            row_head="rules",
            column_head="depth",
            measure=None,
            cells={
                (label, str(depth)): Cell(
                    PruningWork(text, positions, frame.seed, self.evaluation, depth), "", 2
                )
                for (label, text), depth in product(rules.items(), self.depths)
            },
        )


KINDS: Final[Mapping[str, type[TableSpec]]] = {
    "matrix": Matrix,
    "versus": Versus,
    "grid": GridTable,
    "field": Field,
    "chain": Chain,
    "first": First,
    "pruning": Pruning,
}
"""Each kind of table by the manifest's word."""

OF_TWO: Final = ("matrix", "versus", "chain")
"""Kinds in which two seats play, or two teams."""

IN_DOCUMENTS: Final = ("matrix", "versus", "field", "chain")
"""Kinds whose tables can stand in a document."""
