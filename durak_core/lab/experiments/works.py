"""The pieces of work of an experiment, each with a result of its own: a match, first attacks, pruning."""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path
from time import process_time
from typing import Any, ClassVar, Final

from durak_core.agents.classic import best_by_vote
from durak_core.agents.registry import telling_values
from durak_core.errors import DurakError
from durak_core.game.observation import Observation
from durak_core.game.state import State
from durak_core.kernel.random import CHANCE_STREAM, derive, random_below
from durak_core.lab.experiments.outcomes import loser, packed
from durak_core.lab.matches.match import Match, SoloMatch, players_of
from durak_core.lab.matches.players import PLAYERS, make_ready
from durak_core.lab.matches.saved_games import SavedGames
from durak_core.lab.matches.schedule import play_matches
from durak_core.lab.stats.match_results import AgentTally, DealCounter, MatchTally, agent_json, tally_json
from durak_core.lab.workers.pool import Jobs, run_in_order
from durak_core.rules import Rules
from durak_core.search.backend.backend import backend
from durak_core.search.determinized.deciders import LookAheadSettings, look_ahead_table

Step = Callable[[], None]
"""Called after each game, or position."""

_POSITIONS_A_CHUNK: Final = 5


def key_of(settings: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Work(ABC):
    """Something that has one result; the steps are games, or positions, and of a match whole deals."""

    rules: str
    steps: int
    seed: int
    unit: ClassVar[str] = "games"

    @property
    @abstractmethod
    def what(self) -> dict[str, Any]:
        """What else the result depends on, apart from the program, as JSON."""

    @property
    @abstractmethod
    def words(self) -> str:
        """What is done, in few words."""

    @property
    def settings(self) -> dict[str, Any]:
        """All that the result depends on, apart from the program, as JSON."""
        return {**self.what, "rules": self.rules, self.unit: self.steps, "seed": self.seed}

    @property
    def key(self) -> str:
        """A name for these settings, whatever the commit."""
        return key_of(self.settings)

    @property
    def label(self) -> str:
        return f"{self.words}, {self.rules}, {self.steps} {self.unit}"

    @abstractmethod
    def prepare(self) -> None:
        """Compile what is needed, so that no time is measured that belongs to the compiler."""

    @abstractmethod
    def play(self, jobs: Jobs, games: Path, step: Step) -> dict[str, Any]:
        """Do the work.

        Args:
            jobs: On how many processes, 0 for one each core; or other workers.
            games: A folder that may keep finished games, from which interrupted work goes on.
            step: Called after each step.

        Returns:
            The tally of a `durak_core.lab.experiments.results.Result`.
        """


@dataclass(frozen=True)
class MatchWork(Work):
    """A match; its games are kept, each as soon as it is finished, if ``keeps_games``."""

    players: tuple[str, ...]
    keeps_games: bool

    @property
    def what(self) -> dict[str, Any]:
        """The players, with all options that tell them apart, so that defaults may change."""
        options = [telling_values(player, PLAYERS) for player in self._seated]
        return {"players": list(self.players), "options": options}

    @property
    def _seated(self) -> tuple[str, ...]:
        """The player at each seat, of whatever team."""
        return players_of(Rules.parse(self.rules), self.players)

    @property
    def words(self) -> str:
        return " ".join(self.players)

    def prepare(self) -> None:
        make_ready(self._seated)

    def play(self, jobs: Jobs, games: Path, step: Step) -> dict[str, Any]:
        match = Match(Rules.parse(self.rules), self.players, self.steps, self.seed)
        counted = MatchTally.of(match)
        losers = []
        with ExitStack() as stack:
            saved = None
            if self.keeps_games:
                saved = stack.enter_context(SavedGames(games / f"{self.key}.jsonl", [match]))
            for _, game in stack.enter_context(closing(play_matches([match], jobs, saved))):
                counted.add(game)
                losers.append(loser(game))
                step()
        return {**tally_json(counted), "outcomes": packed(losers)}


@dataclass(frozen=True)
class FirstWork(Work):
    """Games of one agent on all seats, each of its own deal, to see how the first attacker fares."""

    player: str

    @property
    def what(self) -> dict[str, Any]:
        return {"first": self.player, "options": telling_values(self.player, PLAYERS)}

    @property
    def words(self) -> str:
        return f"first attacks of {self.player}"

    def prepare(self) -> None:
        make_ready((self.player,))

    def play(self, jobs: Jobs, games: Path, step: Step) -> dict[str, Any]:
        del games
        match = SoloMatch(Rules.parse(self.rules), (self.player,), self.steps, self.seed)
        first, counter = AgentTally(self.player, match.rules.team_count), DealCounter()
        decisions, seconds = 0, 0.0
        with closing(play_matches([match], jobs)) as played:
            for _, game in played:
                counter.add(game, [(game.first_attacker, first)], None)
                decisions += sum(game.decisions)
                seconds += sum(game.seconds)
                step()
        first.decisions, first.seconds = decisions, seconds  # everybody's, for all are the same player
        return {"games": first.games, "agents": [agent_json(first)]}


@dataclass(frozen=True)
class PruningWork(Work):
    """Positions searched twice by minimax to some depth: with all that saves work, and without."""

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
        searched: list[_BothWays] = []
        starts = range(0, self.steps, _POSITIONS_A_CHUNK)
        tasks = ((self, range(self.steps)[start : start + _POSITIONS_A_CHUNK]) for start in starts)
        with closing(run_in_order(_both_ways, tasks, jobs)) as chunks:
            for chunk in chunks:
                for found in chunk:
                    searched.append(found)
                    step()
        ways = ("pruned", "whole")
        return {
            "positions": self.steps,
            "nodes": {way: sum([one.nodes[at] for one in searched]) for at, way in enumerate(ways)},
            "seconds": {way: sum([one.seconds[at] for one in searched]) for at, way in enumerate(ways)},
            "equal_values": sum([one.equal for one in searched]),
            "same_choice": sum([one.same for one in searched]),
        }


@dataclass(frozen=True, slots=True)
class _BothWays:
    """A position searched with pruning and without: nodes and seconds of both, equal values and choices."""

    nodes: tuple[int, int]
    seconds: tuple[float, float]
    equal: bool
    same: bool


def _both_ways(work: PruningWork, numbers: range) -> list[_BothWays]:
    runner = backend("classic")
    ways = [LookAheadSettings(work.depth, 1, "paranoid", work.evaluation, prunes) for prunes in (True, False)]
    found = []
    for number in numbers:
        seed = derive(work.seed, number)
        observation = _position(Rules.parse(work.rules), seed)
        if number == numbers[0]:  # not to be timed: what a process does but once
            for way in ways:
                look_ahead_table(observation, seed, runner, replace(way, depth=1))
        tables, seconds = [], []
        for way in ways:
            began = process_time()
            tables.append(look_ahead_table(observation, seed, runner, way))
            seconds.append(process_time() - began)
        pruned, whole = tables
        same = best_by_vote(observation, pruned).action == best_by_vote(observation, whole).action
        spent = (seconds[0], seconds[1])
        found.append(_BothWays((pruned.nodes, whole.nodes), spent, pruned.rows == whole.rows, same))
    return found


def _position(rules: Rules, seed: int) -> Observation:
    """Return what the seat to act sees at a decision of a game of random actions, all equally likely."""
    rng = [derive(seed, CHANCE_STREAM)]
    state = State.deal(rules, seed)
    chosen, choices = state, 0
    while not state.is_over:
        actions = state.legal_actions
        if len(actions) > 1:
            choices += 1
            if random_below(rng, choices) == 0:
                chosen = state
        state = state.apply(actions[random_below(rng, len(actions))])
    if not choices or chosen.turn is None:
        raise DurakError(
            "a game of {rules} with the seed {seed} has no decision with a choice", rules=rules, seed=seed
        )
    return chosen.observation(chosen.turn)
