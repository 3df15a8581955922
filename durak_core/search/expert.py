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
from durak_core.kernel.legal import PASS_CODE, SHOW_CODE, TAKE_CODE, TRANSFER_CODE
from durak_core.kernel.position import DEFENCE, PILE_ON, Position

__all__ = ["INGREDIENTS", "N_COLUMNS", "N_ROWS", "N_WEIGHTS", "WEIGHTS", "expert_policy"]

# Rows of the table of weights.
RANK: Final = 0  # worth of a plain card, for each step of its rank
TRUMP: Final = 1  # worth of a trump, beside its rank
TRUMP_RANK: Final = 2  # worth of a trump, for each step of its rank
TRUMP_MORE: Final = 3  # the same for each further trump in hand
TRUMP_ATTACK: Final = 4  # attacking with a trump, beside its worth
MATE: Final = 5  # attacking with a card: for each other plain card of its rank in hand
COVER: Final = 6  # attacking with a card: for each unseen card of its suit that beats it
FORCE: Final = 7  # attacking with a plain card that no unseen card but a trump beats
SAFE: Final = 8  # attacking with a card that no unseen card beats
THROW_IN_LIMIT: Final = 9  # cost of passing when cards may be thrown in
PILE_ON_LIMIT: Final = 10  # cost of passing when the defender takes
OWN_HAND: Final = 11  # passing: for each card in the own hand
THEIR_HAND: Final = 12  # passing: for each card in the defender's hand
FRESH: Final = 13  # beating with a rank that is not on the table: for each unseen card of it
SPLIT: Final = 14  # beating with a card: for each other plain card of its rank in hand
MORE_OPEN: Final = 15  # beating: for each further open attack card
TAKE: Final = 16  # taking
TAKE_LOW: Final = 17  # taking: for each plain card on the table, 6 to 10
TAKE_HIGH: Final = 18  # taking: for each plain card on the table, J to A
TAKE_TRUMP: Final = 19  # taking: for each trump on the table
TAKE_OWN: Final = 20  # taking: for each card in the own hand
TAKE_THEIR: Final = 21  # taking: for each card in the attacker's hand
TAKE_COMING: Final = 22  # taking: for each unseen card of a rank on the table
TAKE_ROOM: Final = 23  # taking: for each attack card that the bout's limit still allows
TRANSFER: Final = 24  # transferring, beside the card's worth
SHOW: Final = 25  # transferring by showing a trump
N_ROWS: Final = 26

N_TIMES: Final = 4
N_COLUMNS: Final = 2 * N_TIMES  # the talon is long, middling, short, empty: with two seats in the game; with more
N_WEIGHTS: Final = N_ROWS * N_COLUMNS
LONG_TALON: Final = 13  # cards, or more
SHORT_TALON: Final = 4  # cards, or fewer
HIGH_RANKS: Final = 0x7800 * RANK_COLUMN  # J to A
KIND: Final = 7 << 6  # the bits of a code that tell the kind of action

WEIGHTS: Final[tuple[int, ...]] = (
    (10, 100, 10, 0, 0, -3, 0, 0, 0, 120, 90, 0, 0, 3, 2, 0, 165, 20, 0, -30, 0, 0, 0, 0, -60, -30)
    + (10, 100, 10, 0, 0, -3, 0, 0, 0, 120, 90, 0, 0, 3, 2, 0, 165, 20, 0, -30, 0, 0, 0, 0, -60, -30)
    + (10, 80, 10, 0, 0, -3, 0, 0, 0, 130, 90, 0, 0, 3, 2, 0, 200, 20, 0, -30, 0, 0, 0, 0, -60, -30)
    + (10, 60, 10, 0, 0, -3, 0, 0, -30, 400, 160, 0, 0, 3, 2, 0, 400, 20, 0, -30, 0, 0, 0, 0, -60, -30)
) * 2


def weight(weights: Sequence[int] | None, i: int) -> int:
    """Return a weight of some tables, or of `WEIGHTS` if there are none.

    Machine code reads a constant table much faster here than as an argument.
    """
    if weights is None:
        return WEIGHTS[i]
    return weights[i]


def unseen_cards_of(p: Position) -> int:
    """Return the cards that the seat to act cannot place: in other hands, or hidden in the talon."""
    unseen = p.deck_mask & ~(p.hands[p.turn] | p.table | p.discards)
    if p.trump_lane and p.drawn < p.deck_size:
        unseen &= ~(1 << p.deck[p.deck_size - 1])
    return unseen


def column_of(p: Position) -> int:
    """Return which column of the weights is in force."""
    talon = p.deck_size - p.drawn
    column = 0
    if talon == 0:
        column = 3
    elif talon <= SHORT_TALON:
        column = 2
    elif talon < LONG_TALON:
        column = 1
    if popcount(p.in_mask) > 2:
        column += N_TIMES
    return column


