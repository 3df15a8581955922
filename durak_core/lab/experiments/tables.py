"""Tables of an experiment, and the task of each cell: a match, first attacks, or pruning."""

from __future__ import annotations

import hashlib
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing, nullcontext
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from pathlib import Path
from time import process_time
from typing import Annotated, Any, ClassVar, Final

from durak_core.agents.classic import best_by_vote
from durak_core.config import ConfigError, NamedTexts, Range, Text, expected, under
from durak_core.errors import DurakError, RulesError
from durak_core.game.observation import Observation
from durak_core.game.state import State
from durak_core.kernel.position import CHANCE_STREAM, MASK63, derive, random_below
from durak_core.lab.matches.match import GameSummary, Match, SoloMatch, read_entry, text_of
from durak_core.lab.matches.players import identity_of, load_compiled
from durak_core.lab.matches.schedule import SavedGames, play_matches
from durak_core.lab.stats.match_results import (
    AgentTally,
    GameCounter,
    MatchTally,
    ResultMeasure,
    agent_json,
    tally_json,
)
from durak_core.lab.workers import Jobs, run_in_order
from durak_core.rules import Rules
from durak_core.search.backend.backend import backend
from durak_core.search.determinized.searches import DealTable, LookAheadSettings, look_ahead_table
from durak_core.statistics import Share

Step = Callable[[], None]
"""Called after each game or position."""

DRAW: Final = "-"


def loser(game: GameSummary) -> str:
    """Return the loser's index in the match, or a hyphen for a draw."""
    return DRAW if game.fool is None else str(game.seating[game.fool])


def key_of(settings: Mapping[str, Any]) -> str:
    """Return the hash of a result's settings, independent of the commit."""
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Task(ABC):
    """A task with one result; steps are games or positions."""

    rules: str
    steps: int
    seed: int
    unit: ClassVar[str] = "games"

    @property
    @abstractmethod
    def what(self) -> dict[str, Any]:
        """Other settings of the result as JSON, including the players' options."""

    @property
    @abstractmethod
    def words(self) -> str: ...

    @cached_property
    def settings(self) -> dict[str, Any]:
        """All that identifies the result, with own agents as they are when it is first needed."""
        return {**self.what, "rules": self.rules, self.unit: self.steps, "seed": self.seed}

    @property
    def key(self) -> str:
        return key_of(self.settings)

    @property
    def label(self) -> str:
        return f"{self.words}, {self.rules}, {self.steps} {self.unit}"

    @property
    def match(self) -> Match | None:
        """The match of the task, if it is one."""
        return None

    def prepare(self) -> None:
        """Compile in advance, so that compilation is not timed."""
        if self.match:
            load_compiled(self.match.named)

    @abstractmethod
    def play(self, jobs: Jobs, games: Path, step: Step) -> dict[str, Any]:
        """Run the task and return its counts as JSON, calling ``step`` after each game or position.

        ``jobs`` is a number of processes, 0 for one per core, or other workers. ``games`` is a folder for
        finished games, from which an interrupted task resumes.
        """


@dataclass(frozen=True)
class MatchTask(Task):
    """A match of whole deals; with ``keeps_games`` each finished game is saved."""

    players: tuple[str, ...]
    keeps_games: bool

    @property
    def what(self) -> dict[str, Any]:
        return {"players": list(self.players), "options": list(map(identity_of, self.match.named))}

    @property
    def words(self) -> str:
        return " ".join(self.players)

    @cached_property
    def match(self) -> Match:
        return Match(Rules.parse(self.rules), self.players, self.steps, self.seed)

    def play(self, jobs: Jobs, games: Path, step: Step) -> dict[str, Any]:
        counted, losers = MatchTally.of(self.match), ""
        kept = SavedGames(games / f"{self.key}.jsonl", [self.match]) if self.keeps_games else nullcontext()
        with kept as saved, closing(play_matches([self.match], jobs, saved)) as played:
            for _, game in played:
                counted.add(game)
                losers += loser(game)
                step()
        return {**tally_json(counted), "losers": losers}


