"""Inference of a small network: from active inputs to the outputs of the legal actions.

A multilayer perceptron with ReLU units and an output for every action of the action space. Inputs are binary,
so the first layer sums rows of weights. Only legal actions' outputs are computed. Sums have a fixed order, so
that CPython and compiled code give equal values.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from typing import Annotated, NamedTuple, TypeAlias

from durak_core.kernel.compiled import compiled
from durak_core.kernel.random import next_random, random_below
from durak_core.search.network.vector import UNIT, Board

Rows: TypeAlias = Annotated[Sequence[Sequence[float]], "float32"]
Outputs: TypeAlias = Annotated[Sequence[MutableSequence[float]], "float32"]


class Weights(NamedTuple):
    """A network's weights."""

    widths: Sequence[int]  # number of inputs, widths of the layers, number of outputs
    rows: Rows  # for each layer and the outputs: a row per input, then the biases; may be padded


class Activations(NamedTuple):
    """The buffers of `action_values`, made by `durak_core.search.network.weights.activations_for`."""

    inputs: MutableSequence[int]  # numbers of the active inputs
    actions: MutableSequence[int]  # indices of the legal actions
    picked: MutableSequence[int]  # row numbers; room for the greatest width and all active inputs
    units: MutableSequence[float]  # the rows' factors
    sums: MutableSequence[float]  # of the layers
    outputs: MutableSequence[float]  # one for each action


@compiled("network", "search", "guided")
def action_values(network: Weights, room: Activations, n_inputs: int, n: int) -> None:
    """Write the network's output for each of ``n`` legal actions, given the room's inputs and actions."""
    widths, rows = network
    inputs, actions, picked, units, sums, out = room
    for i in range(n_inputs):
        picked[i] = inputs[i]
        units[i] = 1.0
    active = n_inputs
    start = widths[0]
    for layer in range(1, len(widths) - 1):
        width = widths[layer]
        biases = rows[start]
        for j in range(width):
            sums[j] = biases[j]
        _add_rows(rows, picked, units, (active, width), sums)
        start += 1
        active = 0
        for i in range(width):
            if sums[i] > 0.0:
                picked[active] = start + i
                units[active] = sums[i]
                active += 1
        start += width
    biases = rows[start]
    for a in range(n):
        out[a] = biases[actions[a]]
    for k in range(active):
        row = rows[picked[k]]
        for a in range(n):
            out[a] += units[k] * row[actions[a]]


def greatest(values: MutableSequence[float], n: int) -> int:
    """Return the index of the greatest of ``n`` values; the first wins ties."""
    best = 0
    for i in range(1, n):
        if values[i] > values[best]:
            best = i
    return best


def _add_rows(
    rows: Sequence[Sequence[float]],
    picked: Sequence[int],
    units: Sequence[float],
    counts: tuple[int, int],
    sums: MutableSequence[float],
) -> None:
    """Add multiples of rows of weights to sums, four at a time to save memory traffic.

    ``picked`` has the rows' numbers, ``units`` their factors, ``counts`` the number of rows and of sums.
    """
    n, width = counts
    k = 0
    while k + 4 <= n:
        row0 = rows[picked[k]]
        row1 = rows[picked[k + 1]]
        row2 = rows[picked[k + 2]]
        row3 = rows[picked[k + 3]]
        unit0 = units[k]
        unit1 = units[k + 1]
        unit2 = units[k + 2]
        unit3 = units[k + 3]
        for j in range(width):
            sums[j] = sums[j] + unit0 * row0[j] + unit1 * row1[j] + unit2 * row2[j] + unit3 * row3[j]
        k += 4
    while k < n:
        row0 = rows[picked[k]]
        unit0 = units[k]
        for j in range(width):
            sums[j] += unit0 * row0[j]
        k += 1


@compiled("learn")
def first_layer(chosen: Sequence[int], rows: Rows, board: Board, out: Outputs) -> None:
    """Write the first layer's ReLU units for some games, a row each; the last weights are the biases."""
    for k in range(len(chosen)):
        i = chosen[k]
        units = out[k]
        row = rows[len(rows) - 1]
        for j in range(len(row)):
            units[j] = row[j]
        for m in range(board.lengths[i]):
            row = rows[board.active[i][m]]
            for j in range(len(row)):
                units[j] += row[j]
        for j in range(len(row)):
            units[j] = max(units[j], 0)


@compiled("learn")
def choose_rows(
    chosen: Sequence[int],
    board: Board,
    values: Rows,
    epsilon: float,
    memory: tuple[MutableSequence[int], MutableSequence[int], Annotated[MutableSequence[float], "float32"]],
) -> None:
    """Choose epsilon-greedily in some games of a board.

    ``values`` has a row for each chosen game and a column for each action of the action space; the first
    legal one wins ties. ``epsilon`` is 0 to 1. ``memory`` has the random state, and for each game room for
    the chosen action's legal index and for the greatest value.
    """
    rng, choices, greatest = memory
    for k in range(len(chosen)):
        i = chosen[k]
        actions = board.actions[i]
        count = board.counts[i]
        best = 0
        for a in range(1, count):
            if values[k][actions[a]] > values[k][actions[best]]:
                best = a
        greatest[i] = values[k][actions[best]]
        if next_random(rng) < epsilon * UNIT:
            best = random_below(rng, count)
        choices[i] = best