def cheapest_attack(p: Position, codes: Sequence[int], n: int, weights: Sequence[int] | None, at: int) -> int:
    """Choose among attack cards and passing."""
    trumps = p.trump_lane
    hand = p.hands[p.turn]
    plain = hand & ~trumps
    unseen = unseen_cards_of(p)
    piling = p.phase == PILE_ON
    best = codes[n - 1]
    least = 1 << 40
    if best == PASS_CODE:
        n -= 1
        least = weight(weights, at + OWN_HAND) * popcount(hand)
        least += weight(weights, at + THEIR_HAND) * popcount(p.hands[p.defender])
        least += weight(weights, at + (PILE_ON_LIMIT if piling else THROW_IN_LIMIT))
    for i in range(n):
        card = codes[i] & 63
        rank = card & 15
        is_trump = trumps >> card & 1
        if is_trump:
            cost = weight(weights, at + TRUMP) + weight(weights, at + TRUMP_ATTACK)
            cost += weight(weights, at + TRUMP_MORE) * (popcount(hand & trumps) - 1)
            cost += weight(weights, at + TRUMP_RANK) * rank
        else:
            cost = weight(weights, at + RANK) * rank
        if not piling:
            mates = popcount(plain & (RANK_COLUMN << rank) & ~(1 << card))
            covers = popcount(above(card) & unseen)
            cost += weight(weights, at + MATE) * mates + weight(weights, at + COVER) * covers
            if covers == 0:
                if is_trump or unseen & trumps == 0:
                    cost += weight(weights, at + SAFE)
                else:
                    cost += weight(weights, at + FORCE)
        if cost < least:
            least = cost
            best = codes[i]
    return best


def cheapest_answer(p: Position, codes: Sequence[int], n: int, weights: Sequence[int] | None, at: int) -> int:
    """Choose among beating, transferring, showing and taking."""
    trumps = p.trump_lane
    hand = p.hands[p.turn]
    plain = hand & ~trumps
    unseen = unseen_cards_of(p)
    room = p.limit - p.n_attacks
    new_ranks = 0
    if room > 0:
        new_ranks = ~rank_mates(p.table)
    best = codes[0]
    least = 1 << 40
    for i in range(n):
        code = codes[i]
        kind = code & KIND
        card = code & 63
        rank = card & 15
        if kind == TAKE_CODE:
            cost = take_cost(p, weights, at) + weight(weights, at + TAKE_ROOM) * room
            if new_ranks:
                cost += weight(weights, at + TAKE_COMING) * popcount(unseen & ~new_ranks)
        elif kind == SHOW_CODE:
            cost = weight(weights, at + SHOW)
        else:
            if trumps >> card & 1:
                cost = weight(weights, at + TRUMP) + weight(weights, at + TRUMP_RANK) * rank
                cost += weight(weights, at + TRUMP_MORE) * (popcount(hand & trumps) - 1)
            else:
                cost = weight(weights, at + RANK) * rank
            if kind == TRANSFER_CODE:
                cost += weight(weights, at + TRANSFER)
            else:
                mates = popcount(plain & (RANK_COLUMN << rank) & ~(1 << card))
                cost += weight(weights, at + SPLIT) * mates
                cost += weight(weights, at + MORE_OPEN) * (p.n_open - 1)
                if new_ranks >> card & 1:
                    cost += weight(weights, at + FRESH) * popcount(unseen & (RANK_COLUMN << rank))
        if cost < least:
            least = cost
            best = code
    return best


def take_cost(p: Position, weights: Sequence[int] | None, at: int) -> int:
    """Return what taking costs, as far as the cards on the table and the hands decide it."""
    plain = p.table & ~p.trump_lane
    high = popcount(plain & HIGH_RANKS)
    cost = weight(weights, at + TAKE) + weight(weights, at + TAKE_LOW) * (popcount(plain) - high)
    cost += weight(weights, at + TAKE_HIGH) * high
    cost += weight(weights, at + TAKE_TRUMP) * popcount(p.table & p.trump_lane)
    cost += weight(weights, at + TAKE_OWN) * popcount(p.hands[p.turn])
    return cost + weight(weights, at + TAKE_THEIR) * popcount(p.hands[p.attacker])


def expert_policy(p: Position, codes: Sequence[int], n: int, weights: Sequence[int] | None, start: int) -> int:
    """Choose the cheapest action by the rule book.

    Args:
        p: The position; of hidden cards only their number counts.
        codes: Legal codes, as `durak_core.kernel.legal.legal` writes them.
        n: How many there are, 1 or more.
        weights: Tables of `N_WEIGHTS` integers each, below 2^20; None for `WEIGHTS`.
        start: Where the table to use begins.
    """
    if n == 1:
        return codes[0]
    at = start + column_of(p) * N_ROWS
    if p.phase == DEFENCE:
        return cheapest_answer(p, codes, n, weights, at)
    return cheapest_attack(p, codes, n, weights, at)
