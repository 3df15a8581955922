"""Fitting a network to rows of decisions, and writing its file: for networks of hands and of replies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import torch

from durak_core import Rules
from durak_core.files import write_bytes_atomically
from durak_core.learn.arrays import Arrays, Int64s
from durak_core.learn.network import Parameters, initial_parameters
from durak_core.search.network.encoding import ENCODING, input_size
from durak_core.search.network.weights import About, network_bytes, output_count

BATCH = 1024


def inputs_of(data: Arrays, chosen: Int64s, rules: Rules) -> torch.Tensor:
    """Return the inputs of some decisions as zeros and ones, float32."""
    inputs = np.zeros((len(chosen), input_size(rules.seats)), np.float32)
    active = data["active"][chosen].astype(np.int64)
    row, place = np.nonzero(np.arange(active.shape[1]) < data["lengths"][chosen][:, np.newaxis])
    inputs[row, active[row, place]] = 1
    return torch.from_numpy(inputs)


def fresh(kind: str, hidden: Sequence[int], rules: Rules, seed: int) -> Parameters:
    """Draw the weights of a network of a kind, one of `durak_core.search.network.weights.OUTPUTS`."""
    active = rules.deck_size + 6 * rules.seats
    inputs, outputs = input_size(rules.seats), output_count(kind, rules.seats)
    return initial_parameters(inputs, hidden, active, seed, outputs)


def fit(
    adam: torch.optim.Optimizer, loss: Callable[[Int64s], torch.Tensor], rows: int, steps: int, seed: int
) -> None:
    """Let an optimizer lower the loss of random rows of so many, at a rate that falls to a hundredth."""
    rate = adam.param_groups[0]["lr"]
    chance = np.random.default_rng(seed)
    for step in range(steps):
        adam.param_groups[0]["lr"] = rate * (1.01 - step / steps)
        missed = loss(chance.integers(0, rows, BATCH))
        adam.zero_grad(set_to_none=True)
        missed.backward()
        adam.step()


def write_network(out: Path, kind: str, rules: Rules, games: int, parameters: Parameters) -> None:
    """Write a network of a kind to a file."""
    numbers = np.concatenate([one.detach().numpy().ravel() for one in parameters]).tolist()
    widths = (input_size(rules.seats), *(len(biases) for biases in parameters[1::2]))
    about = About(ENCODING, kind, rules.text, widths, games, learner=kind)
    write_bytes_atomically(out, network_bytes(about, numbers))
