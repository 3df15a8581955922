"""Endgames of many games side by side, valued exactly: training can learn that instead of how they went on.

Kernel-style text.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from typing import Final

from durak_core.kernel.position import Position
from durak_core.search.endgame import UNKNOWN, Solver, solvable
from durak_core.search.ismcts import cards_left, solve_leaf, solved_reward

__all__ = ["UNSOLVED", "solve_endings"]

UNSOLVED: Final = -1.0
"""Stands for the worth of a position that is not solved."""


def solve_endings(
    positions: Sequence[Position],
    limits: tuple[int, int],
    solver: tuple[Sequence[Position], Sequence[Solver], MutableSequence[int], MutableSequence[int]],
    worth: MutableSequence[float],
) -> None:
    """Write what positions are worth to the seats to act when nobody makes a mistake any more.

    Only two seats with an empty talon can be solved; where cards may be transferred, only what is won or
    lost within a few bouts.

    Args:
        positions: None of them is over; of the same rules, but not the same deal.
        limits: Only positions with at most so many cards in hands and on the table are solved, and with at
            most so many nodes each.
        solver: What `durak_core.search.endgame.solve` works on.
        worth: Written for each position: 1, 0.5 for a draw, or 0 for the fool; or `UNSOLVED`.
    """
    cards, budget = limits
    stack = solver[0]
    keys = solver[2]
    for i in range(len(positions)):
        p = positions[i]
        worth[i] = UNSOLVED
        if p.drawn == p.deck_size and solvable(p) and cards_left(p) <= cards:
            for level in range(len(stack)):
                stack[level].trump_lane = p.trump_lane
            for slot in range(len(keys)):
                keys[slot] = 0
            value = solve_leaf(p, budget, solver)
            if value != UNKNOWN:
                worth[i] = solved_reward(p, value, p.attacker, p.turn)
