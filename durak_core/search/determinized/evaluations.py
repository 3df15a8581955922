"""Evaluations of unfinished games: card counting, playouts and hand prospects; also compiled."""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from typing import Final

from durak_core.kernel.bits import lowest_bit, popcount
from durak_core.kernel.legal import are_partners, legal, next_in, next_opponent
from durak_core.kernel.position import OVER, PILE_ON, Position, copy_play
from durak_core.kernel.transition import apply
from durak_core.knowledge.weakness import weak_ranks
from durak_core.search.endgame.alpha_beta import outcome
from durak_core.search.policies.playouts import GREEDY, choose

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
    """Return the sum of a hand's ranks; trump ranks continue above the highest non-trump."""
    more = popcount(p.deck_mask & p.trump_mask)
    value = more * popcount(hand & p.trump_mask)
    while hand:
        value += lowest_bit(hand) & 15
        hand &= hand - 1
    return value


def material(p: Position, seat: int, other: int) -> int:
    """Evaluate a seat's hand against its opponent's.

    For hands of equal size the difference of the cards' values, otherwise of the sizes, times 15 once the
    talon is empty. A principal attacker with at most one weak rank against a hand without trumps gets 500
    more: Bonnet's won endgame, ignoring the table. Cards on the table count for a defender who takes.

    Source: the basic evaluation of the Charles University thesis.
    """
    mine = _prospective_hand(p, seat)
    theirs = _prospective_hand(p, other)
    value = popcount(theirs) - popcount(mine)
    empty = p.drawn == p.deck_size
    if value == 0:
        value = _hand_value(p, mine) - _hand_value(p, theirs)
    elif empty:
        value *= _SIZE
    if empty:
        if p.attacker == seat and theirs & p.trump_mask == 0:
            if popcount(weak_ranks(mine, theirs)) <= 1:
                value += _WEAKNESS
        elif p.attacker == other and mine & p.trump_mask == 0 and popcount(weak_ranks(theirs, mine)) <= 1:
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
    """Evaluate a seat that is still in: minus its cards and weak ranks, plus its trumps, weighted.

    A rank is weak if the opponent it attacks next can beat each of its cards in suit. Cards on the table
    count for a defender who takes.

    Source: the evaluation of the Imperial College project, with weights of 1, 2 and 1.
    """
    hand = _prospective_hand(p, seat)
    weak = popcount(weak_ranks(hand, _prospective_hand(p, next_opponent(p, seat))))
    return weights[1] * popcount(hand & p.trump_mask) - weights[0] * popcount(hand) - weights[2] * weak


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
