"""The rule book: what an experienced player does without looking ahead, as one table of costs.

Every legal action gets a cost, and the cheapest one is played. A card costs what it is worth in
hand; attacking, throwing in, beating and taking add what they bring about. How much of each is a
weight, an integer, and the weights differ with the time of the game: the talon is long, the talon
is nearly drawn, the talon is empty; and for each of these with two seats in the game or more.

A plain function over integers as in the kernel. It looks at what the seat to act may know (rules 9)
and at nothing else of the position: its hand, the table, the discards, the trump card, and how many
cards others hold. Cards that somebody is known to hold are not remembered.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from durak_core.kernel.bits import RANK_COLUMN, above, popcount, rank_mates
from durak_core.kernel.position import DEFENCE, OPENING, PILE_ON, Position

__all__ = ["INGREDIENTS", "N_COLUMNS", "N_ROWS", "N_WEIGHTS", "WEIGHTS", "expert_policy"]

# Rows of the table of weights.
RANK: Final = 0  # worth of a plain card, for each step of its rank
TRUMP: Final = 1  # worth of a trump, beside its rank
TRUMP_RANK: Final = 2  # worth of a trump, for each step of its rank
TRUMP_MORE: Final = 3  # the same for each further trump in hand
MATE: Final = 4  # attacking with a card: for each other plain card of its rank in hand
COVER: Final = 5  # attacking with a card: for each unseen card of its suit that beats it
SAFE: Final = 6  # attacking with a card that no unseen card beats
THROW_IN_LIMIT: Final = 7  # cost of passing when cards may be thrown in
PILE_ON_LIMIT: Final = 8  # cost of passing when the defender takes
OWN_HAND: Final = 9  # passing: for each card in the own hand
THEIR_HAND: Final = 10  # passing: for each card in the defender's hand
FRESH: Final = 11  # beating with a rank that is not on the table: for each unseen card of it
SPLIT: Final = 12  # beating with a card: for each other plain card of its rank in hand
MORE_OPEN: Final = 13  # beating: for each further open attack card
TAKE: Final = 14  # taking
TAKE_LOW: Final = 15  # taking: for each plain card on the table, 6 to 10
TAKE_HIGH: Final = 16  # taking: for each plain card on the table, J to A
TAKE_TRUMP: Final = 17  # taking: for each trump on the table
TAKE_OWN: Final = 18  # taking: for each card in the own hand
TAKE_THEIR: Final = 19  # taking: for each card in the attacker's hand
TRANSFER: Final = 20  # transferring, beside the card's worth
SHOW: Final = 21  # transferring by showing a trump
N_ROWS: Final = 22

N_COLUMNS: Final = 6  # the talon is long, short, empty: with two seats in the game; with more
N_WEIGHTS: Final = N_ROWS * N_COLUMNS
SHORT_TALON: Final = 4  # cards
_HIGH: Final = 0x7800 * RANK_COLUMN  # J to A

WEIGHTS: Final[tuple[int, ...]] = (
    (10, 100, 10, 0, -3, 0, 0, 120, 90, 0, 0, 3, 2, 0, 165, 20, 0, -30, 0, 0, -60, -30)
    + (10, 80, 10, 0, -3, 0, 0, 130, 90, 0, 0, 3, 2, 0, 200, 20, 0, -30, 0, 0, -60, -30)
    + (10, 60, 10, 0, -3, 0, -30, 400, 160, 0, 0, 3, 2, 0, 400, 20, 0, -30, 0, 0, -60, -30)
) * 2


def expert_policy(p: Position, codes: Sequence[int], n: int, weights: Sequence[int], start: int) -> int:
    """Choose the cheapest action by the rule book.

    Args:
        p: The position; of hidden cards only their number counts.
        codes: Legal codes, as `durak_core.kernel.legal.legal` writes them.
        n: How many there are, 1 or more.
        weights: Tables of `N_WEIGHTS` integers each, below 2^20.
        start: Where the table to use begins.
    """
    if n == 1:
        return codes[0]
    talon = p.deck_size - p.drawn
    trumps = p.trump_lane
    at = start
    if talon == 0:
        at += 2 * N_ROWS
    elif talon <= SHORT_TALON:
        at += N_ROWS
    if popcount(p.in_mask) > 2:
        at += 3 * N_ROWS
    hand = p.hands[p.turn]
    unseen = p.deck_mask & ~(hand | p.table | p.discards)
    if talon and trumps:
        unseen &= ~(1 << p.deck[p.deck_size - 1])
    trump_worth = weights[at + TRUMP] + weights[at + TRUMP_MORE] * (popcount(hand & trumps) - 1)
    new_ranks = 0
    if p.phase == DEFENCE and p.n_attacks < p.limit:
        new_ranks = ~rank_mates(p.table)
    plain = hand & ~trumps
    best = codes[0]
    least = 1 << 40
    for i in range(n):
        code = codes[i]
        kind = code >> 6 & 7
        if kind >= 2:
            card = code & 63
            rank = card & 15
            if trumps >> card & 1:
                cost = trump_worth + weights[at + TRUMP_RANK] * rank
            else:
                cost = weights[at + RANK] * rank
            mates = popcount(plain & ~(1 << card) & (RANK_COLUMN << rank))
            if kind == 2:
                if p.phase != PILE_ON:
                    covers = popcount(above(card) & unseen)
                    cost += weights[at + MATE] * mates + weights[at + COVER] * covers
                    if covers == 0 and (trumps >> card & 1 or unseen & trumps == 0):
                        cost += weights[at + SAFE]
            elif kind == 3:
                cost += weights[at + SPLIT] * mates + weights[at + MORE_OPEN] * (p.n_open - 1)
                if new_ranks >> card & 1:
                    cost += weights[at + FRESH] * popcount(unseen & (RANK_COLUMN << rank))
            elif kind == 4:
                cost += weights[at + TRANSFER]
            else:
                cost = weights[at + SHOW]
        elif kind == 0:
            cost = weights[at + OWN_HAND] * popcount(hand)
            cost += weights[at + THEIR_HAND] * popcount(p.hands[p.defender])
            if p.phase == PILE_ON:
                cost += weights[at + PILE_ON_LIMIT]
            else:
                cost += weights[at + THROW_IN_LIMIT]
        else:
            taken = p.table & ~trumps
            high = popcount(taken & _HIGH)
            cost = weights[at + TAKE] + weights[at + TAKE_LOW] * (popcount(taken) - high)
            cost += weights[at + TAKE_HIGH] * high
            cost += weights[at + TAKE_TRUMP] * popcount(p.table & trumps)
            cost += weights[at + TAKE_OWN] * popcount(hand)
            cost += weights[at + TAKE_THEIR] * popcount(p.hands[p.attacker])
        if cost < least:
            least = cost
            best = code
    return best
