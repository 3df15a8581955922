"""A small network's arithmetic: from active inputs to the value of every legal action.

The network is a row of layers of rectified units with one output. Its inputs are zeros and ones, so the
first layer is a sum of rows of its weights: those of the observation once, then those of each action.
Plain functions over numbers as in the kernel; sums are taken in a fixed order, so that CPython and
machine code give the same values.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence

from durak_core.kernel.random import next_random, random_below
from durak_core.search.vector import UNIT, Board

__all__ = ["action_values", "choose_rows", "first_layer"]


def action_values(
    network: tuple[Sequence[int], Sequence[float]],
    decision: tuple[Sequence[int], Sequence[int], Sequence[int]],
    n_inputs: int,
    n: int,
    memory: tuple[MutableSequence[float], MutableSequence[float]],
) -> None:
    """Write the value of each legal action of one observation, before the logistic function.

    Args:
        network: Widths and weights. The widths are how many inputs there are, then those of the layers.
            The weights are for each layer a row for each of its inputs, then its biases; then a weight
            for each unit of the last layer and one bias.
        decision: The numbers of the observation's active inputs; for each action the number of its
            input; for each action the number of another input, or -1.
        n_inputs: How many inputs of the observation are active.
        n: How many actions there are.
        memory: Room for three times the greatest width, and for the values, which are written there.
    """
    widths, weights = network
    inputs, actions, targets = decision
    scratch, out = memory
    first = widths[1]
    widest = 0
    for i in range(1, len(widths)):
        widest = max(widest, widths[i])
    bias = widths[0] * first
    for j in range(first):
        scratch[j] = weights[bias + j]
    for i in range(n_inputs):
        row = inputs[i] * first
        for j in range(first):
            scratch[j] += weights[row + j]
    for a in range(n):
        row = actions[a] * first
        for j in range(first):
            scratch[widest + j] = scratch[j] + weights[row + j]
        if targets[a] >= 0:
            row = targets[a] * first
            for j in range(first):
                scratch[widest + j] += weights[row + j]
        out[a] = output(widths, weights, scratch, widest)


def output(
    widths: Sequence[int], weights: Sequence[float], scratch: MutableSequence[float], widest: int
) -> float:
    """Return the network's output from the first layer's sums, which stand in the scratch's second part."""
    start = (widths[0] + 1) * widths[1]
    here = widest
    there = 2 * widest
    for layer in range(2, len(widths)):
        before = widths[layer - 1]
        width = widths[layer]
        bias = start + before * width
        for j in range(width):
            scratch[there + j] = weights[bias + j]
        for i in range(before):
            value = scratch[here + i]
            if value > 0.0:
                row = start + i * width
                for j in range(width):
                    scratch[there + j] += value * weights[row + j]
        start = bias + width
        here, there = there, here
    last = widths[len(widths) - 1]
    value = weights[start + last]
    for i in range(last):
        if scratch[here + i] > 0.0:
            value += scratch[here + i] * weights[start + i]
    return value


def first_layer(
    chosen: Sequence[int],
    rows: Sequence[Sequence[float]],
    board: Board,
    first_action: int,
    out: Sequence[MutableSequence[float]],
) -> int:
    """Write the first layer's rectified units for every legal action of some games of a board.

    Args:
        chosen: The games.
        rows: The layer's weights, a row for each input, and a last row of biases.
        board: As `durak_core.search.vector.start_games` writes it.
        first_action: The number of an action's first input.
        out: A row for each action, game after game.

    Returns:
        How many rows were written.
    """
    _, counts, lengths, active, actions, targets = board
    width = len(rows[0])
    n = 0
    for i in chosen:
        at = n
        n += counts[i]
        shared = out[n - 1]  # the last action's row holds the observation's sum until its turn comes
        shared[:] = rows[len(rows) - 1]
        for k in range(lengths[i]):
            row = rows[active[i][k]]
            for j in range(width):
                shared[j] += row[j]
        for a in range(counts[i]):
            units = out[at + a]
            row = rows[first_action + actions[i][a]]
            target = targets[i][a]
            for j in range(width):
                units[j] = shared[j] + row[j]
            if target >= 0:
                row = rows[target]
                for j in range(width):
                    units[j] += row[j]
            for j in range(width):
                units[j] = max(units[j], 0)
    return n


def choose_rows(
    chosen: Sequence[int],
    counts: Sequence[int],
    values: Sequence[float],
    epsilon: float,
    memory: tuple[MutableSequence[int], MutableSequence[int]],
) -> None:
    """Choose the action of greatest value in some games, or now and then any.

    Args:
        chosen: The games.
        counts: How many legal actions each game has.
        values: The actions' values, game after game; of equal ones the first is chosen.
        epsilon: How often any action is chosen, all equally likely, 0 to 1.
        memory: The state of the random generator; for each game room for the place of the chosen
            action, which is written for these games.
    """
    rng, choices = memory
    n = 0
    for i in chosen:
        best = 0
        for a in range(1, counts[i]):
            if values[n + a] > values[n + best]:
                best = a
        n += counts[i]
        if next_random(rng) < epsilon * UNIT:
            best = random_below(rng, counts[i])
        choices[i] = best
