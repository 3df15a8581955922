"""What searches share that can be stopped and continued: a stack of positions, and what is left to try.

The stack takes the place of recursion, and each level of it remembers what is left to try there.

Kernel-style text: plain functions over integers that run in CPython and as machine code.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from durak_core.kernel.machine_code import zeros
from durak_core.kernel.position import MAX_ACTIONS, Position, copy_play
from durak_core.kernel.transition import apply

LEVELS: Final = 160
"""Decisions deep that a search may go."""

_WIDTH: Final = 56  # codes kept for a level

LINE: Final = 8
"""Decisions that are kept of what a search expects after an action: their codes and 1 each, then 0."""


@dataclass(slots=True)
class DepthFirst:
    """The memory of a search beside the stack of positions and the transposition table."""

    seat: int = 0  # values are this seat's
    node_limit: int = 0  # nodes that may be searched
    nodes: int = 0  # nodes searched so far
    deepest: int = 0  # decisions that were looked ahead at most
    forced: int = 0  # the first action's code and 1, where there is only one
    level: int = 0  # where a search that ran out of nodes goes on; 0 for a new search
    slots: int = 0  # entries of the transposition table, a power of two
    last_bout: int = 0  # nothing after this bout is searched; 0 for all of the game
    cut: int = 0  # the value of a game that goes on after it
    alpha: list[int] = field(default_factory=zeros(LEVELS))
    beta: list[int] = field(default_factory=zeros(LEVELS))
    best: list[int] = field(default_factory=zeros(LEVELS))
    best_code: list[int] = field(default_factory=zeros(LEVELS))
    tried: list[int] = field(default_factory=zeros(LEVELS))
    count: list[int] = field(default_factory=zeros(LEVELS))
    key: list[int] = field(default_factory=zeros(LEVELS))  # 0: not to be stored
    codes: list[int] = field(default_factory=zeros(LEVELS * _WIDTH))
    fresh: list[int] = field(default_factory=zeros(MAX_ACTIONS))


def lay_code(s: DepthFirst, level: int, place: int, code: int, cost: int) -> None:
    """Lay one more code on a level, behind those that cost as little, 0 to 127; ``place`` codes lie there."""
    base = level * _WIDTH
    j = base + place
    while j > base and s.codes[j - 1] & 127 > cost:
        s.codes[j] = s.codes[j - 1]
        j -= 1
    s.codes[j] = code << 7 | cost


def code_on(s: DepthFirst, level: int, place: int) -> int:
    """Return the code that has been laid on a place of a level."""
    return s.codes[level * _WIDTH + place] >> 7


def try_next(stack: Sequence[Position], s: DepthFirst, level: int, alpha: int, beta: int) -> None:
    """Play the next code of a level on the position of the level after it, which gets a window of values."""
    child = stack[level + 1]
    code = code_on(s, level, s.tried[level])
    s.tried[level] += 1
    copy_play(child, stack[level])
    apply(child, code)
    s.alpha[level + 1] = alpha
    s.beta[level + 1] = beta
