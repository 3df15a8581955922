"""NumPy array types, bit packing, and the file format of networks."""

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
"""Bit-packed rows, most significant bit first: (n, ``byte_width(bits)``)."""
Arrays: TypeAlias = dict[str, npt.NDArray[Any]]
"""Named arrays with one row per decision or game."""


def byte_width(bits: int) -> int:
    return (bits + 7) // 8


def unpacked(bits: Bits, size: int = ACTIONS) -> npt.NDArray[np.uint8]:
    """Unpack rows of bits to zeros and ones, (n, ``size``)."""
    rows: npt.NDArray[np.uint8] = np.unpackbits(bits, axis=1, count=size)
    return rows


def network_bytes(about: About, weights: Sequence[float]) -> bytes:
    """Serialise a network, with weights rounded to float16."""
    told = asdict(about)
    if not about.learner:
        del told["learner"]
    file = io.BytesIO()
    text = np.frombuffer(json.dumps(told).encode(), np.uint8)
    np.savez_compressed(file, about=text, weights=np.asarray(weights, "<f2"))
    return file.getvalue()
