"""Weak ranks in the endgame of two, after Bonnet.

A rank is a weakness of an attacker whose opponent holds no trumps when the opponent can beat each of
the attacker's cards of that rank in its suit. Plain functions over card masks, like the kernel; rank
masks have bit ``rank`` set for each rank.

Source: É. Bonnet, "The Complexity of Playing Durak", IJCAI 2016.
"""

from __future__ import annotations

from durak_core.kernel.bits import LANE, above, lowest_bit, rank_mates


def rank_set(mask: int) -> int:
    return (mask | mask >> 16 | mask >> 32 | mask >> 48) & LANE


def _beatable_in_suit(hand: int, other: int) -> int:
    """Return the cards of a hand that another hand can beat without trumps, as a card mask."""
    result = 0
    rest = hand
    while rest:
        if other & above(lowest_bit(rest)):
            result |= rest & -rest
        rest &= rest - 1
    return result


def weak_ranks(hand: int, other: int) -> int:
    """Return the ranks of a hand each of whose cards the other hand can beat in suit, as a rank mask."""
    return rank_set(hand) & ~rank_set(hand & ~_beatable_in_suit(hand, other))


def badly_covered(hand: int, other: int) -> int:
    """Return the cards of weak ranks that can only be beaten by ranks the hand holds too, as a card mask.

    Whatever beats such a card opens a rank in which its holder can go on.
    """
    held = rank_mates(hand)
    weak = weak_ranks(hand, other)
    result = 0
    rest = hand
    while rest:
        card = lowest_bit(rest)
        if weak >> (card & 15) & 1 and not other & above(card) & ~held:
            result |= rest & -rest
        rest &= rest - 1
    return result
