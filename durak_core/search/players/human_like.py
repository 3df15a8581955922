"""Human-like choices: drawn from preferences, without inhuman actions; also compiled."""

from __future__ import annotations

import math
from collections.abc import MutableSequence, Sequence
from typing import Final

from durak_core.kernel.bits import RANK_COLUMN
from durak_core.kernel.codes import (
    KIND_ATTACK,
    KIND_DEFEND,
    KIND_TAKE,
    KIND_TRANSFER,
    card_mask_of,
    card_of,
    kind_of,
    target_of,
)
from durak_core.kernel.legal import answers
from durak_core.kernel.position import OPENING, Position
from durak_core.kernel.random import derive, random_below
from durak_core.search.policies.policies import Choices

_PARTS: Final = 30
"""Bits of a draw's probabilities."""

_SOON_EMPTY: Final = 6
"""With at most so many cards left to draw, people start to spend trumps."""

_JACK: Final = 11
_KING: Final = 13
_UP_TO_JACK: Final = 0x0FFC * RANK_COLUMN


def is_human(p: Position, code: int) -> bool:
    """Return whether an action is human-like: no good card is wasted if a cheaper one would do."""
    if p.trump_mask == 0 or p.drawn == p.deck_size:
        return True
    if kind_of(code) == KIND_TAKE:
        return p.n_attacks != 1 or answers(p, p.attacks[0]) & _UP_TO_JACK & ~p.trump_mask == 0
    if card_mask_of(code) & p.trump_mask == 0:
        return True
    return _spends_wisely(p, code)


def _spends_wisely(p: Position, code: int) -> bool:
    """Return whether playing this trump now is human-like."""
    kind = kind_of(code)
    rank = card_of(code) & 15
    wise = True
    if kind == KIND_DEFEND:
        found = answers(p, target_of(code))
        wise = found & ~p.trump_mask == 0 and (rank < _KING or found & (card_mask_of(code) - 1) == 0)
    elif kind == KIND_ATTACK and p.phase == OPENING:
        wise = p.hands[p.turn] & ~p.trump_mask == 0
    elif kind == KIND_ATTACK:
        wise = p.deck_size - p.drawn <= _SOON_EMPTY and rank < _JACK
    elif kind == KIND_TRANSFER:
        wise = p.deck_size - p.drawn <= _SOON_EMPTY and rank < _KING
    return wise


def draw_by_preference(
    p: Position,
    choices: Choices,
    preferences: Sequence[float],
    odds: MutableSequence[int],
    rng: MutableSequence[int],
) -> int:
    """Draw a legal action and return its index; depends only on the seed and the visible position.

    So resumed games and undone moves repeat it. ``preferences`` are log-odds up to a constant for at most 64
    choices, ``odds`` is a buffer of the same length, and ``rng`` has the player's seed, overwritten by a
    state.
    """
    codes, n = choices
    best = 0
    for i in range(1, n):
        if preferences[i] > preferences[best]:
            best = i
    total = 0
    for i in range(n):
        odds[i] = 0
        if i == best or is_human(p, codes[i]):
            odds[i] = round((1 << _PARTS) * math.exp(preferences[i] - preferences[best]))
        total += odds[i]
    chance = derive(rng[0], p.bout)
    chance = derive(chance, p.hands[p.turn])
    chance = derive(chance, p.table)
    rng[0] = derive(chance, p.discards)
    drawn = _part(random_below(rng, 1 << _PARTS), total)
    place = 0
    while drawn >= odds[place]:
        drawn -= odds[place]
        place += 1
    return place


def _part(drawn: int, total: int) -> int:
    """Return ``total * drawn >> _PARTS``, with products below 2^63."""
    low = total & ((1 << _PARTS) - 1)
    return drawn * (total >> _PARTS) + (drawn * low >> _PARTS)
