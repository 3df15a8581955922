"""Deep Monte Carlo: a network fitted to the outcomes of finished games.

Every decision of a finished game is one sample and is used once. Outcomes are noisy; ``trace`` blends
them with later value estimates from the same game. The first games are a warm start played by a fixed
policy, which costs little: acting greedily on that policy's values already beats it.

Source: D. Zha et al., "DouZero: Mastering DouDizhu with Self-Play Deep Reinforcement Learning", ICML 2021.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from durak_core.lab.learn._torch import torch
from durak_core.lab.learn.arrays import Arrays
from durak_core.lab.learn.network import Parameters, outputs_of, parameters_of, read_start, with_outputs
from durak_core.lab.learn.rollout import Samples, traced
from durak_core.lab.learn.selfplay import ExploringTrainer, gather_columns
from durak_core.lab.learn.settings import DmcSettings
from durak_core.search.backend.backend import Backend
from durak_core.search.network.encoding import ACTIONS


class DmcTrainer(ExploringTrainer[DmcSettings]):
    """A deep Monte Carlo run."""

    name = "dmc"
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
        self._planes = np.zeros((settings.batch, self._games.size), np.int8)

    def _first_parameters(self) -> Parameters:
        settings = self.settings
        if not settings.start:
            return super()._first_parameters()
        network = read_start(settings.start, settings.hidden, self.rules, ("outcome", "outcome-fools"))
        parameters = with_outputs(parameters_of(network), self.columns)
        for one in parameters[:-2] if settings.freeze else ():
            one.requires_grad_(False)
        return parameters

    def _gather(self, samples: Samples) -> None:
        targets = traced(samples.outcomes, samples.values, samples.owners, self.settings.trace)
        samples = replace(samples, outcomes=targets)
        kept = np.flatnonzero(self._chance.random(len(targets)) < self.settings.keep)
        names = ["inputs", "lengths", "actions", "outcomes", *["fools"] * self.settings.others]
        self._keep({name: getattr(samples, name)[kept] for name in names})

    def _learn(self) -> None:
        batch = self.settings.batch
        while len(self._gathered.get("outcomes", ())) >= batch:
            self._fit({name: array[:batch] for name, array in self._gathered.items()})
            self._gathered = {name: array[batch:] for name, array in self._gathered.items()}

    def _fit(self, some: Arrays) -> None:
        self._runner.functions["write_planes"](some["lengths"], some["inputs"], self._planes)
        values = outputs_of(self.parameters, self._planes)
        loss = torch.zeros(())
        if not self.settings.freeze:
            chosen = gather_columns(values, torch.from_numpy(some["actions"]))
            targets = torch.from_numpy(some["outcomes"])
            loss = torch.nn.functional.binary_cross_entropy_with_logits(chosen, targets)
        if self.settings.others:
            fools = torch.from_numpy(some["fools"])
            loss += torch.nn.functional.cross_entropy(values[fools > 0, ACTIONS:], fools[fools > 0] - 1)
        self._descend(loss)
        self.tally.add(loss=float(loss.detach()))
