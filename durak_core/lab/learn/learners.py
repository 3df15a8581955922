"""The learners: deep Monte Carlo, deep Q-learning and proximal policy optimisation.

Every decision of a finished game is one sample and is used once. Outcomes are noisy; ``trace`` blends
them with later value estimates from the same game. The first games are a warm start played by a fixed
policy, which costs little: acting greedily on that policy's values already beats it.

Source: D. Zha et al., "DouZero: Mastering DouDizhu with Self-Play Deep Reinforcement Learning", ICML 2021.

A target is the game's outcome if the game ends within the seat's next n decisions. Otherwise the target
network evaluates the decision n later: its own best action, or with ``double`` the online network's.
Opponents' moves are part of the environment, and illegal actions are masked. With ``dueling`` the last
layer has a state value and one advantage per action. Values are logits of outcomes in [0, 1]; the loss
is cross-entropy.

Sources: V. Mnih et al., "Human-level control through deep reinforcement learning", Nature 518, 2015;
H. van Hasselt et al., "Deep Reinforcement Learning with Double Q-learning", AAAI 2016; Z. Wang et al.,
"Dueling Network Architectures for Deep Reinforcement Learning", ICML 2016; M. Hessel et al., "Rainbow:
Combining Improvements in Deep Reinforcement Learning", AAAI 2018.

Actions are sampled from the softmax over the legal ones. A value output next to the action outputs
predicts the outcome. Advantages are TD(lambda) returns minus that prediction, over the seat's own
decisions; opponents' moves are part of the environment.

Sources: J. Schulman et al., "Proximal Policy Optimization Algorithms", 2017; J. Schulman et al.,
"High-Dimensional Continuous Control Using Generalized Advantage Estimation", ICLR 2016.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Final

import numpy as np

from durak_core.lab.learn._torch import torch
from durak_core.lab.learn.arrays import Arrays, Bits, Float32s, Int64s, byte_width, unpacked
from durak_core.lab.learn.network import (
    Actor,
    Parameters,
    Sampler,
    outputs_of,
    parameters_of,
    read_start,
    with_outputs,
)
from durak_core.lab.learn.rollout import Samples, expected, traced
from durak_core.lab.learn.selfplay import (
    ExploringTrainer,
    SelfPlay,
    Trainer,
    arrays,
    copies,
    gather_columns,
    tensors,
)
from durak_core.lab.learn.settings import DmcSettings, DqnSettings, PpoSettings
from durak_core.search.backend.backend import Backend
from durak_core.search.network.encoding import ACTIONS


class DmcPlay(SelfPlay):
    """Games of deep Monte Carlo."""

    settings: DmcSettings

    def gather(self, samples: Samples) -> Arrays:
        targets = traced(samples.outcomes, samples.values, samples.owners, self.settings.trace)
        samples = replace(samples, outcomes=targets)
        kept = np.flatnonzero(self.chance.random(len(targets)) < self.settings.keep)
        names = ["inputs", "lengths", "actions", "outcomes", *["fools"] * self.settings.others]
        return {name: getattr(samples, name)[kept] for name in names}


class DmcTrainer(ExploringTrainer[DmcSettings]):
    """A deep Monte Carlo run."""

    name = "dmc"
    player_kind = DmcPlay
    version = "durak-dmc/2"
    later_settings: ClassVar[Mapping[str, Any]] = {
        "trace": 1.0,
        "start": "",
        "others": False,
        "freeze": False,
    }

    def __init__(self, settings: DmcSettings, runner: Backend | None = None) -> None:
        self.outputs = "outcome-fools" if settings.others else "outcome"
        super().__init__(settings, runner)
        self._planes = np.zeros((settings.batch, self.play.games.size), np.int8)

    def _first_parameters(self) -> Parameters:
        settings = self.settings
        if not settings.start:
            return super()._first_parameters()
        network = read_start(settings.start, settings.hidden, self.rules, ("outcome", "outcome-fools"))
        parameters = with_outputs(parameters_of(network), self.columns)
        for one in parameters[:-2] if settings.freeze else ():
            one.requires_grad_(False)
        return parameters

    def _learn(self) -> None:
        batch = self.settings.batch
        while len(self._gathered.get("outcomes", ())) >= batch:
            self._fit({name: array[:batch] for name, array in self._gathered.items()})
            self._gathered = {name: array[batch:] for name, array in self._gathered.items()}

    def _fit(self, some: Arrays) -> None:
        self._runner.functions["write_planes"](some["lengths"], some["inputs"], self._planes)
        values, told = outputs_of(self.parameters, self._planes), tensors(some)
        loss = torch.zeros(())
        if not self.settings.freeze:
            chosen = gather_columns(values, told["actions"])
            loss = torch.nn.functional.binary_cross_entropy_with_logits(chosen, told["outcomes"])
        if self.settings.others:
            fools = told["fools"]
            loss += torch.nn.functional.cross_entropy(values[fools > 0, ACTIONS:], fools[fools > 0] - 1)
        self._descend(loss)
        self.tally.add(loss=float(loss.detach()))


class ReplayBuffer:
    """A ring buffer of decisions.

    One seat's decisions in one game are adjacent, so the decision n later is n places further on.
    """

    def __init__(self, room: int, inputs: int) -> None:
        self.size = 0
        self._place = 0
        self._arrays: Arrays = {
            "inputs": np.zeros((room, byte_width(inputs)), np.uint8),
            "legal": np.zeros((room, byte_width(ACTIONS)), np.uint8),
            "actions": np.zeros(room, np.int16),
            "outcomes": np.zeros(room, np.float32),
            "left": np.zeros(room, np.int16),
        }

    def add(self, decisions: Arrays) -> None:
        """Store k decisions, at most the capacity.

        ``inputs`` and ``legal`` are bit-packed, uint8, (k, bytes); ``actions`` are int16, (k,); ``outcomes``
        float32, (k,); and ``left``, the seat's later decisions in the game, int16, (k,).
        """
        room, n = len(self._arrays["actions"]), len(decisions["actions"])
        places = (self._place + np.arange(n)) % room
        for name, array in self._arrays.items():
            array[places] = decisions[name]
        self._place = (self._place + n) % room
        self.size = min(room, self.size + n)

    def take(self, places: Int64s) -> Arrays:
        return {name: array[places % len(array)] for name, array in self._arrays.items()}

    def state(self) -> dict[str, Any]:
        return {"place": self._place, **tensors({name: a[: self.size] for name, a in self._arrays.items()})}

    def restore(self, state: dict[str, Any]) -> None:
        kept = dict(state)
        self._place = kept.pop("place")
        for name, array in arrays(kept).items():
            self.size = len(array)
            self._arrays[name][: self.size] = array


class DqnPlay(SelfPlay):
    """Games of deep Q-learning."""

    noted = ("legal",)

    def gather(self, samples: Samples) -> Arrays:
        samples, counts = samples.by_owner()
        n = len(samples.actions)
        return {
            "inputs": self.games.packed(samples.lengths, samples.inputs),
            "legal": samples.notes["legal"],
            "actions": samples.actions,
            "outcomes": samples.outcomes,
            "left": np.repeat(np.cumsum(counts), counts) - 1 - np.arange(n),
        }


class DqnTrainer(ExploringTrainer[DqnSettings]):
    """A deep Q-learning run."""

    name = "dqn"
    version = "durak-dqn/1"
    outputs = "outcome"
    player_kind = DqnPlay
    later_settings: ClassVar[Mapping[str, Any]] = {"double": True, "dueling": True}

    def __init__(self, settings: DqnSettings, runner: Backend | None = None) -> None:
        super().__init__(settings, runner)
        self._replay = ReplayBuffer(settings.replay, self.play.games.size)
        self._owed = 0.0
        self._target = copies(self.parameters)

    @property
    def columns(self) -> int:
        return ACTIONS + int(self.settings.dueling)

    def acting(self, parameters: Parameters) -> Parameters:
        with torch.no_grad():
            return self._outputs(parameters)

    def gauges(self) -> dict[str, float]:
        return {**super().gauges(), "replay": self._replay.size}

    def _keep(self, columns: Arrays) -> None:
        self._replay.add(columns)
        if self._replay.size >= self.settings.replay_start:
            self._owed += len(columns["actions"]) * self.settings.reuse

    def _learn(self) -> None:
        while self._owed >= self.settings.batch:
            self._owed -= self.settings.batch
            self._fit(self._chance.integers(self._replay.size, size=self.settings.batch))
            if self.counts.updates % self.settings.target_updates == 0:
                self._target = copies(self.parameters)

    def _fit(self, places: Int64s) -> None:
        some = self._replay.take(places)
        targets = torch.from_numpy(self.targets(places))
        values = self._values(self.parameters, some["inputs"])
        chosen = gather_columns(values, torch.from_numpy(some["actions"]))
        loss = torch.nn.functional.binary_cross_entropy_with_logits(chosen, targets)
        self._descend(loss)
        self.tally.add(loss=float(loss.detach()), q=float(torch.sigmoid(chosen.detach()).mean()))

    def targets(self, places: Int64s) -> Float32s:
        steps, discount = self.settings.n_steps, self.settings.discount
        some = self._replay.take(places)
        targets: Float32s = (some["outcomes"] * discount ** some["left"]).astype(np.float32)
        later = np.flatnonzero(some["left"] >= steps)
        if len(later):
            then = self._replay.take(places[later] + steps)
            legal = torch.from_numpy(unpacked(then["legal"])).bool()
            with torch.no_grad():
                values = self._values(self._target, then["inputs"])
                online = self._values(self.parameters, then["inputs"]) if self.settings.double else values
                best = gather_columns(values, best_legal(online, legal))
                targets[later] = discount**steps * torch.sigmoid(best).numpy()
        return targets

    def _values(self, parameters: Parameters, inputs: Bits) -> Any:  # noqa: ANN401 - a tensor
        return outputs_of(self._outputs(parameters), unpacked(inputs, self.play.games.size))

    def _outputs(self, parameters: Parameters) -> Parameters:
        return duelling(parameters) if self.settings.dueling else parameters

    def state(self) -> dict[str, Any]:
        mine = {"replay": self._replay.state(), "owed": self._owed, "target": self._target}
        return {**super().state(), **mine}

    def restore(self, state: dict[str, Any]) -> None:
        super().restore(state)
        self._replay.restore(state["replay"])
        self._owed = state["owed"]
        self._target = state["target"]


def best_legal(values: Any, legal: Any) -> Any:  # noqa: ANN401 - tensors
    """Return each row's best legal action, (n,); both arguments are (n, `ACTIONS`)."""
    return values.masked_fill(~legal, -torch.inf).argmax(1)


