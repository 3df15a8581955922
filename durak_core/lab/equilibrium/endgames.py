"""Endgame positions of a tiny deck, in which both seats know all cards; transpositions are merged.

All cards are known once only the open trump is left in the talon (rules 9.2). A position then has one value,
solved by backward induction, whatever history led there. A deterministic memoryless strategy is optimal.

Kernel-style code, as in `durak_core.lab.equilibrium.tree`.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from typing import Final, NamedTuple

from durak_core.kernel.bits import popcount
from durak_core.kernel.compiled import compiled
from durak_core.kernel.legal import legal
from durak_core.kernel.position import DRAWN_GAME, MAX_ACTIONS, OVER, Position, copy_into
from durak_core.kernel.random import mixed
from durak_core.kernel.transition import apply, returns
from durak_core.lab.equilibrium.tree_builder import (
    DEPTH,
    FULL,
    Growth,
    copy_down,
    find_slot,
    lay_codes,
    next_code,
)

BOTH: Final = 3
"""Bits of both seats."""


class Endgames(NamedTuple):
    """Positions in order of discovery, at which a seat has a choice or the game is over.

    Attributes:
        seats: Seat to act.
        firsts: Number of its first of ``widths`` moves, which are numbered across positions.
        order: Positions in post-order, successors first.
        entries: Working array, one number per position.
        codes: Action code of each move.
        nexts: Position after each move.
        keys: Hash table of positions: hash by slot.
        slots: Position plus 1, or 0 for an empty slot.
        payoffs: Seat 0's return at the end of the game.
        values: Value for seat 0.
        strategy: Probability of each move.
    """

    seats: MutableSequence[int]
    firsts: MutableSequence[int]
    widths: MutableSequence[int]
    order: MutableSequence[int]
    entries: MutableSequence[int]
    codes: MutableSequence[int]
    nexts: MutableSequence[int]
    keys: MutableSequence[int]
    slots: MutableSequence[int]
    payoffs: MutableSequence[float]
    values: MutableSequence[float]
    strategy: MutableSequence[float]


def _key(p: Position) -> int:
    """Hash everything that affects the rest of a game without hidden cards."""
    if p.phase == OVER:
        return mixed(0, p.fool - DRAWN_GAME)
    rest = p.phase | p.turn << 3 | p.attacker << 4 | p.passed << 5 | p.shown << 7
    rest |= p.limit << 9 | p.n_attacks << 16
    if p.bout == 1:
        rest |= 1 << 23
    if p.drawn < p.deck_size:
        rest |= p.deck[p.drawn] << 24
    # Without transfers bouts taken in a row are fewer than the attacker's cards (rules 8.5).
    if p.transfer or p.stall + popcount(p.hands[p.attacker]) + 1 >= p.stall_limit:
        rest |= p.stall << 30
    key = mixed(mixed(mixed(mixed(p.trump_mask, rest), p.hands[0]), p.hands[1]), p.table)
    for i in range(p.n_attacks):
        if p.defences[i] == 0:
            key = mixed(key, p.attacks[i])
    return key


def _enter(p: Position, g: Growth, endgames: Endgames, level: int) -> int:
    """Play forced actions; return the position's number, adding it if needed, or `FULL`."""
    n = legal(p, g.fresh)
    while n == 1:
        apply(p, g.fresh[0])
        n = legal(p, g.fresh)
    lay_codes(g, level, n)
    key = _key(p)
    slot = find_slot(endgames.keys, endgames.slots, key)
    if endgames.slots[slot]:
        return endgames.slots[slot] - 1
    if g.positions == g.most_positions or g.moves + MAX_ACTIONS > g.most_moves:
        return FULL
    position = g.positions
    g.positions += 1
    endgames.keys[slot] = key
    endgames.slots[slot] = position + 1
    endgames.seats[position] = p.turn
    endgames.firsts[position] = g.moves
    endgames.widths[position] = n
    for i in range(n):
        endgames.codes[g.moves + i] = g.fresh[i]
    g.moves += n
    if n == 0:
        returns(p, g.returns)
        endgames.payoffs[position] = g.returns[0]
    g.node[level] = position
    return position


def explore(stack: Sequence[Position], g: Growth, endgames: Endgames, bottom: int) -> int:
    """Enumerate the subgame at a level's position; return its first position's number, or `FULL`."""
    known = g.positions
    entry = _enter(stack[bottom], g, endgames, bottom)
    level = bottom if entry == known else bottom - 1
    while level >= bottom:
        if g.tried[level] == g.count[level]:
            endgames.order[g.finished] = g.node[level]
            g.finished += 1
            level -= 1
            continue
        if level == DEPTH - 1:
            return FULL
        move = endgames.firsts[g.node[level]] + g.tried[level]
        copy_down(stack, g, level)
        apply(stack[level + 1], next_code(g, level))
        known = g.positions
        following = _enter(stack[level + 1], g, endgames, level + 1)
        if following == FULL:
            return FULL
        endgames.nexts[move] = following
        if following == known:
            level += 1
    return entry


@compiled("solve")
def solve_endgame(
    roots: Sequence[Position], stack: Sequence[Position], growth: Sequence[Growth], endgames: Endgames
) -> int:
    """Enumerate the first root's subgame, value its new positions, and return the root's number.

    The root has two or more legal actions. `FULL` means that the positions are now invalid.
    """
    g = growth[0]
    g.deals += 1
    copy_into(stack[0], roots[0])
    valued = g.finished
    root = explore(stack, g, endgames, 0)
    if root != FULL:
        value_positions(endgames, valued, g.finished, BOTH)
    return root


def value_positions(endgames: Endgames, valued: int, positions: int, best: int) -> None:
    """Compute each position's value for seat 0, except for the first ``valued`` ones in post-order.

    ``best`` has a bit for each seat that maximises. The other seats play the strategy.
    """
    for i in range(valued, positions):
        position = endgames.order[i]
        first, width, seat = endgames.firsts[position], endgames.widths[position], endgames.seats[position]
        sign = 1.0 if seat == 0 else -1.0
        value = 0.0
        if width == 0:
            value = sign * endgames.payoffs[position]
        elif best >> seat & 1:
            value = -1.0
            for move in range(first, first + width):
                value = max(value, sign * endgames.values[endgames.nexts[move]])
        else:
            for move in range(first, first + width):
                value += endgames.strategy[move] * sign * endgames.values[endgames.nexts[move]]
        endgames.values[position] = sign * value


@compiled("solve")
def play_near_best(endgames: Endgames, positions: int, slack: float) -> None:
    """Set the strategy to uniform over moves that lose at most ``slack``: 0 is optimal, 2 is any move."""
    value_positions(endgames, 0, positions, BOTH)
    for position in range(positions):
        first, width = endgames.firsts[position], endgames.widths[position]
        near = 0.0
        for move in range(first, first + width):
            loss = abs(endgames.values[endgames.nexts[move]] - endgames.values[position])
            endgames.strategy[move] = 1.0 if loss <= slack else 0.0
            near += endgames.strategy[move]
        for move in range(first, first + width):
            endgames.strategy[move] /= near
