"""The agent `ismcts` in compiled games of two seats, with the same choices.

A game is replayed from its deal by its codes. This gives the public knowledge, including the first attack's
(`durak_core.knowledge.locations.first_attack`), from which the search samples deals.
"""

from __future__ import annotations

from collections.abc import Iterator, MutableSequence, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from durak_core.actions import PASS, TAKE, Action, Attack, Defend, encode
from durak_core.kernel.bits import lowest_bit, popcount
from durak_core.kernel.codes import index_of
from durak_core.kernel.compiled import compiled, float_zeros, zeros
from durak_core.kernel.deal import deal, lowest_trump_seat, new_position
from durak_core.kernel.legal import card_used, face_up_card, legal
from durak_core.kernel.position import MAX_ACTIONS, MAX_SEATS, NOBODY, OVER, Position, copy_into
from durak_core.kernel.random import AGENTS_STREAM, CHANCE_STREAM, DEAL_STREAM, derive
from durak_core.kernel.transition import apply
from durak_core.knowledge.sampling import MAX_CASES, Belief
from durak_core.rules import Rules
from durak_core.search.backend.backend import Backend
from durak_core.search.depth_first import LEVELS, DepthFirst
from durak_core.search.endgame.alpha_beta import UNKNOWN, EndgameMemory, outcome, solvable, solve
from durak_core.search.endgame.move_ordering import move_score
from durak_core.search.endgame.solver import TABLE_SIZE
from durak_core.search.ismcts.guided import Guidance, grow_guided
from durak_core.search.ismcts.tree import NODE_WIDTH, VISITS, TreeMemory, grow_tree
from durak_core.search.ismcts.tree_search import LEAF_SLOTS, SearchSettings, guidance_for
from durak_core.search.network.encoding import Memory, bit_length, copy_memory, reset_memory, update_memory

_CODES: Final = 1 << 15
"""Exceeds every action's code."""

_BATCHES: Final = 60
"""Maximum draw batches of a hand, as bits of an integer, and cards that left it."""

_COUNTS: Final = 32
"""Exceeds the cards dealt to a hand."""

_WHOLE: Final = 1 << 30
"""Sum of the weights of all cases in a `Belief`."""

_SAME: Final = 1 + 1e-11
"""Ratio up to which two weights are equal apart from rounding."""

_UNSOLVED: Final = -2


def can_search(rules: Rules) -> bool:
    """Return whether this module knows all that the rules reveal."""
    plain = not (rules.forced_play or rules.exchange_trump or rules.transfer or rules.deal_all)
    cases = len(rules.deck) // rules.suits * (rules.hand_size + 1)
    talon = rules.deck_size > 2 * rules.hand_size
    hidden = rules.trumps and rules.visibility != "open" and rules.hand_size < _COUNTS
    return plain and hidden and talon and rules.seats == 2 and cases <= MAX_CASES


class Searcher:
    """The agent `ismcts` by its limits and settings, for games of one set of rules (`can_search`)."""

    def __init__(
        self, rules: Rules, iterations: int, nodes: int, settings: SearchSettings, runner: Backend
    ) -> None:
        p, memory = new_position(rules), Memory()
        guide = settings.guide
        most = 1 + iterations * (1 if guide is None else MAX_ACTIONS)
        room = min(settings.capacity, most + MAX_ACTIONS)
        levels = runner.records(p, LEVELS)
        limits, names = runner.integers(2), runner.integers(_CODES)
        limits[0], limits[1] = iterations, nodes
        for rank, action in enumerate(sorted(_actions(rules), key=str)):
            names[encode(action)] = rank
        self._buffers = SearchBuffers(
            games=runner.records(p, 2),
            memories=runner.records(memory, 1),
            deductions=runner.records(Deduction(), 1),
            search=TreeMemory(
                positions=runner.records(p, 2),
                belief=runner.records(Belief(), 1),
                tree=runner.records(settings.tree(room), 1),
                nodes=runner.integers(room * NODE_WIDTH),
                values=runner.floats(room),
            ),
            leaves=_solving(levels, LEAF_SLOTS, runner),
            endgame=_solving(levels, TABLE_SIZE, runner),
            codes=runner.integers(MAX_ACTIONS),
            order=runner.integers(MAX_ACTIONS),
            names=names,
            rng=runner.integers(1),
            limits=limits,
        )
        self._guidance: tuple[Guidance, ...] = ()
        self._choose = runner.functions["choose_by_search"]
        if guide is not None:
            self._guidance = (guidance_for(guide, memory, rules, runner, room),)
            self._choose = runner.functions["choose_by_guided_search"]

    def choose(self, replays: Replays, chosen: Sequence[int], choices: MutableSequence[int]) -> None:
        """Write the legal index of the choice in some slots' games, at a decision of two or more actions."""
        self._choose(replays, chosen, self._buffers, *self._guidance, choices)


