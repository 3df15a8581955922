"""Zeros and ones in memory, eight to a byte: what learners keep of many decisions.

An observation of podkidnoy for two has 633 inputs: 80 bytes packed, and 216 as a row of room for the
active inputs' numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from durak_core.learn.rollout import Samples
from durak_core.learn.vector import VectorGames
from durak_core.search.backend.backend import Backend
from durak_core.search.network.encoding import ACTIONS

Bits = npt.NDArray[np.uint8]
"""Rows of bits, eight to a byte, the first one of greatest weight."""


def width(places: int) -> int:
    """Return how many bytes so many bits take."""
    return (places + 7) // 8


def packed_inputs(samples: Samples, size: int, runner: Backend) -> Bits:
    """Return the observations of decisions.

    Args:
        samples: The decisions.
        size: How many inputs an observation has.
        runner: Its ``write_planes`` is called.
    """
    planes = np.empty((len(samples.lengths), size), np.int8)
    runner.functions["write_planes"](samples.lengths, samples.inputs, planes)
    return np.packbits(planes, axis=1)


def legal_bits(games: VectorGames) -> Bits:
    """Return for each game which actions of the fixed space are legal."""
    return np.packbits(games.masks(), axis=1)


def unpacked(bits: Bits, size: int = ACTIONS) -> npt.NDArray[Any]:
    """Return rows of zeros and ones.

    Args:
        bits: Packed rows.
        size: How many there are in a row.
    """
    rows: npt.NDArray[np.uint8] = np.unpackbits(bits, axis=1, count=size)
    return rows
