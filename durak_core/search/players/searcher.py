"""The agent `ismcts` in compiled games of two seats, with the same choices.

Searches sample deals from the public knowledge, including the first attack's
(`durak_core.knowledge.hidden_hand`).
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from typing import Final, NamedTuple

from durak_core.kernel.compiled import compiled
from durak_core.kernel.legal import face_up_card, index_of, legal
from durak_core.kernel.position import (
    AGENTS_STREAM,
    CHANCE_STREAM,
    DEAL_STREAM,
    OVER,
    Position,
    copy_into,
    derive,
    popcount,
)
from durak_core.kernel.transition import apply, deal
from durak_core.knowledge.belief import MAX_CASES
from durak_core.rules import Rules
from durak_core.search.backend.backend import Backend
from durak_core.search.endgame.alpha_beta import UNKNOWN, move_score, outcome, solvable, solve
from durak_core.search.ismcts.guided import grow_guided
from durak_core.search.ismcts.tree import NODE_WIDTH, VISITS, grow_tree
from durak_core.search.network.encoding import Memory, copy_memory, reset_memory
from durak_core.search.players.player import Player
from durak_core.search.players.search_memory import (
    COUNTS,
    GUIDED,
    ITERATIONS,
    NODES,
    CompiledSearch,
    Deduction,
    GameMemory,
    SearchBuffers,
    begin,
    follow,
    game_memory,
    search_buffers,
    write_belief,
)

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


def can_search(rules: Rules) -> bool:
    """Return whether compiled games know all that the rules reveal."""
    plain = not (rules.forced_play or rules.exchange_trump or rules.transfer or rules.deal_all)
    cases = len(rules.deck) // rules.suits * (rules.hand_size + 1)
    talon = rules.deck_size > 2 * rules.hand_size
    hidden = rules.trumps and rules.visibility != "open" and rules.hand_size < COUNTS
    return plain and hidden and talon and rules.seats == 2 and cases <= MAX_CASES


class Searcher:
    """The agent `ismcts` in many games of one set of rules (`can_search`).

    A game is replayed from its deal for each decision.
    """

    def __init__(self, rules: Rules, search: CompiledSearch, runner: Backend) -> None:
        self._buffers = search_buffers(rules, search, game_memory(rules, runner), runner)
        self._choose = runner.functions["choose_by_search"]

    def choose(self, replays: Replays, chosen: Sequence[int], choices: MutableSequence[int]) -> None:
        """Write the legal index of the choice in some slots' games, at a decision of two or more actions."""
        self._choose(replays, chosen, self._buffers, choices)


class Replays(NamedTuple):
    """The games to choose in, by slot."""

    seeds: MutableSequence[int]  # of the deals
    played: Sequence[MutableSequence[int]]  # codes, without forced ones
    counts: MutableSequence[int]  # number of these
    searches: Sequence[MutableSequence[int]]  # searches so far, by seat; updated


@compiled("searchers")
def choose_by_search(
    replays: Replays, chosen: Sequence[int], buffers: SearchBuffers, choices: MutableSequence[int]
) -> None:
    """Write the choices of `Searcher.choose`."""
    p = buffers.game.positions[0]
    for slot in chosen:
        _replay(replays, slot, buffers.game, buffers)
        index = _known_choice(buffers)
        if index < 0:
            seat = p.turn
            replays.searches[slot][seat] += 1
            agent = derive(replays.seeds[slot], AGENTS_STREAM + seat)
            index = _searched(buffers, derive(agent, replays.searches[slot][seat]))
        choices[slot] = index


def choose_in_game(player: Player, buffers: SearchBuffers) -> int:
    """Return the legal index of a player's choice among two or more in the game of the buffers."""
    index = _known_choice(buffers)
    if index < 0:
        player.searches += 1
        index = _searched(buffers, derive(player.seed, player.searches))
    return index


