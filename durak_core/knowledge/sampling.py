"""Samples deals consistent with a seat's `Belief`, uniformly or weighted by odds; also compiled."""

from __future__ import annotations

from collections.abc import MutableSequence
from dataclasses import dataclass, field
from typing import Final

from durak_core.kernel.bits import popcount
from durak_core.kernel.compiled import float_zeros, zeros
from durak_core.kernel.position import DECK_SIZE, MAX_SEATS, Position, copy_into
from durak_core.kernel.random import random_below

NUMBERS: Final = 64
"""Exceeds every card's number."""

_MILLION: Final = 1_000_000

MAX_CASES: Final = 128
"""Maximum number of cases; the rarest ones are left out."""


@dataclass(slots=True)
class Belief:
    """The hidden cards, and where they may be.

    With no cases, every hidden card may be in any hidden location. Otherwise each deal follows a case, drawn
    in proportion to its likelihood: one hidden card is the lowest trump, in the first attacker's hand, and no
    hidden trump below it was dealt.
    """

    n_pool: int = 0  # number of hidden cards
    talon_from: int = 0  # locations in the deck of hidden cards: talon_from .. talon_to - 1
    talon_to: int = 0
    pool: list[int] = field(default_factory=zeros(DECK_SIZE))  # numbers of the hidden cards
    missing: list[int] = field(default_factory=zeros(MAX_SEATS))  # hidden cards in each hand
    n_cases: int = 0
    first: int = 0  # the first attacker's seat (rules 4.1)
    order: list[int] = field(default_factory=zeros(DECK_SIZE))  # the pool, trumps first in ascending order
    until: list[int] = field(default_factory=zeros(MAX_CASES))  # a case's upper random number, exclusive
    held: list[int] = field(default_factory=zeros(MAX_CASES))  # the lowest trump if it is hidden, or 0
    low: list[int] = field(default_factory=zeros(MAX_CASES))  # number of hidden trumps below it
    dealt: list[int] = field(default_factory=zeros(MAX_CASES * MAX_SEATS))  # other dealt cards, by hands
    by_odds: int = 0  # number of deals in a million that are weighted by odds instead of uniform
    is_by_odds: int = 0  # whether the present deal is
    odds: list[float] = field(default_factory=float_zeros(MAX_SEATS * NUMBERS))  # of seats, by card number


def sample_deal(p: Position, root: Position, belief: Belief, rng: MutableSequence[int]) -> None:
    """Deal the hidden cards at random into ``p``; reads ``root`` and shuffles the belief's pool."""
    copy_into(p, root)
    belief.is_by_odds = 0
    if belief.by_odds and random_below(rng, _MILLION) < belief.by_odds:
        belief.is_by_odds = 1
    n = belief.n_pool
    if belief.n_cases:
        n = _deal_case(p, belief, rng)
    for seat in range(p.seats):
        for _ in range(belief.missing[seat] - popcount(p.hands[seat] ^ root.hands[seat])):
            n -= 1
            p.hands[seat] |= 1 << _draw_for(seat, belief, 0, n, rng)
    for slot in range(belief.talon_from, belief.talon_to):
        n -= 1
        p.deck[slot] = draw_from(belief, 0, n, rng)


def _deal_case(p: Position, belief: Belief, rng: MutableSequence[int]) -> int:
    """Draw a case, redeal its dealt cards, and return the number of hidden cards left."""
    n = belief.n_pool
    for i in range(n):
        belief.pool[i] = belief.order[i]
    at = random_below(rng, belief.until[belief.n_cases - 1])
    case = 0
    while belief.until[case] <= at:
        case += 1
    low = belief.low[case]
    if belief.held[case]:
        p.hands[belief.first] |= 1 << belief.held[case]
        n -= 1
        belief.pool[low] = belief.pool[n]  # it follows the lower ones
    for seat in range(p.seats):
        for _ in range(belief.dealt[case * MAX_SEATS + seat]):
            n -= 1
            p.hands[seat] |= 1 << _draw_for(seat, belief, low, n, rng)
    return n


def _draw_for(seat: int, belief: Belief, low: int, last: int, rng: MutableSequence[int]) -> int:
    """Draw one of the pool's cards from ``low`` to ``last`` for a hand, as `draw_from` does."""
    if not belief.is_by_odds:
        return draw_from(belief, low, last, rng)
    base = seat * NUMBERS
    total = 0.0
    for i in range(low, last + 1):
        total += belief.odds[base + belief.pool[i]]
    left = total * float(random_below(rng, _MILLION)) / float(_MILLION)
    i = low
    while i < last and left >= belief.odds[base + belief.pool[i]]:
        left -= belief.odds[base + belief.pool[i]]
        i += 1
    return _take(belief, i, last)


def draw_from(belief: Belief, low: int, last: int, rng: MutableSequence[int]) -> int:
    """Draw a random one of the pool's cards from ``low`` to ``last`` and move it to ``last``."""
    return _take(belief, low + random_below(rng, last + 1 - low), last)


def _take(belief: Belief, i: int, last: int) -> int:
    card = belief.pool[i]
    belief.pool[i] = belief.pool[last]
    belief.pool[last] = card
    return card
