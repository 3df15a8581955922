"""Action codes: an action packed into an integer.

A code is ``card | kind << 6 | target << 9``, at most 15 bits. Pass, take and exchange have no card; only a
defence has a target. `durak_core.actions` converts codes to actions and back.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from typing import Final

from durak_core.kernel.bits import lowest_bit

# Kinds of action: first the stops, then those that play or show a card.
KIND_PASS: Final = 0
KIND_TAKE: Final = 1
KIND_ATTACK: Final = 2
KIND_DEFEND: Final = 3
KIND_TRANSFER: Final = 4
KIND_SHOW_TRUMP: Final = 5
KIND_EXCHANGE: Final = 6

_KIND_SHIFT: Final = 6
TARGET_SHIFT: Final = 9
CARD_BITS: Final = 0x3F
_KIND_BITS: Final = 7
_ANY_CARD: Final = ~1  # actions without a card have card 0, which is no card's number

PASS_CODE: Final = KIND_PASS << _KIND_SHIFT
TAKE_CODE: Final = KIND_TAKE << _KIND_SHIFT
"""All codes but `PASS_CODE` are greater."""

FIRST_TRANSFER: Final = KIND_TRANSFER << _KIND_SHIFT
FIRST_SHOWING: Final = KIND_SHOW_TRUMP << _KIND_SHIFT
EXCHANGE_CODE: Final = KIND_EXCHANGE << _KIND_SHIFT
FIRST_DEFENCE: Final = 1 << TARGET_SHIFT
"""Codes sort as pass, take, attacks, transfers, showings, exchange, defences (the target is never 0)."""

ATTACK_BASE: Final = KIND_ATTACK << _KIND_SHIFT
DEFENCE_BASE: Final = KIND_DEFEND << _KIND_SHIFT
"""Codes without card and target."""


def pack(kind: int, card: int, target: int) -> int:
    """Return an action's code; ``card`` and ``target`` are card numbers, or 0 for none."""
    return card | kind << _KIND_SHIFT | target << TARGET_SHIFT


def kind_of(code: int) -> int:
    """Return a code's kind, one of the constants above."""
    return code >> _KIND_SHIFT & _KIND_BITS


def card_of(code: int) -> int:
    """Return the number of the card played or shown, 0 for pass, take and the exchange."""
    return code & CARD_BITS


def target_of(code: int) -> int:
    """Return the number of the attack card that a defence beats, 0 for other kinds."""
    return code >> TARGET_SHIFT


def card_mask_of(code: int) -> int:
    """Return the mask of the card played or shown, 0 for pass, take and the exchange."""
    return (1 << (code & CARD_BITS)) & _ANY_CARD


def index_of(codes: Sequence[int], code: int) -> int:
    """Return the index of a code, which must be present."""
    i = 0
    while codes[i] != code:
        i += 1
    return i


def write_codes(kind: int, cards: int, target: int, out: MutableSequence[int], n: int) -> int:
    """Append the codes of one kind with each card of a mask after ``n`` others; return the new count."""
    base = kind << _KIND_SHIFT | target << TARGET_SHIFT
    while cards:
        out[n] = base | lowest_bit(cards)
        n += 1
        cards &= cards - 1
    return n