def _solving(levels: Sequence[Position], slots: int, runner: Backend) -> EndgameMemory:
    search = runner.records(DepthFirst(slots=slots), 1)
    return EndgameMemory(levels, search, runner.integers(slots), runner.integers(slots))


def _actions(rules: Rules) -> Iterator[Action]:
    yield from (PASS, TAKE)
    yield from map(Attack, rules.deck)
    yield from (Defend(card, target) for card in rules.deck for target in rules.deck if card != target)


@dataclass(slots=True)
class Deduction:
    """Public knowledge from the first attack, as in `durak_core.knowledge.locations.public_locations`."""

    told: int = 0  # 1: used up, nothing more is followed
    first: int = 0  # the first attacker, or `NOBODY` if no trump was dealt
    hidden: int = 0  # mask of the cards whose location is not public
    sure: list[int] = field(default_factory=zeros(MAX_SEATS))  # trumps publicly dealt to a seat
    dealt: list[int] = field(default_factory=zeros(MAX_SEATS))  # trumps dealt to it, known to itself
    n_batches: list[int] = field(default_factory=zeros(MAX_SEATS))
    batches: list[int] = field(default_factory=zeros(MAX_SEATS * _BATCHES))  # cards, the deal first
    n_loose: list[int] = field(default_factory=zeros(MAX_SEATS))
    loose: list[int] = field(default_factory=zeros(MAX_SEATS * _BATCHES))  # masks of cards that left
    bits: list[int] = field(default_factory=zeros(MAX_SEATS * _BATCHES))  # their possible batches
    # Of one case:
    n_kept: int = 0
    kept: list[int] = field(default_factory=zeros(_BATCHES))  # bits of the cards that left
    placed: list[int] = field(default_factory=zeros(_BATCHES))  # 1: the card has a batch
    ways: list[float] = field(default_factory=float_zeros(_COUNTS))  # by dealt cards still held
    after: list[float] = field(default_factory=float_zeros(_COUNTS))
    weights: list[float] = field(default_factory=float_zeros(MAX_CASES))
    values: list[int] = field(default_factory=zeros(MAX_ACTIONS))  # of the solved actions


class SearchBuffers(NamedTuple):
    """The memory of a searching player; ``search`` and ``endgame`` share the levels of ``leaves``."""

    games: Sequence[Position]  # two, with the rules: the game, and an action's result
    memories: Sequence[Memory]  # one
    deductions: Sequence[Deduction]  # one
    search: TreeMemory
    leaves: EndgameMemory
    endgame: EndgameMemory  # for the root
    codes: MutableSequence[int]  # legal codes
    order: MutableSequence[int]  # solver's order of their indices
    names: MutableSequence[int]  # rank of each code's text
    rng: MutableSequence[int]
    limits: MutableSequence[int]  # iterations, and nodes to solve the root


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
    """Write the choices of `Searcher.choose`, without a network."""
    for slot in chosen:
        seed = _prepare(replays, slot, buffers)
        if seed > 0:
            _begin_search(buffers, seed)
            grow_tree(buffers.search, buffers.leaves, buffers.limits[0])
        choices[slot] = _choice(buffers, seed)


