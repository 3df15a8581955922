"""Networks: their files (NumPy's ``.npz`` with 16-bit numbers, read without NumPy) and their inference.

A multilayer perceptron with ReLU units and an output for every action of the action space. Inputs are binary,
so the first layer sums rows of weights. Only legal actions' outputs are computed. All sums are of integers:
weights are rounded to 16 bits and the units of each layer to 12, so that CPython and compiled code give
equal values, each in the order that is fastest.

The file holds two arrays: ``about``, an `About` as JSON in UTF-8, and ``weights``, in the order of
`durak_core.search.network.weights.action_values`.
"""

from __future__ import annotations

import math
import struct
from array import array
from collections.abc import MutableSequence, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from operator import add
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple, TypeAlias

from durak_core.config import TABLE, OneOf, Range, expected, read
from durak_core.errors import AgentError, DurakError, FileError, Message, RulesError
from durak_core.files import MEGABYTE, read_bytes, read_json
from durak_core.kernel.compiled import compiled, compiled_as
from durak_core.kernel.position import MAX_ACTIONS, MAX_SEATS, next_random, random_below
from durak_core.npz import Expected, read_arrays
from durak_core.rules import Rules
from durak_core.search.backend.backend import Backend
from durak_core.search.network.encoding import (
    ACTIONS,
    CARDS,
    ENCODING,
    MAX_ACTIVE,
    check_encodable,
    input_size,
)
from durak_core.search.network.vector import UNIT, Board, Integers, ShortRows

Rows: TypeAlias = Annotated[Sequence[Sequence[float]], "float32"]
Floats: TypeAlias = Annotated[MutableSequence[float], "float32"]
ShortIntegers: TypeAlias = Annotated[MutableSequence[int], "int16"]


_UNITS: Final = 1 << 12
"""Exceeds the units of all layers but the last, whose products with weights are summed in 32 bits."""

_BITS: Final = 30
"""Bits of a sum of products, and of a bias."""


class Weights(NamedTuple):
    """A network's weights as integers: multiples of a step of each layer."""

    widths: Sequence[int]  # number of inputs, widths of the layers, number of outputs
    rows: ShortRows  # a row per input, then per unit of each layer but the last; padded or `packed`
    last: ShortRows  # a row per output
    biases: Sequence[Sequence[int]]  # a row for each layer and the outputs; may be padded
    shifts: Sequence[int]  # by how many bits at least the sums of each layer but the last are shortened
    scale: float  # what the outputs' sums count, a power of 2


class Activations(NamedTuple):
    """The buffers of `action_values`, made by `durak_core.search.network.weights.activations_for`."""

    active: MutableSequence[int]  # numbers of the rows to add: at first, of the active inputs
    actions: MutableSequence[int]  # indices of the legal actions
    units: ShortIntegers  # the rows' factors
    sums: Integers
    outputs: MutableSequence[float]  # one for each action


@compiled("network", "search", "guided")
def action_values(network: Weights, room: Activations, n_inputs: int, n: int) -> None:
    """Write the network's output for each of ``n`` legal actions, given the room's inputs and actions."""
    widths, rows, last, biases, shifts, scale = network
    active, actions, units, sums, out = room
    width = widths[1]
    for j in range(width):
        sums[j] = biases[0][j]
    add_first(rows, active, (n_inputs, width), sums)
    start = widths[0]
    shifted = 0  # by how many bits more than at least
    for layer in range(1, len(widths) - 2):
        shift = _shift_for(sums, width, shifts[layer - 1])
        n_active = _pick_active(room, start, width, shift)
        shifted += shift - shifts[layer - 1]
        start += width
        width = widths[layer + 1]
        for j in range(width):
            sums[j] = biases[layer][j] >> shifted
        add_rows(rows, active, units, (n_active, width), sums)
    n_active = 0
    for i in range(width):
        if sums[i] > 0:  # rare after the first layer
            active[n_active] = i
            n_active += 1
    for a in range(n):
        row = last[actions[a]]
        total = biases[len(widths) - 2][actions[a]] >> shifted
        for k in range(n_active):
            total += sums[active[k]] * row[active[k]]
        out[a] = total * (scale * (1 << shifted))


