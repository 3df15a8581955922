"""The solver at the root of a search in compiled games, as in `durak_core.agents.solver.best_in_endgame`."""

from __future__ import annotations

from collections.abc import MutableSequence
from typing import Final

from durak_core.kernel.bits import popcount
from durak_core.kernel.position import OVER, Position, copy_into
from durak_core.kernel.transition import apply
from durak_core.search.endgame.alpha_beta import UNKNOWN, outcome, solvable, solve
from durak_core.search.endgame.move_ordering import move_score
from durak_core.search.network.encoding import Memory
from durak_core.search.players.public_knowledge import Deduction
from durak_core.search.players.search_memory import NODES, SearchBuffers

UNSOLVED: Final = -2
"""Value of an action that is not among the solver's best."""


def solved(root: Position, memory: Memory, k: Deduction, buffers: SearchBuffers, n: int) -> int:
    """Return the index of a forced win or the only best action, or -1.

    If several actions are best, the others are marked `UNSOLVED`.
    """
    order, codes = buffers.order, buffers.codes
    for i in range(n):
        order[i] = i
    if buffers.limits[NODES] == 0 or not _is_known(root, memory):
        return -1
    _sort_moves(root, codes, order, n)
    after = buffers.game.positions[1]
    for i in range(n):
        copy_into(after, root)
        apply(after, codes[order[i]])
        if after.phase == OVER and outcome(after, root.turn) > 0:
            return order[i]
    keys = buffers.endgame.keys
    for i in range(len(keys)):
        keys[i] = 0
    s = buffers.endgame.search[0]
    s.node_limit = buffers.limits[NODES]
    best = UNSOLVED
    for i in range(n):
        value = _solve_action(root, codes[order[i]], buffers)
        k.values[order[i]] = value
        if value == 1:
            return order[i]
        best = max(best, value)
        if value == UNKNOWN and (s.level or s.node_limit <= 0):
            break
    return _only_best(k, best, n)


def _is_known(root: Position, memory: Memory) -> bool:
    """Return whether nothing is hidden, and the endgame is solvable."""
    for seat in range(root.seats):
        if popcount(root.hands[seat]) != memory.sizes[seat]:
            return False
    return solvable(root)


def _solve_action(root: Position, code: int, buffers: SearchBuffers) -> int:
    """Return an action's value, or `UNKNOWN`; its nodes are taken from the solver's limit."""
    after = buffers.game.positions[1]
    copy_into(after, root)
    apply(after, code)
    if after.phase == OVER:
        return outcome(after, root.turn)
    copy_into(buffers.endgame.stack[0], after)
    s = buffers.endgame.search[0]
    s.seat = root.turn
    s.nodes = 0
    s.level = 0
    s.last_bout = 0
    value = UNKNOWN
    if s.node_limit > 0:
        value = solve(buffers.endgame, -1, 1)
    s.node_limit -= s.nodes
    return value


def _only_best(k: Deduction, best: int, n: int) -> int:
    """Mark the actions below the best value; return the index of the best one, or -1 if there are several."""
    if best == UNKNOWN:
        for i in range(n):
            k.values[i] = 0
        return -1
    count = 0
    index = -1
    for i in range(n):
        if k.values[i] == best:
            count += 1
            index = i
        else:
            k.values[i] = UNSOLVED
    return index if count == 1 else -1


def _sort_moves(root: Position, codes: MutableSequence[int], order: MutableSequence[int], n: int) -> None:
    for i in range(1, n):
        here = order[i]
        cost = move_score(root, codes[here])
        j = i
        while j > 0 and move_score(root, codes[order[j - 1]]) > cost:
            order[j] = order[j - 1]
            j -= 1
        order[j] = here
