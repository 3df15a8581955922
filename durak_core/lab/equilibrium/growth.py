"""How far the histories of a tiny deck are gone through, and the memory of going through them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from durak_core.kernel.machine_code import zeros
from durak_core.kernel.position import MAX_ACTIONS, Position, copy_into, copy_play
from durak_core.kernel.random import scramble

DEPTH: Final = 500
"""Decisions that a history may have."""

NONE: Final = -1
"""Stands for no node, no information set and no position."""

FULL: Final = -1
"""Answers that there is no room left, or a history is too long."""

_WORD: Final = 0xFFFF_FFFF


@dataclass(slots=True)
class Growth:
    """How much there is so far, for how much there is room, and the levels of one history.

    Attributes:
        deals: Begun so far.
        nodes: Of the `Tree`, as are the information sets and their choices.
        positions: Of the `Endgames`, as are the moves from them.
        finished: Positions to whose end everything has been gone through.
        dealt: By level, which deal was laid there last.
        seen: By level and seat, the hash of what it saw.
        codes: Legal ones, by level.
    """

    deals: int = 0
    nodes: int = 0
    infos: int = 0
    choices: int = 0
    positions: int = 0
    moves: int = 0
    finished: int = 0
    most_nodes: int = 0
    most_positions: int = 0
    most_moves: int = 0
    dealt: list[int] = field(default_factory=zeros(DEPTH))
    node: list[int] = field(default_factory=zeros(DEPTH))
    tried: list[int] = field(default_factory=zeros(DEPTH))
    count: list[int] = field(default_factory=zeros(DEPTH))
    seen: list[int] = field(default_factory=zeros(2 * DEPTH))
    codes: list[int] = field(default_factory=zeros(DEPTH * MAX_ACTIONS))
    fresh: list[int] = field(default_factory=zeros(MAX_ACTIONS))
    worth: list[float] = field(default_factory=lambda: [0.0] * 6)


def mixed(seen: int, word: int) -> int:
    """Return the hash of a sequence that has one more word; both have up to 63 bits."""
    high = scramble((seen ^ word) & _WORD)
    return (high << 31) ^ scramble((seen >> 31 ^ word >> 32 ^ high) & _WORD)


def find_slot(keys: Sequence[int], numbers: Sequence[int], key: int) -> int:
    """Return the slot of a key in a table whose size is a power of two, or the free one where it belongs."""
    slot = key & (len(keys) - 1)
    while numbers[slot] and keys[slot] != key:
        slot = (slot + 1) & (len(keys) - 1)
    return slot


def copy_down(stack: Sequence[Position], g: Growth, level: int) -> None:
    """Make the position of the next level equal to that of this one."""
    if g.dealt[level + 1] == g.deals:
        copy_play(stack[level + 1], stack[level])
        stack[level + 1].plies = stack[level].plies
    else:
        copy_into(stack[level + 1], stack[level])
        g.dealt[level + 1] = g.deals


def lay_codes(g: Growth, level: int, count: int) -> None:
    """Lay the fresh codes on a level, to be tried one after the other."""
    for i in range(count):
        g.codes[level * MAX_ACTIONS + i] = g.fresh[i]
    g.count[level] = count
    g.tried[level] = 0


def next_code(g: Growth, level: int) -> int:
    """Return the code of a level that is tried next, and count it as tried."""
    code = g.codes[level * MAX_ACTIONS + g.tried[level]]
    g.tried[level] += 1
    return code
