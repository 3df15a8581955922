"""Minimax and max^n over one full deal to a given depth, and the evaluations of its leaves.

Values are vectors with one component per seat, since turns do not alternate. The seat to act maximises
`objective`; ties go to the lowest `greedy_cost`. The opponent assumptions are:

- `PARANOID`: opponents minimise the searching seat's value, partners maximise it. For two seats this is
  minimax, the search of the Charles University thesis for closed games (rules 12, `zarlykov`); for more see
  Sturtevant and Korf, "On Pruning Techniques for Multi-Player Games" (AAAI 2000). Only this search prunes, by
  alpha-beta, with iterative deepening and a table for costly evaluations. The table only reuses values of the
  same depth, so pruning never changes a value.
- `MAXN`: every seat maximises its team's value. Luckhardt and Irani, "An Algorithmic Solution of N-Person
  Games" (AAAI 1986), as in the Imperial College project (rules 12, `van-khan`).
- `COALITION`: all seats but the weakest and its partners maximise their own value minus the weakest seat's.
  The weakest has the lowest value at the root (ties go clockwise after the searching seat) and maximises its
  own value. It may be the searching seat.

Depth counts decisions; forced actions are free. Plain functions that also compile.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from durak_core.kernel.compiled import compiled, zeros
from durak_core.kernel.legal import are_partners, index_of, legal, next_in, next_opponent
from durak_core.kernel.position import (
    JOKERS,
    MAX_ACTIONS,
    MAX_SEATS,
    OVER,
    PILE_ON,
    Position,
    copy_into,
    copy_play,
    lowest_bit,
    popcount,
    scramble,
)
from durak_core.kernel.transition import apply
from durak_core.knowledge.belief import Belief, sample_deal
from durak_core.knowledge.certain import weak_ranks
from durak_core.search.endgame.alpha_beta import (
    LEVELS,
    LINE,
    DepthFirst,
    code_on,
    lay_code,
    outcome,
    try_next,
)
from durak_core.search.policies.playouts import GREEDY, choose
from durak_core.search.policies.policies import greedy_cost

MOST: Final = 900
"""Bound of all comparisons, and the value of a won playout."""

_SIZE: Final = 15
_WEAKNESS: Final = 500


def _prospective_hand(p: Position, seat: int) -> int:
    """Return a seat's hand, with the cards on the table if it is certain to take them."""
    if p.phase == PILE_ON and seat == p.defender:
        return p.hands[seat] | p.table
    return p.hands[seat]


def _hand_value(p: Position, hand: int) -> int:
    """Return the sum of a hand's ranks; trumps and jokers continue above the highest non-trump."""
    more = popcount(p.deck_mask & p.trump_mask)
    value = more * popcount(hand & (p.trump_mask | JOKERS))
    while hand:
        value += lowest_bit(hand) & 15
        hand &= hand - 1
    return value


def material(p: Position, seat: int, other: int) -> int:
    """Evaluate a seat's hand against its opponent's.

    For hands of equal size the difference of the cards' values, otherwise of the sizes, times 15 once the
    talon is empty. A principal attacker with at most one weak rank against a hand without trumps and jokers
    gets 500 more: Bonnet's won endgame, ignoring the table. Cards on the table count for a defender who
    takes.

    Source: the basic evaluation of the Charles University thesis.
    """
    mine = _prospective_hand(p, seat)
    theirs = _prospective_hand(p, other)
    high = p.trump_mask | JOKERS
    value = popcount(theirs) - popcount(mine)
    empty = p.drawn == p.deck_size
    if value == 0:
        value = _hand_value(p, mine) - _hand_value(p, theirs)
    elif empty:
        value *= _SIZE
    if empty:
        if p.attacker == seat and theirs & high == 0:
            if popcount(weak_ranks(mine, theirs)) <= 1:
                value += _WEAKNESS
        elif p.attacker == other and mine & high == 0 and popcount(weak_ranks(theirs, mine)) <= 1:
            value -= _WEAKNESS
    return min(MOST, max(-MOST, value))


