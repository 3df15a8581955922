"""One game between agents, from the deal to the fool.

>>> from durak_core import Rules, make_agent
>>> play_game(Rules(), [make_agent("greedy"), make_agent("random")], seed=7).plies
74
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from time import perf_counter
from typing import TypeAlias

from durak_core.agents.base import Agent, Decision
from durak_core.errors import AgentError, IllegalActionError
from durak_core.game.record import Record
from durak_core.game.state import State
from durak_core.kernel.random import AGENTS_STREAM, derive
from durak_core.rules import Rules

__all__ = ["GameResult", "OnDecision", "agent_seed", "play_from", "play_game"]

OnDecision: TypeAlias = Callable[[State, Decision], None]
"""Called with each decision and the state in which it was made, before it is played."""


@dataclass(frozen=True)
class GameResult:
    """A finished game.

    Attributes:
        state: Its last state.
        players: The agents' texts by seat.
        decisions: How many actions each seat chose.
        seconds: How long each seat thought; not compared.
    """

    state: State
    players: tuple[str, ...]
    decisions: tuple[int, ...]
    seconds: tuple[float, ...] = field(compare=False)

    @property
    def fool(self) -> int | None:
        """The loser's seat, or None after a draw."""
        return self.state.fool

    @property
    def is_draw(self) -> bool:
        """Whether nobody lost (rules 8.3, 8.5)."""
        return self.state.is_draw

    @property
    def places(self) -> tuple[int, ...]:
        """Seats in the order in which they got rid of their cards, the fool last (rules 8.4)."""
        return self.state.places

    @property
    def returns(self) -> tuple[float, ...]:
        """Each seat's return (rules 8.4)."""
        return self.state.returns

    @property
    def bouts(self) -> int:
        """How many bouts were played."""
        return self.state.bout

    @property
    def plies(self) -> int:
        """How many actions were played."""
        return self.state.plies

    @cached_property
    def record(self) -> Record:
        """The game with all its moves, ready to be written."""
        return Record.of(self.state, self.players)


def play_game(
    rules: Rules,
    agents: Sequence[Agent],
    seed: int,
    first_attacker: int | None = None,
    on_decision: OnDecision | None = None,
) -> GameResult:
    """Deal a game and let agents play it to its end.

    Args:
        rules: The rules.
        agents: One for each seat, all different objects.
        seed: Of the deal and, by other streams, of the agents; 0 to 2^63 - 1.
        first_attacker: The seat that begins; by default the rules decide (rules 4.1).
        on_decision: Hears of each decision.

    Raises:
        AgentError: If the agents do not fit the seats, or one of them chooses an illegal action.
        DealError: As for `State.deal`.
    """
    state = State.deal(rules, seed, first_attacker)
    return play_from(state, agents, derive(seed, AGENTS_STREAM), on_decision)


def agent_seed(seed: int, seat: int) -> int:
    """Return the seed with which `play_game` lets the agent of a seat begin.

    Args:
        seed: The game's, 0 to 2^63 - 1.
        seat: 0 or more.
    """
    return derive(derive(seed, AGENTS_STREAM), seat)


def play_from(
    state: State, agents: Sequence[Agent], seed: int, on_decision: OnDecision | None = None
) -> GameResult:
    """Let agents play on from a state to the end of the game.

    Args:
        state: Where they begin.
        agents: One for each seat, all different objects.
        seed: The agents' own; the seat's number picks the stream.
        on_decision: Hears of each decision.

    Raises:
        AgentError: If the agents do not fit the seats, or one of them chooses an illegal action.
    """
    seats = state.rules.seats
    if len(agents) != seats or len({id(agent) for agent in agents}) != seats:
        raise AgentError(f"{seats} seats need {seats} agents, each its own object; got {len(agents)}")
    for place, agent in enumerate(agents):
        agent.begin(state.rules, place, derive(seed, place))
    decisions = [0] * seats
    seconds = [0.0] * seats
    while (seat := state.turn) is not None:
        observation = state.observation(seat, sees_all=agents[seat].sees_all)
        began = perf_counter()
        decision = agents[seat].choose(observation)
        seconds[seat] += perf_counter() - began
        decisions[seat] += 1
        if on_decision is not None:
            on_decision(state, decision)
        state = _applied(state, decision, agents[seat])
    players = tuple(agent.text for agent in agents)
    return GameResult(state, players, tuple(decisions), tuple(seconds))


def _applied(state: State, decision: Decision, agent: Agent) -> State:
    """Play a decision; an illegal one is its agent's fault and is never replaced (rules 10.1)."""
    try:
        return state.apply(decision.action)
    except IllegalActionError as error:
        raise AgentError(
            f"the agent {agent.text} at seat {state.turn} chose an illegal action: {error}"
        ) from error