@dataclass(frozen=True)
class FirstAttackerTask(Task):
    """Self-play of one agent, one deal per game, to measure the first attacker."""

    player: str

    @property
    def what(self) -> dict[str, Any]:
        return {"first": self.player, "options": identity_of(self.match.named[0])}

    @property
    def words(self) -> str:
        return f"first attacks of {self.player}"

    @cached_property
    def match(self) -> Match:
        return SoloMatch(Rules.parse(self.rules), (self.player,), self.steps, self.seed)

    def play(self, jobs: Jobs, games: Path, step: Step) -> dict[str, Any]:
        del games
        match = self.match
        first, counter = AgentTally(self.player, match.rules.team_count), GameCounter()
        decisions, seconds = 0, 0.0
        with closing(play_matches([match], jobs)) as played:
            for _, game in played:
                counter.count(game, [(game.first_attacker, first)], None)
                decisions += sum(game.decisions)
                seconds += sum(game.seconds)
                step()
        first.decisions, first.seconds = decisions, seconds  # of all seats: they share one player
        return {"games": first.games, "agents": [agent_json(first)]}


@dataclass(frozen=True)
class PruningTask(Task):
    """Positions searched by minimax twice, with pruning and without."""

    evaluation: str
    depth: int
    unit: ClassVar[str] = "positions"

    @property
    def what(self) -> dict[str, Any]:
        return {"pruning": self.evaluation, "depth": self.depth}

    @property
    def words(self) -> str:
        return f"pruning at depth {self.depth}"

    def prepare(self) -> None:
        backend("classic")

    def play(self, jobs: Jobs, games: Path, step: Step) -> dict[str, Any]:
        del games
        searched = []
        tasks = ((self, number) for number in range(self.steps))
        with closing(run_in_order(_both_ways, tasks, jobs)) as found:
            for position in found:
                searched.append(position)
                step()
        pruned, whole, seconds_pruned, seconds_whole, equal, same = map(sum, zip(*searched, strict=True))
        return {
            "positions": self.steps,
            "nodes": {"pruned": pruned, "whole": whole},
            "seconds": {"pruned": seconds_pruned, "whole": seconds_whole},
            "equal_values": equal,
            "same_choice": same,
        }


def _both_ways(work: PruningTask, number: int) -> tuple[int, int, float, float, bool, bool]:
    """Return nodes and seconds with and without pruning, and whether values and choices agree."""
    runner = backend("classic")
    seed = derive(work.seed, number)
    observation = _position(Rules.parse(work.rules), seed)

    def search(prunes: bool) -> tuple[DealTable, float]:
        way = LookAheadSettings(work.depth, 1, "paranoid", work.evaluation, prunes)
        look_ahead_table(observation, seed, runner, replace(way, depth=1))  # warm up the process
        began = process_time()
        return look_ahead_table(observation, seed, runner, way), process_time() - began

    (pruned, seconds), (whole, seconds_whole) = search(prunes=True), search(prunes=False)
    same = best_by_vote(observation, pruned).action == best_by_vote(observation, whole).action
    return pruned.nodes, whole.nodes, seconds, seconds_whole, pruned.rows == whole.rows, same


def _position(rules: Rules, seed: int) -> Observation:
    """Return an observation from a random game, uniform over decisions with a choice."""
    rng = [derive(seed, CHANCE_STREAM)]
    state = State.deal(rules, seed)
    chosen, choices = None, 0
    while not state.is_over:
        actions = state.legal_actions
        if len(actions) > 1:
            choices += 1
            if random_below(rng, choices) == 0:
                chosen = state
        state = state.apply(actions[random_below(rng, len(actions))])
    if chosen is None or chosen.turn is None:
        raise DurakError(
            "a game of {rules} with the seed {seed} has no decision with a choice", rules=rules, seed=seed
        )
    return chosen.observation(chosen.turn)


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
class TableSettings:
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
            for rules in map(Rules.parse, self.rules.values()):
                text = text_of(rules, read_entry(rules, text))
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
        parsed = {name: Rules.parse(text) for name, text in self.rules.items()}
        for name, rules in parsed.items():
            if rules.team_count != 2:
                wanted = "two teams, teams=2x2 or teams=2x3; durak match plays three"
                if rules.teams is None:
                    wanted = "seats=2; the kind field is for more seats"
                raise ConfigError(f"{self.rules[name]}: expected {wanted}", "rules")
        return {name: rules.text for name, rules in parsed.items()}


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
class ExperimentTable:
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
    def table(self, settings: TableSettings) -> ExperimentTable:
        """Return the table; `ConfigError` if it is not playable."""

    def filled(
        self, rules: Mapping[str, str], rows: Iterable[str], columns: Iterable[str], cell_of: _CellOf
    ) -> ExperimentTable:
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
        return ExperimentTable(self, tuple(named.values()), columns, cells, skipped, tuple(rules))