def best_material(p: Position, seat: int) -> int:
    """Return a team's value, the minimum over its seats of their best comparison; `MOST` if all are out."""
    worst = MOST
    for mine in range(p.seats):
        if p.in_mask >> mine & 1 and are_partners(p, seat, mine):
            best = -MOST
            for other in range(p.seats):
                if p.in_mask >> other & 1 and not are_partners(p, seat, other):
                    best = max(best, material(p, mine, other))
            worst = min(worst, best)
    return worst


def greedy_outcome(
    p: Position, seat: int, desk: Position, codes: MutableSequence[int], rng: MutableSequence[int]
) -> int:
    """Return a game's outcome for a seat under greedy play; ``desk`` is overwritten, ``rng`` unused."""
    copy_play(desk, p)
    while desk.phase != OVER:
        n = legal(desk, codes)
        apply(desk, choose(desk, GREEDY, codes, n, rng))
    return MOST * outcome(desk, seat)


def prospect(p: Position, seat: int, weights: Sequence[int]) -> int:
    """Evaluate a seat that is still in: minus its cards and weak ranks, plus trumps and jokers, weighted.

    A rank is weak if the opponent it attacks next can beat each of its cards in suit. Cards on the table
    count for a defender who takes.

    Source: the evaluation of the Imperial College project, with weights of 1, 2 and 1.
    """
    hand = _prospective_hand(p, seat)
    weak = popcount(weak_ranks(hand, _prospective_hand(p, next_opponent(p, seat))))
    high = popcount(hand & (p.trump_mask | JOKERS))
    return weights[1] * high - weights[0] * popcount(hand) - weights[2] * weak


def weakest_seat(p: Position, seat: int, weights: Sequence[int]) -> int:
    """Return the seat with the lowest `prospect`; ties go clockwise from the seat after ``seat``."""
    found = next_in(p, seat)
    least = prospect(p, found, weights)
    other = next_in(p, found)
    for _ in range(popcount(p.in_mask) - 1):
        value = prospect(p, other, weights)
        if value < least:
            least = value
            found = other
        other = next_in(p, other)
    return found


DEEPEST: Final = LEVELS - 2
"""Maximum depth in decisions."""

MAXN: Final = 0
PARANOID: Final = 1
COALITION: Final = 2

PROSPECT: Final = 0
"""Evaluates every team by its hands, see `prospect`."""
BASIC: Final = 1
"""Evaluates the searching seat by card counting, see `material`."""
PLAYOUT: Final = 2
"""Evaluates the searching seat by a greedy playout."""

WIN: Final = 1000
"""A won game with `BASIC` and `PLAYOUT`; -1000 if lost, 0 if drawn."""
FOOL: Final = 6000
"""Loss of each seat of the fool's team with `PROSPECT`; the others share it, as in rules 8.4."""

_WORD: Final = 0xFFFF_FFFF
_TRUMP: Final = 48  # cost of spending a trump, before passing or taking
_BEYOND: Final = 20_000  # more than any objective
_OFFSET: Final = 8000  # more than any seat's value
_EXACT: Final = 0
_AT_LEAST: Final = 1
_AT_MOST: Final = 2


@dataclass(slots=True)
class LookAheadPlan:
    """The settings of a search, and memory that `DepthFirst` lacks."""

    depth: int = 1  # decisions to look ahead, the first one included
    temper: int = MAXN
    evaluation: int = PROSPECT
    prunes: int = 0  # 1: alpha-beta, for `PARANOID` only
    deepens: int = 0  # 1: also iterative deepening and a table
    weights: list[int] = field(default_factory=zeros(3))  # of `prospect`: cards, trumps, weaknesses
    weakest: int = 0  # the seat that a coalition plays against
    deals: int = 0  # begun so far
    running: int = 0  # depth of the running search, 0 before a new deal
    rng: list[int] = field(default_factory=lambda: [1])
    codes: list[int] = field(default_factory=zeros(MAX_ACTIONS))  # legal codes in a playout
    vectors: list[int] = field(default_factory=zeros(MAX_SEATS * LEVELS))  # of values, by level and seat