@compiled("searchers")
def choose_by_guided_search(
    replays: Replays,
    chosen: Sequence[int],
    buffers: SearchBuffers,
    guidance: Guidance,
    choices: MutableSequence[int],
) -> None:
    """Write the choices of `Searcher.choose`, with a network."""
    for slot in chosen:
        seed = _prepare(replays, slot, buffers)
        if seed > 0:
            _begin_search(buffers, seed)
            copy_memory(guidance.memories[0], buffers.memories[0])
            grow_guided(buffers.search, guidance, buffers.leaves, buffers.limits[0])
        choices[slot] = _choice(buffers, seed)


def _prepare(replays: Replays, slot: int, buffers: SearchBuffers) -> int:
    """Set up a slot's decision; return the search's seed, or the solver's choice as ``-1 - index``."""
    p = buffers.games[0]
    memory, k = buffers.memories[0], buffers.deductions[0]
    codes = buffers.codes
    buffers.rng[0] = derive(replays.seeds[slot], DEAL_STREAM)
    deal(p, buffers.rng)
    reset_memory(p, memory)
    _begin(p, k)
    n = _settle(p, memory, k, codes)
    for i in range(replays.counts[slot]):
        _follow(p, memory, k, replays.played[slot][i])
        n = _settle(p, memory, k, codes)
    seat = p.turn
    root, belief = buffers.search.positions[0], buffers.search.belief[0]
    _write_visible(p, memory, seat, root)
    for level in range(len(buffers.leaves.stack)):
        buffers.leaves.stack[level].trump_mask = root.trump_mask
    for i in range(n):
        k.values[i] = 0
    index = _solved(root, memory, k, buffers, n)
    if index >= 0:
        return -1 - index
    _write_belief(root, memory, k, seat, belief)
    replays.searches[slot][seat] += 1
    agent = derive(replays.seeds[slot], AGENTS_STREAM + seat)
    return derive(agent, replays.searches[slot][seat])


def _settle(p: Position, memory: Memory, k: Deduction, codes: MutableSequence[int]) -> int:
    """Play the forced actions, and write and count the legal ones."""
    n = legal(p, codes)
    while n == 1:
        _follow(p, memory, k, codes[0])
        n = legal(p, codes)
    return n


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


def _choice(buffers: SearchBuffers, seed: int) -> int:
    """Return the index of the solver's choice, or of the most visited action as good as the solver's best."""
    if seed < 0:
        return -1 - seed
    p, k = buffers.games[0], buffers.deductions[0]
    nodes, names = buffers.search.nodes, buffers.names
    n = legal(p, buffers.codes)
    best = -1
    most = 0
    child = nodes[1]
    while child:
        base = child * NODE_WIDTH
        code, visits = nodes[base], nodes[base + VISITS]
        i = index_of(buffers.codes, code)
        equal = best >= 0 and visits == most and names[code] < names[buffers.codes[best]]
        if k.values[i] != _UNSOLVED and visits and (visits > most or equal):
            best = i
            most = visits
        child = nodes[base + 2]
    for i in range(n):
        j = buffers.order[i]
        if best < 0 and k.values[j] != _UNSOLVED:
            best = j
    return best


def _write_visible(p: Position, memory: Memory, seat: int, root: Position) -> None:
    """Write what a seat sees, as `durak_core.knowledge.visible.visible_position` does."""
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


# The solver at the root, as in `durak_core.agents.solver.best_in_endgame`


