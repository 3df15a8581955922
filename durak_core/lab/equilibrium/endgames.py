"""Endgame positions of a tiny deck, in which both seats know all cards, and optimal play in them.

All cards are known once only the open trump is left in the talon (rules 9.2). A position then has one value,
solved by backward induction, whatever history led there. A deterministic memoryless strategy is optimal.

Kernel-style code, as in `durak_core.lab.equilibrium.cfr`.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from durak_core.errors import DurakError
from durak_core.kernel.compiled import compiled, zeros
from durak_core.kernel.legal import legal
from durak_core.kernel.position import (
    DRAWN_GAME,
    MAX_ACTIONS,
    OVER,
    Position,
    copy_into,
    copy_play,
    mixed,
    popcount,
)
from durak_core.kernel.transition import apply, new_position, returns
from durak_core.rules import Rules
from durak_core.search.backend.backend import Backend

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
    # No position repeats within a game, because `_key` counts the bouts taken in a row wherever these could
    # bring one back. So a known position has its whole subtree, and successors come first in post-order.
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


MOST_POSITIONS: Final = 30_000_000
"""Maximum number of positions without hidden cards."""

MOVES: Final = 5
"""Capacity in moves per position, on average."""

FIRST_ROOM: Final = 10_000
"""Initial capacity in positions."""


def new_endgames(runner: Backend, positions: int) -> Endgames:
    """Return empty arrays for some positions."""
    moves, slots = MOVES * positions, 1 << (2 * positions).bit_length()
    whole = [positions] * 5 + [moves] * 2 + [slots] * 2
    parts = [positions] * 2 + [moves]
    return Endgames._make([*map(runner.integers, whole), *map(runner.floats, parts)])


class EndgameTable:
    """The positions met so far and all that can follow, with their values."""

    def __init__(self, rules: Rules, runner: Backend) -> None:
        self._runner = runner
        self._stack = runner.records(new_position(rules), DEPTH)
        self._make_room(FIRST_ROOM)

    def optimal(self, position: Position) -> Sequence[bool]:
        """Return for each legal action of a position, in order, whether it is optimal.

        The position has two seats that know all cards, and two or more legal actions.

        Raises:
            DurakError: If more than `MOST_POSITIONS` can follow.
        """
        roots = self._runner.records(position, 1)
        solve = self._runner.functions["solve_endgame"]
        while (root := int(solve(roots, self._stack, self._growth, self._endgames))) == FULL:
            if self._room == MOST_POSITIONS:
                raise DurakError(
                    "more than {most} positions can follow this endgame: expected fewer",
                    most=f"{MOST_POSITIONS:,}",
                )
            self._make_room(min(4 * self._room, MOST_POSITIONS))
        endgames = self._endgames
        first = int(endgames.firsts[root])
        moves = range(first, first + int(endgames.widths[root]))
        return [bool(endgames.values[endgames.nexts[move]] == endgames.values[root]) for move in moves]

    def _make_room(self, positions: int) -> None:
        self._room = positions
        growth = Growth(most_positions=positions, most_moves=MOVES * positions)
        self._growth = self._runner.records(growth, 1)
        self._endgames = new_endgames(self._runner, positions)