class DealMemory(NamedTuple):
    """The memory of a search."""

    positions: Sequence[Position]  # the known one, whose seat to act has a choice, and one for playouts
    stack: Sequence[Position]  # one more than the decisions to look ahead
    belief: Sequence[Belief]  # one
    plan: Sequence[LookAheadPlan]  # one
    search: Sequence[DepthFirst]  # one
    keys: MutableSequence[int]  # ``slots`` keys of positions, all 0 before the first deal
    facts: MutableSequence[int]  # facts about them, packed by `remember`
    expected: MutableSequence[int]  # continuations by position of the stack, `LINE` integers each
    lines: MutableSequence[int]  # continuations by legal action of the first position


def advance(p: Position, codes: MutableSequence[int]) -> int:
    """Play forced actions, write the legal codes of the next decision, and return their number or 0."""
    while p.phase != OVER:
        n = legal(p, codes)
        if n > 1:
            return n
        apply(p, codes[0])
    return 0


def greedy_order(p: Position, code: int) -> int:
    """Return the place of a code in the order of actions; the lowest comes first, and wins ties."""
    return greedy_cost(code, p.trump_mask | JOKERS, _TRUMP)


def _lay_codes(p: Position, search: DepthFirst, level: int, n: int) -> None:
    """Insert the fresh codes on a level, the remembered best first, then by greedy's cost."""
    for i in range(n):
        code = search.fresh[i]
        cost = 0
        if code != search.best_code[level]:
            cost = 1 + greedy_order(p, code)
        lay_code(search, level, i, code, cost)


def _deal_key(p: Position, salt: int) -> int:
    """Hash the state of a game of one full deal to 1 to 2^62.

    Leaves out what follows from the rest or has no effect: discards, talon cards but an exchanged one, bout
    and ply numbers, finishing order. Deals that share a table need different salts, 0 to 2^32 - 1.
    """
    low = scramble(salt)
    high = scramble(low ^ p.in_mask)
    for seat in range(p.seats):
        low = scramble(low ^ (p.hands[seat] & _WORD))
        high = scramble(high ^ low ^ (p.hands[seat] >> 32))
    low = scramble(low ^ high ^ (p.table & _WORD))
    high = scramble(high ^ low ^ (p.table >> 32))
    for i in range(p.n_attacks):
        if p.defences[i] == 0:
            low = scramble(low ^ p.attacks[i])
    seats = p.attacker | p.defender << 3 | p.turn << 6 | p.passed << 9 | p.shown << 15
    low = scramble(low ^ (seats << 3 | p.phase))
    high = scramble(high ^ low ^ (p.limit << 16 | p.drawn << 8))
    low = scramble(low ^ high ^ p.stall)
    if p.bout > 1:
        low ^= 1
    if p.exchange_trump:
        low ^= p.deck[p.deck_size - 1] << 1
    high = scramble(high ^ low)
    return ((high & 0x3FFF_FFFF) << 32 | low) + 1


def recall(memory: DealMemory, level: int, ahead: int) -> bool:
    """Look up a level with ``ahead`` decisions left; if that decides it, write its values and return True."""
    search = memory.search[0]
    slot = search.key[level] & (search.slots - 1)
    if memory.keys[slot] != search.key[level]:
        return False
    fact = memory.facts[slot]
    search.best_code[level] = (fact >> 24) - 1
    if fact >> 16 & 255 != ahead:
        return False
    value = (fact & 0x3FFF) - _OFFSET
    memory.plan[0].vectors[level * MAX_SEATS + search.seat] = value
    kind = fact >> 14 & 3
    if kind == _AT_LEAST:
        return value >= search.beta[level]
    if kind == _AT_MOST:
        return value <= search.alpha[level]
    return True


