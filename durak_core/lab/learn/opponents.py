"""Opponents of a learner: itself, past checkpoints, policies and frozen agents.

Networks play in all games at once. Other agents choose game by game from the observations they get in
matches, so their games are replayed action by action. Searches in compiled games would need a second account
of what a seat knows, see `durak_core.knowledge.belief`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from durak_core.actions import decode
from durak_core.agents.base import Agent
from durak_core.agents.learned import NetworkAgent
from durak_core.game.state import State
from durak_core.kernel.position import AGENTS_STREAM, derive
from durak_core.lab.learn.arrays import Int64s
from durak_core.lab.learn.network import Actor, parameters_of
from durak_core.lab.learn.rollout import FROZEN, LEARNER, PAST, Chooser, Memory
from durak_core.lab.learn.vector import VectorGames
from durak_core.lab.legal_choices import place_of
from durak_core.lab.matches.players import load_compiled, make_player
from durak_core.search.backend.backend import Backend
from durak_core.search.network.vector import OUTSIDE
from durak_core.search.policies.playouts import POLICIES

SELF: Final = "self"
PAST_SELF: Final = "past"
_FROZEN_GAMES: Final = "frozen"
"""Checkpoint key for the games of frozen agents."""

_CODES: Final = 128
"""Choices of a game to make room for at a time."""

_ROWS: Final = 997
"""Number of line-ups, a prime; game ``i`` uses row ``i % _ROWS``."""


@dataclass(frozen=True, slots=True)
class Company:
    """Line-ups for many games; ``line_ups`` are for `VectorGames`, ``cast`` is for `Rollout`.

    ``kinds`` are the opponents of each row: `SELF`, `PAST_SELF`, a policy or an agent spec. ``seats`` are the
    learner's; in self-play, the logged seat. ``agents`` have the cast numbers from `FROZEN` on.
    """

    kinds: tuple[str, ...]
    seats: tuple[int, ...]
    line_ups: tuple[tuple[int, ...], ...]
    cast: tuple[tuple[int, ...], ...]
    agents: tuple[str, ...]


def company(shares: Mapping[str, float], seats: int, seed: int) -> Company:
    """Draw line-ups by each opponent's share of the games; the rest is self-play."""
    chance = np.random.default_rng(seed)
    names = [*shares, SELF]
    parts = [*shares.values(), max(0.0, 1 - sum(shares.values()))]
    drawn = chance.choice(len(names), _ROWS, p=parts)
    kinds = tuple([names[i] for i in drawn])
    places = tuple([int(seat) for seat in chance.integers(0, seats, _ROWS)])
    return _company(kinds, places, seats, tuple(shares))


def against(kind: str, seats: int) -> Company:
    """Return line-ups against one policy or agent, with the learner on every seat in turn."""
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
class _FollowedGame:
    """A replayed game: actions ``played`` except forced ones, and ``agents`` by seat."""

    number: int
    played: list[int] = field(default_factory=list)
    agents: dict[int, Agent] = field(default_factory=dict)


class FrozenAgent:
    """An agent that plays in many games at once; the games must skip forced actions.

    Raises:
        AgentError: If it cannot play by the rules.
    """

    def __init__(self, text: str, number: int, cast: Sequence[Sequence[int]], games: VectorGames) -> None:
        load_compiled((text,))
        self._text = text
        self._number = number
        self._cast = cast
        self._rules, self._seed = games.setting.rules, games.setting.seed
        make_player(text).begin(self._rules, 0, 0)
        self._tables = [_FollowedGame(-1) for _ in range(games.games)]
        self._states: dict[int, State] = {}
        self._free: list[Agent] = []

    def choose(self, chosen: Int64s, games: VectorGames, epsilon: float, memory: Memory) -> None:
        del epsilon
        numbers, turns = games.numbers, games.turns
        for slot in chosen.tolist():
            self._follow(slot, int(numbers[slot]))
            memory[1][slot] = self._ask(slot, int(turns[slot]))

    def watch(self, games: VectorGames, choices: Int64s) -> None:
        for slot, (number, code) in enumerate(zip(games.numbers, games.codes(choices), strict=True)):
            self._follow(slot, int(number))
            self._play(slot, code)

    def games(self) -> list[list[int]]:
        """Return each slot's game number and its choices so far."""
        return [[table.number, *table.played] for table in self._tables]

    def resume(self, games: Sequence[Sequence[int]] | Mapping[str, list[Any]]) -> None:
        """Replay these games and query the agents again for their own choices.

        Older checkpoints of searches have a mapping with the games' numbers and choices.
        """
        if isinstance(games, Mapping):
            games = [
                [number, *played] for number, played in zip(games["numbers"], games["played"], strict=True)
            ]
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
        """Start replaying a new game in a slot; keep a state only if the agent is in the game."""
        if self._tables[slot].number == number:
            return
        self._free += self._tables[slot].agents.values()
        self._tables[slot] = _FollowedGame(number)
        self._states.pop(slot, None)
        if self._number in self._seats(number):
            self._states[slot] = State.deal(self._rules, derive(self._seed, number)).settled()

    def _play(self, slot: int, code: int) -> None:
        self._tables[slot].played.append(code)
        if slot in self._states:
            self._states[slot] = self._states[slot].apply(decode(code)).settled()

    def _ask(self, slot: int, seat: int) -> int:
        """Return the index of the agent's choice among the legal actions."""
        table = self._tables[slot]
        if seat not in table.agents:
            table.agents[seat] = self._free.pop() if self._free else make_player(self._text)
            seed = derive(derive(self._seed, table.number), AGENTS_STREAM + seat)
            table.agents[seat].begin(self._rules, seat, seed)
        agent, state = table.agents[seat], self._states[slot]
        return place_of(state, agent.choose(state.observation(seat, sees_all=agent.sees_all)).action, agent)


def frozen_choosers(company: Company, games: VectorGames, runner: Backend) -> tuple[Chooser, ...]:
    choosers: list[Chooser] = []
    for number, text in enumerate(company.agents, FROZEN):
        agent = make_player(text)
        if isinstance(agent, NetworkAgent) and agent.is_deterministic and not agent.sees_all:
            network = agent.network(games.setting.rules)
            choosers.append(Actor(parameters_of(network), runner.functions))
        else:
            choosers.append(FrozenAgent(text, number, company.cast, games))
    return tuple(choosers)


def frozen_state(choosers: Sequence[Chooser]) -> dict[str, Any]:
    followed = [chooser.games() for chooser in choosers if isinstance(chooser, FrozenAgent)]
    return {_FROZEN_GAMES: followed} if followed else {}


def restore_frozen(choosers: Sequence[Chooser], state: Mapping[str, Any]) -> None:
    followers = [chooser for chooser in choosers if isinstance(chooser, FrozenAgent)]
    for chooser, games in zip(followers, state.get(_FROZEN_GAMES, ()), strict=True):
        chooser.resume(games)
