"""Deep Monte Carlo: a network that expects, for a decision, what the game will bring.

Many games are played side by side; the learner plays what it values most, and sometimes anything. When
a game is over, every decision of the learner becomes a sample with the game's outcome, and the network
is fitted to these by Adam, each sample once. What is learnt is the expected outcome of an action when the
game goes on as the learner plays. Outcomes are noisy, since the cards decide much; blended with what was
expected later in the same game they teach more (`trace`). In the first games a teacher, one of
the policies, plays the learner's part: they cost next to nothing, and whoever plays what promises most
when a sensible player goes on plays better than that player.

Source: D. Zha et al., "DouZero: Mastering DouDizhu with Self-Play Deep Reinforcement Learning", ICML 2021.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch

from durak_core.kernel.random import AGENTS_STREAM, derive
from durak_core.learn.network import Actor, Parameters, blend, forward, initial_parameters, parameters_of
from durak_core.learn.opponents import against_policy, company
from durak_core.learn.rollout import Chooser, Rollout, Teacher, outcome
from durak_core.learn.settings import DmcSettings, SettingsError
from durak_core.learn.vector import Setting, VectorGames, active_width
from durak_core.rules import Rules
from durak_core.search.backend import Backend, backend
from durak_core.search.batch import POLICIES
from durak_core.search.encoding import ACTIONS, input_size
from durak_core.search.weights import read_network

__all__ = ["Counts", "DmcTrainer", "play_policy"]

_PAST_STEPS: Final = 200
"""After so many steps of all games another earlier self plays."""

_EVALUATION_STREAM: Final = 1 << 40

_GATHERED: Final = ("inputs", "lengths", "actions", "outcomes")


@dataclass(slots=True)
class Counts:
    """How far training is.

    Attributes:
        games: Games ended.
        decisions: Decisions taken in all games.
        samples: Decisions learnt from.
        updates: Steps of learning.
        steps: Steps of all games.
    """

    games: int = 0
    decisions: int = 0
    samples: int = 0
    updates: int = 0
    steps: int = 0


@dataclass(slots=True)
class Tally:
    """What happened since it was last read: losses, and the learner's outcomes by opponent."""

    loss: float = 0.0
    updates: int = 0
    outcomes: dict[str, list[float]] = field(default_factory=dict)


