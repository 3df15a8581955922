"""Durak-Bench: a frozen benchmark of one agent against six opponents on held-out deals.

Nothing of a version ever changes: its rules, deals and opponents' choices. Every deal is played once from
each seating against every opponent.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from durak_core.errors import AgentError, DurakError
from durak_core.lab.experiments.results import commit, machine, versions
from durak_core.lab.matches.compiled_games import plays_compiled
from durak_core.lab.matches.match import GameSummary, Match, play_match
from durak_core.lab.own_agents.origins import with_origins
from durak_core.lab.stats.match_results import AgentTally, GameCounter, known
from durak_core.rules import Rules
from durak_core.statistics import DealMean, Share

BENCHMARK: Final = "durak-bench/1"

RULES: Final = "podkidnoy:seats=2"

SEEDS: Final = (3_000_000_019, 3_000_000_037)
"""Seeds of the deals. Nothing else may use them."""

DEALS: Final = 5000
"""Deals of each seed."""

OPPONENTS: Final[Mapping[str, str]] = {
    "spender": "greedy:trumps=spend",
    "stubborn": "temperament:aggression=-6,spite=-8,thrift=-3,daring=6,defiance=12,noise=1",
    "book": "expert",
    "policy": "ppo:weights=bench1",
    "sampler": "dmc:weights=bench1,temperature=0.03",
    "searcher": "ismcts:iterations=100,time=0,c=0.7,epsilon=0.15,mix=0,simulation=greedy,opponent=greedy,"
    "solver=on,leaf=8,end=0,nodes=500000,memory=64,inference=off,threads=1,net=off",
}
"""Agent specs of the opponents by name; docs/benchmark.md names those that resemble a player type."""

CHOICES: Final = "47e67eb29dbac74a1092dfa6d64a92d18b9b0f2409ccaf86fb8ad77b66f29996"
"""The `choices_digest` of the opponents."""

_PROBE_SEED: Final = 31
_PROBE_GAMES: Final = 10

_TIMED_DEALS: Final = 5
"""Deals of each compiled match that are played again to measure the time a move."""

_ADDED: Final = ("games", "draws", "losses", "forfeits", "decisions", "seconds", "waited", "in_deals")
"""Fields of a tally that add up."""


def choices_digest(players: Mapping[str, str]) -> str:
    """Return a digest of all choices of every player, given by name, in ten games against itself."""
    digest = hashlib.sha256()
    for name, text in players.items():
        for game in play_match(Match(Rules.parse(RULES), (text,), _PROBE_GAMES, _PROBE_SEED)):
            actions = " ".join([str(move.action) for move in game.record.moves])
            digest.update(f"{name}: {actions}\n".encode())
    return digest.hexdigest()


def check_opponents() -> None:
    """Raise `DurakError` if an opponent of this installation does not choose as in the benchmark."""
    found = choices_digest(OPPONENTS)
    if found != CHOICES:
        raise DurakError(
            "the opponents of {benchmark} choose differently here: digest {found}, expected {expected}; "
            "results would not be comparable",
            benchmark=BENCHMARK,
            found=found[:12],
            expected=CHOICES[:12],
        )


@dataclass(frozen=True)
class Benchmark:
    """One agent's games of the benchmark.

    Args:
        deals: Deals of each seed, 1 to `DEALS`. A run with fewer than `DEALS` is a trial.

    Raises:
        AgentError: If the spec is invalid or ``deals`` is out of range.
    """

    agent: str
    deals: int = DEALS

    def __post_init__(self) -> None:
        if not 1 <= self.deals <= DEALS:
            raise AgentError("{deals} deals: expected 1 to {most}", deals=self.deals, most=DEALS)
        object.__setattr__(self, "agent", self.matches[0].agents[0])

    @property
    def is_trial(self) -> bool:
        return self.deals < DEALS

    @cached_property
    def matches(self) -> list[Match]:
        """The matches: for every opponent one for each seed."""
        rules = Rules.parse(RULES)
        return [
            Match(rules, (self.agent, opponent), self.deals * rules.seats, seed)
            for opponent in OPPONENTS.values()
            for seed in SEEDS
        ]


class BenchmarkTally:
    """Results of a benchmark: scores by opponent and in all.

    Attributes:
        agents: The agent's tally against each opponent, by the opponent's name.
    """

    def __init__(self, benchmark: Benchmark) -> None:
        self.benchmark = benchmark
        self.agents = {name: AgentTally(benchmark.agent, 2) for name in OPPONENTS}
        self._names = [name for name in OPPONENTS for _ in SEEDS]
        self._counter = GameCounter()
        self._scores: dict[tuple[int, int], list[float]] = defaultdict(list)
        self._digest = hashlib.sha256()
        self._origins = benchmark.matches[0].origins  # before files can change

    def add(self, place: int, game: GameSummary) -> None:
        """Add a game of the match with index ``place``; games come in order."""
        seat = game.seating.index(0)
        seed, deal = place % len(SEEDS), game.number // len(game.seating)
        self._counter.count(game, [(seat, self.agents[self._names[place]])], (place, deal))
        self._scores[seed, deal].append(game.score_of(seat))
        self._digest.update(f"{place} {game.number} {game.fool} {game.bouts} {game.plies}\n".encode())

    @property
    def total(self) -> AgentTally:
        """All games together, with an interval over deals: a deal's mean covers all opponents."""
        total = AgentTally(self.benchmark.agent, 2)
        for tally in self.agents.values():
            for name in _ADDED:
                setattr(total, name, getattr(total, name) + getattr(tally, name))
            total.name = total.name or tally.name
        mean = DealMean()
        for scores in self._scores.values():
            mean.add(sum(scores) / len(scores))
        total.means[total.measure] = mean
        return total

    def milliseconds_a_move(self) -> float | None:
        """Return the mean CPU time of the agent's decisions when it chooses from observations.

        Compiled matches are too fast to compare, so their first deals are played again. Without any, the time
        is of all games of this run, and None if there are none.
        """
        compiled = [match for match in self.benchmark.matches if plays_compiled(match)]
        if not compiled:
            total = self.total
            return known(1000 * total.seconds_a_move) if total.decisions else None
        seconds, decisions = 0.0, 0
        for match in compiled:
            games = min(match.games, match.rules.seats * _TIMED_DEALS)
            for game in play_match(match, games=range(games)):
                seat = game.seating.index(0)
                seconds += game.seconds[seat]
                decisions += game.decisions[seat]
        return 1000 * seconds / decisions

    def as_json(self) -> dict[str, Any]:
        """Return the result line, with the provenance of a run on this machine."""
        total = self.total
        result = {
            "benchmark": BENCHMARK,
            "agent": self.benchmark.agent,
            **({"name": total.name} if total.name else {}),
            "deals": self.benchmark.deals * len(SEEDS),
            "trial": self.benchmark.is_trial,
            "score": rounded(sum(tally.share.value for tally in self.agents.values()) / len(self.agents)),
            "interval": _interval(total.share),
            "opponents": {name: _opponent_json(tally) for name, tally in self.agents.items()},
            "forfeits": total.forfeits,
            "milliseconds_a_move": self.milliseconds_a_move(),
            "digest": self._digest.hexdigest(),
            "choices": CHOICES,
            "commit": commit(),
            "versions": versions(),
            "machine": machine(),
        }
        return with_origins(result, self._origins)


def _opponent_json(tally: AgentTally) -> dict[str, Any]:
    counts = {name: getattr(tally, name) for name in ("wins", "draws", "losses")}
    return {**counts, "score": rounded(tally.share.value), "interval": _interval(tally.share)}


def rounded(share: float) -> float:
    return round(share, 6)


def _interval(share: Share) -> list[float]:
    return [rounded(share.low), rounded(share.high)]
