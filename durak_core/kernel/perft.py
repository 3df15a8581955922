"""Perft: counts sequences of legal actions. The golden files' counts pin down the rules."""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence

from durak_core.kernel.compiled import compiled
from durak_core.kernel.legal import legal
from durak_core.kernel.position import MAX_ACTIONS, Position, copy_into, copy_position
from durak_core.kernel.transition import apply


@compiled("rules")
def perft_on(
    stack: Sequence[Position], codes: MutableSequence[int], tried: MutableSequence[int], depth: int
) -> int:
    """Count the sequences of ``depth`` legal actions, 1 or more, from ``stack[0]`` without allocating.

    Needs ``depth`` positions (all but the first are overwritten), and room for `MAX_ACTIONS` codes
    and ``depth`` tries.
    """
    total = 0
    level = 0
    tried[0] = 0
    while level >= 0:
        n = legal(stack[level], codes)
        if level == depth - 1:
            total += n
            level -= 1
        elif tried[level] < n:
            code = codes[tried[level]]
            tried[level] += 1
            copy_into(stack[level + 1], stack[level])
            level += 1
            tried[level] = 0
            apply(stack[level], code)
        else:
            level -= 1
    return total


def perft(p: Position, depth: int) -> int:
    """Return a position's perft count; games that end earlier do not count (CPython only)."""
    if depth == 0:
        return 1
    stack = [p, *(Position() for _ in range(depth - 1))]
    return perft_on(stack, [0] * MAX_ACTIONS, [0] * depth, depth)


def divide(p: Position, depth: int) -> dict[int, int]:
    """Return the perft count of each first action's code; ``depth`` is at least 1."""
    codes = [0] * MAX_ACTIONS
    counts: dict[int, int] = {}
    for code in codes[: legal(p, codes)]:
        child = copy_position(p)
        apply(child, code)
        counts[code] = perft(child, depth - 1)
    return counts