def _solved(root: Position, memory: Memory, k: Deduction, buffers: SearchBuffers, n: int) -> int:
    """Return the index of a forced win or the only best action, or -1.

    If several actions are best, the others are marked `_UNSOLVED`.
    """
    order, codes = buffers.order, buffers.codes
    for i in range(n):
        order[i] = i
    if buffers.limits[1] == 0 or not _is_known(root, memory):
        return -1
    _sort_moves(root, codes, order, n)
    after = buffers.games[1]
    for i in range(n):
        copy_into(after, root)
        apply(after, codes[order[i]])
        if after.phase == OVER and outcome(after, root.turn) > 0:
            return order[i]
    keys = buffers.endgame.keys
    for i in range(len(keys)):
        keys[i] = 0
    s = buffers.endgame.search[0]
    s.node_limit = buffers.limits[1]
    best = _UNSOLVED
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
    after = buffers.games[1]
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
            k.values[i] = _UNSOLVED
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


# Public knowledge, as in `durak_core.knowledge.locations.public_locations`


def _begin(p: Position, k: Deduction) -> None:
    k.first = lowest_trump_seat(p)
    k.hidden = p.deck_mask & ~face_up_card(p)
    k.told = 0
    for seat in range(p.seats):
        k.sure[seat] = 0
        k.dealt[seat] = p.hands[seat] & p.trump_mask
        k.n_batches[seat] = 1
        k.batches[seat * _BATCHES] = popcount(p.hands[seat])
        k.n_loose[seat] = 0
    _check(p, k)


def _check(p: Position, k: Deduction) -> None:
    """End the deduction once no hidden card can be a lower trump."""
    dealt = 0
    hidden = k.hidden
    for seat in range(p.seats):
        dealt += k.batches[seat * _BATCHES]
        for i in range(seat * _BATCHES, seat * _BATCHES + k.n_loose[seat]):
            if k.bits[i] & 1:
                hidden |= k.loose[i]
    below = -1
    if k.first != NOBODY and k.sure[k.first]:
        below = (k.sure[k.first] & -k.sure[k.first]) - 1
    if dealt == 0 or hidden & p.trump_mask & below == 0:
        k.told = 1


def _follow(p: Position, memory: Memory, k: Deduction, code: int) -> None:
    """Play a code and update the knowledge."""
    seat = p.turn
    drawn = p.drawn
    bout = p.bout
    card = card_used(p, code)
    if k.told == 0 and card & ~memory.known[seat]:
        _name(k, seat, card, p.trump_mask)
    update_memory(p, memory, code)
    if k.told or p.bout == bout:
        return
    for other in range(p.seats):
        count = 0
        for i in range(drawn, min(p.drawn, p.deck_size - 1)):
            count += p.hands[other] >> p.deck[i] & 1
        if count:
            _draw(k, other, count)
    _check(p, k)


def _name(k: Deduction, seat: int, card: int, trumps: int) -> None:
    """Take a hidden card from a hand."""
    base = seat * _BATCHES
    bits = 0
    for i in range(k.n_batches[seat]):
        if k.batches[base + i]:
            bits |= 1 << i
    if bits == 1:
        k.sure[seat] |= card & trumps
    if bits & (bits - 1):
        at = base + k.n_loose[seat]
        k.loose[at] = card
        k.bits[at] = bits
        k.n_loose[seat] += 1
    else:
        k.batches[base + lowest_bit(bits)] -= 1
    k.hidden &= ~card


def _draw(k: Deduction, seat: int, count: int) -> None:
    at = seat * _BATCHES + k.n_batches[seat]
    if k.n_batches[seat] > 1 and k.n_loose[seat] == 0:
        k.batches[at - 1] += count
    else:
        k.batches[at] = count
        k.n_batches[seat] += 1


# The belief, as in `durak_core.knowledge.belief`


