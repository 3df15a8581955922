"""Information-set tree search guided by a network: values or policy as priors, and leaf evaluation.

At a leaf the network evaluates the deal for the seat to move, from its hand and public knowledge only. The
legal actions become children with priors, and the network's value replaces a playout. Children are selected
by PUCT, with availability counts instead of the parent's visits. The network gives either action values (the
leaf's value is the best of them) or a policy and a value. Plain functions that also compile.

Source: Rosin, "Multi-armed bandits with episode context" (2011); Silver et al., "A general reinforcement
learning algorithm that masters chess, shogi, and Go through self-play" (Science 2018).
"""

from __future__ import annotations

import math
from collections.abc import MutableSequence, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from durak_core.kernel.compiled import compiled, float_zeros
from durak_core.kernel.legal import are_partners, legal
from durak_core.kernel.position import MAX_ACTIONS, MAX_SEATS, OVER, Position, popcount, random_below
from durak_core.knowledge.belief import Belief, sample_deal
from durak_core.search.endgame.alpha_beta import UNKNOWN, EndgameMemory, solvable
from durak_core.search.ismcts.tree import (
    AVAILABLE,
    CODES,
    MILLION,
    NETWORK,
    NODE_WIDTH,
    PATH,
    PRIOR,
    VALUE_WIDTH,
    VISITS,
    Tree,
    TreeMemory,
    add_child,
    back_up,
    cards_left,
    common_deal,
    find_children,
    given_reply,
    hand_of,
    make_room,
    reward,
    roll_out,
    sample_models,
    set_hand,
    solve_leaf,
    solved_reward,
)
from durak_core.search.network.encoding import (
    ACTIONS,
    Memory,
    code_index,
    copy_memory,
    encode,
    trump_place,
    update_memory,
)
from durak_core.search.network.weights import Activations, Weights, action_values, greatest
from durak_core.statistics import logistic

BEYOND: Final = ACTIONS
"""The first output after the actions, in networks that have more."""

FEW_HIDDEN: Final = 10
"""Most hidden cards with which a node has statistics for each hand: with more, a hand is met too seldom."""

OFTEN: Final = 8
"""Visits up to which a node is evaluated whenever the seat to move has another hand than the last time."""

SELDOM: Final = 8
"""After that it is evaluated for the hand of every so many visits; other hands take the mean priors."""

DOUBT: Final = 0.05
"""The uniform share of the priors, so that every action is tried."""


@dataclass(slots=True)
class PuctState:
    """A network's outputs and the settings of a guided search."""

    prefers: int = 0  # whether the outputs are a policy, with a separate value output
    rivals: int = 0  # loser-prediction outputs, 0 or one for each other seat
    temperature: float = 0.1  # of the priors' softmax
    playouts: float = 0.0  # weight of a playout in a leaf's value
    evaluations: int = 0  # done so far
    expected: float = 0.0  # the last evaluated seat's value, 0 to 1
    values: list[float] = field(default_factory=float_zeros(MAX_ACTIONS))  # of the legal actions
    weights: list[float] = field(default_factory=float_zeros(MAX_ACTIONS))  # priors
    fools: list[float] = field(default_factory=float_zeros(MAX_SEATS))  # loser predictions, clockwise
    leaf_values: list[float] = field(default_factory=float_zeros(MAX_SEATS))  # by seat


class Guidance(NamedTuple):
    """The memory of a guided search besides the tree."""

    guide: Sequence[PuctState]
    memories: Sequence[Memory]  # public knowledge, and a copy for the sampled deal
    network: Weights
    room: Activations  # the network's buffers


def evaluate(search: Tree, p: Position, guidance: Guidance, n: int) -> None:
    """Write the network's outputs for ``n`` legal codes, and its value: 1 if the own team is not the fool."""
    puct = guidance.guide[0]
    room = guidance.room
    trump = trump_place(p)
    for i in range(n):
        room.actions[i] = code_index(search.codes[i], trump)
    for i in range(puct.prefers + puct.rivals):
        room.actions[n + i] = BEYOND + i
    n_inputs = encode(p, guidance.memories[1], p.turn, room.active)
    action_values(guidance.network, room, n_inputs, n + puct.prefers + puct.rivals)
    out = room.outputs
    for i in range(puct.rivals):
        puct.fools[i] = out[n + i]
    puct.expected = 0.0
    if puct.prefers:
        puct.expected = logistic(out[n])
        for i in range(n):
            puct.values[i] = out[i]
    else:
        for i in range(n):
            puct.values[i] = logistic(out[i])
            puct.expected = max(puct.expected, puct.values[i])
    puct.evaluations += 1