def remember(memory: DealMemory, level: int, ahead: int) -> None:
    """Store a finished level's value, exact or a bound, and its best action."""
    search = memory.search[0]
    value = memory.plan[0].vectors[level * MAX_SEATS + search.seat]
    kind = _EXACT
    if ahead and value >= search.beta[level]:
        kind = _AT_LEAST
    elif ahead and value <= search.alpha[level]:
        kind = _AT_MOST
    slot = search.key[level] & (search.slots - 1)
    memory.keys[slot] = search.key[level]
    memory.facts[slot] = (search.best_code[level] + 1) << 24 | ahead << 16 | kind << 14 | (value + _OFFSET)


def _add_up_teams(p: Position, vectors: MutableSequence[int], start: int) -> None:
    """Replace each seat's value by its team's: the sum over its seats still in, if any."""
    for team in range(p.teams):
        total = 0
        left = 0
        for seat in range(team, p.seats, p.teams):
            if p.in_mask >> seat & 1:
                total += vectors[start + seat]
                left += 1
        if left:
            for seat in range(team, p.seats, p.teams):
                vectors[start + seat] = total


def evaluate(p: Position, desk: Position, searcher: int, plan: LookAheadPlan, start: int) -> None:
    """Write a leaf's values: with `PROSPECT` of every seat's team, otherwise of the searching seat alone."""
    vectors = plan.vectors
    if plan.evaluation == PROSPECT:
        losers = p.seats // p.teams
        for seat in range(p.seats):
            vectors[start + seat] = losers * FOOL // (p.seats - losers)
            if p.phase == OVER:
                if p.fool < 0:
                    vectors[start + seat] = 0
                elif are_partners(p, seat, p.fool):
                    vectors[start + seat] = -FOOL
            elif p.in_mask >> seat & 1:
                vectors[start + seat] = prospect(p, seat, plan.weights)
        if p.teams < p.seats and p.phase != OVER:
            _add_up_teams(p, vectors, start)
    elif p.phase == OVER:
        vectors[start + searcher] = WIN * outcome(p, searcher)
    elif plan.evaluation == PLAYOUT:
        vectors[start + searcher] = greedy_outcome(p, searcher, desk, plan.codes, plan.rng)
    else:
        vectors[start + searcher] = best_material(p, searcher)


def objective(p: Position, plan: LookAheadPlan, searcher: int, start: int) -> int:
    """Return the quantity that the seat to act maximises."""
    vectors = plan.vectors
    if plan.temper == PARANOID:
        return vectors[start + searcher] if are_partners(p, p.turn, searcher) else -vectors[start + searcher]
    if plan.temper == COALITION and not are_partners(p, p.turn, plan.weakest):
        return vectors[start + p.turn] - vectors[start + plan.weakest]
    return vectors[start + p.turn]


def _take_in(
    p: Position, search: DepthFirst, plan: LookAheadPlan, level: int, expected: MutableSequence[int]
) -> int:
    """Update a level's best action with the one tried last, and return that one's value."""
    here = level * MAX_SEATS
    value = objective(p, plan, search.seat, here + MAX_SEATS)
    if value > search.best[level]:
        search.best[level] = value
        search.best_code[level] = code_on(search, level, search.tried[level] - 1)
        for seat in range(p.seats):
            plan.vectors[here + seat] = plan.vectors[here + MAX_SEATS + seat]
        expected[level * LINE] = search.best_code[level] + 1
        for place in range(level * LINE + 1, (level + 1) * LINE):
            expected[place] = expected[place + LINE - 1]
            if expected[place] == 0:
                break
    return value


