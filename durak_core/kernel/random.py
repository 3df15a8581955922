"""A small random generator that gives the same numbers in CPython and in machine code.

SplitMix (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014) with
63 bits of state, so that everything stays in a non-negative signed 64-bit integer: multiplying and
masking gives the same low bits with and without wrap-around. The state is one integer in a list or
array of length one, and belongs to whoever asks.
"""

from __future__ import annotations

from collections.abc import MutableSequence
from typing import Final

__all__ = ["MASK63", "derive", "next_random", "random_below"]

MASK63: Final = 0x7FFF_FFFF_FFFF_FFFF
_STEP: Final = 0x1E37_79B9_7F4A_7C15
_MIX_1: Final = 0x3F58_476D_1CE4_E5B9
_MIX_2: Final = 0x14D0_49BB_1331_11EB


def mix(value: int) -> int:
    """Scramble 63 bits, one to one."""
    value = ((value ^ (value >> 30)) * _MIX_1) & MASK63
    value = ((value ^ (value >> 27)) * _MIX_2) & MASK63
    return value ^ (value >> 31)


def next_random(state: MutableSequence[int]) -> int:
    """Advance the state and return 63 random bits."""
    state[0] = (state[0] + _STEP) & MASK63
    return mix(state[0])


def random_below(state: MutableSequence[int], n: int) -> int:
    """Return a random number from 0 to n - 1, for n up to 2^31; the bias is below n / 2^32."""
    return ((next_random(state) >> 31) * n) >> 32


def derive(seed: int, stream: int) -> int:
    """Return the seed of an independent stream: one for each game, seat and purpose.

    Args:
        seed: 0 to 2^63 - 1.
        stream: 0 to 2^62, another one for each purpose.
    """
    return mix((mix(seed & MASK63) + (stream + 1) * _STEP) & MASK63)