def weigh(puct: PuctState, n: int) -> None:
    """Write the priors: a softmax mixed with a uniform share."""
    highest = puct.values[0]
    for i in range(1, n):
        highest = max(highest, puct.values[i])
    total = 0.0
    for i in range(n):
        weight = math.exp((puct.values[i] - highest) / puct.temperature)
        puct.weights[i] = weight
        total += weight
    for i in range(n):
        puct.weights[i] = (1.0 - DOUBT) * (puct.weights[i] / total) + DOUBT / n


def share_value(puct: PuctState, p: Position, memory: Memory) -> None:
    """Write a leaf's value for each seat from the network's value for the seat to move.

    Its partners share that value. With two teams the opponents get the complement. Otherwise the probability
    that another seat is the fool is split by the loser-prediction head, or without one in proportion to hand
    sizes plus one. Teams that are out have won.
    """
    if puct.rivals:
        _share_as_told(puct, p)
        return
    own = puct.expected
    cards = 0
    for seat in range(p.seats):
        if p.in_mask >> seat & 1 and not are_partners(p, seat, p.turn):
            cards += memory.sizes[seat] + 1
    for seat in range(p.seats):
        if are_partners(p, seat, p.turn):
            puct.leaf_values[seat] = own
        else:
            team = 0
            for other in range(p.seats):
                if p.in_mask >> other & 1 and are_partners(p, seat, other):
                    team += memory.sizes[other] + 1
            puct.leaf_values[seat] = 1.0 - own * (float(team) / float(cards))


def _share_as_told(puct: PuctState, p: Position) -> None:
    """Write a leaf's value for each seat from the loser-prediction head; without teams."""
    highest = -math.inf
    for i in range(p.seats - 1):
        if p.in_mask >> _clockwise(p, i) & 1:
            highest = max(highest, puct.fools[i])
    total = 0.0
    for i in range(p.seats - 1):
        puct.weights[i] = 0.0
        if p.in_mask >> _clockwise(p, i) & 1:
            puct.weights[i] = math.exp(puct.fools[i] - highest)
            total += puct.weights[i]
    puct.leaf_values[p.turn] = puct.expected
    for i in range(p.seats - 1):
        puct.leaf_values[_clockwise(p, i)] = 1.0 - puct.expected * puct.weights[i] / total


def _clockwise(p: Position, i: int) -> int:
    """Return a seat by its distance from the next one after the seat to move."""
    return (p.turn + 1 + i) % p.seats


def _write_children(
    search: Tree,
    puct: PuctState,
    tree: tuple[MutableSequence[int], MutableSequence[float]],
    node: int,
    counts: tuple[int, int],
) -> None:
    """Take the values into the means of the children, after adding the missing ones if there is room."""
    nodes, values = tree
    n, missing = counts
    if missing and make_room(search, tree, node, missing):
        for i in range(n):
            if search.children[i] == 0:
                add_child(search, nodes, node, i)
    for i in range(n):
        if search.children[i]:
            prior = search.children[i] * VALUE_WIDTH + PRIOR
            times = nodes[search.children[i] * NODE_WIDTH + AVAILABLE]
            if times > OFTEN:
                times = OFTEN + (times - OFTEN) // SELDOM
            values[prior] += (puct.values[i] - values[prior]) / times


def mean_of_tried(search: Tree, nodes: Sequence[int], values: Sequence[float], n: int) -> float:
    """Return the mean value of the visited children, or 0."""
    total = 0.0
    visits = 0
    for i in range(n):
        child = search.children[i]
        if child:
            total += values[child * VALUE_WIDTH]
            visits += nodes[child * NODE_WIDTH + VISITS]
    return total / visits if visits else 0.0


def pick_promising(
    search: Tree, puct: PuctState, nodes: Sequence[int], values: Sequence[float], n: int
) -> int:
    """Return the index of the code whose child has the highest PUCT score, or -1 without children.

    A child's initial value, its own or the mean of its visited siblings, counts as one visit.
    """
    weigh(puct, n)
    tried = mean_of_tried(search, nodes, values, n) if puct.prefers else 0.0
    best = -1
    highest = -1.0
    for i in range(n):
        child = search.children[i]
        if child:
            base = child * NODE_WIDTH
            visits = float(nodes[base + VISITS])
            first = tried if puct.prefers else puct.values[i]
            mean = (values[child * VALUE_WIDTH] + first) / (visits + 1.0)
            seldom = math.sqrt(float(nodes[base + AVAILABLE])) / (1.0 + visits)
            bound = mean + search.exploration * puct.weights[i] * seldom
            if bound > highest:
                highest = bound
                best = i
    return best


def pick_likely(search: Tree, puct: PuctState, n: int) -> int:
    """Return the index of a code drawn by its prior."""
    weigh(puct, n)
    left = float(random_below(search.rng, MILLION)) / float(MILLION)
    for i in range(n - 1):
        left -= puct.weights[i]
        if left < 0.0:
            return i
    return n - 1