def _write_belief(root: Position, memory: Memory, k: Deduction, seat: int, belief: Belief) -> None:
    hidden = root.deck_mask & ~(root.table | root.discards | face_up_card(root))
    for other in range(root.seats):
        hidden &= ~root.hands[other]
        belief.missing[other] = memory.sizes[other] - popcount(root.hands[other])
    belief.n_pool = 0
    rest = hidden
    while rest:
        belief.pool[belief.n_pool] = lowest_bit(rest)
        belief.n_pool += 1
        rest &= rest - 1
    belief.talon_from = root.drawn
    belief.talon_to = min(root.deck_size, max(root.drawn, root.deck_size - 1))
    belief.n_cases = 0
    belief.by_odds = 0
    if k.told == 0 and hidden & root.trump_mask:
        _add_cases(k, seat, hidden, root.trump_mask, belief)


def _add_cases(k: Deduction, seat: int, hidden: int, trumps: int, belief: Belief) -> None:
    """Add a case for each possible lowest trump; see `durak_core.knowledge.locations.first_attack`."""
    other = 1 - seat
    if k.first == NOBODY:
        _add_case(k, other, 0, trumps, hidden, belief)
    elif k.first == seat:
        lowest = k.dealt[seat] & -k.dealt[seat]
        _add_case(k, other, lowest, (lowest - 1) & trumps, hidden, belief)
    else:
        _add_lowest(k, other, k.dealt[seat], hidden, trumps, belief)
    _finish_cases(k, trumps, belief)


def _add_lowest(  # noqa: PLR0913, PLR0917 - the memory, piece by piece
    k: Deduction, other: int, own: int, hidden: int, trumps: int, belief: Belief
) -> None:
    """Add a case for each trump that may be the other seat's lowest one."""
    sure = k.sure[other]
    cards = sure & -sure | hidden & trumps
    for i in range(other * _BATCHES, other * _BATCHES + k.n_loose[other]):
        if k.bits[i] & 1:
            cards |= k.loose[i] & trumps
    if sure:
        cards &= (sure & -sure) * 2 - 1
    while cards:
        lowest = cards & -cards
        lower = (lowest - 1) & trumps
        if lower & own == 0:
            _add_case(k, other, lowest, lower, hidden, belief)
        cards &= cards - 1


def _add_case(  # noqa: PLR0913, PLR0917 - the memory, piece by piece
    k: Deduction, other: int, lowest: int, lower: int, hidden: int, belief: Belief
) -> None:
    """Add the deals with a lowest trump, by the dealt cards that the other seat still holds."""
    base = other * _BATCHES
    dealt = k.batches[base]
    is_held = other == k.first and lowest & k.sure[other] == 0
    room = dealt if is_held else 1
    if room == 0:
        return
    if is_held:
        dealt -= 1
    k.n_kept = 0
    for i in range(base, base + k.n_loose[other]):
        if not (is_held and k.loose[i] == lowest and k.bits[i] & 1):
            k.kept[k.n_kept] = k.bits[i] & ~1 if k.loose[i] & lower else k.bits[i]
            k.n_kept += 1
    if _fit(k, base, dealt, k.n_batches[other]):
        _count_ways(k, base, dealt)
        low = popcount(hidden & lower)
        if low == 0:
            _merge_ways(k, dealt)
        first = belief.n_cases
        _add_rows(k, other, dealt, room, belief)
        for at in range(first, belief.n_cases):
            belief.held[at] = lowest_bit(lowest) if lowest & hidden else 0
            belief.low[at] = low
        _weigh_rows(k, other, first, popcount(hidden & ~lowest), belief)


def _merge_ways(k: Deduction, dealt: int) -> None:
    total = 0.0
    for count in range(dealt + 1):
        total += k.ways[count]
        k.ways[count] = 0.0
    k.ways[0] = total


def _add_rows(k: Deduction, other: int, dealt: int, room: int, belief: Belief) -> None:
    """Add a row for each number of dealt cards, the greatest weight first."""
    first = belief.n_cases
    for count in range(dealt, -1, -1):
        weight = k.ways[count] * float(room)
        if weight > 0.0:
            at = belief.n_cases
            while at > first and weight > k.weights[at - 1] * _SAME:
                _move_case(k, belief, at - 1, at)
                at -= 1
            k.weights[at] = weight
            belief.dealt[at * MAX_SEATS + other] = count
            belief.dealt[at * MAX_SEATS + 1 - other] = 0
            belief.n_cases += 1


