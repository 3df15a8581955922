"""Card masks: counting, scanning, equal ranks and beating cards.

A mask is a signed 64-bit integer with bit ``16 * suit + rank`` for each card, rank 2 to 14. The sign bit is
never used. Only `popcount` and `lowest_bit` have a compiled twin.
"""

from __future__ import annotations

from typing import Final

LANE: Final = 0xFFFF
"""Bits of the lowest suit."""

RANK_COLUMN: Final = 0x0001_0001_0001_0001
"""One bit for each suit; shifted by a rank it masks all cards of that rank."""


def popcount(mask: int) -> int:
    return mask.bit_count()


def lowest_bit(mask: int) -> int:
    """Return the number of the lowest card in a non-empty mask."""
    return (mask & -mask).bit_length() - 1


def above(card: int) -> int:
    """Return the mask of the higher cards of a card's suit."""
    return ((0x7FFF << ((card & 15) + 1)) & 0x7FFF) << (card & 48)


def beating(card: int, trump_mask: int) -> int:
    """Return the mask of the cards that beat a card (rules 1.4)."""
    if trump_mask >> card & 1:
        return above(card)
    return above(card) | trump_mask


def rank_mates(mask: int) -> int:
    """Return the mask of all cards, of any suit, whose rank occurs in a mask."""
    ranks = (mask | mask >> 16 | mask >> 32 | mask >> 48) & LANE
    return ranks * RANK_COLUMN


def lowest_cards(mask: int, trump_mask: int) -> int:
    """Return the cards of lowest rank in a mask, trumps only if it holds nothing else (rules 5.10)."""
    cards = mask & ~trump_mask
    if cards == 0:
        cards = mask
    ranks = (cards | cards >> 16 | cards >> 32 | cards >> 48) & LANE
    return cards & (ranks & -ranks) * RANK_COLUMN


def low_rank(mask: int) -> int:
    """Return the card of lowest rank in a non-empty mask; the first suit breaks ties."""
    ranks = (mask | mask >> 16 | mask >> 32 | mask >> 48) & LANE
    return lowest_bit(mask & (RANK_COLUMN << lowest_bit(ranks)))
