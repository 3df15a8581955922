"""Tournaments: everybody meets everybody, in whatever company the seats ask for.

With two seats every pair plays a match. With more, every choice of as many agents as seats is a table,
and a table's deals go round its cyclic orders, so that nobody always sits before the same neighbour.
Every deal is played from every seating.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Final

from durak_core.agents.base import Decision
from durak_core.arena.matches.match import GameSummary, Match, play_match
from durak_core.arena.matches.players import is_foreign, make_ready, player_text, thinks
from durak_core.arena.workers.pool import Jobs, run_in_order, workers_of
from durak_core.errors import AgentError
from durak_core.game.state import State
from durak_core.kernel.random import MASK63, derive
from durak_core.rules import Rules

_CHUNK_DEALS: Final = 20
"""Deals that a process plays at a time; one where an agent thinks."""

_CYCLES: Final[dict[int, tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]]] = {
    2: ((0, 1), ()),
    3: ((0, 1, 2), ((1, 0, 2), (1, 2, 0))),
    4: ((0, 1, 2, 3), ((1, 0, 2, 3), (1, 2, 3, 0))),
    5: ((0, 1, 2, 3, 4), ((1, 2, 3, 4, 0), (0, 2, 4, 1, 3))),
    6: ((0, 5, 1, 4, 3, 2), ((1, 2, 3, 4, 0, 5), (0, 2, 4, 1, 3, 5), (5, 4, 2, 3, 1, 0))),
}
"""For each number of seats a cyclic order, and permutations that make a group in which any two players
can take the places of any other two. The orders that the group makes of the first one are balanced.
For 5 and 6 the groups are x -> ax + b modulo 5, and with -1/x too, where player 5 is infinity."""


def cyclic_orders(seats: int) -> tuple[tuple[int, ...], ...]:
    """Return orders round the table that are balanced together.

    In them each player sits equally often at each distance before each other one.

    Args:
        seats: 2 to 6.

    Returns:
        1, 2, 6, 4 or 20 orders of the players 0 to ``seats - 1``, each beginning with 0.
    """
    start, generators = _CYCLES[seats]
    found, fresh = {start}, {start}
    while fresh:
        fresh = {_from_zero([moved[player] for player in order]) for order in fresh for moved in generators}
        fresh -= found
        found |= fresh
    return tuple(sorted(found))


def _from_zero(order: list[int]) -> tuple[int, ...]:
    at = order.index(0)
    return (*order[at:], *order[:at])


@dataclass(frozen=True, slots=True)
class Fixture:
    """A match of a tournament.

    Attributes:
        players: Who plays, by their places in the tournament's agents and in the match's order.
        match: What they play; whole deals only.
    """

    players: tuple[int, ...]
    match: Match


@dataclass(frozen=True)
class Tournament:
    """What is to be played.

    Args:
        rules: The rules; their seats are how many play in a game.
        agents: The agents' texts, as for `durak_core.arena.make_player`; as many as seats or more.
        games: How many games each table plays, 1 or more; rounded up to whole deals. Seatings are
            balanced where they are a multiple of 2, 6, 24, 20 and 120 for 2 to 6 seats.
        seed: Of all deals and all chance, 0 to 2^63 - 1. Agents that are added at the end change
            nothing in the games of the others.

    Raises:
        AgentError: If a text names no agent, an agent stands there twice, there are too few, or a
            number is out of range.
    """

    rules: Rules
    agents: tuple[str, ...]
    games: int
    seed: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "agents", tuple(map(player_text, self.agents)))
        for place, text in enumerate(self.agents):
            if text in self.agents[:place]:
                raise AgentError(f"{text} stands there twice: expected different agents")
        if len(self.agents) < self.rules.seats:
            raise AgentError(
                f"{len(self.agents)} agents on {self.rules.seats} seats: "
                f"expected {self.rules.seats} agents or more"
            )
        if self.games < 1:
            raise AgentError(f"{self.games} games: expected 1 or more")
        if not 0 <= self.seed <= MASK63:
            raise AgentError(f"seed {self.seed}: expected a number from 0 to {MASK63}")

    @cached_property
    def fixtures(self) -> tuple[Fixture, ...]:
        """All matches, table by table."""
        return tuple(self._fixtures())

    @property
    def all_games(self) -> int:
        """How many games are played in all."""
        return sum(fixture.match.games for fixture in self.fixtures)

    def _fixtures(self) -> Iterator[Fixture]:
        seats = self.rules.seats
        orders = cyclic_orders(seats)
        deals = -(-self.games // seats)
        for table in combinations(range(len(self.agents)), seats):
            rank = sum(math.comb(player, place) for place, player in enumerate(table, 1))
            for number, order in enumerate(orders):
                share = deals // len(orders) + (number < deals % len(orders))
                if share:
                    players = tuple([table[place] for place in order])
                    texts = tuple([self.agents[player] for player in players])
                    seed = derive(derive(self.seed, rank), number)
                    yield Fixture(players, Match(self.rules, texts, share * seats, seed))


@dataclass(frozen=True, slots=True)
class TournamentGame:
    """A finished game of a tournament.

    Attributes:
        fixture: The number of its match among the tournament's fixtures.
        summary: What counts of it; its seating is by the places in that match.
        first_attacker: The seat that began.
        log_choices: The sum of the natural logarithms of how many actions were legal at each decision.
    """

    fixture: int
    summary: GameSummary
    first_attacker: int
    log_choices: float


def play_tournament(tournament: Tournament, jobs: Jobs = 1) -> Generator[TournamentGame, None, None]:
    """Play a tournament and yield its games, fixture by fixture and by their numbers.

    Args:
        tournament: What is to be played.
        jobs: How many processes, 0 for one each core; or other workers. The games are the same.

    Raises:
        AgentError: If an agent cannot play by these rules or chooses an illegal action, or the number
            of processes is negative.
        DealError: If no deal stands (rules 3.4).
        DurakError: If a process was ended from outside, or a cluster has nobody left.
    """
    workers = workers_of(jobs)
    make_ready(tournament.agents)  # compiled once here, the machine's processes load it from the cache
    with closing(run_in_order(_play_chunk, _chunks(tournament), workers or 1)) as chunks:
        for games in chunks:
            yield from games


def _chunks(tournament: Tournament) -> Iterator[tuple[int, Match, range]]:
    for number, fixture in enumerate(tournament.fixtures):
        match = fixture.match
        size = match.rules.seats * (1 if any(map(thinks, match.agents)) else _CHUNK_DEALS)
        if match.is_series or any(map(is_foreign, match.agents)):
            size = match.games
        for first in range(0, match.games, size):
            yield number, match, range(first, min(first + size, match.games))


def _play_chunk(fixture: int, match: Match, games: range) -> list[TournamentGame]:
    played: list[TournamentGame] = []
    choices: list[int] = []

    def listen(state: State, decision: Decision) -> None:
        del decision
        choices.append(len(state.legal_actions))

    with closing(play_match(match, listen, games)) as finished:
        for game in finished:
            logs = math.fsum(map(math.log, choices))
            choices.clear()
            first = game.result.state.first_attacker
            played.append(TournamentGame(fixture, game.summary(), first, logs))
    return played
