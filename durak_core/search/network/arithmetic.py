"""A small network's arithmetic: from active inputs to the value of every legal action.

The network is a row of layers of rectified units with an output for every action of the fixed space. Its
inputs are zeros and ones, so the first layer is a sum of rows of its weights. Of the outputs only those of
legal actions are computed. Plain functions over numbers as in the kernel; sums are taken in a fixed order,
so that CPython and machine code give the same values.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from typing import Annotated, NamedTuple, TypeAlias

from durak_core.kernel.machine_code import compiled
from durak_core.kernel.random import next_random, random_below
from durak_core.search.network.vector import UNIT, Board

Rows: TypeAlias = Annotated[Sequence[Sequence[float]], "float32"]
Outputs: TypeAlias = Annotated[Sequence[MutableSequence[float]], "float32"]


class Weights(NamedTuple):
    """A network's numbers.

    Attributes:
        widths: How many inputs there are, the width of each layer, and how many outputs there are.
        rows: For each layer, and for the outputs, a row for each of its inputs, then one of its biases. Rows
            may be longer than their layer.
    """

    widths: Sequence[int]
    rows: Rows


class Room(NamedTuple):
    """What `action_values` works in; `durak_core.search.network.weights.room_for` makes it.

    Attributes:
        inputs: The numbers of the observation's active inputs.
        actions: The indices of the actions.
        picked: Room for the numbers of rows, as many as the greatest width or all inputs that can be active.
        units: Room for what they are multiplied by.
        sums: Room for the layers' sums.
        outputs: Where the outputs are written, one for each action.
    """

    inputs: MutableSequence[int]
    actions: MutableSequence[int]
    picked: MutableSequence[int]
    units: MutableSequence[float]
    sums: MutableSequence[float]
    outputs: MutableSequence[float]


@compiled("network", "search", "guided")
def action_values(network: Weights, room: Room, n_inputs: int, n: int) -> None:
    """Write the network's output for each of ``n`` legal actions of an observation with some active inputs.

    The room has the inputs and actions; the rest of it is overwritten.
    """
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


def _add_rows(
    rows: Sequence[Sequence[float]],
    picked: Sequence[int],
    units: Sequence[float],
    counts: tuple[int, int],
    sums: MutableSequence[float],
) -> None:
    """Add multiples of rows of weights to some sums, one row after the other.

    Four at a time cost fewer readings and writings of the sums. ``picked`` has the rows' numbers, ``units``
    what each is multiplied by; ``counts`` says how many rows and how many sums there are.
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
    """Write the first layer's rectified units for some games of a board, a row for each game.

    The weights have a row for each input, and a last one of biases.
    """
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
