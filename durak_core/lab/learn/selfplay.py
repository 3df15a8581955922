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
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Generic, TypeVar
from uuid import uuid4

import numpy as np

from durak_core.actions import decode
from durak_core.agents.base import Agent
from durak_core.agents.learned import NetworkAgent
from durak_core.agents.registry import NamedAgent
from durak_core.errors import DurakError
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
    together,
)
from durak_core.lab.learn.settings import ExploringSettings, LearnerSettings
from durak_core.lab.learn.vector import Setting, VectorGames
from durak_core.lab.legal_choices import place_of
from durak_core.lab.matches.players import load_compiled, read_player, recipe_of
from durak_core.lab.own_agents.reading import Recipe
from durak_core.lab.workers import CallQueue, Jobs, LostProcessError, workers_of
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

    def __init__(
        self, player: NamedAgent, number: int, cast: Sequence[Sequence[int]], games: VectorGames
    ) -> None:
        load_compiled((player,))
        self._player = player
        self._number = number
        self._cast = cast
        self._rules, self._seed = games.setting.rules, games.setting.seed
        player.build().begin(self._rules, 0, 0)
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
            table.agents[seat] = self._free.pop() if self._free else self._player.build()
            seed = derive(derive(self._seed, table.number), AGENTS_STREAM + seat)
            table.agents[seat].begin(self._rules, seat, seed)
        agent, state = table.agents[seat], self._states[slot]
        return place_of(state, agent.choose(state.observation(seat, sees_all=agent.sees_all)).action, agent)


def frozen_choosers(
    company: Company, players: Sequence[NamedAgent], games: VectorGames, runner: Backend
) -> tuple[Chooser, ...]:
    choosers: list[Chooser] = []
    for number, player in enumerate(players, FROZEN):
        agent = player.build()
        if isinstance(agent, NetworkAgent) and agent.is_deterministic and not agent.sees_all:
            network = agent.network(games.setting.rules)
            choosers.append(Actor(parameters_of(network), runner.functions))
        else:
            choosers.append(FrozenAgent(player, number, company.cast, games))
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


@dataclass(frozen=True, slots=True)
class Orders:
    """What an actor plays with: weights for play, of the learner and a past checkpoint, and exploration."""

    learner: Parameters
    past: Parameters
    epsilon: float
    is_taught: bool


@dataclass(frozen=True, slots=True)
class Harvest:
    """Finished games: their rows in the `Company`, the logged outcomes, and decisions to learn from."""

    rows: list[int]
    outcomes: list[float]
    columns: Arrays


