"""A small random number generator with the same output in CPython and compiled.

Multiply-with-carry with base 2^32; the output is the xor of the two halves. Every product stays below 2^63
because compiled code assumes no signed overflow. The state is one integer in a list or array of length one,
owned by the caller and made by `derive`.

Source: G. Marsaglia, "Random number generators", Journal of Modern Applied Statistical Methods 2 (2003).
"""

from __future__ import annotations

from collections.abc import MutableSequence
from typing import Final

MASK63: Final = 0x7FFF_FFFF_FFFF_FFFF
"""The largest seed."""

# Streams of `derive`: the purpose of a seed.
DEAL_STREAM: Final = 0
"""From a deal's seed: the shuffle."""
FIRST_SEAT_STREAM: Final = 1
"""From a deal's seed: the first seat with a given deck if there are no trumps in hand."""
CHANCE_STREAM: Final = 0
"""From an agent's seed: its choices."""
AGENTS_STREAM: Final = 1 << 32
"""From a deal's seed: the agents of a single game."""
SEATS_STREAM: Final = 1 << 33
"""From a deal's seed: the seats of the players, if they are drawn."""
GAMES_STREAM: Final = 1 << 48
"""From a match's seed, the game's number added: that game's agents."""

_WORD: Final = 0xFFFF_FFFF
_MULTIPLIER: Final = 698_769_069  # 2^32 times it, less 1, is a safe prime: period near 2^60
_MIX_1: Final = 0x21F0_AAAD
_MIX_2: Final = 0x735A_2D97
_KEY: Final = 0x1E37_79B9


def next_random(state: MutableSequence[int]) -> int:
    """Advance a state of 1 to 2^61, made by `derive`, and return 32 random bits."""
    value = state[0]
    state[0] = _MULTIPLIER * (value & _WORD) + (value >> 32)
    return (value & _WORD) ^ (value >> 32)


def random_below(state: MutableSequence[int], n: int) -> int:
    """Return a random number from 0 to n - 1, for n up to 2^31; the bias is below n / 2^32."""
    return (next_random(state) * n) >> 32


def scramble(word: int) -> int:
    """Hash 32 bits, one to one (a multiply-xorshift hash as in Wellons' prospector)."""
    word = ((word ^ (word >> 16)) * _MIX_1) & _WORD
    word = ((word ^ (word >> 15)) * _MIX_2) & _WORD
    return word ^ (word >> 15)


def mixed(seen: int, word: int) -> int:
    """Extend a 63-bit sequence hash by one word of up to 63 bits."""
    high = scramble((seen ^ word) & _WORD)
    return (high << 31) ^ scramble((seen >> 31 ^ word >> 32 ^ high) & _WORD)


def derive(seed: int, stream: int) -> int:
    """Return the seed, 1 to 2^61, of a stream: one for each game, seat and purpose; also a random state.

    Seed and stream, 0 to 2^63 - 1, are each mixed by four Feistel rounds.
    """
    low = seed & _WORD
    high = seed >> 32
    for i in range(8):
        if i == 4:
            low ^= stream & _WORD
            high ^= stream >> 32
        mixed = high ^ scramble((low + (i + 1) * _KEY) & _WORD)
        high = low
        low = mixed
    return ((high >> 3) << 32 | low) + 1
