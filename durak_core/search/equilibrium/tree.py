"""The whole game of a tiny deck: every history of every deal, and what each seat knows there.

A node is a history after which a seat has a choice, or the game is over; what has no alternative is played
on the way. Two histories belong to one information set when the seat to act has seen the same: its cards at
the beginning, the trump card, who began, every action in its order, and its own hand after each (rules 9).
Sets are told apart by a hash of 63 bits of that sequence.

Kernel-style text: plain functions over integers that run in CPython and as machine code.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from durak_core.kernel.codes import PASS_CODE
from durak_core.kernel.deal import begin, deal_hands
from durak_core.kernel.legal import legal
from durak_core.kernel.machine_code import compiled, zeros
from durak_core.kernel.position import MAX_ACTIONS, OVER, Position, copy_into, copy_play
from durak_core.kernel.random import scramble
from durak_core.kernel.transition import apply, returns

DEPTH: Final = 120
"""Decisions that a history may have."""

MOST_PLIES: Final = 1000
"""Actions that a history has less than, those without an alternative too."""

NONE: Final = -1
"""Stands for no node and no information set."""

FULL: Final = -1
"""Answers that there is no room left, or a history is too long."""

_WORD: Final = 0xFFFF_FFFF


@dataclass(slots=True)
class Growth:
    """How far a tree has grown, and the memory of growing it."""

    nodes: int = 0
    infos: int = 0  # information sets
    choices: int = 0  # actions of all of them
    most_nodes: int = 0
    slots: int = 0  # of the table of information sets, a power of two
    node: list[int] = field(default_factory=zeros(DEPTH))  # by level
    tried: list[int] = field(default_factory=zeros(DEPTH))
    count: list[int] = field(default_factory=zeros(DEPTH))
    seen: list[int] = field(default_factory=zeros(2 * DEPTH))  # by level and seat: the hash of what it saw
    codes: list[int] = field(default_factory=zeros(DEPTH * MAX_ACTIONS))  # legal ones, by level
    fresh: list[int] = field(default_factory=zeros(MAX_ACTIONS))
    worth: list[float] = field(default_factory=lambda: [0.0] * 6)


class Tree(NamedTuple):
    """The nodes in the order of a walk, parents before their children; `NONE` where there is none.

    Attributes:
        payoffs: Seat 0's return at each node where the game is over.
        parents: Of each node.
        children: The first child.
        siblings: The next child of the same parent.
        places: Which action of the parent leads there, by its place among the legal ones.
        codes: That action.
        plies: Actions played so far, those without an alternative too.
        infos: The information set; `NONE` when the game is over.
        seats: The seat to act, by information set.
        firsts: The number of its first choice; all sets' choices have numbers.
        widths: How many it has.
        examples: A node of it.
        keys: Of the table of information sets: the hash of each slot's.
        slots: Its number and 1, or 0 for an empty slot.
    """

    payoffs: MutableSequence[float]
    parents: MutableSequence[int]
    children: MutableSequence[int]
    siblings: MutableSequence[int]
    places: MutableSequence[int]
    codes: MutableSequence[int]
    plies: MutableSequence[int]
    infos: MutableSequence[int]
    seats: MutableSequence[int]
    firsts: MutableSequence[int]
    widths: MutableSequence[int]
    examples: MutableSequence[int]
    keys: MutableSequence[int]
    slots: MutableSequence[int]


def mixed(seen: int, word: int) -> int:
    """Return the hash of a sequence that has one more word; both have up to 63 bits."""
    high = scramble((seen ^ word) & _WORD)
    return (high << 31) ^ scramble((seen >> 31 ^ word >> 32 ^ high) & _WORD)


def _play(p: Position, g: Growth, level: int, code: int) -> None:
    """Play an action, and let both seats see what they may."""
    apply(p, code)
    for seat in range(2):
        at = 2 * level + seat
        g.seen[at] = mixed(mixed(g.seen[at], code), p.hands[seat])


def _settle(p: Position, g: Growth, level: int) -> None:
    """Play what has no alternative, and write the legal actions; there are none when the game is over."""
    n = legal(p, g.fresh)
    while n == 1:
        _play(p, g, level, g.fresh[0])
        n = legal(p, g.fresh)
    for i in range(n):
        g.codes[level * MAX_ACTIONS + i] = g.fresh[i]
    g.count[level] = n


def _info(g: Growth, tree: Tree, seat: int, seen: int, count: int) -> int:
    """Return the number of the information set with this hash, a new one if need be."""
    key = mixed(seen, seat + 1)
    slot = key & (g.slots - 1)
    while tree.slots[slot]:
        if tree.keys[slot] == key:
            return tree.slots[slot] - 1
        slot = (slot + 1) & (g.slots - 1)
    info = g.infos
    g.infos += 1
    tree.keys[slot] = key
    tree.slots[slot] = info + 1
    tree.seats[info] = seat
    tree.firsts[info] = g.choices
    tree.widths[info] = count
    tree.examples[info] = g.nodes
    g.choices += count
    return info


def _add(p: Position, g: Growth, tree: Tree, level: int, code: int) -> bool:
    """Add the node of a settled position below that of the level above; tell whether there was room."""
    node = g.nodes
    if node >= g.most_nodes or level >= DEPTH - 1 or p.plies >= MOST_PLIES:
        return False
    parent = g.node[level - 1] if level else NONE
    tree.parents[node] = parent
    tree.children[node] = NONE
    tree.siblings[node] = NONE
    tree.plies[node] = p.plies
    tree.codes[node] = code
    tree.places[node] = 0
    if level:
        tree.siblings[node] = tree.children[parent]
        tree.children[parent] = node
        tree.places[node] = g.tried[level - 1] - 1
    if p.phase == OVER:
        returns(p, g.worth)
        tree.payoffs[node] = g.worth[0]
        tree.infos[node] = NONE
    else:
        tree.infos[node] = _info(g, tree, p.turn, g.seen[2 * level + p.turn], g.count[level])
    g.node[level] = node
    g.tried[level] = 0
    g.nodes += 1
    return True


@compiled("solve")
def grow_deal(
    stack: Sequence[Position], growth: Sequence[Growth], tree: Tree, deck: Sequence[int], attacker: int
) -> int:
    """Add all histories of a deal.

    Args:
        stack: `DEPTH` positions that hold the rules, for two seats.
        growth: One.
        tree: Room for ``most_nodes``.
        deck: The cards in the order in which they are dealt and drawn.
        attacker: The seat that begins.

    Returns:
        How many nodes there are now, or `FULL`; then the tree is of no use.
    """
    g, p = growth[0], stack[0]
    for i in range(p.deck_size):
        p.deck[i] = deck[i]
    deal_hands(p)
    begin(p, attacker)
    for seat in range(2):
        g.seen[seat] = mixed(mixed(deck[p.deck_size - 1], attacker + 1), p.hands[seat])
    for i in range(1, DEPTH):
        copy_into(stack[i], p)
    _settle(p, g, 0)
    if not _add(p, g, tree, 0, PASS_CODE):
        return FULL
    level = 0
    while level >= 0:
        if g.tried[level] == g.count[level]:
            level -= 1
            continue
        code = g.codes[level * MAX_ACTIONS + g.tried[level]]
        g.tried[level] += 1
        copy_play(stack[level + 1], stack[level])
        stack[level + 1].plies = stack[level].plies
        for seat in range(2):
            g.seen[2 * level + 2 + seat] = g.seen[2 * level + seat]
        level += 1
        _play(stack[level], g, level, code)
        _settle(stack[level], g, level)
        if not _add(stack[level], g, tree, level, code):
            return FULL
    return g.nodes


@compiled("solve")
def order_by_plies(tree: Tree, nodes: int, starts: MutableSequence[int], order: MutableSequence[int]) -> None:
    """Write the numbers of all nodes, those with more plies first; ``starts`` is longer than any game."""
    last = len(starts) - 1
    for node in range(nodes):
        starts[last - tree.plies[node]] += 1
    total = 0
    for place in range(len(starts)):
        count = starts[place]
        starts[place] = total
        total += count
    for node in range(nodes):
        place = last - tree.plies[node]
        order[starts[place]] = node
        starts[place] += 1
