"""The memory of searching players in compiled games: public knowledge, and the possible deals.

The same as `durak_core.knowledge.locations`.

The same as `durak_core.knowledge.belief`, from `durak_core.search.players.search_memory`.
"""

from __future__ import annotations

from collections.abc import Iterator, MutableSequence, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from durak_core.actions import PASS, TAKE, Action, Attack, Defend, encode
from durak_core.kernel.compiled import float_zeros, zeros
from durak_core.kernel.legal import card_used, face_up_card
from durak_core.kernel.position import MAX_ACTIONS, MAX_SEATS, NOBODY, Position, lowest_bit, popcount
from durak_core.kernel.transition import lowest_trump_seat, new_position
from durak_core.knowledge.belief import MAX_CASES, Belief
from durak_core.rules import Rules
from durak_core.search.backend.backend import Backend
from durak_core.search.depth_first import LEVELS, DepthFirst
from durak_core.search.endgame.alpha_beta import EndgameMemory
from durak_core.search.endgame.solver import TABLE_SIZE
from durak_core.search.ismcts.guided import Guidance, PuctState
from durak_core.search.ismcts.tree import NODE_WIDTH, TreeMemory
from durak_core.search.ismcts.tree_search import LEAF_SLOTS, SearchSettings, guidance_for
from durak_core.search.network.encoding import Memory, bit_length, update_memory
from durak_core.search.network.weights import Weights, activation_sizes

BATCHES: Final = 60
"""Maximum draw batches of a hand, as bits of an integer, and cards that left it."""

COUNTS: Final = 32
"""Exceeds the cards dealt to a hand."""


@dataclass(slots=True)
class Deduction:
    """Public knowledge from the first attack, as in `durak_core.knowledge.locations`."""

    told: int = 0  # 1: used up, nothing more is followed
    first: int = 0  # the first attacker, or `NOBODY` if no trump was dealt
    hidden: int = 0  # mask of the cards whose location is not public
    sure: list[int] = field(default_factory=zeros(MAX_SEATS))  # trumps publicly dealt to a seat
    dealt: list[int] = field(default_factory=zeros(MAX_SEATS))  # trumps dealt to it, known to itself
    n_batches: list[int] = field(default_factory=zeros(MAX_SEATS))
    batches: list[int] = field(default_factory=zeros(MAX_SEATS * BATCHES))  # cards, the deal first
    n_loose: list[int] = field(default_factory=zeros(MAX_SEATS))
    loose: list[int] = field(default_factory=zeros(MAX_SEATS * BATCHES))  # masks of cards that left
    bits: list[int] = field(default_factory=zeros(MAX_SEATS * BATCHES))  # their possible batches
    # Of one case:
    n_kept: int = 0
    kept: list[int] = field(default_factory=zeros(BATCHES))  # bits of the cards that left
    placed: list[int] = field(default_factory=zeros(BATCHES))  # 1: the card has a batch
    ways: list[float] = field(default_factory=float_zeros(COUNTS))  # by dealt cards still held
    after: list[float] = field(default_factory=float_zeros(COUNTS))
    weights: list[float] = field(default_factory=float_zeros(MAX_CASES))
    values: list[int] = field(default_factory=zeros(MAX_ACTIONS))  # of the solved actions


def begin(p: Position, k: Deduction) -> None:
    """Begin with a dealt game."""
    k.first = lowest_trump_seat(p)
    k.hidden = p.deck_mask & ~face_up_card(p)
    k.told = 0
    for seat in range(p.seats):
        k.sure[seat] = 0
        k.dealt[seat] = p.hands[seat] & p.trump_mask
        k.n_batches[seat] = 1
        k.batches[seat * BATCHES] = popcount(p.hands[seat])
        k.n_loose[seat] = 0
    _check(p, k)


def _check(p: Position, k: Deduction) -> None:
    """End the deduction once no hidden card can be a lower trump."""
    dealt = 0
    hidden = k.hidden
    for seat in range(p.seats):
        dealt += k.batches[seat * BATCHES]
        for i in range(seat * BATCHES, seat * BATCHES + k.n_loose[seat]):
            if k.bits[i] & 1:
                hidden |= k.loose[i]
    below = -1
    if k.first != NOBODY and k.sure[k.first]:
        below = (k.sure[k.first] & -k.sure[k.first]) - 1
    if dealt == 0 or hidden & p.trump_mask & below == 0:
        k.told = 1


