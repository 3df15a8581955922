"""Self-play training, and the opponents in its games.

A learner defines its actors, how it collects finished games and when it updates. `Trainer` holds the
games, opponents, averaged weights, optimiser, past checkpoints and all state needed to resume.

Networks play in all games at once. Other agents choose game by game from the observations they get in
matches, so their games are replayed action by action. Searches in compiled games would need a second account
of what a seat knows, see `durak_core.knowledge.belief`.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Generic, TypeVar

import numpy as np

from durak_core.actions import decode
from durak_core.agents.base import Agent
from durak_core.agents.learned import NetworkAgent
from durak_core.files import read_json
from durak_core.game.state import State
from durak_core.kernel.position import AGENTS_STREAM, derive
from durak_core.lab.learn._torch import torch
from durak_core.lab.learn.arrays import Arrays, Float32s, Int64s, byte_width
from durak_core.lab.learn.network import Actor, Parameters, blend, initial_parameters, parameters_of
from durak_core.lab.learn.rollout import (
    FROZEN,
    LEARNER,
    PAST,
    Chooser,
    Memory,
    Rollout,
    Samples,
    Teacher,
    outcome,
)
from durak_core.lab.learn.settings import ExploringSettings, LearnerSettings
from durak_core.lab.learn.vector import Setting, VectorGames
from durak_core.lab.legal_choices import place_of
from durak_core.lab.matches.players import load_compiled, make_player
from durak_core.rules import Rules
from durak_core.search.backend.backend import Backend, backend
from durak_core.search.network.encoding import ACTIONS, input_size
from durak_core.search.network.vector import OUTSIDE
from durak_core.search.network.weights import output_count
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


_PAST_STEPS: Final = 200
"""Steps after which another past checkpoint is drawn."""

_EVALUATION_STREAM: Final = 1 << 40

Settings_co = TypeVar("Settings_co", bound=LearnerSettings, covariant=True)
Exploring = TypeVar("Exploring", bound=ExploringSettings)


@dataclass(slots=True)
class Counts:
    """Progress of a run. ``samples`` counts trained decisions, ``updates`` optimiser steps."""

    games: int = 0
    decisions: int = 0
    samples: int = 0
    updates: int = 0
    steps: int = 0


@dataclass(slots=True)
class Tally:
    """Statistics since the last report: ``sums`` over ``updates``, ``outcomes`` by opponent."""

    updates: int = 0
    sums: dict[str, float] = field(default_factory=dict)
    outcomes: dict[str, list[float]] = field(default_factory=dict)

    def add(self, **figures: float) -> None:
        self.updates += 1
        for name, value in figures.items():
            self.sums[name] = self.sums.get(name, 0.0) + value


class Trainer(ABC, Generic[Settings_co]):
    """A training run in memory, deterministic given its settings.

    Attributes:
        name: Name in `durak train NAME`, weight files and agent specs.
        version: Checkpoint format version.
        outputs: Meaning of the network's outputs, one of `durak_core.search.network.weights.OUTPUTS`.
        noted: Extra arrays per decision, see `durak_core.lab.learn.rollout.Rollout`.
        later_settings: Settings that old checkpoints may lack, with the values they imply.
        tally: Recent statistics; the reader may replace it by an empty one.
        average: Averaged weights, used for play.
    """

    name: ClassVar[str]
    version: ClassVar[str]
    outputs: str
    noted: ClassVar[tuple[str, ...]] = ()
    later_settings: ClassVar[Mapping[str, Any]] = {}

    def __init__(self, settings: Settings_co, runner: Backend | None = None) -> None:
        torch.set_num_threads(1)  # sums of several threads depend on their order, and a run must not
        self.settings = settings
        self.counts = Counts()
        self.tally = Tally()
        self.rules = Rules.parse(settings.rules)
        self._runner = runner or backend("learn")
        seats = self.rules.seats
        self._company = company(settings.opponents, seats, settings.seed)
        setting = Setting(self.rules, settings.seed, self._company.line_ups, skips=True)
        self._games = VectorGames(setting, settings.tables, self._runner)
        rooms: Arrays = {
            "legal": np.zeros((settings.tables, byte_width(ACTIONS)), np.uint8),
            "log_probabilities": np.zeros(settings.tables, np.float32),
        }
        self._notes = {name: rooms[name] for name in self.noted}
        state = derive(settings.seed, AGENTS_STREAM)
        self._rollout = Rollout(self._games, self._company.cast, state, self._notes)
        self._frozen = frozen_choosers(self._company, self._games, self._runner)
        self._chance = np.random.default_rng(settings.seed)
        self.parameters = self._first_parameters()
        self.average = copies(self.parameters)
        self._past = [copies(self.parameters)]
        self._past_in_play = 0
        self._gathered: Arrays = {}
        self._adam = torch.optim.Adam(self.parameters, lr=settings.rate, fused=True)
        self._learner = self._make_actor(self.parameters, self._notes)
        self._veteran = self._make_actor(self._past[0], {})
        self._games.reset()

    @property
    def columns(self) -> int:
        return output_count(self.outputs, self.rules.seats)

    @property
    def opponents(self) -> tuple[str, ...]:
        """Frozen opponents, used for evaluation; may be empty."""
        return self._company.agents

    @property
    def is_done(self) -> bool:
        return self.counts.games >= self.settings.games

    @property
    def epsilon(self) -> float:
        return 0.0

    @property
    def rate(self) -> float:
        return self.settings.rate / (1 + self.counts.games / self.settings.rate_games)

    def step(self) -> None:
        """Play one decision in every game, and update if due."""
        if self.counts.steps % _PAST_STEPS == 0:
            self._past_in_play = int(self._chance.integers(len(self._past)))
            self._veteran.take(self.acting(self._past[self._past_in_play]))
        if "legal" in self._notes:
            self._notes["legal"][...] = np.packbits(self._games.masks(), axis=1)
        ended = self._rollout.step((self._first(), self._veteran, *self._frozen), self.epsilon)
        self.counts.steps += 1
        self.counts.decisions += self._games.games
        if len(ended):
            self._harvest(ended)
        self._learn()

    def acting(self, parameters: Parameters) -> Parameters:
        return parameters

    def player(self) -> Parameters:
        return self.acting(self.average)

    def evaluate(self, kind: str, games: int) -> Float32s:
        """Play the averaged network greedily against a policy or agent on all other seats, rotating seats.

        Deals are the same at each call. Outcomes are 1 for a win, 0.5 draw, 0 loss; float32, (games,).
        """
        seats = self.rules.seats
        lines = against(kind, seats)
        seed = derive(self.settings.seed, _EVALUATION_STREAM)
        setting = Setting(self.rules, seed, lines.line_ups, skips=True)
        table = VectorGames(setting, min(games, self.settings.tables), self._runner)
        table.reset()
        rollout = Rollout(table, lines.cast, 1)
        actor = Actor(self.player(), self._runner.functions)
        choosers = (actor, actor, *frozen_choosers(lines, table, self._runner))
        results = np.full(games, np.nan, np.float32)
        while np.isnan(results).any():
            ended = rollout.step(choosers, 0.0)
            rollout.harvest(ended)
            # Slots that play short games get further, so only the numbered deals count, not the first to end.
            first = ended[table.ended[ended] < games]
            numbers = table.ended[first]
            results[numbers] = outcome(table.rewards[first, numbers % seats])
        return results

    def gauges(self) -> dict[str, float]:
        return {"rate": self.rate, "decisions": self.counts.decisions}

    def state(self) -> dict[str, Any]:
        """Return all mutable state as tensors, numbers and strings; `restore` needs the same settings."""
        return {
            "counts": {name: getattr(self.counts, name) for name in Counts.__slots__},
            "parameters": [one.detach() for one in self.parameters],
            "average": self.average,
            "adam": [dict(self._adam.state[one]) for one in self.parameters],
            "past": self._past,
            "past_in_play": self._past_in_play,
            "chance": json.dumps(self._chance.bit_generator.state),
            "games": tensors(self._games.state()),
            "rollout": tensors(self._rollout.state()),
            **frozen_state(self._frozen),
            **({"gathered": tensors(self._gathered)} if self._gathered else {}),
        }

    def restore(self, state: dict[str, Any]) -> None:
        for name, value in state["counts"].items():
            setattr(self.counts, name, value)
        with torch.no_grad():
            for mine, kept in zip(self.parameters, state["parameters"], strict=True):
                mine.copy_(kept)
        for one, kept in zip(self.parameters, state["adam"], strict=True):
            self._adam.state[one] = dict(kept)
        self.average = state["average"]
        self._past = state["past"]
        self._past_in_play = state["past_in_play"]
        self._veteran.take(self.acting(self._past[self._past_in_play]))
        self._learner.take(self.acting(self.parameters))
        chance: Any = read_json(state["chance"])
        self._chance.bit_generator.state = chance
        self._games.restore(arrays(state["games"]))
        self._rollout.restore(arrays(state["rollout"]))
        restore_frozen(self._frozen, state)
        self._gathered = arrays(state.get("gathered", {}))

    @abstractmethod
    def _gather(self, samples: Samples) -> None: ...

    def _keep(self, columns: Arrays) -> None:
        for name, array in columns.items():
            kept = [self._gathered[name]] if name in self._gathered else []
            self._gathered[name] = np.concatenate([*kept, array])

    @abstractmethod
    def _learn(self) -> None:
        """Update if due; called after every step."""

    def _first_parameters(self) -> Parameters:
        seats, settings = self.rules.seats, self.settings
        active = self.rules.deck_size + 6 * seats
        return initial_parameters(input_size(seats), settings.hidden, active, settings.seed, self.columns)

    def _make_actor(self, parameters: Parameters, notes: Arrays) -> Actor:
        del notes
        return Actor(self.acting(parameters), self._runner.functions)

    def _first(self) -> Chooser:
        return self._learner

    def _harvest(self, ended: Int64s) -> None:
        before = self.counts.games
        self.counts.games += len(ended)
        rows = self._games.ended[ended] % len(self._company.kinds)
        for slot, row in zip(ended, rows, strict=True):
            result = outcome(self._games.rewards[slot, self._company.seats[row]])
            self.tally.outcomes.setdefault(self._company.kinds[row], []).append(float(result))
        self._gather(self._rollout.harvest(ended))
        if before // self.settings.past_games != self.counts.games // self.settings.past_games:
            self._past.append(copies(self.average))
            if len(self._past) > self.settings.past:  # a random one goes, but not the newest
                del self._past[int(self._chance.integers(len(self._past) - 1))]

    def _descend(self, loss: Any, max_gradient: float | None = None) -> None:  # noqa: ANN401 - a tensor
        """Take one optimiser step; clip the gradient's norm to ``max_gradient``."""
        self._adam.param_groups[0]["lr"] = self.rate
        self._adam.zero_grad(set_to_none=True)
        loss.backward()
        if max_gradient is not None:
            torch.nn.utils.clip_grad_norm_(self.parameters, max_gradient)
        self._adam.step()
        # At first a plain mean of all updates: a fixed share would keep the random initial weights for long.
        blend(self.average, self.parameters, max(self.settings.average, 1 / (self.counts.updates + 1)))
        self._learner.take(self.acting(self.parameters))
        self.counts.samples += self.settings.batch
        self.counts.updates += 1


