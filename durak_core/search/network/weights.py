"""Networks: their files (NumPy's ``.npz`` with 16-bit numbers, read without NumPy) and their inference.

A multilayer perceptron with ReLU units and an output for every action of the action space. Inputs are binary,
so the first layer sums rows of weights, as integers. Only legal actions' outputs are computed. The other sums
have a fixed order, so that CPython and compiled code give equal values.

The file holds two arrays: ``about``, an `About` as JSON in UTF-8, and ``weights``, in the order of
`durak_core.search.network.weights.action_values`.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Iterable, MutableSequence, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple, TypeAlias

from durak_core.config import TABLE, OneOf, Range, expected, read
from durak_core.errors import AgentError, DurakError, FileError, Message, RulesError
from durak_core.files import MEGABYTE, read_bytes, read_json
from durak_core.kernel.compiled import compiled
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
from durak_core.search.network.vector import UNIT, Board

Rows: TypeAlias = Annotated[Sequence[Sequence[float]], "float32"]
Outputs: TypeAlias = Annotated[Sequence[MutableSequence[float]], "float32"]
IntegerRows: TypeAlias = Annotated[Sequence[Sequence[int]], "int32"]
IntegerSums: TypeAlias = Annotated[MutableSequence[int], "int32"]


class Weights(NamedTuple):
    """A network's weights."""

    widths: Sequence[int]  # number of inputs, widths of the layers, number of outputs
    first: IntegerRows  # the first layer: a row per input, then the biases, in steps
    step: float  # a power of 2
    rows: Rows  # for each other layer and the outputs: a row per input, then the biases; may be padded


class Activations(NamedTuple):
    """The buffers of `action_values`, made by `durak_core.search.network.weights.activations_for`."""

    inputs: MutableSequence[int]  # numbers of the active inputs
    actions: MutableSequence[int]  # indices of the legal actions
    picked: MutableSequence[int]  # row numbers; room for the greatest width and all active inputs
    units: MutableSequence[float]  # the rows' factors
    steps: IntegerSums  # sums of the first layer
    sums: MutableSequence[float]  # of the others
    outputs: MutableSequence[float]  # one for each action


@compiled("network", "search", "guided")
def action_values(network: Weights, room: Activations, n_inputs: int, n: int) -> None:
    """Write the network's output for each of ``n`` legal actions, given the room's inputs and actions."""
    widths, first, step, rows = network
    inputs, actions, picked, units, steps, sums, out = room
    width = widths[1]
    biases = first[widths[0]]
    for j in range(width):
        steps[j] = biases[j]
    _add_first(first, inputs, (n_inputs, width), steps)
    active = 0
    for i in range(width):
        picked[active] = i
        units[active] = steps[i] * step
        active += steps[i] > 0
    start = width
    for layer in range(2, len(widths) - 1):
        width = widths[layer]
        for j in range(width):
            sums[j] = rows[start][j]
        _add_rows(rows, picked, units, (active, width), sums)
        start += 1
        active = 0
        for i in range(width):
            if sums[i] > 0.0:  # rare after the first layer
                picked[active] = start + i
                units[active] = sums[i]
                active += 1
        start += width
    for a in range(n):
        out[a] = rows[start][actions[a]]
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


def _add_first(
    rows: Sequence[Sequence[int]], picked: Sequence[int], counts: tuple[int, int], sums: MutableSequence[int]
) -> None:
    """Add rows of integers to sums, as `_add_rows` does."""
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
_BEYOND: Final = 2**31
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
    widths = network.about.widths
    integers = runner.integers(len(widths))
    if type(integers) not in network.loaded:
        integers[:] = list(widths)
        layers = network.layers()
        step = _step_for(layers[0])
        steps = ([round(weight / step) for weight in row] for row in layers[0])
        first = _filled(runner.narrow(len(layers[0]), widths[1]), steps)
        others = list(chain(*layers[1:]))
        rows = _filled(runner.weights(len(others), max(widths[2:])), others)
        network.loaded[type(integers)] = Weights(integers, first, step, rows)
    return network.loaded[type(integers)]


def _filled(rows: Any, values: Iterable[Sequence[float]]) -> Any:  # noqa: ANN401 - arrays or lists
    """Write values to the beginnings of rows; lists share equal numbers, which are few."""
    shared: dict[float, float] = {}
    for i, row in enumerate(values):
        rows[i][: len(row)] = map(shared.setdefault, row, row) if isinstance(rows[i], list) else row
    return rows


def no_weights(runner: Backend) -> Weights:
    """Return weights that nothing reads."""
    return Weights(runner.integers(0), runner.narrow(0, 0), 0.0, runner.weights(0, 0))


def _step_for(rows: Sequence[Sequence[float]]) -> float:
    """Return the step for a first layer: no sum of active inputs exceeds 32 bits.

    The finest step is the 16-bit floats' own, so that sums are exact. Large weights take a coarser one.
    """
    columns = ([abs(row[unit]) for row in rows] for unit in range(len(rows[0])))
    most = max(sum(sorted(column)[-MAX_ACTIVE - 1 :]) for column in columns)
    step = _FINEST
    while most / step >= _BEYOND:
        step *= 2.0
    return step


def activations_for(network: Network, runner: Backend) -> Activations:
    """Return the buffers of `action_values`."""
    return activation_sizes(max(network.about.widths[1:]), runner)


def activation_sizes(width: int, runner: Backend) -> Activations:
    """Return the buffers for any network up to a width."""
    widest = max(MAX_ACTIVE, width)
    return Activations(
        inputs=runner.integers(MAX_ACTIVE),
        actions=runner.integers(MAX_ACTIONS + MAX_SEATS),
        picked=runner.integers(widest),
        units=runner.floats(widest),
        steps=runner.narrow(width),
        sums=runner.floats(widest),
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
