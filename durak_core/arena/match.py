"""Matches: every deal played from every seating, so that luck of the deal and of the chair cancels.

Game ``i`` of a match of ``seats`` players has the deal ``derive(seed, i // seats)``, and the players
move on by one chair from game to game: the one who sat at seat 0 sits at ``i % seats``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from durak_core.agents.registry import agent_text, make_agent
from durak_core.arena.game import GameResult, OnDecision, play_from
from durak_core.errors import AgentError
from durak_core.game.state import State, next_first_attacker
from durak_core.kernel.random import GAMES_STREAM, MASK63, derive
from durak_core.rules import Rules
from durak_core.search.batch import POLICIES, Batch

__all__ = ["Match", "MatchGame", "as_batch", "play_match"]


@dataclass(frozen=True)
class Match:
    """What is to be played.

    Args:
        rules: The rules; their seats are the match's.
        agents: The agents' texts. With more seats than agents they are dealt round: player ``p`` of
            ``rules.seats`` is agent ``p % len(agents)``.
        games: How many games, 1 or more.
        seed: Of all deals and all chance, 0 to 2^63 - 1.

    Raises:
        AgentError: If a text names no agent, there are none or more than seats, or a number is out
            of range.
    """

    rules: Rules
    agents: tuple[str, ...]
    games: int
    seed: int

    def __post_init__(self) -> None:
        seats = self.rules.seats
        if not 1 <= len(self.agents) <= seats:
            raise AgentError(f"{len(self.agents)} agents on {seats} seats: expected 1 to {seats} agents")
        if self.games < 1:
            raise AgentError(f"{self.games} games: expected 1 or more")
        if not 0 <= self.seed <= MASK63:
            raise AgentError(f"seed {self.seed}: expected a number from 0 to {MASK63}")
        object.__setattr__(self, "agents", tuple(map(agent_text, self.agents)))

    def seating(self, game: int) -> tuple[int, ...]:
        """Return which agent, by its place in ``agents``, sits at each seat in a game (counted from 0)."""
        seats = self.rules.seats
        return tuple([(seat - game) % seats % len(self.agents) for seat in range(seats)])


@dataclass(frozen=True)
class MatchGame:
    """A finished game of a match.

    Attributes:
        number: Its number, from 0.
        seating: Which agent sat at each seat, by its place in the match's agents.
        result: How it went.
    """

    number: int
    seating: tuple[int, ...]
    result: GameResult


def play_match(match: Match, on_decision: OnDecision | None = None) -> Iterator[MatchGame]:
    """Play a match, game by game as it is asked for the next one.

    The games are a series for rules 4.2: with ``under_fool`` the player who was the fool of the last
    game is attacked first, wherever that player sits now.

    Args:
        match: What is to be played.
        on_decision: Hears of each decision.

    Raises:
        AgentError: If an agent cannot play by these rules or chooses an illegal action.
        DealError: If no deal stands (rules 3.4).
    """
    seats = match.rules.seats
    players = [make_agent(match.agents[player % len(match.agents)]) for player in range(seats)]
    previous: State | None = None
    for number in range(match.games):
        first = next_first_attacker(match.rules, previous)
        if first is not None:
            first = (first + 1) % seats  # the fool has moved on by one chair
        state = State.deal(match.rules, derive(match.seed, number // seats), first)
        agents = [players[(seat - number) % seats] for seat in range(seats)]
        result = play_from(state, agents, derive(match.seed, GAMES_STREAM + number), on_decision)
        previous = result.state
        yield MatchGame(number, match.seating(number), result)


def as_batch(match: Match) -> Batch | None:
    """Return the same match as a batch of compiled games, or None where an agent is more than a policy.

    The games of the batch are those of `play_match`, game by game. A series in which the last fool
    decides who begins (rules 4.2) is no batch.
    """
    players = [match.agents[player % len(match.agents)] for player in range(match.rules.seats)]
    if match.rules.next_first_attacker != "lowest_trump" or any(text not in POLICIES for text in players):
        return None
    return Batch(match.rules, players, match.games, match.seed)
