"""Networks on the disk: NumPy's ``.npz`` with 16-bit numbers, read and written without NumPy.

The file holds two arrays. ``about`` is JSON in UTF-8: which encoding and rules the network was trained
for, what its outputs mean, its widths, and on how many games. ``weights`` are the numbers in the order of
`durak_core.search.network.arithmetic.action_values`.
"""

from __future__ import annotations

import ast
import io
import json
import struct
import zipfile
from array import array
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, overload

from durak_core.errors import AgentError, RulesError
from durak_core.kernel.position import MAX_ACTIONS
from durak_core.rules import Rules
from durak_core.search.backend.backend import Backend
from durak_core.search.network.arithmetic import Room, Weights
from durak_core.search.network.encoding import ACTIONS, ENCODING, MAX_ACTIVE, input_size

FILE_NAME: Final = "weights.npz"
"""What the file is called in the folder of a training run."""

OUTPUTS: Final = {"outcome": ACTIONS, "policy-value": ACTIONS + 1}
"""What outputs can mean, and how many there are. An output's logistic function is the outcome to be
expected of its action, 1 for a win and 0 for the fool; or the outputs' softmax is how often each action is
to be played, and the logistic function of a last one the outcome to be expected."""

_MAGIC: Final = b"\x93NUMPY"
_KINDS: Final = {"|u1": "B", "<f2": "e"}
_MOST_SHIFT: Final = 10
_MOST_SLOPE: Final = 100
_LARGEST: Final = 16_000_000
"""Bytes of an array that are read at most."""


