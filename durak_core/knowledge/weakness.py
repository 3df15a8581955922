"""Weak ranks in two-player endgames.

If the defender holds no trumps, a rank is weak if the defender can beat each of the attacker's cards of that
rank in suit. These are plain functions over masks, like the kernel; rank masks have bit ``rank`` set.

Source: É. Bonnet, "The Complexity of Playing Durak", IJCAI 2016.
"""

from __future__ import annotations

from durak_core.kernel.bits import LANE, above, lowest_bit, rank_mates


def rank_set(mask: int) -> int:
    return (mask | mask >> 16 | mask >> 32 | mask >> 48) & LANE


def _beatable_in_suit(hand: int, other: int) -> int:
    """Return the mask of a hand's cards that another hand can beat without trumps."""
    result = 0
    rest = hand
    while rest:
        if other & above(lowest_bit(rest)):
            result |= rest & -rest
        rest &= rest - 1
    return result


def weak_ranks(hand: int, other: int) -> int:
    """Return the mask of a hand's weak ranks against another hand."""
    return rank_set(hand) & ~rank_set(hand & ~_beatable_in_suit(hand, other))


def badly_covered(hand: int, other: int) -> int:
    """Return the mask of a hand's weak cards that are only beaten by ranks the hand can continue in."""
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