def _shift_for(sums: Sequence[int], width: int, least: int) -> int:
    """Return by how many bits sums are shortened to units."""
    highest = 0
    for i in range(width):
        if sums[i] > highest:  # noqa: PLR1730 - a third of the time of max() in CPython
            highest = sums[i]
    shift = least
    while highest >> shift >= _UNITS:
        shift += 1
    return shift


def _pick_active(room: Activations, start: int, width: int, shift: int) -> int:
    """Write the units above 0 and their rows' numbers, from ``start`` on, and return how many there are."""
    active, _actions, units, sums, _out = room
    half = 1 << shift >> 1
    n = 0
    for i in range(width):
        # Whether a unit is active is close to a coin toss, so a jump would be mispredicted half the time.
        unit = (sums[i] + half) >> shift
        active[n] = start + i
        units[n] = unit
        n += unit > 0
    return n


def greatest(values: MutableSequence[float], n: int) -> int:
    """Return the index of the greatest of ``n`` values; the first wins ties."""
    best = 0
    for i in range(1, n):
        if values[i] > values[best]:
            best = i
    return best


def _add_first(
    rows: Sequence[Sequence[int]], picked: Sequence[int], counts: tuple[int, int], sums: MutableSequence[int]
) -> None:
    """Add rows to sums, four at a time to save memory traffic."""
    n, width = counts
    k = 0
    while k + 4 <= n:
        row0 = rows[picked[k]]
        row1 = rows[picked[k + 1]]
        row2 = rows[picked[k + 2]]
        row3 = rows[picked[k + 3]]
        for j in range(width):
            sums[j] = sums[j] + row0[j] + row1[j] + row2[j] + row3[j]
        k += 4
    while k < n:
        row0 = rows[picked[k]]
        for j in range(width):
            sums[j] += row0[j]
        k += 1


def _add_rows(
    rows: Sequence[Sequence[int]],
    picked: Sequence[int],
    units: Sequence[int],
    counts: tuple[int, int],
    sums: MutableSequence[int],
) -> None:
    """Add multiples of rows to sums, eight at a time."""
    n, width = counts
    k = 0
    while k + 8 <= n:
        row0 = rows[picked[k]]
        row1 = rows[picked[k + 1]]
        row2 = rows[picked[k + 2]]
        row3 = rows[picked[k + 3]]
        row4 = rows[picked[k + 4]]
        row5 = rows[picked[k + 5]]
        row6 = rows[picked[k + 6]]
        row7 = rows[picked[k + 7]]
        unit0 = units[k]
        unit1 = units[k + 1]
        unit2 = units[k + 2]
        unit3 = units[k + 3]
        unit4 = units[k + 4]
        unit5 = units[k + 5]
        unit6 = units[k + 6]
        unit7 = units[k + 7]
        for j in range(width):
            sums[j] = (
                sums[j]
                + unit0 * row0[j]
                + unit1 * row1[j]
                + unit2 * row2[j]
                + unit3 * row3[j]
                + unit4 * row4[j]
                + unit5 * row5[j]
                + unit6 * row6[j]
                + unit7 * row7[j]
            )
        k += 8
    while k < n:
        row0 = rows[picked[k]]
        unit0 = units[k]
        for j in range(width):
            sums[j] += unit0 * row0[j]
        k += 1


@cache
def _middle(width: int) -> int:
    """Return a packed row of the number that splits the range of a lane."""
    return int.from_bytes(struct.pack("<I", 1 << 31) * width, "little")


def packed(row: Sequence[int]) -> int:
    """Pack a row into one integer, 32 bits a number, so that CPython adds rows at once."""
    middle = _middle(len(row))
    return (int.from_bytes(struct.pack(f"<{len(row)}i", *row), "little") ^ middle) - middle


def _add_packed(total: int, width: int, sums: MutableSequence[int]) -> None:
    middle = _middle(width)
    lanes = (total + middle ^ middle).to_bytes(4 * width, "little")
    for j, number in enumerate(struct.unpack(f"<{width}i", lanes)):
        sums[j] += number