class SelfPlay(ABC):
    """The games of one actor, and the decisions of its finished games.

    Subclasses define what is noted of a decision (``noted``, see `durak_core.lab.learn.rollout.Rollout`), how
    the network chooses, and what the learner gets. ``players`` are the frozen opponents, read.
    """

    noted: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self,
        settings: LearnerSettings,
        seed: int,
        orders: Orders,
        players: Sequence[NamedAgent] | None = None,
        runner: Backend | None = None,
    ) -> None:
        torch.set_num_threads(1)  # sums of several threads depend on their order, and a run must not
        self.settings: Any = settings
        self.runner = runner or backend("learn")
        rules = Rules.parse(settings.rules)
        self.company = company(settings.opponents, rules.seats, settings.seed)
        setting = Setting(rules, seed, self.company.line_ups, skips=True)
        self.games = VectorGames(setting, settings.tables, self.runner)
        rooms: Arrays = {
            "legal": np.zeros((settings.tables, byte_width(ACTIONS)), np.uint8),
            "log_probabilities": np.zeros(settings.tables, np.float32),
        }
        self.notes = {name: rooms[name] for name in self.noted}
        self.rollout = Rollout(self.games, self.company.cast, derive(seed, AGENTS_STREAM), self.notes)
        if players is None:
            players = list(map(read_player, self.company.agents))
        self.frozen = frozen_choosers(self.company, players, self.games, self.runner)
        self.chance = np.random.default_rng(seed)
        self.learner = self.make_actor(orders.learner, self.notes)
        self.past = self.make_actor(orders.past, {})
        teacher = getattr(settings, "teacher", None)
        self._teacher = None if teacher is None else Teacher(POLICIES[teacher])
        self.games.reset()

    def make_actor(self, parameters: Parameters, notes: Arrays) -> Actor:
        del notes
        return Actor(parameters, self.runner.functions)

    @abstractmethod
    def gather(self, samples: Samples) -> Arrays:
        """Return what the learner needs of the decisions of finished games."""

    def step(self, epsilon: float, *, is_taught: bool) -> tuple[Int64s, Float32s, Samples] | None:
        """Play one decision in every game; return finished games' rows, outcomes and decisions, if any."""
        if "legal" in self.notes:
            self.notes["legal"][...] = np.packbits(self.games.masks(), axis=1)
        first = self._teacher if is_taught and self._teacher else self.learner
        ended = self.rollout.step((first, self.past, *self.frozen), epsilon)
        if not len(ended):
            return None
        rows = self.games.ended[ended] % len(self.company.kinds)
        seats = np.array(self.company.seats)[rows]
        return rows, outcome(self.games.rewards[ended, seats]), self.rollout.harvest(ended)

    def harvest(self, parts: Sequence[tuple[Int64s, Float32s, Samples]]) -> Harvest | None:
        """Return what several steps gave; None if no game was finished."""
        if not parts:
            return None
        rows, outcomes, samples = zip(*parts, strict=True)
        columns = self.gather(together(samples) if len(samples) > 1 else samples[0])
        return Harvest(np.concatenate(rows).tolist(), np.concatenate(outcomes).tolist(), columns)

    def play_round(self, orders: Orders) -> Harvest | None:
        self.learner.take(orders.learner)
        self.past.take(orders.past)
        steps = [
            self.step(orders.epsilon, is_taught=orders.is_taught) for _ in range(self.settings.round_steps)
        ]
        return self.harvest([part for part in steps if part is not None])

    def state(self) -> dict[str, Any]:
        """Return all mutable state but the weights, as arrays, numbers and strings."""
        return {
            "chance": json.dumps(self.chance.bit_generator.state),
            "games": {name: array.copy() for name, array in self.games.state().items()},
            "rollout": self.rollout.state(),
            **frozen_state(self.frozen),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        chance: Any = read_json(state["chance"])
        self.chance.bit_generator.state = chance
        self.games.restore(state["games"])
        self.rollout.restore(state["rollout"])
        restore_frozen(self.frozen, state)


_ACTORS_STREAM: Final = 1 << 41

_KEPT: Final = 8
"""Actors whose games a process keeps, each some megabytes."""

_actors: dict[tuple[str, int], tuple[int, SelfPlay]] = {}
"""Of each run and actor, the number of its next round, and its games."""


def compiled() -> Backend:
    """Return compiled games; raises `DurakError` without them, because interpreted ones cannot be saved."""
    runner = backend("learn")
    if runner.name != "compiled":
        raise DurakError(
            "training runs as compiled code only ({why}): expected numba, and no DURAK_COMPILED=0",
            why=runner.note,
        )
    return runner


def play_round(
    made: tuple[type[SelfPlay], LearnerSettings, Sequence[Recipe]],
    place: tuple[str, int, int],
    state: Mapping[str, Any] | None,
    orders: Orders,
) -> tuple[dict[str, Any], Harvest | None]:
    """Play a round of an actor, on a worker; return its state after it, and the finished games.

    ``made`` are its class, settings and frozen opponents; ``place`` is the run, the actor and its round's
    number; ``state`` is its state before, None in the beginning. Errors as for `compiled`.
    """
    kind, settings, recipes = made
    run, actor, number = place
    kept, play = _actors.pop((run, actor), (-1, None))
    if play is None or kept != number:
        seed = derive(settings.seed, _ACTORS_STREAM + actor)
        players = [read(*arguments) for read, arguments in recipes]
        play = kind(settings, seed, orders, players, compiled())
        if state is not None:
            play.restore(state)
    harvest = play.play_round(orders)
    while len(_actors) >= _KEPT:
        _actors.pop(next(iter(_actors)), None)
    _actors[run, actor] = number + 1, play
    return play.state(), harvest


_LOSSES: Final = 3
"""Times in a row that local processes may be ended from outside."""


class Actors:
    """The actors of a run on workers, each with one round under way.

    A round is played with the weights from before the previous round was learnt: the learner learns from
    one while the actors play the next.
    """

    def __init__(self, kind: type[SelfPlay], settings: LearnerSettings, agents: Sequence[str]) -> None:
        self._fixed = kind, settings, [recipe_of(read_player(text)) for text in agents]
        self._run = uuid4().hex
        self._states: list[dict[str, Any] | None] = [None] * settings.actors
        self._rounds = [0] * settings.actors
        self._turn = 0
        self._orders: list[Orders] = []  # of the actors that the learner still waits for, and of the others
        self._jobs: Jobs = 1
        self._calls: CallQueue | None = None
        self._lost: DurakError | None = None

    def open(self, jobs: Jobs, orders: Callable[[], Orders]) -> None:
        """Start all rounds under way; errors as for `durak_core.lab.workers.workers_of`."""
        if not self._orders:
            self._orders = [orders()] * 2
        self._jobs, self._lost = jobs, None
        workers = workers_of(jobs)
        self._calls = None if workers is None else CallQueue(workers)
        actors = len(self._states)
        for place in range(self._turn, self._turn + actors):
            self._submit(place % actors)

    def close(self) -> None:
        if self._calls:
            self._calls.abandon()
        self._calls = None

    def take(self, orders: Callable[[], Orders]) -> Harvest | None:
        """Return the next actor's round, and let it play another one.

        Raises:
            DurakError: If the workers are lost; nothing has changed then.
        """
        if not self._orders:
            self.open(1, orders)
        actor = self._turn
        played: tuple[dict[str, Any], Harvest | None] = self._wait(actor)
        state, harvest = played
        if actor == 0:
            self._orders = [self._orders[1], orders()]
        self._states[actor] = state
        self._rounds[actor] += 1
        self._turn = (actor + 1) % len(self._states)
        self._submit(actor)
        return harvest

    def _wait(self, actor: int, losses: int = 0) -> Any:  # noqa: ANN401 - of `play_round`
        if self._calls is None:
            return play_round(*self._task(actor))
        try:
            if self._lost is not None:
                raise self._lost
            return self._calls.take()
        except LostProcessError:
            if losses == _LOSSES:
                raise
        self._calls.abandon()
        self.open(self._jobs, lambda: self._orders[1])
        return self._wait(actor, losses + 1)

    def _task(self, actor: int) -> tuple[Any, ...]:
        is_ahead = self._turn == 0 or actor < self._turn
        place = self._run, actor, self._rounds[actor]
        return self._fixed, place, self._states[actor], self._orders[is_ahead]

    def _submit(self, actor: int) -> None:
        if self._calls is None or self._lost is not None:
            return
        try:
            self._calls.submit(play_round, self._task(actor))
        except DurakError as error:  # raised when the learner waits for a round
            self._lost = error

    def state(self) -> dict[str, Any]:
        return {
            "turn": self._turn,
            "orders": [{name: getattr(one, name) for name in Orders.__slots__} for one in self._orders],
            "actors": [state and with_games(state, tensors) for state in self._states],
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        is_same = len(state["actors"]) == len(self._states)
        self._turn = state["turn"] if is_same else 0
        self._orders = [Orders(**one) for one in state["orders"]]
        kept = [one and with_games(one, arrays) for one in state["actors"]]
        self._states = (kept + self._states)[: len(self._states)]


class Trainer(ABC, Generic[Settings_co]):
    """A training run in memory, deterministic given its settings.

    Attributes:
        name: Name in `durak train NAME`, weight files and agent specs.
        version: Checkpoint format version.
        outputs: Meaning of the network's outputs, one of `durak_core.search.network.weights.OUTPUTS`.
        player_kind: How actors of this learner play.
        later_settings: Settings that old checkpoints may lack, with the values they imply.
        tally: Recent statistics; the reader may replace it by an empty one.
        average: Averaged weights, used for play.
    """

    name: ClassVar[str]
    version: ClassVar[str]
    outputs: str
    player_kind: ClassVar[type[SelfPlay]]
    later_settings: ClassVar[Mapping[str, Any]] = {}

    def __init__(self, settings: Settings_co, runner: Backend | None = None) -> None:
        torch.set_num_threads(1)  # as of actors
        self.settings = settings
        self.counts = Counts()
        self.tally = Tally()
        self.rules = Rules.parse(settings.rules)
        self._runner = runner or backend("learn")
        self.parameters = self._first_parameters()
        self.average = copies(self.parameters)
        self._past = [copies(self.parameters)]
        self._past_in_play = 0
        self._gathered: Arrays = {}
        self._adam = torch.optim.Adam(self.parameters, lr=settings.rate, fused=True)
        first = self.acting(self.parameters)
        orders = Orders(first, self.acting(self._past[0]), 0.0, False)
        self.play = self.player_kind(settings, settings.seed, orders, runner=self._runner)
        self._chance = self.play.chance
        self._actors: Actors | None = None
        if settings.actors > 1:
            self._actors = Actors(self.player_kind, settings, self.opponents)

    @property
    def columns(self) -> int:
        return output_count(self.outputs, self.rules.seats)

    @property
    def opponents(self) -> tuple[str, ...]:
        """Frozen opponents, used for evaluation; may be empty."""
        return self.play.company.agents

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
        """Play one decision in every game, and update if due; with several actors, learn from one's round.

        Raises:
            DurakError: If the workers are lost; with several actors nothing has changed then.
        """
        if self._actors is not None:
            harvest, steps = self._actors.take(self._orders), self.settings.round_steps
        else:
            if self.counts.steps % _PAST_STEPS == 0:
                self.play.past.take(self._draw_past())
            part, steps = self.play.step(self.epsilon, is_taught=self._is_taught), 1
            harvest = self.play.harvest([part] if part else [])
        self.counts.steps += steps
        self.counts.decisions += steps * self.settings.tables
        if harvest:
            self._take(harvest)
        else:
            self._learn()

    @contextmanager
    def playing(self, jobs: Jobs) -> Iterator[None]:
        """Let workers play the rounds of several actors; errors as for `workers_of`."""
        if self._actors is None:
            yield
            return
        self._actors.open(jobs, self._orders)
        try:
            yield
        finally:
            self._actors.close()

    def _draw_past(self) -> Parameters:
        self._past_in_play = int(self._chance.integers(len(self._past)))
        return self.acting(self._past[self._past_in_play])

    def _orders(self) -> Orders:
        now = copies(self.acting(self.parameters))
        return Orders(now, copies(self._draw_past()), self.epsilon, self._is_taught)

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
        choosers = (
            actor,
            actor,
            *frozen_choosers(lines, list(map(read_player, lines.agents)), table, self._runner),
        )
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
            **self._games_state(),
            **({"gathered": tensors(self._gathered)} if self._gathered else {}),
        }

    def _games_state(self) -> dict[str, Any]:
        if self._actors:
            return {"chance": json.dumps(self._chance.bit_generator.state), **self._actors.state()}
        return with_games(self.play.state(), tensors)

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
        self.play.past.take(self.acting(self._past[self._past_in_play]))
        self.play.learner.take(self.acting(self.parameters))
        if self._actors is None:
            self.play.restore(with_games(state, arrays))
        else:
            chance: Any = read_json(state["chance"])
            self._chance.bit_generator.state = chance
            if "actors" in state:  # otherwise one actor began the run
                self._actors.restore(state)
        self._gathered = arrays(state.get("gathered", {}))

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

    @property
    def _is_taught(self) -> bool:
        return False

    def _take(self, harvest: Harvest) -> None:
        """Count finished games and learn from them."""
        before = self.counts.games
        self.counts.games += len(harvest.rows)
        for row, result in zip(harvest.rows, harvest.outcomes, strict=True):
            self.tally.outcomes.setdefault(self.play.company.kinds[row], []).append(result)
        columns, batch = harvest.columns, self.settings.batch
        if self._actors is None:
            self._keep(columns)
        else:  # a replay buffer may have room for less than a round, and what is gathered is copied each time
            for start in range(0, len(columns["actions"]), batch):
                self._keep({name: array[start : start + batch] for name, array in columns.items()})
                self._learn()
        if before // self.settings.past_games != self.counts.games // self.settings.past_games:
            self._past.append(copies(self.average))
            if len(self._past) > self.settings.past:  # a random one goes, but not the newest
                del self._past[int(self._chance.integers(len(self._past) - 1))]
        self._learn()

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
        if self._actors is None:
            self.play.learner.take(self.acting(self.parameters))
        self.counts.samples += self.settings.batch
        self.counts.updates += 1


class ExploringTrainer(Trainer[Exploring]):
    """A value-based learner: warm start from a fixed policy, then epsilon-greedy exploration."""

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


def copies(parameters: Parameters) -> Parameters:
    return [one.detach().clone() for one in parameters]


def with_games(state: Mapping[str, Any], convert: Callable[[Any], Any]) -> dict[str, Any]:
    """Return the state of a `SelfPlay` with its arrays as tensors, or the other way round."""
    return {**state, **{part: convert(state[part]) for part in ("games", "rollout")}}


def tensors(values: Arrays) -> dict[str, Any]:
    return {name: torch.from_numpy(array) for name, array in values.items()}


def arrays(values: Mapping[str, Any]) -> Arrays:
    return {name: tensor.numpy() for name, tensor in values.items()}


def gather_columns(values: Any, columns: Any) -> Any:  # noqa: ANN401 - tensors
    """Pick one column per row: values (n, width), columns (n,), result (n,)."""
    return values.gather(1, columns.long().unsqueeze(1)).squeeze(1)