def duelling(parameters: Parameters) -> Parameters:
    """Fold a dueling last layer into plain action values (Wang 2016, equation 9).

    Q(s, a) = V(s) + A(s, a) - mean A(s, ·) is linear, so it applies to the weights. V is the last column.
    """
    *hidden, weights, biases = parameters
    folded = [
        one[..., :ACTIONS] - one[..., :ACTIONS].mean(-1, keepdim=True) + one[..., ACTIONS:]
        for one in (weights, biases)
    ]
    return [*hidden, *folded]


SHARPNESS: Final = 6.0
"""Factor that turns outcome logits into policy logits."""


class PpoPlay(SelfPlay):
    """Games of proximal policy optimisation."""

    settings: PpoSettings
    noted = ("legal", "log_probabilities")

    def make_actor(self, parameters: Parameters, notes: Arrays) -> Actor:
        return Sampler(parameters, self.runner.functions, self.chance, notes)

    def gather(self, samples: Samples) -> Arrays:
        notes, settings = samples.notes, self.settings
        returns = traced(samples.outcomes, samples.values, samples.owners, settings.trace, settings.discount)
        return {
            "inputs": self.games.packed(samples.lengths, samples.inputs),
            "legal": notes["legal"],
            "actions": samples.actions.astype(np.int64),
            "log_probabilities": notes["log_probabilities"],
            "advantages": returns - expected(samples.values),
            "returns": returns,
        }


