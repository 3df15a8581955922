"""The game tree of a tiny deck while cards are hidden, with its information sets.

A node is a history at which a seat has a choice, or after which both seats know all cards; there
`durak_core.lab.equilibrium.endgames` takes over. Forced actions are played on the way. Histories share an
information set if the seat to act has seen the same: its initial hand, the trump card, the first attacker
and why it attacks first (rules 4.1), every action, and its own hand after each (rules 9). Sets are
identified by a 63-bit hash of that sequence.

Kernel-style code: plain functions over integers, run by CPython or compiled.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from typing import Final, NamedTuple

from durak_core.kernel.compiled import compiled
from durak_core.kernel.legal import PASS_CODE, legal
from durak_core.kernel.position import NOBODY, Position, mixed
from durak_core.kernel.transition import apply, begin, deal_hands, lowest_trump_seat
from durak_core.lab.equilibrium.endgames import (
    BY_CHANCE,
    DEPTH,
    FULL,
    NONE,
    Endgames,
    Growth,
    copy_down,
    explore,
    find_slot,
    lay_codes,
    next_code,
)
from durak_core.search.endgame.alpha_beta import solvable

MOST_PLIES: Final = 1000
"""Upper bound on actions in a history, including forced ones."""


class GameTree(NamedTuple):
    """Nodes in depth-first order, parents before children; `NONE` means none.

    Attributes:
        parents: Parent of each node.
        children: First child.
        siblings: Next child of the same parent.
        places: Index of its action, ``codes``, among the parent's legal ones.
        plies: Actions so far, including forced ones.
        infos: Information set; `NONE` if both seats know all cards.
        entered: Endgame position reached.
        seats: Seat to act, by information set.
        firsts: Number of its first of ``widths`` choices, which are numbered across sets.
        examples: One of its nodes.
        keys: Hash table of information sets: hash by slot.
        slots: Its number plus 1, or 0 for an empty slot.
        endgames: Subgames without hidden cards.
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
    apply(p, code)
    for seat in range(2):
        at = 2 * level + seat
        g.seen[at] = mixed(mixed(g.seen[at], code), p.hands[seat])


def _settle(p: Position, g: Growth, level: int) -> None:
    """Play forced actions, then store the level's legal actions; none if all cards are known."""
    n = legal(p, g.fresh)
    while n == 1 and not solvable(p):
        _play(p, g, level, g.fresh[0])
        n = legal(p, g.fresh)
    lay_codes(g, level, 0 if solvable(p) else n)


def _info(g: Growth, tree: GameTree, seat: int, seen: int, count: int) -> int:
    # Equal hashes would merge two sets: with the most histories, about once in 20,000 trees.
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


def _add(p: Position, g: Growth, tree: GameTree, level: int, code: int) -> bool:
    """Add the node of a settled position; return False if there is no room."""
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


def _reach(stack: Sequence[Position], g: Growth, tree: GameTree, level: int, code: int) -> bool:
    _settle(stack[level], g, level)
    if not _add(stack[level], g, tree, level, code):
        return False
    if g.count[level] == 0:
        node = g.nodes - 1
        # The subgame is explored on the same levels, which are empty again before the tree goes on.
        tree.entered[node] = explore(stack, g, tree.endgames, level)
        g.count[level] = 0
        g.tried[level] = 0
        return tree.entered[node] != FULL
    return True


@compiled("solve")
def grow_deal(
    stack: Sequence[Position], growth: Sequence[Growth], tree: GameTree, deck: Sequence[int], attacker: int
) -> int:
    """Add all histories of a deal; return the number of nodes, or `FULL` if the tree is now invalid.

    Args:
        stack: `DEPTH` positions with the rules of two seats.
        growth: One element.
        tree: Arrays with room for ``most_nodes``, ``most_positions`` and ``most_moves``.
        deck: Cards in dealing and drawing order.
        attacker: First attacker.
    """
    g, p = growth[0], stack[0]
    g.deals += 1
    for i in range(p.deck_size):
        p.deck[i] = deck[i]
    deal_hands(p)
    begin(p, attacker)
    trump = deck[p.deck_size - 1] if p.trumps else 0
    first = attacker + 1
    if lowest_trump_seat(p) == NOBODY:
        first += BY_CHANCE
    for seat in range(2):
        g.seen[seat] = mixed(mixed(trump, first), p.hands[seat])
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
def order_by_plies(
    tree: GameTree, nodes: int, starts: MutableSequence[int], order: MutableSequence[int]
) -> None:
    """Write all node numbers by descending plies; ``starts`` is longer than any game."""
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
