"""The pieces of work of an experiment, each with a result of its own: a match, first attacks, pruning."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from time import process_time
from typing import Any, Final

from durak_core.agents.classic import best_by_vote
from durak_core.agents.registry import agent_values
from durak_core.arena.experiments.entries import Entry, key_of
from durak_core.arena.matches.game import GameSummary
from durak_core.arena.matches.match import Match, SoloMatch
from durak_core.arena.matches.players import PLAYERS, make_ready
from durak_core.arena.matches.saved import SavedGames
from durak_core.arena.matches.schedule import play_matches
from durak_core.arena.results.tally import AgentTally, DealCounter, MatchTally, agent_json, tally_json
from durak_core.arena.workers.pool import Jobs, run_in_order
from durak_core.errors import DurakError
from durak_core.game.observation import Observation
from durak_core.game.state import State
from durak_core.kernel.random import CHANCE_STREAM, derive, random_below
from durak_core.rules import Rules
from durak_core.search.backend.backend import backend
from durak_core.search.determinized.deciders import LookAheadSettings, look_ahead_table

Step = Callable[[], None]
"""Called after each game, or position."""

_POSITIONS_A_CHUNK: Final = 5


class Work(ABC):
    """Something that has one result."""

    @property
    @abstractmethod
    def settings(self) -> dict[str, Any]:
        """What the result depends on, apart from the program, as JSON."""

    @property
    def key(self) -> str:
        """A name for these settings, whatever the commit."""
        return key_of(self.settings)

    @property
    @abstractmethod
    def label(self) -> str:
        """What is done, in few words."""

    @property
    @abstractmethod
    def steps(self) -> int:
        """How many games or positions there are."""

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
            The tally of a `durak_core.arena.experiments.results.Result`.
        """


def _play(
    match: Match, jobs: Jobs, saved: SavedGames | None, step: Step, add: Callable[[GameSummary], None]
) -> None:
    with closing(play_matches([match], jobs, saved)) as played:
        for _, game in played:
            add(game)
            step()


@dataclass(frozen=True)
class MatchWork(Work):
    """A match.

    Attributes:
        entry: What is played.
        keeps_games: Whether its games are kept, each as soon as it is finished.
    """

    entry: Entry
    keeps_games: bool = True

    @property
    def settings(self) -> dict[str, Any]:
        """What the result depends on."""
        return self.entry.settings

    @property
    def label(self) -> str:
        """What is done."""
        return f"{' '.join(self.entry.players)}, {self.entry.rules}, {self.steps} games"

    @property
    def steps(self) -> int:
        """Games."""
        return self.entry.games

    def prepare(self) -> None:
        """Compile what is needed."""
        make_ready(self.entry.players)

    def play(self, jobs: Jobs, games: Path, step: Step) -> dict[str, Any]:
        """Do the work."""
        match = self.entry.match
        counted = MatchTally.of(match)
        if not self.keeps_games:
            _play(match, jobs, None, step, counted.add)
        else:
            with SavedGames(games / f"{self.key}.jsonl", [match]) as saved:
                _play(match, jobs, saved, step, counted.add)
        return tally_json(counted)


@dataclass(frozen=True)
class FirstWork(Work):
    """Games of one agent on all seats, each of its own deal, to see how the first attacker fares.

    Attributes:
        player: The agent's canonical text.
        rules: The rules' text, seats and all.
        games: How many.
        seed: Of all chance.
    """

    player: str
    rules: str
    games: int
    seed: int

    @property
    def settings(self) -> dict[str, Any]:
        """What the result depends on."""
        return {
            "first": self.player,
            "options": agent_values(self.player, PLAYERS),
            "rules": self.rules,
            "games": self.games,
            "seed": self.seed,
        }

    @property
    def label(self) -> str:
        """What is done."""
        return f"first attacks of {self.player}, {self.rules}, {self.steps} games"

    @property
    def steps(self) -> int:
        """Games."""
        return self.games

    def prepare(self) -> None:
        """Compile what is needed."""
        make_ready((self.player,))

    def play(self, jobs: Jobs, games: Path, step: Step) -> dict[str, Any]:
        """Do the work."""
        del games  # they are not kept
        match = SoloMatch(Rules.parse(self.rules), (self.player,), self.games, self.seed)
        first, everybody = (AgentTally(self.player, match.rules.seats) for _ in range(2))
        counter = DealCounter()

        def add(game: GameSummary) -> None:
            counter.add(game, [(game.first_attacker, first)], None)
            counter.add(game, [(seat, everybody) for seat in range(match.rules.seats)], None)

        _play(match, jobs, None, step, add)
        first.decisions, first.seconds = everybody.decisions, everybody.seconds
        return {"games": first.games, "agents": [agent_json(first)]}


@dataclass(frozen=True)
class PruningWork(Work):
    """Positions searched by minimax twice: with all that saves work, and without.

    Attributes:
        rules: The rules' text, seats and all.
        evaluation: That of minimax.
        depth: Decisions to look ahead.
        positions: How many, each from a game of its own.
        seed: Of all chance.
    """

    rules: str
    evaluation: str
    depth: int
    positions: int
    seed: int

    @property
    def settings(self) -> dict[str, Any]:
        """What the result depends on."""
        return {
            "pruning": self.evaluation,
            "depth": self.depth,
            "rules": self.rules,
            "positions": self.positions,
            "seed": self.seed,
        }

    @property
    def label(self) -> str:
        """What is done."""
        return f"pruning at depth {self.depth}, {self.rules}, {self.steps} positions"

    @property
    def steps(self) -> int:
        """Positions."""
        return self.positions

    def prepare(self) -> None:
        """Compile what is needed."""
        backend("classic")

    def play(self, jobs: Jobs, games: Path, step: Step) -> dict[str, Any]:
        """Do the work."""
        del games
        nodes, seconds, equal, same = [0, 0], [0.0, 0.0], 0, 0
        starts = range(0, self.positions, _POSITIONS_A_CHUNK)
        tasks = ((self, range(self.positions)[start : start + _POSITIONS_A_CHUNK]) for start in starts)
        with closing(run_in_order(_both_ways, tasks, jobs)) as chunks:
            for searched in chunks:
                for found in searched:
                    for way in (0, 1):
                        nodes[way] += found.nodes[way]
                        seconds[way] += found.seconds[way]
                    equal += found.equal
                    same += found.same
                    step()
        return {
            "positions": self.positions,
            "nodes": {"pruned": nodes[0], "whole": nodes[1]},
            "seconds": {"pruned": seconds[0], "whole": seconds[1]},
            "equal_values": equal,
            "same_choice": same,
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
        choices = [best_by_vote(observation, table).action for table in tables]
        found.append(
            _BothWays(
                (tables[0].nodes, tables[1].nodes),
                (seconds[0], seconds[1]),
                tables[0].rows == tables[1].rows,
                choices[0] == choices[1],
            )
        )
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