def look_ahead(  # noqa: C901, PLR0912, PLR0915 - one loop, to be stopped and continued
    memory: DealMemory, depth: int, values: MutableSequence[int]
) -> bool:
    """Search ``stack[0]``, a position with a choice, and return whether the search is finished.

    If the nodes run out, ``level`` is kept and the same call continues the search. Writes `objective` values
    for the memory's seat, in legal order, to a buffer of `MAX_ACTIONS`. Overwrites the stack except its first
    position. The depth is 1 or more decisions.
    """
    stack = memory.stack
    desk = memory.positions[1]
    search = memory.search[0]
    plan = memory.plan[0]
    level = search.level
    search.level = 0
    # An explicit stack, as in `alpha_beta.solve`. A child's vector is one level further in ``plan.vectors``,
    # and `_take_in` copies it up if it is the best. ``alpha`` and ``beta`` are values for the searching seat;
    # ``best`` is what the seat to act maximises, when pruning the negative at an opponent's turn.
    entering = True
    search.alpha[0] = -_BEYOND
    search.beta[0] = _BEYOND
    while level >= 0:
        p = stack[level]
        ahead = depth - level
        if entering:
            entering = False
            search.deepest = max(search.deepest, level)
            n = advance(p, search.fresh)
            if n and search.nodes >= search.node_limit:
                search.level = level
                return False
            search.best_code[level] = -1
            search.key[level] = 0
            if n:
                search.nodes += 1
                if plan.deepens and level and (ahead or plan.evaluation == PLAYOUT):
                    search.key[level] = _deal_key(p, plan.deals)
                    if recall(memory, level, ahead):
                        memory.expected[level * LINE] = search.best_code[level] + 1
                        memory.expected[level * LINE + 1] = 0
                        level -= 1
                        continue
            if n == 0 or ahead == 0:
                evaluate(p, desk, search.seat, plan, level * MAX_SEATS)
                memory.expected[level * LINE] = 0
                if search.key[level]:
                    remember(memory, level, 0)
                level -= 1
                continue
            _lay_codes(p, search, level, n)
            search.count[level] = n
            search.tried[level] = 0
            search.best[level] = -_BEYOND
        else:
            value = _take_in(p, search, plan, level, memory.expected)
            if level == 0:
                legal(p, search.fresh)
                i = index_of(search.fresh, code_on(search, 0, search.tried[0] - 1))
                values[i] = value
                for place in range(LINE):
                    memory.lines[i * LINE + place] = memory.expected[LINE + place]
        floor = search.alpha[level]
        roof = search.beta[level]
        # The root keeps its full window: every action needs its exact value, for the deals are added up.
        if plan.prunes and level > 0:
            if are_partners(p, p.turn, search.seat):
                floor = max(floor, search.best[level])
            else:
                roof = min(roof, -search.best[level])
        if floor >= roof or search.tried[level] == search.count[level]:
            if search.key[level]:
                remember(memory, level, ahead)
            level -= 1
            continue
        try_next(stack, search, level, floor, roof)
        level += 1
        entering = True
    return True


@compiled("classic")
def search_deal(memory: DealMemory, nodes: int, values: MutableSequence[int]) -> int:
    """Search a new random deal, or continue the last one, with a limit of nodes for this call.

    Returns the nodes searched for this deal, or -1 if it is not finished. Writes to a buffer of `MAX_ACTIONS`
    values. The memory is the same for all deals.
    """
    known = memory.positions[0]
    desk = memory.positions[1]
    plan = memory.plan[0]
    search = memory.search[0]
    stack = memory.stack
    # With deepening, each depth orders the next one's actions by the table, which never changes a value: it
    # only reuses values of the same depth, and `LookAheadPlan.deals` in its keys keeps deals apart.
    if plan.running == 0:
        sample_deal(stack[0], known, memory.belief[0], plan.rng)
        for level in range(1, plan.depth + 1):
            copy_into(stack[level], stack[0])
        copy_into(desk, stack[0])
        plan.deals += 1
        plan.running = 1 if plan.deepens else plan.depth
        search.seat = known.turn
        if plan.temper == COALITION:
            plan.weakest = weakest_seat(stack[0], search.seat, plan.weights)
        search.nodes = 0
        search.level = 0
    search.node_limit = search.nodes + nodes
    while plan.running <= plan.depth:
        if not look_ahead(memory, plan.running, values):
            return -1
        plan.running += 1
    plan.running = 0
    return search.nodes
