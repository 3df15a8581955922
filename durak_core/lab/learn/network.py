"""The network in training: ReLU layers over sparse binary inputs, one output per action.

The first layer has a weight row per input, as `search/network/weights.py` expects. Inference sums
the rows of active inputs and runs the other layers as matrix products.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np

from durak_core.agents.learned import LEARNED, shipped_network
from durak_core.config import ConfigError
from durak_core.errors import AgentError
from durak_core.kernel.position import MAX_ACTIONS
from durak_core.lab.learn._torch import torch
from durak_core.lab.learn.arrays import Arrays, Float32s, Int64s
from durak_core.lab.learn.rollout import Memory
from durak_core.lab.learn.vector import VectorGames
from durak_core.rules import Rules
from durak_core.search.network.encoding import ACTIONS, input_size
from durak_core.search.network.weights import Network, read_network

Parameters: TypeAlias = list[Any]
"""float32 tensors: each layer's weights, (inputs, units), and biases, (units,), from input to output."""

PRECISION: Final = torch.bfloat16 if "AVX512" in torch.backends.cpu.get_cpu_capability() else torch.float32
"""The type of matrix products; processors that emulate bfloat16 take forty times as long."""


def initial_parameters(
    inputs: int, hidden: Sequence[int], active: int, seed: int, outputs: int = ACTIONS
) -> Parameters:
    """Draw He-initialised weights (K. He et al., "Delving Deep into Rectifiers", ICCV 2015).

    ``active`` approximates the number of active inputs and serves as the first layer's fan-in.
    """
    chance = torch.Generator().manual_seed(seed)
    parameters: Parameters = []
    before, seen = inputs, active
    for layer, width in enumerate((*hidden, outputs)):
        scale = (2 / seen) ** 0.5 if layer < len(hidden) else 0.01
        weight = torch.randn(before, width, generator=chance) * scale
        parameters += [weight.requires_grad_(), torch.zeros(width).requires_grad_()]
        before = seen = width
    return parameters


def parameters_of(network: Network) -> Parameters:
    layers = [torch.tensor(np.array(rows)) for rows in network.layers()]
    return [part.clone().requires_grad_() for layer in layers for part in (layer[:-1], layer[-1])]


def with_outputs(parameters: Parameters, outputs: int) -> Parameters:
    """Return a network with its first outputs, and zeros for missing ones."""
    missing = outputs - parameters[-1].shape[0]
    weights, biases = parameters[-2].detach(), parameters[-1].detach()
    last = torch.nn.functional.pad(weights, (0, missing)), torch.nn.functional.pad(biases, (0, missing))
    return [*parameters[:-2], *[one.requires_grad_() for one in last]]


def read_start(start: str, hidden: Sequence[int], rules: Rules, outputs: Sequence[str]) -> Network:
    """Read the network that initialises a run: a file, or a learner's shipped network.

    Raises:
        ConfigError: If it cannot be read, its layers differ, its outputs are none of ``outputs``, or no
            network ships for the rules.
    """
    names = [info.name for info in LEARNED]
    try:
        network = shipped_network(start, rules) if start in names else read_network(Path(start))
    except AgentError as error:
        raise ConfigError(f"{error}; expected a file of a network, or {', '.join(names)}", "start") from None
    if network is None:
        raise ConfigError(f"the package has no such network for {rules}", "start", start)
    if network.about.outputs not in outputs:
        message = f"its outputs are {network.about.outputs!r}: expected {' or '.join(outputs)}"
        raise ConfigError(message, "start", start)
    its, layers = network.about.widths[:-1], (input_size(rules.seats), *hidden)
    if its != layers:
        raise ConfigError(f"its layers are {its}, and the run's {layers}", "start", start)
    return network


def forward(parameters: Parameters, inputs: Any) -> Any:  # noqa: ANN401 - tensors
    """Return the outputs, (n, outputs), for binary inputs, (n, inputs), in the parameters' dtype."""
    units = inputs
    for layer in range(0, len(parameters) - 2, 2):
        units = torch.relu(torch.addmm(parameters[layer + 1], units, parameters[layer]))
    return torch.addmm(parameters[-1], units, parameters[-2])


