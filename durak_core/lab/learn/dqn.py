"""Deep Q-learning: a value network fitted to its own n-step targets.

A target is the game's outcome if the game ends within the seat's next n decisions. Otherwise the target
network evaluates the decision n later: its own best action, or with ``double`` the online network's.
Opponents' moves are part of the environment, and illegal actions are masked. With ``dueling`` the last
layer has a state value and one advantage per action. Values are logits of outcomes in [0, 1]; the loss
is cross-entropy.

Sources: V. Mnih et al., "Human-level control through deep reinforcement learning", Nature 518, 2015;
H. van Hasselt et al., "Deep Reinforcement Learning with Double Q-learning", AAAI 2016; Z. Wang et al.,
"Dueling Network Architectures for Deep Reinforcement Learning", ICML 2016; M. Hessel et al., "Rainbow:
Combining Improvements in Deep Reinforcement Learning", AAAI 2018.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from durak_core.lab.learn._torch import torch
from durak_core.lab.learn.arrays import Arrays, Bits, Float32s, Int64s, byte_width, unpacked
from durak_core.lab.learn.network import Parameters, outputs_of
from durak_core.lab.learn.rollout import Samples
from durak_core.lab.learn.selfplay import ExploringTrainer, arrays, copies, gather_columns, tensors
from durak_core.lab.learn.settings import DqnSettings
from durak_core.search.backend.backend import Backend
from durak_core.search.network.encoding import ACTIONS


class Replay:
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


class DqnTrainer(ExploringTrainer[DqnSettings]):
    """A deep Q-learning run."""

    name = "dqn"
    version = "durak-dqn/1"
    outputs = "outcome"
    noted = ("legal",)
    later_settings: ClassVar[Mapping[str, Any]] = {"double": True, "dueling": True}

    def __init__(self, settings: DqnSettings, runner: Backend | None = None) -> None:
        super().__init__(settings, runner)
        self._replay = Replay(settings.replay, self._games.size)
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

    def _gather(self, samples: Samples) -> None:
        samples, counts = samples.by_owner()
        n = len(samples.actions)
        self._replay.add(
            {
                "inputs": self._games.packed(samples.lengths, samples.inputs),
                "legal": samples.notes["legal"],
                "actions": samples.actions,
                "outcomes": samples.outcomes,
                "left": np.repeat(np.cumsum(counts), counts) - 1 - np.arange(n),
            }
        )
        if self._replay.size >= self.settings.replay_start:
            self._owed += n * self.settings.reuse

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
        return outputs_of(self._outputs(parameters), unpacked(inputs, self._games.size))

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
    return [*hidden, *[_duel(one) for one in (weights, biases)]]


def _duel(columns: Any) -> Any:  # noqa: ANN401 - a tensor
    actions, state = columns[..., :ACTIONS], columns[..., ACTIONS:]
    return actions - actions.mean(-1, keepdim=True) + state