class ExploringTrainer(Trainer[Exploring]):
    """A value-based learner: warm start from a fixed policy, then epsilon-greedy exploration."""

    def __init__(self, settings: Exploring, runner: Backend | None = None) -> None:
        super().__init__(settings, runner)
        self._teacher = Teacher(POLICIES[settings.teacher])

    @property
    def epsilon(self) -> float:
        settings = self.settings
        if self._is_taught:
            return settings.epsilon
        way = min(1.0, (self.counts.games - settings.teacher_games) / settings.epsilon_games)
        return settings.epsilon + way * (settings.last_epsilon - settings.epsilon)

    def gauges(self) -> dict[str, float]:
        return {"epsilon": self.epsilon, **super().gauges()}

    @property
    def _is_taught(self) -> bool:
        return self.counts.games < self.settings.teacher_games

    def _first(self) -> Chooser:
        return self._teacher if self._is_taught else self._learner


def copies(parameters: Parameters) -> Parameters:
    return [one.detach().clone() for one in parameters]


def tensors(values: Arrays) -> dict[str, Any]:
    return {name: torch.from_numpy(array) for name, array in values.items()}


def arrays(values: Mapping[str, Any]) -> Arrays:
    return {name: tensor.numpy() for name, tensor in values.items()}


def gather_columns(values: Any, columns: Any) -> Any:  # noqa: ANN401 - tensors
    """Pick one column per row: values (n, width), columns (n,), result (n,)."""
    return values.gather(1, columns.long().unsqueeze(1)).squeeze(1)
