"""The arrays of learning: names of their types, and zeros and ones packed eight to a byte.

An observation of podkidnoy for two has 633 inputs: 80 bytes packed, and 216 as a row of room for the
active inputs' numbers.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from durak_core.search.network.encoding import ACTIONS

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
