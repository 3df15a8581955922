"""Whom a learner plays against: itself, its earlier selves, policies, and agents that stay as they are.

Networks play in all games at once, as the learner does. Other agents are asked one by one, with the
observations that they get in matches; their games are followed from action to action for that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from durak_core.actions import Action, decode
from durak_core.agents.base import Agent
from durak_core.agents.learned import NetworkAgent
from durak_core.agents.registry import make_agent
from durak_core.game.state import State
from durak_core.kernel.random import AGENTS_STREAM, derive
from durak_core.lab.learn.arrays import Int64s
from durak_core.lab.learn.network import Actor, parameters_of
from durak_core.lab.learn.rollout import FROZEN, LEARNER, PAST, Chooser, Memory
from durak_core.lab.learn.vector import VectorGames
from durak_core.lab.matches.players import make_ready
from durak_core.search.backend.backend import Backend
from durak_core.search.network.vector import OUTSIDE
from durak_core.search.policies.playouts import POLICIES

SELF: Final = "self"
PAST_SELF: Final = "past"
_FROZEN_GAMES: Final = "frozen"
"""Where a checkpoint has the games of agents that stay as they are."""

_ROWS: Final = 997
"""Line-ups drawn once; game number ``i`` has row ``i`` modulo this prime number."""


@dataclass(frozen=True, slots=True)
class Company:
    """Line-ups for many games.

    Attributes:
        kinds: Against whom each row is: `SELF`, `PAST_SELF`, a policy or an agent.
        seats: Where the learner sits in each row; against itself everywhere, and this seat is counted.
        line_ups: For `durak_core.lab.learn.vector.VectorGames`.
        cast: For `durak_core.lab.learn.rollout.Rollout`.
        agents: The texts of those in the cast from `FROZEN` on.
    """

    kinds: tuple[str, ...]
    seats: tuple[int, ...]
    line_ups: tuple[tuple[int, ...], ...]
    cast: tuple[tuple[int, ...], ...]
    agents: tuple[str, ...]


def company(shares: Mapping[str, float], seats: int, seed: int) -> Company:
    """Draw line-ups by shares of the games against each kind; what is left is against itself."""
    chance = np.random.default_rng(seed)
    names = [*shares, SELF]
    parts = [*shares.values(), 1 - sum(shares.values())]
    drawn = chance.choice(len(names), _ROWS, p=parts)
    kinds = tuple([names[i] for i in drawn])
    places = tuple([int(seat) for seat in chance.integers(0, seats, _ROWS)])
    return _company(kinds, places, seats, tuple(shares))


def against(kind: str, seats: int) -> Company:
    """Return line-ups against one policy or agent, the learner on every seat in turn."""
    return _company((kind,) * seats, tuple(range(seats)), seats, (kind,))


def _company(kinds: tuple[str, ...], places: tuple[int, ...], seats: int, named: tuple[str, ...]) -> Company:
    agents = tuple([kind for kind in named if kind != PAST_SELF and kind not in POLICIES])
    numbers = {PAST_SELF: PAST, **{text: FROZEN + i for i, text in enumerate(agents)}}
    line_ups, cast = [], []
    for kind, place in zip(kinds, places, strict=True):
        others = POLICIES.get(kind, OUTSIDE)
        who = numbers.get(kind, LEARNER)
        line_ups.append(tuple([OUTSIDE if seat == place else others for seat in range(seats)]))
        cast.append(tuple([LEARNER if seat == place else who for seat in range(seats)]))
    return Company(kinds, places, tuple(line_ups), tuple(cast), agents)


@dataclass(slots=True)
class _Table:
    """A game that is followed.

    Attributes:
        played: The actions that were chosen, without those that had no alternative.
        agents: Those that sit there, by seat, once they have been asked.
    """

    number: int
    played: list[int] = field(default_factory=list)
    agents: dict[int, Agent] = field(default_factory=dict)


class FrozenAgent:
    """An agent that plays in many games at once; the games have to skip decisions without a choice.

    Args:
        text: The agent's.
        number: Its number in the cast.
        cast: As for `durak_core.lab.learn.rollout.Rollout`.
        games: Those that it plays in.

    Raises:
        AgentError: If it cannot play by the rules.
    """

    def __init__(self, text: str, number: int, cast: Sequence[Sequence[int]], games: VectorGames) -> None:
        make_ready((text,))
        self._text = text
        self._number = number
        self._cast = cast
        self._rules, self._seed = games.setting.rules, games.setting.seed
        make_agent(text).begin(self._rules, 0, 0)
        self._tables = [_Table(-1) for _ in range(games.games)]
        self._states: dict[int, State] = {}
        self._free: list[Agent] = []

    def choose(self, chosen: Int64s, games: VectorGames, epsilon: float, memory: Memory) -> None:
        del epsilon
        numbers, turns = games.numbers, games.turns
        for slot in chosen.tolist():
            self._follow(slot, int(numbers[slot]))
            action = self._ask(slot, int(turns[slot]))
            memory[1][slot] = self._states[slot].legal_actions.index(action)

    def watch(self, games: VectorGames, choices: Int64s) -> None:
        for slot, (number, code) in enumerate(zip(games.numbers, games.codes(choices), strict=True)):
            self._follow(slot, int(number))
            self._play(slot, code)

    def games(self) -> list[list[int]]:
        """Return what was chosen in the running game of each slot, after its number."""
        return [[table.number, *table.played] for table in self._tables]

    def resume(self, games: Sequence[Sequence[int]]) -> None:
        """Go on with such games; the agents are asked again for what they have chosen."""
        for slot, (number, *played) in enumerate(games):
            self._follow(slot, number)
            for code in played:
                seat = self._states[slot].turn if slot in self._states else None
                if seat is not None and self._seats(number)[seat] == self._number:
                    self._ask(slot, seat)
                self._play(slot, code)

    def _seats(self, number: int) -> Sequence[int]:
        return self._cast[number % len(self._cast)]

    def _follow(self, slot: int, number: int) -> None:
        """Begin to follow a game unless it is followed already; a state is kept if the agent sits there."""
        if self._tables[slot].number == number:
            return
        self._free += self._tables[slot].agents.values()
        self._tables[slot] = _Table(number)
        self._states.pop(slot, None)
        if self._number in self._seats(number):
            self._states[slot] = State.deal(self._rules, derive(self._seed, number)).settled()

    def _play(self, slot: int, code: int) -> None:
        self._tables[slot].played.append(code)
        if slot in self._states:
            self._states[slot] = self._states[slot].apply(decode(code)).settled()

    def _ask(self, slot: int, seat: int) -> Action:
        table = self._tables[slot]
        if seat not in table.agents:
            table.agents[seat] = self._free.pop() if self._free else make_agent(self._text)
            seed = derive(derive(self._seed, table.number), AGENTS_STREAM + seat)
            table.agents[seat].begin(self._rules, seat, seed)
        return table.agents[seat].choose(self._states[slot].observation(seat)).action


def frozen_choosers(company: Company, games: VectorGames, runner: Backend) -> tuple[Chooser, ...]:
    """Return who chooses for the agents of a company, in their order.

    Raises:
        AgentError: If one cannot play by the rules.
    """
    return tuple(
        [_chooser(text, FROZEN + i, company, games, runner) for i, text in enumerate(company.agents)]
    )


def frozen_state(choosers: Sequence[Chooser]) -> dict[str, Any]:
    """Return what a checkpoint needs of them; nothing where none follows its games."""
    followed = [chooser.games() for chooser in choosers if isinstance(chooser, FrozenAgent)]
    return {_FROZEN_GAMES: followed} if followed else {}


def restore_frozen(choosers: Sequence[Chooser], state: Mapping[str, Any]) -> None:
    followers = [chooser for chooser in choosers if isinstance(chooser, FrozenAgent)]
    for chooser, games in zip(followers, state.get(_FROZEN_GAMES, ()), strict=True):
        chooser.resume(games)


def _chooser(text: str, number: int, company: Company, games: VectorGames, runner: Backend) -> Chooser:
    agent = make_agent(text)
    if isinstance(agent, NetworkAgent) and not agent.sees_all:
        return Actor(parameters_of(agent.network(games.setting.rules)), runner.functions)
    return FrozenAgent(text, number, company.cast, games)
