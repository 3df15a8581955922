"""Single-observer information-set Monte Carlo tree search: one tree, a fresh deal for every iteration.

A node is a sequence of public actions. Children are selected by UCB with availability counts instead of the
parent's visits. A node's children lie side by side, for the processor's caches, in room for a power of two,
and move when there are more. The tree stops growing when its memory is full. Values are for the seat that
chose the action. Plain functions that also compile.

Source: Cowling, Powley and Whitehouse, "Information Set Monte Carlo Tree Search" (IEEE TCIAIG 2012).
"""

from __future__ import annotations

import math
from collections.abc import MutableSequence, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Final, NamedTuple, TypeAlias

from durak_core.kernel.compiled import compiled, zeros
from durak_core.kernel.legal import are_partners, index_of, legal
from durak_core.kernel.position import (
    MAX_ACTIONS,
    MAX_SEATS,
    NOBODY,
    OPENING,
    OVER,
    Position,
    copy_into,
    popcount,
    random_below,
)
from durak_core.kernel.transition import apply
from durak_core.knowledge.belief import Belief, sample_deal
from durak_core.search.endgame.alpha_beta import UNKNOWN, EndgameMemory, outcome, solvable, solve
from durak_core.search.policies.playouts import EXPERT, GREEDY, choose

CODES: Final = 1 << 15
"""Exceeds every action's code."""

NODE_WIDTH: Final = 7
"""Integers of a node: code, first child, number of children, visits, times available, a hand's two halves."""

_CODE: Final = 0
CHILD: Final = 1
COUNT: Final = 2
VISITS: Final = 3
AVAILABLE: Final = 4

_HAND: Final = 5
_HALF: Final = 32
"""Bits of a hand's lower half."""

VALUE_WIDTH: Final = 2
"""Numbers of a node: sum of its results, prior."""

PRIOR: Final = 1

Nodes: TypeAlias = Annotated[MutableSequence[int], "int32"]

PATH: Final = 256
"""Maximum path length in the tree, in decisions."""

MILLION: Final = 1_000_000

NETWORK: Final = EXPERT + 1
"""A seat plays the guiding network's best action, like a policy."""

MODELS: Final = NETWORK + 1
"""Number of ways in which a seat may play throughout an iteration: the policies, and `NETWORK`."""

LEAF_BOUTS: Final = 4
"""Bouts searched at a leaf if transfers could repeat positions."""


@dataclass(slots=True)
class Tree:
    """The settings and buffers of a search; node 0 is the root."""

    capacity: int = 0  # nodes there is room for
    n_nodes: int = 1
    used: int = 1  # nodes that room was taken for
    iterations: int = 0  # done so far
    deepest: int = 0  # longest path so far, in decisions
    seat: int = 0  # the searching seat
    simulation: int = GREEDY  # policy of playouts
    epsilon: int = 150_000  # millionths: a playout's action is uniformly random
    opponent_policy_share: int = 0  # millionths: another seat's action in the tree is a policy's
    opponent: int = GREEDY  # that policy
    chances: list[int] = field(default_factory=zeros(MAX_SEATS * MODELS))  # millionths, by seat and model
    models: list[int] = field(default_factory=lambda: [NOBODY] * MAX_SEATS)  # in this iteration, or `NOBODY`
    leaf_cards: int = 0  # leaves are solved with at most so many cards in two hands; 0: never
    leaf_nodes: int = 0  # nodes for that
    end_cards: int = 0  # playouts stop at so many cards and are solved; 0: never
    exploration: float = 0.7
    codes: list[int] = field(default_factory=zeros(MAX_ACTIONS))
    hand_key: int = 0  # of the seat to move: a multiple of `CODES`, added to the codes of nodes
    children: list[int] = field(default_factory=zeros(MAX_ACTIONS))
    n_compared: int = 0  # actions compared at the root; 0: the search chooses among all
    compared: list[int] = field(default_factory=zeros(MAX_ACTIONS))  # their codes
    dealing: list[int] = field(default_factory=zeros(1))  # state of ``rng`` before their common deal
    rng: list[int] = field(default_factory=lambda: [1])
    path: list[int] = field(default_factory=zeros(PATH))
    path_seat: list[int] = field(default_factory=zeros(PATH))


class TreeMemory(NamedTuple):
    """The memory of a search."""

    positions: Sequence[Position]  # the known one, and one to work on
    belief: Sequence[Belief]  # one
    tree: Sequence[Tree]  # one
    nodes: Nodes  # `NODE_WIDTH` integers a node
    values: MutableSequence[float]  # `VALUE_WIDTH` numbers a node


def reward(p: Position, seat: int) -> float:
    """Return a finished game's value for a seat: 1 if its team is not the fool, 0.5 for a draw."""
    return 0.5 + 0.5 * outcome(p, seat)