def hand_key(belief: Belief, hand: int) -> int:
    """Return a key for the hidden cards of a hand, a multiple of `CODES`; 0 with more than `FEW_HIDDEN`."""
    if belief.n_pool > FEW_HIDDEN:
        return 0
    hidden = 0
    for i in range(belief.n_pool):
        hidden |= 1 << belief.pool[i]
    held = hand & hidden
    key = 0
    while held:
        key |= 1 << popcount(hidden & ((held & -held) - 1))
        held &= held - 1
    return CODES * key


def _descend_guided(memory: TreeMemory, guidance: Guidance, endgame: EndgameMemory) -> tuple[int, int]:
    """Walk down and evaluate; return the path's length, and the attacker's value if solved or `UNKNOWN`."""
    p = memory.positions[1]
    search = memory.tree[0]
    nodes = memory.nodes
    values = memory.values
    puct = guidance.guide[0]
    seen = guidance.memories[1]
    belief = memory.belief[0]
    node = 0
    depth = 0
    limit = search.leaf_cards
    while p.phase != OVER:
        if depth and limit and solvable(p) and cards_left(p) <= limit:
            value = solve_leaf(search, p, endgame)
            if value != UNKNOWN:
                return depth, value
            limit = 0
        n = legal(p, search.codes)
        i = 0
        if n > 1:
            hand = p.hands[p.turn]
            search.hand_key = hand_key(belief, hand)
            missing = find_children(search, nodes, node, n)
            share = search.opponent_policy_share
            sampled = (
                missing < n
                and share > 0
                and p.turn != search.seat
                and random_below(search.rng, MILLION) < share
            )
            valuing = search.models[p.turn] == NETWORK
            # The network depends on the sampled deal only through the hand of the seat to move. Priors of
            # one hand, or of few, would let the first deals decide for good which replies are tried.
            visits = nodes[node * NODE_WIDTH + VISITS]
            is_due = visits < OFTEN or visits % SELDOM == 0
            is_new = is_due and belief.n_pool > FEW_HIDDEN and hand_of(nodes, node) != hand
            if missing or is_new or depth == PATH:
                evaluate(search, p, guidance, n)
                _write_children(search, puct, (nodes, values), node, (n, missing))
                set_hand(nodes, node, hand)
            else:
                for k in range(n):
                    puct.values[k] = values[search.children[k] * VALUE_WIDTH + PRIOR]
            i = greatest(puct.values, n) if valuing else given_reply(search, p, n, depth)
            if i < 0 and sampled:
                i = pick_likely(search, puct, n)
            elif i < 0 and (depth == 0 or missing < n):
                i = pick_promising(search, puct, nodes, values, n)
            # A node is a leaf if none of the deal's actions had a child; only the root and seats that follow
            # a model go on. New actions just join the known ones. A full memory ends the path, too.
            if i < 0 or depth == PATH or search.children[i] == 0:
                share_value(puct, p, seen)
                return depth, UNKNOWN
            node = search.children[i]
            search.path[depth] = node
            search.path_seat[depth] = p.turn
            depth += 1
        update_memory(p, seen, search.codes[i])
    return depth, UNKNOWN


@compiled("guided")
def grow_guided(memory: TreeMemory, guidance: Guidance, endgame: EndgameMemory, iterations: int) -> None:
    """Do some iterations; memory as for `durak_core.search.ismcts.tree.grow_tree`."""
    p = memory.positions[1]
    search = memory.tree[0]
    nodes = memory.nodes
    values = memory.values
    puct = guidance.guide[0]
    for _ in range(iterations):
        common_deal(search)
        sample_deal(p, memory.positions[0], memory.belief[0], search.rng)
        sample_models(search, p.seats)
        copy_memory(guidance.memories[1], guidance.memories[0])
        depth, value = _descend_guided(memory, guidance, endgame)
        search.deepest = max(search.deepest, depth)
        # A finished game counts as a playout of full weight; a solved leaf's value replaces everything.
        played = 0.0
        if value == UNKNOWN and p.phase == OVER:
            played = 1.0
        elif value == UNKNOWN and puct.playouts > 0.0:
            played = puct.playouts
            roll_out(search, p, 0)
        for i in range(depth):
            seat = search.path_seat[i]
            leaf_value = puct.leaf_values[seat]
            if value != UNKNOWN:
                leaf_value = solved_reward(p, value, seat)
            elif played > 0.0:
                leaf_value = (1.0 - played) * leaf_value + played * reward(p, seat)
            back_up(nodes, values, search.path[i], leaf_value)
        search.iterations += 1
