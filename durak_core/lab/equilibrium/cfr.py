"""The game tree of a tiny deck while cards are hidden, CFR+ on it, and exact best responses.

A node is a history at which a seat has a choice, or after which both seats know all cards; there
`durak_core.lab.equilibrium.endgames` takes over. Forced actions are played on the way. Histories share an
information set if the seat to act has seen the same: its initial hand, the trump card, the first attacker
and why it attacks first (rules 4.1), every action, and its own hand after each (rules 9). Sets are
identified by a 63-bit hash of that sequence.

CFR+ and best responses iterate over the nodes. A strategy is a probability for each choice of each
information set; without hidden cards, the strategy of the `Endgames` continues. Returns follow rules 8.4:
-1 for a loss, 1 for a win, 0 for a draw.

Kernel-style code: plain functions over integers, run by CPython or compiled.

Source: O. Tammelin, "Solving Large Imperfect Information Games Using CFR+", 2014.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from typing import Final, NamedTuple, TypeAlias

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
    play_near_best,
    value_positions,
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


def _reach_level(stack: Sequence[Position], g: Growth, tree: GameTree, level: int, code: int) -> bool:
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
    if not _reach_level(stack, g, tree, 0, PASS_CODE):
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
        if not _reach_level(stack, g, tree, level, code):
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


Sizes: TypeAlias = tuple[int, int, int, int]
"""Numbers of nodes, information sets, choices and endgame positions."""


class CfrTables(NamedTuple):
    """CFR+ state and working arrays.

    Attributes:
        strategy: Probability of each choice.
        regrets: Cumulative regret of each choice, at least 0.
        sums: Weighted sum of each choice's probabilities.
        gains: Counterfactual value of each choice.
        own: Each node's reach probability from the seat.
        other: Reach probability from chance and the opponent.
        values: Value of each node.
        chances: Probability of each deal, at its root.
    """

    strategy: MutableSequence[float]
    regrets: MutableSequence[float]
    sums: MutableSequence[float]
    gains: MutableSequence[float]
    own: MutableSequence[float]
    other: MutableSequence[float]
    values: MutableSequence[float]
    chances: MutableSequence[float]


class Snapshot(NamedTuple):
    """A strategy's probabilities: choices with hidden cards, then moves in endgame positions."""

    hidden: Sequence[float]
    known: Sequence[float]


def _reach(tree: GameTree, tables: CfrTables, nodes: int, seat: int) -> None:
    for node in range(nodes):
        parent = tree.parents[node]
        if parent == NONE:
            tables.own[node] = 1.0
            tables.other[node] = tables.chances[node]
        else:
            info = tree.infos[parent]
            share = tables.strategy[tree.firsts[info] + tree.places[node]]
            tables.own[node] = tables.own[parent]
            tables.other[node] = tables.other[parent]
            if tree.seats[info] == seat:
                tables.own[node] *= share
            else:
                tables.other[node] *= share


def _share(tree: GameTree, amounts: Sequence[float], strategy: MutableSequence[float], infos: int) -> None:
    """Set each information set's strategy in proportion to ``amounts``; uniform if all are 0."""
    for info in range(infos):
        first, width = tree.firsts[info], tree.widths[info]
        total = 0.0
        for choice in range(first, first + width):
            total += amounts[choice]
        for choice in range(first, first + width):
            strategy[choice] = amounts[choice] / total if total > 0.0 else 1.0 / width


def _learn(tree: GameTree, tables: CfrTables, infos: int, seat: int, weight: float) -> None:
    for info in range(infos):
        if tree.seats[info] == seat:
            first, width = tree.firsts[info], tree.widths[info]
            reached = tables.own[tree.examples[info]] * weight
            mean = 0.0
            for choice in range(first, first + width):
                mean += tables.strategy[choice] * tables.gains[choice]
            for choice in range(first, first + width):
                tables.sums[choice] += reached * tables.strategy[choice]
                # CFR+ forgets negative regret, so a choice that turns good is played again at once.
                regret = tables.regrets[choice] + tables.gains[choice] - mean
                tables.regrets[choice] = max(0.0, regret)


def _evaluate(tree: GameTree, tables: CfrTables, nodes: int) -> None:
    for node in range(nodes):
        tables.values[node] = 0.0
        if tree.infos[node] == NONE:
            tables.values[node] = tree.endgames.values[tree.entered[node]]
    for node in range(nodes - 1, -1, -1):  # children have higher numbers than their parents
        parent = tree.parents[node]
        if parent != NONE:
            choice = tree.firsts[tree.infos[parent]] + tree.places[node]
            tables.values[parent] += tables.strategy[choice] * tables.values[node]


@compiled("solve")
def evaluate(tree: GameTree, tables: CfrTables, sizes: Sizes) -> None:
    """Compute node values for seat 0 under the strategy."""
    value_positions(tree.endgames, 0, sizes[3], 0)
    _evaluate(tree, tables, sizes[0])