@dataclass(frozen=True, slots=True)
class About:
    """What a network is.

    Attributes:
        encoding: What its inputs mean.
        outputs: What its outputs mean, one of `OUTPUTS`.
        rules: The text of the rules it was trained for.
        widths: How many inputs there are, the width of each layer, then how many outputs there are.
        games: How many games it was trained on.
        levels: A shift and a slope for what analyses with it expect, before the logistic function; what they
            say is moved by them, so that it comes true.
    """

    encoding: str
    outputs: str
    rules: str
    widths: tuple[int, ...]
    games: int
    levels: tuple[float, float] = (0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Network:
    """A network as it was read."""

    about: About
    rules: Rules
    weights: Sequence[float]


class Halves(Sequence[float]):
    """Numbers of two bytes, the lower one first, unpacked when first read: of many networks one plays."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._numbers: array[float] | None = None

    def __len__(self) -> int:
        return len(self._data) // 2

    @overload
    def __getitem__(self, index: int) -> float: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[float]: ...

    def __getitem__(self, index: int | slice) -> float | Sequence[float]:
        if self._numbers is None:
            self._numbers = array("f", struct.unpack(f"<{len(self)}e", self._data))
        return self._numbers[index]


def network_bytes(about: About, weights: Sequence[float]) -> bytes:
    """Return a network's file, with each weight rounded to 16 bits."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        _put(archive, "about", "|u1", json.dumps(asdict(about)).encode())
        _put(archive, "weights", "<f2", weights)
    return file.getvalue()


def in_memory(network: Network, runner: Backend) -> Weights:
    """Return a network's widths and rows of weights in the memory of a backend, for `action_values`."""
    widths = network.about.widths
    integers = runner.integers(len(widths))
    integers[:] = list(widths)
    rows = runner.weights(sum(widths[:-1]) + len(widths) - 1, max(widths[1:]))
    start = row = 0
    for before, width in pairwise(widths):
        for _ in range(before + 1):
            rows[row][:width] = network.weights[start : start + width]
            row += 1
            start += width
    return Weights(integers, rows)


def room_for(network: Network, runner: Backend) -> Room:
    """Return what `action_values` works in."""
    widest = max(MAX_ACTIVE, *network.about.widths[1:])
    return Room(
        inputs=runner.integers(MAX_ACTIVE),
        actions=runner.integers(MAX_ACTIONS + 1),
        picked=runner.integers(widest),
        units=runner.floats(widest),
        sums=runner.floats(widest),
        outputs=runner.floats(MAX_ACTIONS + 1),
    )


def _put(archive: zipfile.ZipFile, name: str, kind: str, values: Sequence[float]) -> None:
    """Write one array of one dimension (NumPy's format 1.0, NEP 1)."""
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': ({len(values)},), }}"
    header += " " * (-(11 + len(header)) % 64) + "\n"
    data = _MAGIC + b"\x01\x00" + struct.pack("<H", len(header)) + header.encode("latin-1")
    data += struct.pack(f"<{len(values)}{_KINDS[kind]}", *values)
    archive.writestr(zipfile.ZipInfo(f"{name}.npy"), data, zipfile.ZIP_DEFLATED)


def read_network(path: Path) -> Network:
    """Read a network.

    Raises:
        AgentError: If the file cannot be read, is none of a network, or is for another encoding.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            about = _about(_array(archive, "about", "|u1"))
            weights = Halves(_array(archive, "weights", "<f2"))
        rules = Rules.parse(about.rules)
    except OSError as error:
        raise AgentError("{where}: {why}", where=path, why=error.strerror or error) from None
    except (zipfile.BadZipFile, KeyError, ValueError, TypeError, SyntaxError, struct.error) as error:
        if isinstance(error, RulesError):
            raise AgentError(
                "{path}: the network's rules cannot be played here: {why}", path=path, why=error
            ) from None
        raise AgentError("{path} is not a network's file: {why}", path=path, why=error) from None
    if about.encoding != ENCODING:
        raise AgentError(
            "{path} was trained with the encoding {encoding!r}; this program has {known!r}: "
            "train it anew, or take another file",
            path=path,
            encoding=about.encoding,
            known=ENCODING,
        )
    ends = (about.widths[0], about.widths[-1])
    if ends != (input_size(rules.seats), OUTPUTS[about.outputs]) or len(weights) != _count(about.widths):
        raise AgentError(
            "{path} is damaged: its weights are not those of the widths {widths}",
            path=path,
            widths=about.widths,
        )
    return Network(about, rules, weights)


def _about(text: bytes) -> About:
    values: dict[str, Any] = json.loads(text)
    levels = values.get("levels", (0.0, 1.0))
    about = About(**{**values, "widths": tuple(values["widths"]), "levels": tuple(levels)})
    widths = about.widths
    if not 3 <= len(widths) <= 6 or not all(type(width) is int and 0 < width <= 65_536 for width in widths):
        raise ValueError(f"widths {widths}: expected 3 to 6 whole numbers")
    shift, slope = about.levels
    if not (abs(shift) <= _MOST_SHIFT and 0 < slope <= _MOST_SLOPE):
        raise ValueError(
            f"levels {about.levels}: expected a shift from -{_MOST_SHIFT} to {_MOST_SHIFT}, "
            f"and a slope above 0, at most {_MOST_SLOPE}"
        )
    if about.outputs not in OUTPUTS:
        raise ValueError(f"outputs {about.outputs!r}: expected {' or '.join(OUTPUTS)}")
    return about


def _count(widths: tuple[int, ...]) -> int:
    """Return how many weights and biases a network of these widths has."""
    return sum((before + 1) * width for before, width in pairwise(widths))


def _array(archive: zipfile.ZipFile, name: str, kind: str) -> bytes:
    """Read one array of one dimension (NumPy's format 1.0, NEP 1)."""
    info = archive.getinfo(f"{name}.npy")
    if info.file_size > _LARGEST:
        raise ValueError(f"{name} has {info.file_size} bytes, expected at most {_LARGEST}")
    data = archive.read(info)
    if not data.startswith(_MAGIC + b"\x01"):
        raise ValueError(f"{name} is no array of NumPy's format 1.0")
    length = struct.unpack_from("<H", data, 8)[0]
    header = ast.literal_eval(data[10 : 10 + length].decode("latin-1"))
    (count,), numbers = header["shape"], data[10 + length :]
    if header["descr"] != kind or len(numbers) != count * int(kind[-1]):
        raise ValueError(f"{name} has {len(numbers)} bytes of {header['descr']}, expected {count} of {kind}")
    return numbers
