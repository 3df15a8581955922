"""A small network's arithmetic: from active inputs to the value of every legal action.

The network is a row of layers of rectified units with an output for every action of the fixed space. Its
inputs are zeros and ones, so the first layer is a sum of rows of its weights. Of the outputs only those of
legal actions are computed. Plain functions over numbers as in the kernel; sums are taken in a fixed order,
so that CPython and machine code give the same values.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence

from durak_core.kernel.random import next_random, random_below
from durak_core.search.vector import UNIT, Board

__all__ = ["action_values", "choose_rows", "first_layer"]


def action_values(
    network: tuple[Sequence[int], Sequence[Sequence[float]]],
    decision: tuple[Sequence[int], Sequence[int]],
    n_inputs: int,
    n: int,
    memory: tuple[MutableSequence[float], MutableSequence[float], MutableSequence[float]],
) -> None:
    """Write the network's output for each legal action of one observation.

    Args:
        network: Widths and weights. The widths are how many inputs there are, those of the layers, and how
            many outputs there are. The weights are a table of rows: for each layer, and for the outputs, a
            row for each of its inputs, then one of its biases. Rows may be longer than their layer.
        decision: The numbers of the observation's active inputs; the indices of the actions.
        n_inputs: How many inputs are active.
        n: How many actions there are.
        memory: Room for the greatest width twice, and for the outputs, which are written there.
    """
    widths, rows = network
    inputs, actions = decision
    here, there, out = memory
    start = widths[0]
    width = widths[1]
    row = rows[start]
    for j in range(width):
        here[j] = row[j]
    for i in range(n_inputs):
        row = rows[inputs[i]]
        for j in range(width):
            here[j] += row[j]
    start += 1
    for layer in range(2, len(widths) - 1):
        before = width
        width = widths[layer]
        next_layer(rows, start, (before, width), here, there)
        start += before + 1
        here, there = there, here
    row = rows[start + width]
    for a in range(n):
        out[a] = row[actions[a]]
    for i in range(width):
        unit = here[i]
        if unit > 0.0:
            row = rows[start + i]
            for a in range(n):
                out[a] += unit * row[actions[a]]


def next_layer(
    rows: Sequence[Sequence[float]],
    start: int,
    widths: tuple[int, int],
    here: Sequence[float],
    there: MutableSequence[float],
) -> None:
    """Write a layer's sums from those of the layer before it.

    Args:
        rows: The network's weights.
        start: The layer's first row.
        widths: How many units the layer before it and this one have.
        here: The sums of the layer before it; those above 0 count.
        there: Written.
    """
    before, width = widths
    row = rows[start + before]
    for j in range(width):
        there[j] = row[j]
    for i in range(before):
        unit = here[i]
        if unit > 0.0:
            row = rows[start + i]
            for j in range(width):
                there[j] += unit * row[j]


def first_layer(
    chosen: Sequence[int],
    rows: Sequence[Sequence[float]],
    board: Board,
    out: Sequence[MutableSequence[float]],
) -> None:
    """Write the first layer's rectified units for some games of a board.

    Args:
        chosen: The games.
        rows: The layer's weights, a row for each input, and a last row of biases.
        board: As `durak_core.search.vector.start_games` writes it.
        out: A row for each of the games.
    """
    lengths = board[2]
    active = board[3]
    for k in range(len(chosen)):
        i = chosen[k]
        units = out[k]
        row = rows[len(rows) - 1]
        for j in range(len(row)):
            units[j] = row[j]
        for m in range(lengths[i]):
            row = rows[active[i][m]]
            for j in range(len(row)):
                units[j] += row[j]
        for j in range(len(row)):
            units[j] = max(units[j], 0)


def choose_rows(
    chosen: Sequence[int],
    board: Board,
    values: Sequence[Sequence[float]],
    epsilon: float,
    memory: tuple[MutableSequence[int], MutableSequence[int], MutableSequence[float]],
) -> None:
    """Choose the legal action of greatest value in some games, or now and then any.

    Args:
        chosen: The games.
        board: As for `first_layer`.
        values: A row for each of these games, a value for each action of the fixed space; of equal ones the
            action that comes first among the legal ones is chosen.
        epsilon: How often any legal action is chosen, all equally likely, 0 to 1.
        memory: The state of the random generator; for each game room for the place of the chosen
            action, and for the greatest value, which are written for these games.
    """
    rng, choices, greatest = memory
    counts = board[1]
    for k in range(len(chosen)):
        i = chosen[k]
        actions = board[4][i]
        best = 0
        for a in range(1, counts[i]):
            if values[k][actions[a]] > values[k][actions[best]]:
                best = a
        greatest[i] = values[k][actions[best]]
        if next_random(rng) < epsilon * UNIT:
            best = random_below(rng, counts[i])
        choices[i] = best
