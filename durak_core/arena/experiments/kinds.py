"""The kinds of tables of a manifest: what each one holds, and which games that means."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import permutations, product
from typing import Any, Final

from durak_core.arena.experiments.entries import Entry, pair, seated, whole_deals
from durak_core.arena.experiments.reading import Node
from durak_core.arena.experiments.tables import LOST, SCORE, Cell
from durak_core.arena.experiments.works import FirstWork, MatchWork, PruningWork, Work
from durak_core.arena.matches.players import is_foreign, player_text
from durak_core.arena.matches.tuning import Grid, combinations_of
from durak_core.errors import DurakError
from durak_core.rules import Rules
from durak_core.search.determinized.deciders import EVALUATIONS
from durak_core.search.determinized.lookahead import DEEPEST

_QUICK_DEALS: Final = 2
_QUICK_POSITIONS: Final = 4
_MOST_SEATS: Final = 6


@dataclass(frozen=True)
class Frame:
    """What all tables of a manifest share, and one of them may say anew.

    Attributes:
        agents: Canonical texts by the names that the manifest gives them.
        rules: The rules' texts by name.
        games: How many games a match has.
        seed: Of all chance.
        keeps_games: Whether the games of matches are kept.
        quick: Whether a few games will do.
    """

    agents: Mapping[str, str]
    rules: Mapping[str, str]
    games: int
    seed: int
    keeps_games: bool
    quick: bool

    def match(self, players: tuple[str, ...], rules: str) -> Work:
        """Return a match: whole deals, of two seats the same one whoever is named first."""
        seats = Rules.parse(rules).seats
        games = _QUICK_DEALS * seats if self.quick else whole_deals(self.games, seats)
        ordered = pair(*players) if seats == 2 else players
        return MatchWork(Entry(ordered, rules, games, self.seed), self.keeps_games)

    def player(self, node: Node, key: str, name: str) -> str:
        """Return the canonical text of a player that a manifest names."""
        if name in self.agents:
            return self.agents[name]
        try:
            return player_text(name)
        except DurakError as error:
            ours = f"; [agents] names {', '.join(self.agents)}" if self.agents else ""
            raise node.wrong(key, f"{error}{ours}") from None

    def players(self, node: Node, key: str) -> dict[str, str]:
        """Return players by their names."""
        return {
            name: self.player(node, f"{key}[{place}]", name) for place, name in enumerate(node.texts(key))
        }

    def seated(self, node: Node, seats: int) -> dict[str, str]:
        """Return the rules for so many seats, by name; all of them have to be playable."""
        found = {}
        for name, text in self.rules.items():
            try:
                found[name] = seated(text, seats)
            except DurakError as error:
                raise node.wrong("rules", str(error)) from None
        return found


Parts = dict[str, Any]
"""What a kind gives to a `Table`."""


def _matrix(node: Node, frame: Frame) -> Parts:
    """Everybody against everybody."""
    players = frame.players(node, "players")
    if len(players) < 2:
        raise node.wrong("players", "expected two or more players")
    return _duels(node, frame, list(permutations(players, 2)), players, players)


def _versus(node: Node, frame: Frame) -> Parts:
    """Players against opponents."""
    players, against = frame.players(node, "players"), frame.players(node, "against")
    return _duels(node, frame, list(product(players, against)), players, against)


def _duels(
    node: Node,
    frame: Frame,
    pairs: list[tuple[str, str]],
    players: Mapping[str, str],
    against: Mapping[str, str],
) -> Parts:
    rules = frame.seated(node, 2)
    cells = {}
    for (label, text), (row, column) in product(rules.items(), pairs):
        player, other = players[row], against[column]
        if player == other:
            raise node.wrong("players", f"{row} and {column} are the same agent {player}: expected two")
        cells[_row(rules, row, label), column] = Cell(frame.match((player, other), text), player, 2)
    return {
        "rows": tuple([_row(rules, row, label) for label in rules for row in players]),
        "columns": tuple(against),
        "row_head": "player",
        "column_head": "against",
        "measure": SCORE,
        "cells": cells,
    }


def _grid(node: Node, frame: Frame) -> Parts:
    """Agents with many values of an option, against an opponent."""
    other = frame.player(node, "against", node.text("against"))
    told = node.named_texts("grid")
    agents: dict[str, list[str]] = {}
    values: list[str] = []
    for name, text in told.items():
        key = f"grid.{name}"
        try:
            grid = Grid.parse(text)
            agents[name] = list(combinations_of(frame.player(node, key, name), [grid]))
        except DurakError as error:
            raise node.wrong(key, str(error)) from None
        values = values or list(grid.values)
        if other in agents[name]:
            raise node.wrong(key, f"{other} would play against itself")
    columns = node.texts("columns") if "columns" in node else values
    for name, texts in agents.items():
        if len(texts) != len(columns):
            raise node.wrong(f"grid.{name}", f"{len(texts)} values for {len(columns)} columns")
    rules = frame.seated(node, 2)
    cells = {
        (_row(rules, name, label), column): Cell(frame.match((text, other), rules_text), text, 2)
        for (label, rules_text), (name, texts) in product(rules.items(), agents.items())
        for column, text in zip(columns, texts, strict=True)
    }
    return {
        "rows": tuple([_row(rules, name, label) for label in rules for name in agents]),
        "columns": tuple(columns),
        "row_head": "player",
        "column_head": node.text("x_label", "value"),
        "measure": SCORE,
        "cells": cells,
        "log": node.flag("log"),
        "times": node.flag("times"),
    }


def _field(node: Node, frame: Frame) -> Parts:
    """One player among others, who are dealt round the other seats."""
    among = list(frame.players(node, "among").values())
    players = frame.players(node, "players")
    for name, text in players.items():
        if text in among:
            raise node.wrong("players", f"{name} would play among itself: expected others in among")

    def work(player: str, rules: str, seats: int) -> Work:
        others = [among[place % len(among)] for place in range(seats - 1)]
        return frame.match((player, *others), rules)

    return _by_seats(node, frame, players, work)


def _first(node: Node, frame: Frame) -> Parts:
    """How often the first attacker loses among equals."""
    players = frame.players(node, "players")
    for place, player in enumerate(players.values()):
        if is_foreign(player):
            raise node.wrong(f"players[{place}]", f"{player}: expected an agent of this program")

    def work(player: str, rules: str, seats: int) -> Work:
        games = _QUICK_DEALS * seats if frame.quick else frame.games
        return FirstWork(player, rules, games, frame.seed)

    return _by_seats(node, frame, players, work)


def _by_seats(
    node: Node, frame: Frame, players: Mapping[str, str], work: Callable[[str, str, int], Work]
) -> Parts:
    """Make a row for each player and rules, and a column for each number of seats that the rules allow."""
    seats = node.numbers("seats", low=2, high=_MOST_SEATS)
    cells, skipped = {}, {}
    for (label, rules), (name, player) in product(frame.rules.items(), players.items()):
        for number in seats:
            place = _row(frame.rules, name, label), str(number)
            try:
                text = seated(rules, number)
            except DurakError as error:
                skipped[place] = str(error)
                continue
            cells[place] = Cell(work(player, text, number), player, number)
    if not cells:
        raise node.wrong("seats", f"nothing can be played: {next(iter(skipped.values()))}")
    return {
        "rows": tuple([_row(frame.rules, name, label) for label in frame.rules for name in players]),
        "columns": tuple(map(str, seats)),
        "row_head": "player",
        "column_head": "seats",
        "measure": LOST,
        "cells": cells,
        "skipped": skipped,
    }


def _pruning(node: Node, frame: Frame) -> Parts:
    """Minimax with all that saves work and without, over the same positions."""
    depths = node.numbers("depths", low=1, high=DEEPEST)
    evaluation = node.choice("evaluation", EVALUATIONS, "playout")
    positions = node.number("positions")
    rules = frame.seated(node, 2)
    cells = {}
    for (label, text), depth in product(rules.items(), depths):
        number = _QUICK_POSITIONS if frame.quick else positions
        work = PruningWork(text, evaluation, depth, number, frame.seed)
        cells[label, str(depth)] = Cell(work, "", 2)
    return {
        "rows": tuple(rules),
        "columns": tuple(map(str, depths)),
        "row_head": "rules",
        "column_head": "depth",
        "measure": "",
        "cells": cells,
    }


def _row(rules: Mapping[str, str], name: str, label: str) -> str:
    """Name a row; the rules are part of it where there are several."""
    return f"{name}, {label}" if len(rules) > 1 else name


KINDS: Final[Mapping[str, Callable[[Node, Frame], Parts]]] = {
    "matrix": _matrix,
    "versus": _versus,
    "grid": _grid,
    "field": _field,
    "first": _first,
    "pruning": _pruning,
}
"""How each kind of table is read; what is read are the fields of `Table` that differ between kinds."""