class PpoTrainer(Trainer[PpoSettings]):
    """A run of proximal policy optimisation."""

    name = "ppo"
    version = "durak-ppo/1"
    outputs = "policy-value"
    player_kind = PpoPlay
    later_settings: ClassVar[Mapping[str, Any]] = {"start": ""}

    def _first_parameters(self) -> Parameters:
        settings = self.settings
        if not settings.start:
            return super()._first_parameters()
        known = (self.outputs, "outcome", "outcome-fools")
        network = read_start(settings.start, settings.hidden, self.rules, known)
        parameters = parameters_of(network)
        return parameters if network.about.outputs == self.outputs else preferring(parameters)

    def _learn(self) -> None:
        n, batch = len(self._gathered.get("actions", ())), self.settings.batch
        if n < self.settings.horizon:
            return
        gained = self._gathered["advantages"]
        self._gathered["advantages"] = (gained - gained.mean()) / (gained.std() + 1e-8)
        for _ in range(self.settings.epochs):
            order = self._chance.permutation(n)
            for start in range(0, n - batch + 1, batch):
                places = order[start : start + batch]
                self._fit({name: array[places] for name, array in self._gathered.items()})
        self._gathered = {name: array[:0] for name, array in self._gathered.items()}

    def _fit(self, some: Arrays) -> None:
        settings = self.settings
        outputs = outputs_of(self.parameters, unpacked(some["inputs"], self.play.games.size))
        legal = torch.from_numpy(unpacked(some["legal"])).bool()
        every, told = legal_log_probabilities(outputs[:, :ACTIONS], legal), tensors(some)
        chosen, before = gather_columns(every, told["actions"]), told["log_probabilities"]
        policy = clipped_loss(chosen, before, told["advantages"], settings.clip)
        entropy = -(every.exp() * every.masked_fill(~legal, 0.0)).sum(1).mean()
        value = torch.nn.functional.binary_cross_entropy_with_logits(outputs[:, ACTIONS], told["returns"])
        loss = policy + settings.value * value - settings.entropy * entropy
        self._descend(loss, settings.max_gradient)
        with torch.no_grad():
            change = chosen - before
            ratio = change.exp()
            clipped = ((ratio - 1).abs() > settings.clip).float().mean()
            self.tally.add(
                loss=float(loss),
                policy_loss=float(policy),
                value_loss=float(value),
                entropy=float(entropy),
                kl=float((ratio - 1 - change).mean()),
                clip_fraction=float(clipped),
            )


