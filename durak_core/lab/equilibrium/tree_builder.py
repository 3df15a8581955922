"""Counters and working memory of the tree builder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from durak_core.kernel.compiled import zeros
from durak_core.kernel.position import MAX_ACTIONS, Position, copy_into, copy_play

DEPTH: Final = 500
"""Maximum number of decisions in a history."""

NONE: Final = -1
"""No node, information set or position."""

BY_CHANCE: Final = 2
"""Added to the first attacker's number in a hash if no hand has a trump (rules 4.1)."""

FULL: Final = -1
"""Returned if there is no room, or a history is too long."""


@dataclass(slots=True)
class Growth:
    """Sizes, capacities, and the current history by level.

    ``finished`` counts positions with a complete subtree. ``dealt`` is the deal last copied to each level.
    ``seen`` has the hash of what each seat saw, two per level.
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
    returns: list[float] = field(default_factory=lambda: [0.0] * 6)


def find_slot(keys: Sequence[int], numbers: Sequence[int], key: int) -> int:
    """Return a key's slot, or the free slot for it, in a hash table with power-of-two size."""
    slot = key & (len(keys) - 1)
    while numbers[slot] and keys[slot] != key:
        slot = (slot + 1) & (len(keys) - 1)
    return slot


def copy_down(stack: Sequence[Position], g: Growth, level: int) -> None:
    if g.dealt[level + 1] == g.deals:
        copy_play(stack[level + 1], stack[level])
        stack[level + 1].plies = stack[level].plies
    else:
        copy_into(stack[level + 1], stack[level])
        g.dealt[level + 1] = g.deals


def lay_codes(g: Growth, level: int, count: int) -> None:
    for i in range(count):
        g.codes[level * MAX_ACTIONS + i] = g.fresh[i]
    g.count[level] = count
    g.tried[level] = 0


def next_code(g: Growth, level: int) -> int:
    code = g.codes[level * MAX_ACTIONS + g.tried[level]]
    g.tried[level] += 1
    return code