def _replay(replays: Replays, slot: int, game: GameMemory, buffers: SearchBuffers) -> None:
    p, memory, k = game.positions[0], game.memories[0], game.deductions[0]
    buffers.rng[0] = derive(replays.seeds[slot], DEAL_STREAM)
    deal(p, buffers.rng)
    reset_memory(p, memory)
    begin(p, k)
    _play_forced(game, buffers.codes)
    for i in range(replays.counts[slot]):
        follow(p, memory, k, replays.played[slot][i])
        _play_forced(game, buffers.codes)


def _play_forced(game: GameMemory, codes: MutableSequence[int]) -> None:
    while legal(game.positions[0], codes) == 1:
        follow(game.positions[0], game.memories[0], game.deductions[0], codes[0])


def _known_choice(buffers: SearchBuffers) -> int:
    """Write what the seat to act knows; return the index of the solver's only choice, or -1."""
    p, memory, k = buffers.game.positions[0], buffers.game.memories[0], buffers.game.deductions[0]
    root = buffers.search.positions[0]
    n = legal(p, buffers.codes)
    _write_visible(p, memory, p.turn, root)
    for level in range(len(buffers.leaves.stack)):
        buffers.leaves.stack[level].trump_mask = root.trump_mask
    for i in range(n):
        k.values[i] = 0
    index = solved(root, memory, k, buffers, n)
    if index < 0:
        write_belief(root, memory, k, p.turn, buffers.search.belief[0])
    return index


def _searched(buffers: SearchBuffers, seed: int) -> int:
    """Search; return the index of the most visited action among the solver's best."""
    _begin_search(buffers, seed)
    if buffers.limits[GUIDED]:
        copy_memory(buffers.guidance.memories[0], buffers.game.memories[0])
        grow_guided(buffers.search, buffers.guidance, buffers.leaves, buffers.limits[ITERATIONS])
    else:
        grow_tree(buffers.search, buffers.leaves, buffers.limits[ITERATIONS])
    return _most_visited(buffers)


def _begin_search(buffers: SearchBuffers, seed: int) -> None:
    t = buffers.search.tree[0]
    for i in range(t.n_nodes):
        buffers.search.values[i] = 0.0
    t.n_nodes = 1
    t.iterations = 0
    t.seat = buffers.search.positions[0].turn
    t.rng[0] = derive(seed, CHANCE_STREAM)
    for i in range(NODE_WIDTH):
        buffers.search.nodes[i] = 0
    keys = buffers.leaves.keys
    for i in range(len(keys)):
        keys[i] = 0


def _most_visited(buffers: SearchBuffers) -> int:
    k = buffers.game.deductions[0]
    nodes, names = buffers.search.nodes, buffers.names
    n = legal(buffers.game.positions[0], buffers.codes)
    best = -1
    most = 0
    child = nodes[1]
    while child:
        base = child * NODE_WIDTH
        code, visits = nodes[base], nodes[base + VISITS]
        i = index_of(buffers.codes, code)
        equal = best >= 0 and visits == most and names[code] < names[buffers.codes[best]]
        if k.values[i] != UNSOLVED and visits and (visits > most or equal):
            best = i
            most = visits
        child = nodes[base + 2]
    for i in range(n):
        j = buffers.order[i]
        if best < 0 and k.values[j] != UNSOLVED:
            best = j
    return best


def _write_visible(p: Position, memory: Memory, seat: int, root: Position) -> None:
    """Write what a seat sees, as `durak_core.knowledge.certain.visible_position` does."""
    copy_into(root, p)
    root.plies = 0
    for i in range(p.deck_size - 1):
        root.deck[i] = 0
    unseen = p.deck_mask & ~(p.hands[seat] | p.table | p.discards | face_up_card(p))
    for other in range(p.seats):
        if other != seat:
            unseen &= ~memory.known[other]
    for other in range(p.seats):
        known = memory.known[other]
        if other != seat and memory.sizes[other] - popcount(known) != popcount(unseen):
            root.hands[other] = known
    root.n_emptied = 0
    for other in range(p.seats):
        if p.in_mask >> other & 1 and p.hands[other] == 0:
            root.emptied[root.n_emptied] = other
            root.n_emptied += 1