def _weigh_rows(k: Deduction, other: int, first: int, left: int, belief: Belief) -> None:
    """Multiply the rows' weights by the arrangements of ``left`` hidden cards; drop impossible rows."""
    kept = first
    for at in range(first, belief.n_cases):
        count, low = belief.dealt[at * MAX_SEATS + other], belief.low[at]
        weight = k.weights[at]
        for i in range(low):
            weight *= float(max(0, left - count - i))
        for i in range(2, left - low + 1):
            weight *= float(i)
        if weight > 0.0:
            _move_case(k, belief, at, kept)
            k.weights[kept] = weight
            kept += 1
    belief.n_cases = kept


def _fit(k: Deduction, base: int, dealt: int, n_batches: int) -> bool:
    """Return whether every card that left fits into a batch, the earliest last batch first."""
    for i in range(k.n_kept):
        k.placed[i] = 0
    missing = k.n_kept
    for batch in range(n_batches):
        room = k.batches[base + batch] if batch else dealt
        for i in range(k.n_kept):
            if room and k.placed[i] == 0 and k.kept[i] >> batch & 1:
                k.placed[i] = 1
                room -= 1
                missing -= 1
    return missing == 0


def _count_ways(k: Deduction, base: int, dealt: int) -> None:
    """Count the ways for each number of dealt cards that are still hidden in the hand."""
    for left in range(_COUNTS):
        k.ways[left] = 0.0
    k.ways[dealt] = 1.0
    for gone in range(k.n_kept):
        bits = k.kept[gone]
        later = 0
        for batch in range(1, bit_length(bits)):
            later += k.batches[base + batch]
        for left in range(dealt + 1):
            k.after[left] = 0.0
        for left in range(dealt + 1):
            room = later - (gone - (dealt - left))
            if bits & 1 and left:
                k.after[left - 1] += k.ways[left] * float(left)
            if room > 0:
                k.after[left] += k.ways[left] * float(room)
        for left in range(dealt + 1):
            k.ways[left] = k.after[left]


def _move_case(k: Deduction, belief: Belief, source: int, target: int) -> None:
    k.weights[target] = k.weights[source]
    belief.held[target] = belief.held[source]
    belief.low[target] = belief.low[source]
    for seat in range(MAX_SEATS):
        belief.dealt[target * MAX_SEATS + seat] = belief.dealt[source * MAX_SEATS + seat]


def _finish_cases(k: Deduction, trumps: int, belief: Belief) -> None:
    """Sort the cases by weight, and write their cumulated shares and the pool's order."""
    n = belief.n_cases
    total = 0.0
    matters = 0
    for i in range(n):
        weight = k.weights[i]
        held, low = belief.held[i], belief.low[i]
        mine, theirs = belief.dealt[i * MAX_SEATS], belief.dealt[i * MAX_SEATS + 1]
        j = i
        while j > 0 and weight > k.weights[j - 1] * _SAME:
            _move_case(k, belief, j - 1, j)
            j -= 1
        k.weights[j] = weight
        belief.held[j] = held
        belief.low[j] = low
        belief.dealt[j * MAX_SEATS] = mine
        belief.dealt[j * MAX_SEATS + 1] = theirs
        matters |= held | low
    if matters == 0:
        belief.n_cases = 0
        return
    for i in range(n):
        total += k.weights[i]
    until = 0.0
    for i in range(n):
        until += k.weights[i]
        belief.until[i] = int(until / total * float(_WHOLE))
    belief.first = MAX_SEATS if k.first == NOBODY else k.first
    at = 0
    for plain in range(2):
        for i in range(belief.n_pool):
            if (trumps >> belief.pool[i] & 1) != plain:
                belief.order[at] = belief.pool[i]
                at += 1
