"""All histories of a tiny deck while cards are hidden, of every deal, and what each seat knows there.

A node is a history after which a seat has a choice, or both know all cards; what has no alternative is played
on the way, and `durak_core.lab.equilibrium.endgames` has what follows. Two histories belong to one
information set when the seat to act has seen the same: its cards at the beginning, the trump card, who began,
every action in its order, and its own hand after each (rules 9). Sets are told apart by a hash of 63 bits of
that sequence.

Kernel-style text: plain functions over integers that run in CPython and as machine code.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from typing import Final, NamedTuple

from durak_core.kernel.codes import PASS_CODE
from durak_core.kernel.deal import begin, deal_hands
from durak_core.kernel.legal import legal
from durak_core.kernel.machine_code import compiled
from durak_core.kernel.position import Position
from durak_core.kernel.transition import apply
from durak_core.lab.equilibrium.endgames import Endgames, explore
from durak_core.lab.equilibrium.growth import (
    DEPTH,
    FULL,
    NONE,
    Growth,
    copy_down,
    find_slot,
    lay_codes,
    mixed,
    next_code,
)
from durak_core.search.endgame.alpha_beta import solvable

MOST_PLIES: Final = 1000
"""Actions that a history has less than, those without an alternative too."""


class Tree(NamedTuple):
    """The nodes in the order of a walk, parents before their children; `NONE` where there is none.

    Attributes:
        parents: Of each node.
        children: The first child.
        siblings: The next child of the same parent.
        places: Which action of the parent leads there, by its place among the legal ones.
        codes: That action.
        plies: Actions played so far, those without an alternative too.
        infos: The information set; `NONE` where both seats know all cards.
        entered: The position that is next there.
        seats: The seat to act, by information set.
        firsts: The number of its first choice; all sets' choices have numbers.
        widths: How many it has.
        examples: A node of it.
        keys: Of the table of information sets: the hash of each slot's.
        slots: Its number and 1, or 0 for an empty slot.
        endgames: What follows where both seats know all cards.
    """

    parents: MutableSequence[int]
    children: MutableSequence[int]
    siblings: MutableSequence[int]
    places: MutableSequence[int]
    codes: MutableSequence[int]
    plies: MutableSequence[int]
    infos: MutableSequence[int]
    entered: MutableSequence[int]
    seats: MutableSequence[int]
    firsts: MutableSequence[int]
    widths: MutableSequence[int]
    examples: MutableSequence[int]
    keys: MutableSequence[int]
    slots: MutableSequence[int]
    endgames: Endgames


def _play(p: Position, g: Growth, level: int, code: int) -> None:
    """Play an action, and let both seats see what they may."""
    apply(p, code)
    for seat in range(2):
        at = 2 * level + seat
        g.seen[at] = mixed(mixed(g.seen[at], code), p.hands[seat])


def _settle(p: Position, g: Growth, level: int) -> None:
    """Play what has no alternative, and lay the legal actions on a level; none where all cards are known."""
    n = legal(p, g.fresh)
    while n == 1 and not solvable(p):
        _play(p, g, level, g.fresh[0])
        n = legal(p, g.fresh)
    lay_codes(g, level, 0 if solvable(p) else n)


def _info(g: Growth, tree: Tree, seat: int, seen: int, count: int) -> int:
    """Return the number of the information set with this hash, a new one if need be."""
    key = mixed(seen, seat + 1)
    slot = find_slot(tree.keys, tree.slots, key)
    if tree.slots[slot]:
        return tree.slots[slot] - 1
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
    tree.infos[node] = NONE
    if g.count[level]:
        tree.infos[node] = _info(g, tree, p.turn, g.seen[2 * level + p.turn], g.count[level])
    g.node[level] = node
    g.nodes += 1
    return True


def _reach(stack: Sequence[Position], g: Growth, tree: Tree, level: int, code: int) -> bool:
    """Add the node after an action, and what follows if all cards are known; tell whether there was room."""
    _settle(stack[level], g, level)
    if not _add(stack[level], g, tree, level, code):
        return False
    if g.count[level] == 0:
        node = g.nodes - 1
        tree.entered[node] = explore(stack, g, tree.endgames, level)
        g.count[level] = 0
        g.tried[level] = 0
        return tree.entered[node] != FULL
    return True


@compiled("solve")
def grow_deal(
    stack: Sequence[Position], growth: Sequence[Growth], tree: Tree, deck: Sequence[int], attacker: int
) -> int:
    """Add all histories of a deal.

    Args:
        stack: `DEPTH` positions that hold the rules, for two seats.
        growth: One.
        tree: Room for ``most_nodes``, and for ``most_positions`` with ``most_moves`` in all.
        deck: The cards in the order in which they are dealt and drawn.
        attacker: The seat that begins.

    Returns:
        How many nodes there are now, or `FULL`; then the tree is of no use.
    """
    g, p = growth[0], stack[0]
    g.deals += 1
    for i in range(p.deck_size):
        p.deck[i] = deck[i]
    deal_hands(p)
    begin(p, attacker)
    trump = deck[p.deck_size - 1] if p.trumps else 0
    for seat in range(2):
        g.seen[seat] = mixed(mixed(trump, attacker + 1), p.hands[seat])
    if not _reach(stack, g, tree, 0, PASS_CODE):
        return FULL
    level = 0
    while level >= 0:
        if g.tried[level] == g.count[level]:
            level -= 1
            continue
        code = next_code(g, level)
        copy_down(stack, g, level)
        for seat in range(2):
            g.seen[2 * level + 2 + seat] = g.seen[2 * level + seat]
        level += 1
        _play(stack[level], g, level, code)
        if not _reach(stack, g, tree, level, code):
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