def outputs_of(parameters: Parameters, planes: Any) -> Any:  # noqa: ANN401 - arrays and tensors
    """Return `forward` in float32 for an array of zeros and ones, with products in `PRECISION`."""
    inputs = torch.from_numpy(planes).to(PRECISION)
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=PRECISION is torch.bfloat16):
        return forward(parameters, inputs).float()


def blend(average: Parameters, parameters: Parameters, share: float) -> None:
    with torch.no_grad():
        torch._foreach_lerp_(average, parameters, share)


class Actor:
    """A frozen network that chooses greedily in many games at once."""

    def __init__(self, parameters: Parameters, functions: Mapping[str, Callable[..., Any]]) -> None:
        self._gather_active = functions["gather_active"]
        self._choose_rows = functions["choose_rows"]
        self._active = self._starts = np.zeros(0, np.int32)
        self._outputs = np.zeros(MAX_ACTIONS, np.float32)
        self.take(parameters)

    def take(self, parameters: Parameters) -> None:
        with torch.no_grad():
            self._first = [one.detach() for one in parameters[:2]]
            self._middle = [one.detach().to(PRECISION) for one in parameters[2:-2]]
            self._last = torch.cat([parameters[-2], parameters[-1].unsqueeze(0)])

    def choose(self, chosen: Int64s, games: VectorGames, epsilon: float, memory: Memory) -> None:
        layer = self._last_units(chosen, games).numpy(), self._last.numpy(), self._outputs
        self._choose_rows(chosen, games.board, layer, epsilon, memory)

    def values(self, chosen: Int64s, games: VectorGames) -> Float32s:
        """Return the outputs, (k, outputs), for the games in k slots."""
        units = self._last_units(chosen, games)
        values: Float32s = torch.addmm(self._last[-1], units, self._last[:-1]).numpy()
        return values

    def _last_units(self, chosen: Int64s, games: VectorGames) -> Any:  # noqa: ANN401 - a tensor
        rows = len(chosen)
        if rows > len(self._starts):
            self._starts = np.zeros(rows, np.int32)
            self._active = np.zeros(rows * games.active.shape[1], np.int32)
        n = self._gather_active(chosen, games.board, self._active, self._starts)
        active, starts = torch.from_numpy(self._active[:n]), torch.from_numpy(self._starts[:rows])
        weights, biases = self._first
        sums = torch.nn.functional.embedding_bag(active, weights, starts, mode="sum")
        units = torch.relu_(sums.add_(biases))
        for layer in range(0, len(self._middle), 2):
            units = torch.addmm(self._middle[layer + 1], units.to(PRECISION), self._middle[layer])
            units = torch.relu_(units)
        return units.float()


class Sampler(Actor):
    """A frozen network with one value output last, which samples from the softmax over the legal actions.

    It writes the ``log_probabilities`` of its choices, float32, (n,), to ``notes`` unless that is empty.
    """

    def __init__(
        self,
        parameters: Parameters,
        functions: Mapping[str, Callable[..., Any]],
        chance: np.random.Generator,
        notes: Arrays,
    ) -> None:
        super().__init__(parameters, functions)
        self._chance = chance
        self._notes = notes

    def choose(self, chosen: Int64s, games: VectorGames, epsilon: float, memory: Memory) -> None:
        del epsilon
        values = self.values(chosen, games)
        counts = games.counts[chosen]
        most = int(counts.max())
        logits = np.take_along_axis(values, games.actions[chosen, :most].astype(np.int64), 1)
        logits[np.arange(most) >= counts[:, np.newaxis]] = -np.inf
        logits -= logits.max(1, keepdims=True)
        sums = np.exp(logits, dtype=np.float64).cumsum(1)
        drawn = self._chance.random(len(chosen)) * sums[:, -1]
        places = (sums <= drawn[:, np.newaxis]).sum(1)
        memory[1][chosen] = places
        memory[2][chosen] = values[:, ACTIONS]
        if self._notes:
            rows = np.arange(len(chosen))
            self._notes["log_probabilities"][chosen] = logits[rows, places] - np.log(sums[:, -1])
