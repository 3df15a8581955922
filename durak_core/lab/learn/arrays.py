"""The arrays of learning: names of their types, zeros and ones packed eight to a byte, and networks' files.

An observation of podkidnoy for two has 633 inputs: 80 bytes packed, and 216 as a row of room for the
active inputs' numbers.
"""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from durak_core.search.network.encoding import ACTIONS
from durak_core.search.network.weights import About

Int8s: TypeAlias = npt.NDArray[np.int8]
Int16s: TypeAlias = npt.NDArray[np.int16]
Int64s: TypeAlias = npt.NDArray[np.int64]
Float32s: TypeAlias = npt.NDArray[np.float32]
Float64s: TypeAlias = npt.NDArray[np.float64]
Bits: TypeAlias = npt.NDArray[np.uint8]
"""Rows of bits, eight to a byte, the first one of greatest weight: (n, ``byte_width(bits)``)."""
Arrays: TypeAlias = dict[str, npt.NDArray[Any]]
"""Arrays by name, with a row for each decision or game."""


def byte_width(bits: int) -> int:
    return (bits + 7) // 8


def unpacked(bits: Bits, size: int = ACTIONS) -> npt.NDArray[np.uint8]:
    """Return packed rows as zeros and ones, (n, ``size``)."""
    rows: npt.NDArray[np.uint8] = np.unpackbits(bits, axis=1, count=size)
    return rows


def network_bytes(about: About, weights: Sequence[float]) -> bytes:
    """Return a network's file, with each weight rounded to 16 bits."""
    told = asdict(about)
    if not about.learner:
        del told["learner"]
    file = io.BytesIO()
    text = np.frombuffer(json.dumps(told).encode(), np.uint8)
    np.savez_compressed(file, about=text, weights=np.asarray(weights, "<f2"))
    return file.getvalue()