def find_children(search: Tree, nodes: MutableSequence[int], node: int, n: int) -> int:
    """Write each legal code's child or 0 to ``search.children``, mark it available, and count the missing."""
    for i in range(n):
        search.children[i] = 0
    missing = n
    first = nodes[node * NODE_WIDTH + CHILD]
    for child in range(first, first + nodes[node * NODE_WIDTH + COUNT]):
        base = child * NODE_WIDTH
        for i in range(n):
            if search.codes[i] + search.hand_key == nodes[base + _CODE]:
                search.children[i] = child
                nodes[base + AVAILABLE] += 1
                missing -= 1
                break
    return missing


def hand_of(nodes: Sequence[int], node: int) -> int:
    """Return the mover's hand, without jokers, for which a node's children got their priors, or 0."""
    base = node * NODE_WIDTH + _HAND
    return nodes[base] | nodes[base + 1] << _HALF


def set_hand(nodes: MutableSequence[int], node: int, hand: int) -> None:
    base = node * NODE_WIDTH + _HAND
    nodes[base] = hand & (1 << _HALF) - 1
    nodes[base + 1] = hand >> _HALF


def _room_for(count: int) -> int:
    room = min(count, 1)
    while room < count:
        room *= 2
    return room


def make_room(
    search: Tree, tree: tuple[MutableSequence[int], MutableSequence[float]], node: int, more: int
) -> bool:
    """Take room for more children of a node, whose children may move; return whether there is any."""
    nodes, values = tree
    base = node * NODE_WIDTH
    count = nodes[base + COUNT]
    room = _room_for(count + more)
    if room == _room_for(count):
        return True
    first = search.used
    if first + room > search.capacity:
        return False
    search.used += room
    before = nodes[base + CHILD]
    for i in range(count * NODE_WIDTH):
        nodes[first * NODE_WIDTH + i] = nodes[before * NODE_WIDTH + i]
    for i in range(count * VALUE_WIDTH):
        values[first * VALUE_WIDTH + i] = values[before * VALUE_WIDTH + i]
    nodes[base + CHILD] = first
    for i in range(MAX_ACTIONS):
        if search.children[i]:
            search.children[i] += first - before
    return True


def add_child(search: Tree, nodes: MutableSequence[int], node: int, i: int) -> None:
    """Add a node for a legal code; there must be room."""
    child = nodes[node * NODE_WIDTH + CHILD] + nodes[node * NODE_WIDTH + COUNT]
    nodes[node * NODE_WIDTH + COUNT] += 1
    nodes[child * NODE_WIDTH + _CODE] = search.codes[i] + search.hand_key
    nodes[child * NODE_WIDTH + AVAILABLE] = 1
    search.children[i] = child
    search.n_nodes += 1


def common_deal(search: Tree) -> None:
    """Rewind the random numbers so that each of the compared actions meets the same deal."""
    if search.n_compared:
        if search.iterations % search.n_compared:
            search.rng[0] = search.dealing[0]
        search.dealing[0] = search.rng[0]


def sample_models(search: Tree, seats: int) -> None:
    """Sample how each seat plays throughout an iteration: by a model, or by the tree."""
    for seat in range(seats):
        search.models[seat] = NOBODY
        base = seat * MODELS
        total = 0
        for model in range(MODELS):
            total += search.chances[base + model]
        if total:
            left = random_below(search.rng, MILLION)
            for model in range(MODELS):
                if search.models[seat] == NOBODY and left < search.chances[base + model]:
                    search.models[seat] = model
                left -= search.chances[base + model]


def _pick_new(search: Tree, n: int, missing: int) -> int:
    """Return the index of a random code without a child."""
    skip = random_below(search.rng, missing)
    for i in range(n):
        if search.children[i] == 0:
            if skip == 0:
                return i
            skip -= 1
    return 0


def _pick_best(search: Tree, nodes: Sequence[int], values: Sequence[float], n: int) -> int:
    """Return the index of the code whose child has the highest upper confidence bound, or -1."""
    best = -1
    highest = -1.0
    for i in range(n):
        child = search.children[i]
        if child:
            base = child * NODE_WIDTH
            visits = float(nodes[base + VISITS])
            bound = values[child * VALUE_WIDTH] / visits + search.exploration * math.sqrt(
                math.log(float(nodes[base + AVAILABLE])) / visits
            )
            if bound > highest:
                highest = bound
                best = i
    return best


def given_reply(search: Tree, p: Position, n: int, depth: int) -> int:
    """Return the index of the action that the search does not choose, or -1.

    At the root it is the compared action whose turn it is, elsewhere a policy's choice if the seat follows
    one in this iteration.
    """
    if depth == 0 and search.n_compared:
        return index_of(search.codes, search.compared[search.iterations % search.n_compared])
    policy = search.models[p.turn]
    if policy in (NOBODY, NETWORK):
        return -1
    return index_of(search.codes, choose(p, policy, search.codes, n, search.rng))