def follow(p: Position, memory: Memory, k: Deduction, code: int) -> None:
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
    base = seat * BATCHES
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
    at = seat * BATCHES + k.n_batches[seat]
    if k.n_batches[seat] > 1 and k.n_loose[seat] == 0:
        k.batches[at - 1] += count
    else:
        k.batches[at] = count
        k.n_batches[seat] += 1


_WHOLE: Final = 1 << 30
"""Sum of the weights of all cases in a `Belief`."""

_SAME: Final = 1 + 1e-11
"""Ratio up to which two weights are equal apart from rounding."""


def write_belief(root: Position, memory: Memory, k: Deduction, seat: int, belief: Belief) -> None:
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
    """Add a case for each possible lowest trump; see `durak_core.knowledge.hidden_hand`."""
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
    for i in range(other * BATCHES, other * BATCHES + k.n_loose[other]):
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
    base = other * BATCHES
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
    for left in range(COUNTS):
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


_CODES: Final = 1 << 15
"""Exceeds every action's code."""

# Limits of a search.
ITERATIONS: Final = 0
NODES: Final = 1  # to solve the root
GUIDED: Final = 2  # 1 with a network


class CompiledSearch(NamedTuple):
    """A search of the agent `ismcts` with the same choices in compiled games."""

    iterations: int
    nodes: int  # to solve the root
    settings: SearchSettings


class GameMemory(NamedTuple):
    """A game of searching players, and its public knowledge."""

    positions: Sequence[Position]  # two, with the rules: the game, and an action's result
    memories: Sequence[Memory]  # one
    deductions: Sequence[Deduction]  # one


class SearchBuffers(NamedTuple):
    """The memory of a searching player; ``search`` and ``endgame`` share the levels of ``leaves``."""

    game: GameMemory
    search: TreeMemory
    leaves: EndgameMemory
    endgame: EndgameMemory  # for the root
    codes: MutableSequence[int]  # legal codes
    order: MutableSequence[int]  # solver's order of their indices
    names: MutableSequence[int]  # rank of each code's text
    rng: MutableSequence[int]
    limits: MutableSequence[int]
    guidance: Guidance  # arbitrary without a network


def game_memory(rules: Rules, runner: Backend) -> GameMemory:
    return GameMemory(
        positions=runner.records(new_position(rules), 2),
        memories=runner.records(Memory(), 1),
        deductions=runner.records(Deduction(), 1),
    )


def search_buffers(rules: Rules, search: CompiledSearch, game: GameMemory, runner: Backend) -> SearchBuffers:
    p, settings = new_position(rules), search.settings
    guide = settings.guide
    most = 1 + search.iterations * (1 if guide is None else MAX_ACTIONS)
    room = min(settings.capacity, most + MAX_ACTIONS)
    levels = runner.records(p, LEVELS)
    limits, names = runner.integers(3), runner.integers(_CODES)
    limits[ITERATIONS], limits[NODES], limits[GUIDED] = (
        search.iterations,
        search.nodes,
        int(guide is not None),
    )
    for rank, action in enumerate(sorted(_actions(rules), key=str)):
        names[encode(action)] = rank
    return SearchBuffers(
        game=game,
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
        guidance=_unguided(runner) if guide is None else guidance_for(guide, Memory(), rules, runner, room),
    )


def _unguided(runner: Backend) -> Guidance:
    return Guidance(
        guide=runner.records(PuctState(), 1),
        memories=runner.records(Memory(), 2),
        priors=runner.floats(0),
        network=Weights(runner.integers(0), runner.weights(0, 0)),
        room=activation_sizes(0, runner),
    )


def _solving(levels: Sequence[Position], slots: int, runner: Backend) -> EndgameMemory:
    search = runner.records(DepthFirst(slots=slots), 1)
    return EndgameMemory(levels, search, runner.integers(slots), runner.integers(slots))


def _actions(rules: Rules) -> Iterator[Action]:
    yield from (PASS, TAKE)
    yield from map(Attack, rules.deck)
    yield from (Defend(card, target) for card in rules.deck for target in rules.deck if card != target)