@compiled("solve")
def iterate(tree: GameTree, tables: CfrTables, sizes: Sizes, done: int, count: int) -> None:
    """Run iterations ``done`` to ``done + count`` of CFR+ with alternating updates and linear averaging.

    The endgame strategy becomes optimal. ``strategy`` is overwritten by the last iteration's.
    """
    nodes, infos, choices, positions = sizes
    # Without hidden cards a position's value is the same whatever the strategy before it, so once is enough.
    play_near_best(tree.endgames, positions, 0.0)
    for iteration in range(done, done + count):
        for seat in range(2):
            sign = 1.0 if seat == 0 else -1.0
            _share(tree, tables.regrets, tables.strategy, infos)
            _reach(tree, tables, nodes, seat)
            for choice in range(choices):
                tables.gains[choice] = 0.0
            _evaluate(tree, tables, nodes)
            for node in range(nodes):
                parent = tree.parents[node]
                if parent != NONE and tree.seats[tree.infos[parent]] == seat:
                    choice = tree.firsts[tree.infos[parent]] + tree.places[node]
                    tables.gains[choice] += sign * tables.other[parent] * tables.values[node]
            # The weight grows, because the first iterations are near uniform and would slow the average down.
            _learn(tree, tables, infos, seat, iteration + 1.0)


@compiled("solve")
def average(tree: GameTree, tables: CfrTables, infos: int) -> None:
    """Set the strategy to the average strategy, which converges to an equilibrium."""
    _share(tree, tables.sums, tables.strategy, infos)


@compiled("solve")
def copy_strategy(tree: GameTree, tables: CfrTables, sizes: Sizes, source: Snapshot, seat: int) -> None:
    """Set a seat's strategy to its part of another one."""
    for info in range(sizes[1]):
        if tree.seats[info] == seat:
            for choice in range(tree.firsts[info], tree.firsts[info] + tree.widths[info]):
                tables.strategy[choice] = source.hidden[choice]
    endgames = tree.endgames
    for position in range(sizes[3]):
        if endgames.seats[position] == seat:
            first = endgames.firsts[position]
            for move in range(first, first + endgames.widths[position]):
                endgames.strategy[move] = source.known[move]


@compiled("solve")
def find_entries(tree: GameTree, tables: CfrTables, nodes: int, seat: int) -> None:
    """Write for each endgame position a node that enters it under the seat's strategy, or `NONE`."""
    entries = tree.endgames.entries
    for position in range(len(entries)):
        entries[position] = NONE
    _reach(tree, tables, nodes, seat)
    for node in range(nodes - 1, -1, -1):
        if tree.infos[node] == NONE and tables.own[node] > 0.0:
            entries[tree.entered[node]] = node


@compiled("solve")
def best_response(tree: GameTree, tables: CfrTables, sizes: Sizes, order: Sequence[int], seat: int) -> float:
    """Return a seat's best-response value against the strategy.

    ``order`` holds all nodes by descending plies; the nodes of an information set have equal plies.
    """
    nodes, _, choices, positions = sizes
    value_positions(tree.endgames, 0, positions, 1 << seat)
    _reach(tree, tables, nodes, seat)
    for choice in range(choices):
        tables.gains[choice] = 0.0
    total = 0.0
    start = 0
    # A choice needs the gains from all nodes of its information set, and these are in one layer of plies. So
    # a layer is weighed as a whole before its choices are made, and the layers above read only made ones.
    while start < nodes:
        end = start
        while end < nodes and tree.plies[order[end]] == tree.plies[order[start]]:
            _weigh(tree, tables, order[end], seat)
            end += 1
        for place in range(start, end):
            node = order[place]
            info = tree.infos[node]
            if info != NONE and tree.seats[info] == seat:
                tables.values[node] = tables.values[_best_child(tree, tables, node)]
            if tree.parents[node] == NONE:
                total += tables.chances[node] * tables.values[node]
        start = end
    return total


def _weigh(tree: GameTree, tables: CfrTables, node: int, seat: int) -> None:
    """Compute a node's value, or add to the gains of the seat's choices there."""
    info = tree.infos[node]
    if info == NONE:
        sign = 1.0 if seat == 0 else -1.0
        tables.values[node] = sign * tree.endgames.values[tree.entered[node]]
        return
    value = 0.0
    child = tree.children[node]
    while child != NONE:
        choice = tree.firsts[info] + tree.places[child]
        if tree.seats[info] == seat:
            tables.gains[choice] += tables.other[node] * tables.values[child]
        else:
            value += tables.strategy[choice] * tables.values[child]
        child = tree.siblings[child]
    tables.values[node] = value


def _best_child(tree: GameTree, tables: CfrTables, node: int) -> int:
    first, width = tree.firsts[tree.infos[node]], tree.widths[tree.infos[node]]
    best = 0
    for place in range(1, width):
        if tables.gains[first + place] > tables.gains[first + best]:
            best = place
    child = tree.children[node]
    while tree.places[child] != best:
        child = tree.siblings[child]
    return child