def preferring(parameters: Parameters) -> Parameters:
    """Turn outcome logits, times `SHARPNESS`, into policy logits, and add a value output of one half.

    A loser-prediction head is cut off.
    """
    *hidden, weights, biases = with_outputs(parameters, ACTIONS)
    with torch.no_grad():
        last = [
            torch.cat([SHARPNESS * one, torch.zeros_like(one[..., :1])], -1).requires_grad_()
            for one in (weights, biases)
        ]
    return [*hidden, *last]


def legal_log_probabilities(outputs: Any, legal: Any) -> Any:  # noqa: ANN401 - tensors
    """Return log-softmax over the legal actions, minus infinity elsewhere; all are (n, `ACTIONS`)."""
    return torch.log_softmax(outputs.masked_fill(~legal, -torch.inf), dim=1)


def clipped_loss(log_probabilities: Any, before: Any, gained: Any, clip: float) -> Any:  # noqa: ANN401 - tensors
    """Return the clipped surrogate loss (Schulman 2017, equation 7).

    ``log_probabilities``, their values ``before`` and the advantages ``gained`` are float32, (n,). ``clip``
    limits the change of the probability ratio.
    """
    ratio = (log_probabilities - before).exp()
    return -torch.minimum(ratio * gained, ratio.clamp(1 - clip, 1 + clip) * gained).mean()
