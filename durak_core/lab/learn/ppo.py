"""Proximal policy optimisation.

Actions are sampled from the softmax over the legal ones. A value output next to the action outputs
predicts the outcome. Advantages are TD(lambda) returns minus that prediction, over the seat's own
decisions; opponents' moves are part of the environment.

Sources: J. Schulman et al., "Proximal Policy Optimization Algorithms", 2017; J. Schulman et al.,
"High-Dimensional Continuous Control Using Generalized Advantage Estimation", ICLR 2016.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

import numpy as np

from durak_core.lab.learn._torch import torch
from durak_core.lab.learn.arrays import Arrays, unpacked
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
from durak_core.lab.learn.selfplay import Trainer, gather_columns
from durak_core.lab.learn.settings import PpoSettings
from durak_core.search.network.encoding import ACTIONS

SHARPNESS: Final = 6.0
"""Factor that turns outcome logits into policy logits."""


class PpoTrainer(Trainer[PpoSettings]):
    """A run of proximal policy optimisation."""

    name = "ppo"
    version = "durak-ppo/1"
    outputs = "policy-value"
    noted = ("legal", "log_probabilities")
    later_settings: ClassVar[Mapping[str, Any]] = {"start": ""}

    def _first_parameters(self) -> Parameters:
        settings = self.settings
        if not settings.start:
            return super()._first_parameters()
        known = (self.outputs, "outcome", "outcome-fools")
        network = read_start(settings.start, settings.hidden, self.rules, known)
        parameters = parameters_of(network)
        return parameters if network.about.outputs == self.outputs else preferring(parameters)

    def _make_actor(self, parameters: Parameters, notes: Arrays) -> Actor:
        return Sampler(self.acting(parameters), self._runner.functions, self._chance, notes)

    def _gather(self, samples: Samples) -> None:
        notes, settings = samples.notes, self.settings
        returns = traced(samples.outcomes, samples.values, samples.owners, settings.trace, settings.discount)
        gathered: Arrays = {
            "inputs": self._games.packed(samples.lengths, samples.inputs),
            "legal": notes["legal"],
            "actions": samples.actions.astype(np.int64),
            "log_probabilities": notes["log_probabilities"],
            "advantages": returns - expected(samples.values),
            "returns": returns,
        }
        self._keep(gathered)

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
        outputs = outputs_of(self.parameters, unpacked(some["inputs"], self._games.size))
        legal = torch.from_numpy(unpacked(some["legal"])).bool()
        every = legal_log_probabilities(outputs[:, :ACTIONS], legal)
        chosen = gather_columns(every, torch.from_numpy(some["actions"]))
        before = torch.from_numpy(some["log_probabilities"])
        policy = clipped_loss(chosen, before, torch.from_numpy(some["advantages"]), settings.clip)
        entropy = -(every.exp() * every.masked_fill(~legal, 0.0)).sum(1).mean()
        value = torch.nn.functional.binary_cross_entropy_with_logits(
            outputs[:, ACTIONS], torch.from_numpy(some["returns"])
        )
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