def _pick(
    search: Tree,
    p: Position,
    tree: tuple[MutableSequence[int], MutableSequence[float]],
    node: int,
    counts: tuple[int, int],
) -> int:
    """Return the index of the next code, or -1 if the tree is full and no child exists."""
    nodes, values = tree
    n, missing = counts
    share = search.opponent_policy_share
    fresh = missing > 0 and make_room(search, tree, node, 1)
    if fresh and missing == n:
        return _pick_new(search, n, missing)
    if share and p.turn != search.seat and random_below(search.rng, MILLION) < share:
        return index_of(search.codes, choose(p, search.opponent, search.codes, n, search.rng))
    if fresh:
        return _pick_new(search, n, missing)
    return _pick_best(search, nodes, values, n)


def _descend(search: Tree, p: Position, nodes: MutableSequence[int], values: MutableSequence[float]) -> int:
    """Select a path, add one node at its end, and return its length."""
    node = 0
    depth = 0
    while p.phase != OVER and depth < PATH:
        n = legal(p, search.codes)
        if n == 1:
            apply(p, search.codes[0])
            continue
        missing = find_children(search, nodes, node, n)
        i = given_reply(search, p, n, depth)
        if i < 0:
            i = _pick(search, p, (nodes, values), node, (n, missing))
        if i < 0:
            return depth
        added = search.children[i] == 0
        if added:
            if not make_room(search, (nodes, values), node, 1):
                return depth
            add_child(search, nodes, node, i)
        node = search.children[i]
        search.path[depth] = node
        search.path_seat[depth] = p.turn
        depth += 1
        apply(p, search.codes[i])
        if added:
            return depth
    return depth


def cards_left(p: Position) -> int:
    """Return the number of cards of two seats in hand and on the table."""
    return popcount(p.hands[p.attacker] | p.hands[p.defender] | p.table)


def solve_leaf(search: Tree, p: Position, endgame: EndgameMemory) -> int:
    """Return a solvable position's value for its attacker, or `UNKNOWN`."""
    solver = endgame.search[0]
    copy_into(endgame.stack[0], p)
    solver.seat = p.attacker
    solver.nodes = 0
    solver.level = 0
    solver.last_bout = p.bout + LEAF_BOUTS - 1 if p.transfer else 0
    solver.node_limit = search.leaf_nodes
    value = solve(endgame, -1, 1)
    if value == 0 and p.transfer:
        return UNKNOWN
    return value


def roll_out(search: Tree, p: Position, end_cards: int) -> None:
    """Play out by the policy, or up to a bout of two seats with no talon and at most ``end_cards`` cards."""
    while p.phase != OVER:
        late = end_cards and p.phase == OPENING and p.drawn == p.deck_size and popcount(p.in_mask) == 2
        if late and cards_left(p) <= end_cards:
            return
        n = legal(p, search.codes)
        code = search.codes[0]
        if n > 1:
            if search.epsilon and random_below(search.rng, MILLION) < search.epsilon:
                code = search.codes[random_below(search.rng, n)]
            else:
                code = choose(p, search.simulation, search.codes, n, search.rng)
        apply(p, code)


@compiled("search")
def grow_tree(memory: TreeMemory, endgame: EndgameMemory, iterations: int) -> None:
    """Do some iterations; ``endgame`` is used to solve leaves."""
    root = memory.positions[0]
    p = memory.positions[1]
    belief = memory.belief[0]
    search = memory.tree[0]
    nodes = memory.nodes
    values = memory.values
    for _ in range(iterations):
        common_deal(search)
        sample_deal(p, root, belief, search.rng)
        sample_models(search, p.seats)
        depth = _descend(search, p, nodes, values)
        search.deepest = max(search.deepest, depth)
        value = UNKNOWN
        if solvable(p) and cards_left(p) <= search.leaf_cards:
            value = solve_leaf(search, p, endgame)
        if value == UNKNOWN:
            roll_out(search, p, search.end_cards)
            if p.phase != OVER:
                value = solve_leaf(search, p, endgame)
                if value == UNKNOWN:
                    roll_out(search, p, 0)
        if value == UNKNOWN:
            for i in range(depth):
                back_up(nodes, values, search.path[i], reward(p, search.path_seat[i]))
        else:
            for i in range(depth):
                back_up(nodes, values, search.path[i], solved_reward(p, value, search.path_seat[i]))
        search.iterations += 1


def solved_reward(p: Position, value: int, seat: int) -> float:
    """Return a solved position's value for a seat, given the attacker's."""
    if are_partners(p, seat, p.attacker):
        return 0.5 + 0.5 * value
    if are_partners(p, seat, p.defender):
        return 0.5 - 0.5 * value
    return 1.0 if value else 0.5


def back_up(nodes: MutableSequence[int], values: MutableSequence[float], node: int, value: float) -> None:
    nodes[node * NODE_WIDTH + VISITS] += 1
    values[node * VALUE_WIDTH] += value