@compiled_as(_add_first)
def add_first(
    rows: Any,  # noqa: ANN401 - packed rows
    picked: Sequence[int],
    counts: tuple[int, int],
    sums: MutableSequence[int],
) -> None:
    """Add rows to sums: ``picked`` has their numbers, ``counts`` the number of rows and of sums."""
    n, width = counts
    _add_packed(sum([rows[row] for row in picked[:n]]), width, sums)


@compiled_as(_add_rows)
def add_rows(
    rows: Any,  # noqa: ANN401 - packed rows
    picked: Sequence[int],
    units: Sequence[int],
    counts: tuple[int, int],
    sums: MutableSequence[int],
) -> None:
    """Add multiples of rows to sums: ``units`` has their factors, the rest is as for `add_first`."""
    n, width = counts
    _add_packed(sum([units[k] * rows[picked[k]] for k in range(n)]), width, sums)


@compiled("learn")
def choose_rows(
    chosen: Sequence[int],
    board: Board,
    layer: tuple[Rows, Rows, Floats],
    epsilon: float,
    memory: tuple[MutableSequence[int], MutableSequence[int], Floats],
) -> None:
    """Choose epsilon-greedily in some games of a board by the last layer's outputs; the first one wins ties.

    ``layer`` has its inputs, a row for each chosen game; its weights, a row for each input and one for the
    biases, with a column for each action of the action space; and room for the outputs of legal actions.
    ``epsilon`` is 0 to 1. ``memory`` has the random state, and for each game room for the chosen action's
    legal index and for the greatest value.
    """
    units, rows, values = layer
    rng, choices, highest = memory
    for k in range(len(chosen)):
        i = chosen[k]
        actions = board.actions[i]
        count = board.counts[i]
        row = rows[len(rows) - 1]
        for a in range(count):
            values[a] = row[actions[a]]
        for j in range(len(rows) - 1):
            unit = units[k][j]
            if unit > 0:
                row = rows[j]
                for a in range(count):
                    values[a] += unit * row[actions[a]]
        best = greatest(values, count)
        highest[i] = values[best]
        if next_random(rng) < epsilon * UNIT:
            best = random_below(rng, count)
        choices[i] = best


FILE_NAME: Final = "weights.npz"

OF_ACTIONS: Final = ("outcome", "outcome-fools", "policy-value")
HANDS: Final = "hands"
OUTPUTS: Final = (*OF_ACTIONS, HANDS)
"""The kinds of outputs.

``outcome``: the sigmoid of an action's output is its expected outcome, 1 for a win and 0 for the fool.
``outcome-fools``: also a loser-prediction head, one output for each other seat, clockwise; the softmax over
the seats still in predicts the fool if the observer is not. ``policy-value``: the softmax is the policy, the
sigmoid of a last output the value. ``hands``: no actions; for each other seat, clockwise, and each card in
plane order, the sigmoid is the probability that the hidden card lies in that hand.
"""

