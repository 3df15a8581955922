"""Depth-first search that can be stopped and continued, with an explicit stack; also compiled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from durak_core.kernel.compiled import zeros
from durak_core.kernel.position import MAX_ACTIONS, Position, copy_play
from durak_core.kernel.transition import apply

LEVELS: Final = 160
"""Maximum depth in decisions."""

_WIDTH: Final = 56  # codes kept for a level

LINE: Final = 8
"""Length of a continuation: codes and 1 each, then 0."""


@dataclass(slots=True)
class DepthFirst:
    """The memory of a search, besides the stack of positions and the transposition table."""

    seat: int = 0  # values are this seat's
    node_limit: int = 0  # nodes that may be searched
    nodes: int = 0  # nodes searched so far
    deepest: int = 0  # greatest depth in decisions
    forced: int = 0  # the only action's code and 1, if there is no choice
    level: int = 0  # where a search that ran out of nodes continues; 0 for a new search
    slots: int = 0  # entries of the transposition table, a power of two
    last_bout: int = 0  # nothing after this bout is searched; 0 for the whole game
    cut: int = 0  # the value of a game that continues after it
    alpha: list[int] = field(default_factory=zeros(LEVELS))
    beta: list[int] = field(default_factory=zeros(LEVELS))
    best: list[int] = field(default_factory=zeros(LEVELS))
    best_code: list[int] = field(default_factory=zeros(LEVELS))
    tried: list[int] = field(default_factory=zeros(LEVELS))
    count: list[int] = field(default_factory=zeros(LEVELS))
    key: list[int] = field(default_factory=zeros(LEVELS))  # 0: not to be stored
    codes: list[int] = field(default_factory=zeros(LEVELS * _WIDTH))
    fresh: list[int] = field(default_factory=zeros(MAX_ACTIONS))


def lay_code(search: DepthFirst, level: int, place: int, code: int, cost: int) -> None:
    """Insert a code of cost 0 to 127 on a level, after equally cheap ones, given the codes there."""
    base = level * _WIDTH
    j = base + place
    while j > base and search.codes[j - 1] & 127 > cost:
        search.codes[j] = search.codes[j - 1]
        j -= 1
    search.codes[j] = code << 7 | cost


def code_on(search: DepthFirst, level: int, place: int) -> int:
    return search.codes[level * _WIDTH + place] >> 7


def try_next(stack: Sequence[Position], search: DepthFirst, level: int, alpha: int, beta: int) -> None:
    """Play a level's next code on the position of the next level, with a window of values."""
    child = stack[level + 1]
    code = code_on(search, level, search.tried[level])
    search.tried[level] += 1
    copy_play(child, stack[level])
    apply(child, code)
    search.alpha[level + 1] = alpha
    search.beta[level + 1] = beta
