"""Public knowledge in compiled games, including the first attack's.

The same as `durak_core.knowledge.locations.public_locations`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from durak_core.kernel.bits import lowest_bit, popcount
from durak_core.kernel.compiled import float_zeros, zeros
from durak_core.kernel.deal import lowest_trump_seat
from durak_core.kernel.legal import card_used, face_up_card
from durak_core.kernel.position import MAX_ACTIONS, MAX_SEATS, NOBODY, Position
from durak_core.knowledge.sampling import MAX_CASES
from durak_core.search.network.encoding import Memory, update_memory

BATCHES: Final = 60
"""Maximum draw batches of a hand, as bits of an integer, and cards that left it."""

COUNTS: Final = 32
"""Exceeds the cards dealt to a hand."""


@dataclass(slots=True)
class Deduction:
    """Public knowledge from the first attack, as in `durak_core.knowledge.locations.public_locations`."""

    told: int = 0  # 1: used up, nothing more is followed
    first: int = 0  # the first attacker, or `NOBODY` if no trump was dealt
    hidden: int = 0  # mask of the cards whose location is not public
    sure: list[int] = field(default_factory=zeros(MAX_SEATS))  # trumps publicly dealt to a seat
    dealt: list[int] = field(default_factory=zeros(MAX_SEATS))  # trumps dealt to it, known to itself
    n_batches: list[int] = field(default_factory=zeros(MAX_SEATS))
    batches: list[int] = field(default_factory=zeros(MAX_SEATS * BATCHES))  # cards, the deal first
    n_loose: list[int] = field(default_factory=zeros(MAX_SEATS))
    loose: list[int] = field(default_factory=zeros(MAX_SEATS * BATCHES))  # masks of cards that left
    bits: list[int] = field(default_factory=zeros(MAX_SEATS * BATCHES))  # their possible batches
    # Of one case:
    n_kept: int = 0
    kept: list[int] = field(default_factory=zeros(BATCHES))  # bits of the cards that left
    placed: list[int] = field(default_factory=zeros(BATCHES))  # 1: the card has a batch
    ways: list[float] = field(default_factory=float_zeros(COUNTS))  # by dealt cards still held
    after: list[float] = field(default_factory=float_zeros(COUNTS))
    weights: list[float] = field(default_factory=float_zeros(MAX_CASES))
    values: list[int] = field(default_factory=zeros(MAX_ACTIONS))  # of the solved actions


def begin(p: Position, k: Deduction) -> None:
    """Begin with a dealt game."""
    k.first = lowest_trump_seat(p)
    k.hidden = p.deck_mask & ~face_up_card(p)
    k.told = 0
    for seat in range(p.seats):
        k.sure[seat] = 0
        k.dealt[seat] = p.hands[seat] & p.trump_mask
        k.n_batches[seat] = 1
        k.batches[seat * BATCHES] = popcount(p.hands[seat])
        k.n_loose[seat] = 0
    _check(p, k)


def _check(p: Position, k: Deduction) -> None:
    """End the deduction once no hidden card can be a lower trump."""
    dealt = 0
    hidden = k.hidden
    for seat in range(p.seats):
        dealt += k.batches[seat * BATCHES]
        for i in range(seat * BATCHES, seat * BATCHES + k.n_loose[seat]):
            if k.bits[i] & 1:
                hidden |= k.loose[i]
    below = -1
    if k.first != NOBODY and k.sure[k.first]:
        below = (k.sure[k.first] & -k.sure[k.first]) - 1
    if dealt == 0 or hidden & p.trump_mask & below == 0:
        k.told = 1


def follow(p: Position, memory: Memory, k: Deduction, code: int) -> None:
    """Play a code and update the knowledge."""
    seat = p.turn
    drawn = p.drawn
    bout = p.bout
    card = card_used(p, code)
    if k.told == 0 and card & ~memory.known[seat]:
        _name(k, seat, card, p.trump_mask)
    update_memory(p, memory, code)
    if k.told or p.bout == bout:
        return
    for other in range(p.seats):
        count = 0
        for i in range(drawn, min(p.drawn, p.deck_size - 1)):
            count += p.hands[other] >> p.deck[i] & 1
        if count:
            _draw(k, other, count)
    _check(p, k)


def _name(k: Deduction, seat: int, card: int, trumps: int) -> None:
    """Take a hidden card from a hand."""
    base = seat * BATCHES
    bits = 0
    for i in range(k.n_batches[seat]):
        if k.batches[base + i]:
            bits |= 1 << i
    if bits == 1:
        k.sure[seat] |= card & trumps
    if bits & (bits - 1):
        at = base + k.n_loose[seat]
        k.loose[at] = card
        k.bits[at] = bits
        k.n_loose[seat] += 1
    else:
        k.batches[base + lowest_bit(bits)] -= 1
    k.hidden &= ~card


def _draw(k: Deduction, seat: int, count: int) -> None:
    at = seat * BATCHES + k.n_batches[seat]
    if k.n_batches[seat] > 1 and k.n_loose[seat] == 0:
        k.batches[at - 1] += count
    else:
        k.batches[at] = count
        k.n_batches[seat] += 1