class DmcTrainer:
    """A training run in memory; the same settings give the same run, step by step.

    Attributes:
        settings: What is to be done.
        counts: How far it is.
        tally: What happened lately; whoever reads it may put a new one in its place.
        average: The averaged weights, those that play when training is over.

    Args:
        settings: What is to be done.
        runner: Where games are played; by default machine code.

    Raises:
        SettingsError: If the weights to begin with are for other layers.
        AgentError: If they cannot be read.
    """

    def __init__(self, settings: DmcSettings, runner: Backend | None = None) -> None:
        torch.set_num_threads(1)
        self.settings = settings
        self.counts = Counts()
        self.tally = Tally()
        self.rules = Rules.parse(settings.rules)
        self._runner = runner or backend("learn")
        seats = self.rules.seats
        size = input_size(seats)
        self._company = company(settings.opponents, seats, settings.seed)
        setting = Setting(self.rules, settings.seed, self._company.line_ups, skips=True)
        self._games = VectorGames(setting, settings.tables, self._runner)
        functions = self._runner.functions
        state = derive(settings.seed, AGENTS_STREAM)
        self._rollout = Rollout(self._games, self._company.cast, state, settings.trace)
        self._chance = np.random.default_rng(settings.seed)
        self._parameters = self._first_parameters(size)
        self.average: Parameters = [one.detach().clone() for one in self._parameters]
        self._past: list[Parameters] = [[one.detach().clone() for one in self._parameters]]
        self._past_in_play = 0
        self._adam = torch.optim.Adam(self._parameters, lr=settings.rate, fused=True)
        self._learner = Actor(self._parameters, functions)
        self._veteran = Actor(self._past[0], functions)
        self._teacher = Teacher(POLICIES[settings.teacher])
        self._inputs: npt.NDArray[np.int16] = np.zeros((0, active_width(self.rules)), np.int16)
        self._lengths: npt.NDArray[np.int64] = np.zeros(0, np.int64)
        self._actions: npt.NDArray[np.int16] = np.zeros(0, np.int16)
        self._outcomes: npt.NDArray[np.float32] = np.zeros(0, np.float32)
        self._planes = np.zeros((settings.batch, size), np.int8)
        self._games.reset()

    @property
    def is_done(self) -> bool:
        """Whether as many games were played as there should be."""
        return self.counts.games >= self.settings.games

    @property
    def epsilon(self) -> float:
        """How often any action is tried now."""
        settings = self.settings
        if self.counts.games < settings.teacher_games:
            return settings.epsilon
        way = min(1.0, (self.counts.games - settings.teacher_games) / settings.epsilon_games)
        return settings.epsilon + way * (settings.last_epsilon - settings.epsilon)

    @property
    def rate(self) -> float:
        """Adam's step size now."""
        return self.settings.rate / (1 + self.counts.games / self.settings.rate_games)

    def step(self) -> None:
        """Take a decision in every game, and learn as often as enough decisions have been gathered."""
        if self.counts.steps % _PAST_STEPS == 0:
            self._past_in_play = int(self._chance.integers(len(self._past)))
            self._veteran.take(self._past[self._past_in_play])
        taught = self.counts.games < self.settings.teacher_games
        first: Chooser = self._teacher if taught else self._learner
        ended = self._rollout.step((first, self._veteran), self.epsilon)
        self.counts.steps += 1
        self.counts.decisions += self._games.games
        if len(ended):
            self._gather(ended)
        while len(self._outcomes) >= self.settings.batch:
            self._learn()

    def actor(self) -> Actor:
        """Return the averaged network, to play with."""
        return Actor(self.average, self._runner.functions)

    def evaluate(self, policy: str, games: int) -> npt.NDArray[np.float32]:
        """Return the averaged network's outcomes of games against a policy, the same deals each time."""
        setting = Setting(self.rules, derive(self.settings.seed, _EVALUATION_STREAM))
        return play_policy(self.actor(), setting, policy, games, self._runner)

    def _first_parameters(self, size: int) -> Parameters:
        settings = self.settings
        if not settings.start:
            active = self.rules.deck_size + 6 * self.rules.seats
            return initial_parameters(size, settings.hidden, active, settings.seed)
        network = read_network(Path(settings.start))
        widths = (size, *settings.hidden, ACTIONS)
        if network.about.widths != widths:
            raise SettingsError(
                f"start={settings.start}: its layers are {network.about.widths}, and the run's {widths}"
            )
        return parameters_of(network)

    def _gather(self, ended: npt.NDArray[np.int64]) -> None:
        before = self.counts.games
        self.counts.games += len(ended)
        rows = self._games.ended[ended] % len(self._company.kinds)
        for slot, row in zip(ended, rows, strict=True):
            result = outcome(self._games.rewards[slot, self._company.seats[row]])
            self.tally.outcomes.setdefault(self._company.kinds[row], []).append(float(result))
        samples = self._rollout.harvest(ended)
        kept = np.flatnonzero(self._chance.random(len(samples.outcomes)) < self.settings.keep)
        self._inputs = np.concatenate([self._inputs, samples.inputs[kept]])
        self._lengths = np.concatenate([self._lengths, samples.lengths[kept]])
        self._actions = np.concatenate([self._actions, samples.actions[kept]])
        self._outcomes = np.concatenate([self._outcomes, samples.outcomes[kept]])
        if before // self.settings.past_games != self.counts.games // self.settings.past_games:
            self._past.append([one.clone() for one in self.average])
            if len(self._past) > self.settings.past:
                del self._past[int(self._chance.integers(len(self._past) - 1))]

    def _learn(self) -> None:
        batch = self.settings.batch
        self._runner.functions["write_planes"](self._lengths[:batch], self._inputs[:batch], self._planes)
        targets = torch.from_numpy(self._outcomes[:batch])
        actions = torch.from_numpy(self._actions[:batch].astype(np.int64)).unsqueeze(1)
        inputs = torch.from_numpy(self._planes).bfloat16()
        self._adam.param_groups[0]["lr"] = self.rate
        self._adam.zero_grad(set_to_none=True)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            values = forward(self._parameters, inputs)
        chosen = values.float().gather(1, actions).squeeze(1)
        loss = torch.nn.functional.binary_cross_entropy_with_logits(chosen, targets)
        loss.backward()
        self._adam.step()
        updates = self.counts.updates
        blend(self.average, self._parameters, max(self.settings.average, 1 / (updates + 1)))
        self._learner.take(self._parameters)
        self._inputs = self._inputs[batch:]
        self._lengths = self._lengths[batch:]
        self._actions = self._actions[batch:]
        self._outcomes = self._outcomes[batch:]
        self.counts.samples += batch
        self.counts.updates += 1
        self.tally.loss += float(loss.detach())
        self.tally.updates += 1

    def state(self) -> dict[str, Any]:
        """Return everything that changes, as tensors, numbers and texts."""
        adam = [self._adam.state[one] for one in self._parameters]
        return {
            "counts": {name: getattr(self.counts, name) for name in Counts.__slots__},
            "parameters": [one.detach() for one in self._parameters],
            "average": self.average,
            "adam": [dict(one) for one in adam],
            "past": self._past,
            "past_in_play": self._past_in_play,
            "chance": json.dumps(self._chance.bit_generator.state),
            "games": _tensors(self._games.state()),
            "rollout": _tensors(self._rollout.state()),
            "gathered": _tensors({name: getattr(self, f"_{name}") for name in _GATHERED}),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Take up what `state` returned, for the same settings."""
        for name, value in state["counts"].items():
            setattr(self.counts, name, value)
        with torch.no_grad():
            for mine, kept in zip(self._parameters, state["parameters"], strict=True):
                mine.copy_(kept)
        for one, kept in zip(self._parameters, state["adam"], strict=True):
            self._adam.state[one] = dict(kept)
        self.average = state["average"]
        self._past = state["past"]
        self._past_in_play = state["past_in_play"]
        self._veteran.take(self._past[self._past_in_play])
        self._learner.take(self._parameters)
        self._chance.bit_generator.state = json.loads(state["chance"])
        self._games.restore(_arrays(state["games"]))
        self._rollout.restore(_arrays(state["rollout"]))
        for name, array in _arrays(state["gathered"]).items():
            setattr(self, f"_{name}", array)


def _tensors(arrays: dict[str, npt.NDArray[Any]]) -> dict[str, Any]:
    return {name: torch.from_numpy(array) for name, array in arrays.items()}


def _arrays(tensors: dict[str, Any]) -> dict[str, npt.NDArray[Any]]:
    return {name: tensor.numpy() for name, tensor in tensors.items()}


def play_policy(
    actor: Actor, setting: Setting, policy: str, games: int, runner: Backend
) -> npt.NDArray[np.float32]:
    """Let a network play against a policy, from seat to seat.

    Args:
        actor: The network; it plays what it values most.
        setting: Rules and seed.
        policy: A name of `durak_core.search.batch.POLICIES`; it has all other seats.
        games: How many.
        runner: Where they are played.

    Returns:
        The network's outcome of each game.
    """
    seats = setting.rules.seats
    lines = against_policy(policy, seats)
    table = VectorGames(Setting(setting.rules, setting.seed, lines.line_ups, skips=True), games, runner)
    table.reset()
    rollout = Rollout(table, lines.cast, 1)
    results = np.full(games, np.nan, np.float32)
    while np.isnan(results).any():
        ended = rollout.step((actor,), 0.0)
        rollout.harvest(ended)
        first = ended[table.ended[ended] < games]
        results[first] = outcome(table.rewards[first, table.ended[first] % seats])
    return results
