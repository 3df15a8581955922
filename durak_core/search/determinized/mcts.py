"""Determinized Monte Carlo tree search: a UCT tree with open cards for every deal of the hidden cards.

A node is a position with a choice. Its value is for the seat whose action led to it, since turns do not
alternate. The caller combines the trees.

Source: the Charles University thesis (rules 12, `zarlykov`), after Kocsis and Szepesvári, "Bandit Based
Monte-Carlo Planning" (ECML 2006).
"""

from __future__ import annotations

import math
from collections.abc import MutableSequence, Sequence
from typing import Final, NamedTuple

from durak_core.kernel.compiled import compiled
from durak_core.kernel.legal import legal
from durak_core.kernel.position import Position, copy_into, copy_play, random_below
from durak_core.kernel.transition import apply
from durak_core.knowledge.belief import Belief, sample_deal
from durak_core.search.determinized.look_ahead import advance
from durak_core.search.endgame.alpha_beta import LINE
from durak_core.search.ismcts.tree import PATH, Tree, reward, roll_out

LEAF_WIDTH: Final = 4
"""Integers of a node: code, first of adjacent children, number of children, visits."""

_CODE: Final = 0
_CHILD: Final = 1
_CHILDREN: Final = 2
_VISITS: Final = 3


class DealTree(NamedTuple):
    """The memory of a search."""

    positions: Sequence[Position]  # the known one, with a choice; a full deal; one to play on
    belief: Sequence[Belief]  # one
    tree: Sequence[Tree]  # one, with room for more than a root and its children
    nodes: MutableSequence[int]  # `LEAF_WIDTH` integers each
    values: MutableSequence[float]  # sum of each node's results
    lines: MutableSequence[int]  # continuations by legal action, `LINE` integers each


def _expand(
    search: Tree, nodes: MutableSequence[int], values: MutableSequence[float], node: int, n: int
) -> None:
    """Add a child to a node for each of the tree's first ``n`` codes; there must be room."""
    nodes[node * LEAF_WIDTH + _CHILD] = search.n_nodes
    nodes[node * LEAF_WIDTH + _CHILDREN] = n
    for i in range(n):
        base = search.n_nodes * LEAF_WIDTH
        nodes[base + _CODE] = search.codes[i]
        nodes[base + _CHILD] = 0
        nodes[base + _CHILDREN] = 0
        nodes[base + _VISITS] = 0
        values[search.n_nodes] = 0.0
        search.n_nodes += 1


def select(search: Tree, nodes: Sequence[int], values: Sequence[float], node: int) -> int:
    """Return a random unvisited child, or the one with the highest upper confidence bound."""
    first = nodes[node * LEAF_WIDTH + _CHILD]
    end = first + nodes[node * LEAF_WIDTH + _CHILDREN]
    fresh = 0
    for child in range(first, end):
        if nodes[child * LEAF_WIDTH + _VISITS] == 0:
            fresh += 1
    if fresh:
        skip = random_below(search.rng, fresh)
        for child in range(first, end):
            if nodes[child * LEAF_WIDTH + _VISITS] == 0:
                if skip == 0:
                    return child
                skip -= 1
    best = first
    highest = -1.0
    parent = math.log(float(nodes[node * LEAF_WIDTH + _VISITS]))
    for child in range(first, end):
        visits = float(nodes[child * LEAF_WIDTH + _VISITS])
        bound = values[child] / visits + search.exploration * math.sqrt(parent / visits)
        if bound > highest:
            highest = bound
            best = child
    return best


def iterate(search: Tree, p: Position, nodes: MutableSequence[int], values: MutableSequence[float]) -> None:
    """Do one iteration: select, expand, play ``p`` out from the root, and back up."""
    node = 0
    depth = 0
    searching = True
    while searching and depth < PATH:
        n = advance(p, search.codes)
        if n == 0:
            break
        if nodes[node * LEAF_WIDTH + _CHILDREN] == 0:
            if search.n_nodes + n > search.capacity:
                break
            _expand(search, nodes, values, node, n)
        node = select(search, nodes, values, node)
        search.path[depth] = node
        search.path_seat[depth] = p.turn
        depth += 1
        searching = nodes[node * LEAF_WIDTH + _VISITS] > 0
        apply(p, nodes[node * LEAF_WIDTH + _CODE])
    search.deepest = max(search.deepest, depth)
    roll_out(search, p, 0)
    nodes[_VISITS] += 1
    for i in range(depth):
        nodes[search.path[i] * LEAF_WIDTH + _VISITS] += 1
        values[search.path[i]] += reward(p, search.path_seat[i])


def _write_line(nodes: Sequence[int], node: int, lines: MutableSequence[int], start: int) -> None:
    """Write the principal variation after a node."""
    for place in range(start, start + LINE):
        first = nodes[node * LEAF_WIDTH + _CHILD]
        most = 0
        for child in range(first, first + nodes[node * LEAF_WIDTH + _CHILDREN]):
            if nodes[child * LEAF_WIDTH + _VISITS] > most:
                most = nodes[child * LEAF_WIDTH + _VISITS]
                node = child
        if most == 0:
            lines[place] = 0
            return
        lines[place] = nodes[node * LEAF_WIDTH + _CODE] + 1


@compiled("classic")
def grow_deal_tree(
    memory: DealTree, iterations: int, visits: MutableSequence[int], scores: MutableSequence[float]
) -> int:
    """Deal the hidden cards at random (0 iterations) or grow the deal's tree; return its number of nodes.

    Writes visits and result sums for the seat to act to buffers of `MAX_ACTIONS`, in legal order. A result is
    1 for not being the fool, 0.5 for a draw. The memory is the same for all deals.
    """
    deal = memory.positions[1]
    p = memory.positions[2]
    search = memory.tree[0]
    nodes = memory.nodes
    values = memory.values
    if iterations == 0:
        sample_deal(deal, memory.positions[0], memory.belief[0], search.rng)
        copy_into(p, deal)
        search.n_nodes = 1
        for i in range(LEAF_WIDTH):
            nodes[i] = 0
        return 1
    for _ in range(iterations):
        copy_play(p, deal)
        iterate(search, p, nodes, values)
    first = nodes[_CHILD]
    for i in range(legal(deal, search.codes)):
        visits[i] = nodes[(first + i) * LEAF_WIDTH + _VISITS]
        scores[i] = values[first + i]
        _write_line(nodes, first + i, memory.lines, i * LINE)
    return search.n_nodes
