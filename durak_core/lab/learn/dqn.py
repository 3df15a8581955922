"""Deep Q-learning: a network that expects what the game will bring, fitted to its own later expectations.

An action is worth what the game brought, if it ended within the seat's next few decisions; else what a
target network, an older copy, expects of the action that the present network values most at the decision
after these (double Q-learning with returns of several steps). Plainly, without ``double`` and with a single
step, it is what the target network expects of its own best action at the next decision. The others' moves
between two decisions of a seat are what the game answers. Actions that are not legal are never chosen,
neither in play nor in a target. The last layer may duel: an output for the state, and one for each action
less the actions' mean.
Values are logits of outcomes from 0 to 1, and the loss is the cross-entropy.

Sources: V. Mnih et al., "Human-level control through deep reinforcement learning", Nature 518, 2015;
H. van Hasselt et al., "Deep Reinforcement Learning with Double Q-learning", AAAI 2016; Z. Wang et al.,
"Dueling Network Architectures for Deep Reinforcement Learning", ICML 2016; M. Hessel et al., "Rainbow:
Combining Improvements in Deep Reinforcement Learning", AAAI 2018.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import torch

from durak_core.lab.learn.arrays import Arrays, Bits, Float32s, Int64s, byte_width, unpacked
from durak_core.lab.learn.network import Parameters, forward
from durak_core.lab.learn.rollout import Samples
from durak_core.lab.learn.selfplay import ExploringTrainer, arrays, copies, gather_columns, tensors
from durak_core.lab.learn.settings import DqnSettings
from durak_core.search.backend.backend import Backend
from durak_core.search.network.encoding import ACTIONS


class Replay:
    """The last decisions, the oldest overwritten first.

    The decisions of one seat in one game stand one after the other, so the decision ``n`` later is ``n``
    places further on; it is always younger, and so there as long as the first one is.
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
        """Keep decisions, not more than there is room for.

        Args:
            decisions: Of k decisions the observations and legal actions, packed, as ``inputs`` and
                ``legal``, uint8, (k, bytes); the chosen ``actions``, int16, (k,); what the game brought as
                ``outcomes``, float32, (k,); and how many decisions of the seat are ``left`` in the game,
                int16, (k,).
        """
        room, n = len(self._arrays["actions"]), len(decisions["actions"])
        places = (self._place + np.arange(n)) % room
        for name, array in self._arrays.items():
            array[places] = decisions[name]
        self._place = (self._place + n) % room
        self.size = min(room, self.size + n)

    def take(self, places: Int64s) -> Arrays:
        """Return the decisions at some places, (k,), as `add` was given them."""
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
    """A run of deep Q-learning, see `durak_core.lab.learn.selfplay.Trainer`."""

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
        """Return weights in the form that acts, see `duelling`."""
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
        """Return what decisions are to be worth, 0 to 1, (k,), by their places in the replay buffer, (k,)."""
        steps, discount = self.settings.n_steps, self.settings.discount
        some = self._replay.take(places)
        targets: Float32s = (some["outcomes"] * discount ** some["left"]).astype(np.float32)
        later = np.flatnonzero(some["left"] >= steps)
        if len(later):
            then = self._replay.take(places[later] + steps)
            legal = torch.from_numpy(unpacked(then["legal"])).bool()
            with torch.no_grad():
                values = self._values(self._target, then["inputs"])
                judged = self._values(self.parameters, then["inputs"]) if self.settings.double else values
                worth = gather_columns(values, best_legal(judged, legal))
                targets[later] = discount**steps * torch.sigmoid(worth).numpy()
        return targets

    def _values(self, parameters: Parameters, inputs: Bits) -> Any:  # noqa: ANN401 - a tensor
        planes = torch.from_numpy(unpacked(inputs, self._games.size)).bfloat16()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            values = forward(self._outputs(parameters), planes)
        return values.float()

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
    """Return the legal action of greatest value in each row, (n,), from values and flags, (n, `ACTIONS`)."""
    return values.masked_fill(~legal, -torch.inf).argmax(1)


def duelling(parameters: Parameters) -> Parameters:
    """Return weights with an output for each action from those that duel (Wang 2016, equation 9).

    The last column is the state's value; the mean of the actions' outputs is taken away from each of them
    and the state's value added. All of it is linear, and so can be done to the weights as well.
    """
    *hidden, weights, biases = parameters
    return [*hidden, *[_duel(one) for one in (weights, biases)]]


def _duel(columns: Any) -> Any:  # noqa: ANN401 - a tensor
    actions, state = columns[..., :ACTIONS], columns[..., ACTIONS:]
    return actions - actions.mean(-1, keepdim=True) + state
