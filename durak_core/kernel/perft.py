"""Perft: how many sequences of legal actions of a given length there are.

The counts are the fingerprint of the rules; golden files hold them.
"""

from __future__ import annotations

from durak_core.kernel.legal import legal
from durak_core.kernel.position import MAX_ACTIONS, Position, copy_position
from durak_core.kernel.transition import apply

__all__ = ["divide", "perft"]


def perft(p: Position, depth: int) -> int:
    """Count the sequences of ``depth`` legal actions from a position.

    A game that ends earlier counts as no sequence. The position is left as it was.
    """
    if depth == 0:
        return 1
    codes = [0] * MAX_ACTIONS
    n = legal(p, codes)
    if depth == 1:
        return n
    total = 0
    for i in range(n):
        child = copy_position(p)
        apply(child, codes[i])
        total += perft(child, depth - 1)
    return total


def divide(p: Position, depth: int) -> dict[int, int]:
    """Count as `perft` does, for each first action's code apart; ``depth`` is at least 1."""
    codes = [0] * MAX_ACTIONS
    counts: dict[int, int] = {}
    for i in range(legal(p, codes)):
        child = copy_position(p)
        apply(child, codes[i])
        counts[codes[i]] = perft(child, depth - 1)
    return counts
