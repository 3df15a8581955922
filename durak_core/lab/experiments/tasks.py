"""Tasks of an experiment, each with one result: a match, first attacks, or pruning."""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from time import process_time
from typing import Any, ClassVar, Final

from durak_core.agents.classic import best_by_vote
from durak_core.errors import DurakError
from durak_core.game.observation import Observation
from durak_core.game.state import State
from durak_core.kernel.random import CHANCE_STREAM, derive, random_below
from durak_core.lab.matches.game import GameSummary
from durak_core.lab.matches.match import Match, SoloMatch
from durak_core.lab.matches.players import identity_of, load_compiled
from durak_core.lab.matches.saved_games import SavedGames
from durak_core.lab.matches.schedule import play_matches
from durak_core.lab.stats.match_results import AgentTally, DealCounter, MatchTally, agent_json, tally_json
from durak_core.lab.workers.pool import Jobs, run_in_order
from durak_core.rules import Rules
from durak_core.search.backend.backend import backend
from durak_core.search.determinized.searches import DealTable, LookAheadSettings, look_ahead_table

Step = Callable[[], None]
"""Called after each game or position."""


DRAW: Final = "-"


def loser(game: GameSummary) -> str:
    """Return the loser's index in the match, or a hyphen for a draw."""
    return DRAW if game.fool is None else str(game.seating[game.fool])


def key_of(settings: Mapping[str, Any]) -> str:
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
        """Hash of the settings, independent of the commit."""
        return key_of(self.settings)

    @property
    def label(self) -> str:
        return f"{self.words}, {self.rules}, {self.steps} {self.unit}"

    @property
    def match(self) -> Match | None:
        """The match of the task, if it is one."""
        return None

    @abstractmethod
    def prepare(self) -> None:
        """Compile in advance, so that compilation is not timed."""

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

    def prepare(self) -> None:
        load_compiled(self.match.named)

    def play(self, jobs: Jobs, games: Path, step: Step) -> dict[str, Any]:
        match = self.match
        counted = MatchTally.of(match)
        losers = ""
        with ExitStack() as stack:
            saved = None
            if self.keeps_games:
                saved = stack.enter_context(SavedGames(games / f"{self.key}.jsonl", [match]))
            for _, game in stack.enter_context(closing(play_matches([match], jobs, saved))):
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

    def prepare(self) -> None:
        load_compiled(self.match.named)

    def play(self, jobs: Jobs, games: Path, step: Step) -> dict[str, Any]:
        del games
        match = self.match
        first, counter = AgentTally(self.player, match.rules.team_count), DealCounter()
        decisions, seconds = 0, 0.0
        with closing(play_matches([match], jobs)) as played:
            for _, game in played:
                counter.add(game, [(game.first_attacker, first)], None)
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