_MOST_SHIFT: Final = 10
_MOST_SLOPE: Final = 100
_LARGEST: Final = 32 * MEGABYTE
"""Maximum file size in bytes."""
_ARRAYS: Final = {"about": Expected("|u1", MEGABYTE // 16), "weights": Expected("<f2", 16 * MEGABYTE)}
_MOST_NUMBERS: Final = 16 * MEGABYTE
"""Maximum number of weights in padded rows, all as wide as the widest."""
_FINEST: Final = 2.0**-24
"""Smallest 16-bit float above 0; all are multiples of it."""
_FINITE: Final = bytes([byte for byte in range(256) if byte & 0x7C != 0x7C])
"""Upper bytes of finite 16-bit floats."""


def _check_widths(widths: tuple[int, ...]) -> tuple[int, ...]:
    if not 3 <= len(widths) <= 6:
        raise expected(Message("3 to 6 whole numbers"), widths)
    return widths


def _check_levels(levels: tuple[float, ...]) -> tuple[float, ...]:
    if len(levels) != 2 or not (abs(levels[0]) <= _MOST_SHIFT and 0 < levels[1] <= _MOST_SLOPE):
        wanted = Message(
            "a shift from -{shift} to {shift}, and a slope above 0, at most {slope}",
            shift=_MOST_SHIFT,
            slope=_MOST_SLOPE,
        )
        raise expected(wanted, levels)
    return levels


def output_count(outputs: str, seats: int) -> int:
    """Return the number of outputs of a kind; the actions come first."""
    if outputs == HANDS:
        return CARDS * (seats - 1)
    return ACTIONS + {"outcome": 0, "outcome-fools": seats - 1, "policy-value": 1}[outputs]


@dataclass(frozen=True, slots=True)
class About:
    """A network's metadata.

    Attributes:
        encoding: Name of its input encoding.
        outputs: Kind of its outputs, one of `OUTPUTS`.
        rules: Spec of the rules it was trained for.
        widths: Number of inputs, widths of the layers, number of outputs.
        games: Number of training games.
        learner: Its learner in `durak train`; empty if the file leaves it out.
        levels: Platt intercept and slope that calibrate the values of analyses.
    """

    encoding: str
    outputs: Annotated[str, OneOf(OUTPUTS)]
    rules: str
    widths: Annotated[tuple[Annotated[int, Range(1, 65_536)], ...], _check_widths]
    games: Annotated[int, Range(0, 10**15)]
    levels: Annotated[tuple[float, float], _check_levels] = (0.0, 1.0)
    learner: str = ""

    @property
    def trained_by(self) -> str:
        """The learner; for older files inferred from their outputs, or empty."""
        return self.learner or ("ppo" if self.outputs == "policy-value" else "")


@dataclass(frozen=True)
class Network:
    """A network read from a file; ``loaded`` caches `in_memory` by the kind of memory."""

    about: About
    rules: Rules
    numbers: bytes = field(repr=False)
    loaded: dict[type, Weights] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def weights(self) -> array[float]:
        """The numbers, unpacked."""
        return array("f", struct.unpack(f"<{len(self.numbers) // 2}e", self.numbers))

    def layers(self) -> list[list[array[float]]]:
        """Return for each layer and the outputs a row of weights per input, then the biases."""
        found = []
        start = 0
        for before, width in pairwise(self.about.widths):
            starts = [start + 2 * width * i for i in range(before + 1)]
            found.append([array("f", struct.unpack_from(f"<{width}e", self.numbers, at)) for at in starts])
            start += 2 * width * (before + 1)
        return found


def in_memory(network: Network, runner: Backend) -> Weights:
    """Return the shared, read-only weights in a backend's memory, for `action_values`."""
    integers = runner.integers(0)
    if type(integers) not in network.loaded:
        network.loaded[type(integers)] = _quantised(network.layers(), runner)
    return network.loaded[type(integers)]


def no_weights(runner: Backend) -> Weights:
    """Return weights that nothing reads."""
    nothing = runner.short(0, 0)
    return Weights(runner.integers(0), nothing, nothing, runner.integers(0, 0), runner.integers(0), 0.0)


def _quantised(layers: Sequence[Sequence[Sequence[float]]], runner: Backend) -> Weights:
    """Round weights to multiples of a step of their layer, and biases to multiples of what its sums count.

    Rows are rounded one by one, because the numbers of all together would take ten megabytes.
    """
    widths = [len(layers[0]) - 1, *[len(layer[-1]) for layer in layers]]
    rows: Any = runner.short(sum(widths[:-2]), max(widths[1:-1]))
    last = runner.short(widths[-1], widths[-2])
    biases = runner.integers(len(layers), max(widths[1:]))
    shifts: list[int] = []
    unit = 1.0  # what the layer before counts
    start = 0
    for number, (*weights, bias) in enumerate(layers):
        is_last = number == len(layers) - 1
        is_between = number > 0 and not is_last
        step = _step_for(weights, _UNITS if is_between else 1)
        greatest = max(map(abs, bias))
        if is_between:  # large biases leave fewer bits to the units
            shifts.append(max(0, math.frexp(greatest / (unit * step))[1] - _BITS))
            unit *= 2.0 ** shifts[-1]
        while greatest / (unit * step) > 2.0 ** (2 * _BITS if is_last else _BITS):
            step *= 2.0
        unit *= step
        biases[number][: len(bias)] = _rounded(bias, unit)
        if is_last:
            for target, column in zip(last, zip(*weights, strict=True), strict=True):
                target[:] = _rounded(column, step)
        else:
            for i, row in enumerate(weights, start):
                _write_row(rows, i, _rounded(row, step))
        start += len(weights)
    return Weights(
        widths=_written(runner.integers(len(widths)), widths),
        rows=rows,
        last=last,
        biases=biases,
        shifts=_written(runner.integers(len(shifts)), shifts),
        scale=unit,
    )


def _rounded(weights: Sequence[float], step: float) -> list[int]:
    return [round(weight / step) for weight in weights]


def _write_row(rows: Any, i: int, numbers: Sequence[int]) -> None:  # noqa: ANN401 - a table or a list
    if isinstance(rows, list):
        rows[i] = packed(numbers)
    else:
        rows[i][: len(numbers)] = numbers


def _written(numbers: Any, values: Sequence[int]) -> Any:  # noqa: ANN401 - an array or a list
    numbers[:] = values
    return numbers


def _step_for(weights: Sequence[Sequence[float]], units: int) -> float:
    """Return the finest step with which weights have 15 bits and sums of ``units`` `_BITS`, and signs."""
    greatest = max([max(map(abs, row)) for row in weights])
    sums = [0.0] * len(weights[0])
    for row in weights:
        sums = list(map(add, sums, map(abs, row)))
    step = _FINEST
    while greatest / step > 2**15 - 1 or units * (max(sums) / step + len(weights)) > 2**_BITS:
        step *= 2.0
    return step


def activations_for(network: Network, runner: Backend) -> Activations:
    """Return the buffers of `action_values`."""
    return activation_sizes(max(network.about.widths[1:]), runner)


def activation_sizes(width: int, runner: Backend) -> Activations:
    """Return the buffers for any network up to a width."""
    return Activations(
        active=runner.integers(max(MAX_ACTIVE, width)),
        actions=runner.integers(MAX_ACTIONS + MAX_SEATS),
        units=runner.short(width),
        sums=runner.narrow(width),
        outputs=runner.floats(MAX_ACTIONS + MAX_SEATS),
    )


def read_network(path: Path) -> Network:
    """Read a network.

    Raises:
        AgentError: If the file cannot be read, is not a network, or has another encoding.
    """
    try:
        about, numbers = _contents(read_bytes(path, _LARGEST))
        rules = Rules.parse(about.rules)
        check_encodable(rules)
    except FileError as error:
        raise AgentError(error.message) from None
    except RulesError as error:
        raise AgentError(
            "{path}: the network's rules cannot be played here: {why}", path=path, why=error
        ) from None
    except DurakError as error:
        raise AgentError("{path} is not a network's file: {why}", path=path, why=error) from None
    if about.encoding != ENCODING:
        raise AgentError(
            "{path} was trained with the encoding {encoding!r}; this program has {known!r}: "
            "train it anew, or take another file",
            path=path,
            encoding=about.encoding,
            known=ENCODING,
        )
    widths = about.widths
    fits = (widths[0], widths[-1]) == (input_size(rules.seats), output_count(about.outputs, rules.seats))
    if not fits or len(numbers) != 2 * _count(widths) or sum(widths[:-1]) * max(widths[1:]) > _MOST_NUMBERS:
        raise AgentError(
            "{path} is damaged: its weights are not those of the widths {widths}",
            path=path,
            widths=widths,
        )
    return Network(about, rules, numbers)


def _contents(data: bytes) -> tuple[About, bytes]:
    arrays = read_arrays(data, _ARRAYS)
    numbers = arrays["weights"]
    if numbers[1::2].translate(None, _FINITE):
        raise AgentError("a weight is no finite number")
    return _about(arrays["about"]), numbers


def _about(text: bytes) -> About:
    try:
        told: Any = read_json(text.decode("utf-8"))
    except UnicodeDecodeError:
        raise AgentError("about is not UTF-8 text") from None
    if not isinstance(told, dict):
        raise expected(TABLE, told).under("about")
    return read(About, told)


def _count(widths: tuple[int, ...]) -> int:
    return sum((before + 1) * width for before, width in pairwise(widths))
