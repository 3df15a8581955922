"""How likely each type of player was to make an observed choice.

The hand is hidden, so what a type was likely to do is a mean over hands that agree with what the reader knew
and hold the card that was played. Each type has hands of its own, and those go on to its next choice by which
it would have chosen so; cards drawn since are any of the hidden ones. Where none of them explains a choice,
others are tried. Plain functions over integers as in the kernel; `durak_core.search.opponents.model` gives
them their memory.

Source: Gordon, Salmond and Smith, "Novel approach to nonlinear/non-Gaussian Bayesian state estimation", IEE
Proceedings F 140 (1993).
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from durak_core.kernel.bits import popcount
from durak_core.kernel.codes import TAKE_CODE, card_mask_of
from durak_core.kernel.legal import legal
from durak_core.kernel.machine_code import compiled, zeros
from durak_core.kernel.position import MAX_ACTIONS, MAX_SEATS, Position
from durak_core.kernel.random import next_random, random_below
from durak_core.search.players.player import SMART, TEMPERED, Player
from durak_core.search.policies.expert import expert_policy
from durak_core.search.policies.playouts import RANDOM, UNIFORM, choose
from durak_core.search.policies.policies import Choices
from durak_core.search.policies.smart import smart_policy
from durak_core.search.policies.temperament import Character, write_odds

ROUNDS: Final = 8
"""Times that hands are tried for a choice until one explains it."""

_SLIP: Final = 0.03
"""Share of its choices that any player is assumed to make uniformly at random, or for other reasons."""

_SLOTS: Final = 509
"""A prime number, so that hands are spread by what is left when they are divided by it."""

_WORD: Final = float(1 << 32)


@dataclass(slots=True)
class Reading:
    """A choice that is read, and room to read it in."""

    code: int = 0  # what was chosen by the seat whose turn it is
    hidden: int = 0  # mask of the cards whose place the reader could not name
    known: list[int] = field(default_factory=zeros(MAX_SEATS))  # masks of what all know to lie with each seat
    rng: list[int] = field(default_factory=lambda: [1])  # state of the random generator
    sizes: list[int] = field(default_factory=zeros(MAX_SEATS))  # of the hands
    codes: list[int] = field(default_factory=zeros(MAX_ACTIONS))  # legal ones
    spare: list[int] = field(default_factory=zeros(MAX_ACTIONS))  # as much room
    slots: list[int] = field(default_factory=zeros(_SLOTS))  # where a hand may have been tried before


class ReadingMemory(NamedTuple):
    """What `read_choice` works on.

    Attributes:
        positions: One, just before the choice.
        readings: One.
        types: The types of player there may be.
        held: A row for each type: masks of the hidden cards of hands with which it explains what was chosen
            so far, afterwards this choice too; zeros where nothing is known.
        hands: Room for `ROUNDS` times as many hands.
        weights: As much room.
        chances: For each type, how likely the choice was: what is found.
    """

    positions: Sequence[Position]
    readings: Sequence[Reading]
    types: Sequence[Player]
    held: MutableSequence[MutableSequence[int]]
    hands: MutableSequence[int]
    weights: MutableSequence[float]
    chances: MutableSequence[float]


@compiled("opponents")
def read_choice(memory: ReadingMemory) -> None:
    """Write how likely a choice was for each type, and keep the hands with which it was."""
    p = memory.positions[0]
    shown = p.hands[p.turn]
    for number in range(len(memory.chances)):
        memory.chances[number] = _weigh(memory, number, shown)
    p.hands[p.turn] = shown


def _weigh(memory: ReadingMemory, number: int, shown: int) -> float:
    """Return how likely the choice was for one type, from a hand that agrees with what was known."""
    reading = memory.readings[0]
    held = memory.held[number]
    hands = memory.hands
    weights = memory.weights
    slots = reading.slots
    rng = reading.rng
    sure = (shown & ~reading.hidden) | (card_mask_of(reading.code) & shown)
    loose = reading.hidden & ~sure
    size = popcount(loose)
    missing = popcount(shown & ~sure)
    samples = len(held)
    tried = 0
    total = 0.0
    greatest = 0.0
    while tried < samples * ROUNDS and greatest <= _SLIP and (missing or not tried):
        for i in range(samples):
            before = held[i] if tried < samples else 0
            hand = _filled(before & loose, loose, size, missing, rng)
            slot = hand % _SLOTS
            same = slots[slot]  # many hands are alike
            if same < tried and hands[same] == hand:
                weights[tried] = weights[same]
            else:
                weights[tried] = _chance(memory, number, sure | hand)
                slots[slot] = tried
            hands[tried] = hand
            total += weights[tried]
            greatest = max(greatest, weights[tried])
            tried += 1
    if total > 0.0:
        _draw_again(memory, held, tried, total)
    return total / float(tried)


def _chance(memory: ReadingMemory, number: int, hand: int) -> float:
    """Return how likely the choice is for a type with a hand; 0 where the hand does not allow it."""
    p = memory.positions[0]
    reading = memory.readings[0]
    p.hands[p.turn] = hand
    n = legal(p, reading.codes)
    for i in range(n):
        if reading.codes[i] == reading.code:
            chance = likelihood(p, memory.types[number], reading, n, i) if n > 1 else 1.0
            return chance * (1.0 - _SLIP) + _SLIP / float(n)
    return 0.0


def likelihood(p: Position, player: Player, reading: Reading, n: int, index: int) -> float:
    """Return how likely a player up to `SMART` is to choose a code of a reading, of ``n``, 2 or more."""
    codes = reading.codes
    kind = player.kind
    last = n - 1
    if kind == UNIFORM or (kind == RANDOM and codes[last] > TAKE_CODE):
        return 1.0 / float(n)
    if kind == RANDOM:
        return 0.2 if index == last else 0.8 / float(last)
    if kind == TEMPERED and player.noise > 0:
        total = write_odds(p, Choices(codes, n), Character(player.weights, player.noise), reading.spare)
        return float(reading.spare[index]) / float(total)
    if kind == SMART:
        for seat in range(p.seats):
            reading.sizes[seat] = popcount(p.hands[seat])
        code = smart_policy(p, Choices(codes, n), reading.known, reading.sizes, reading.spare)
    elif kind == TEMPERED:
        code = expert_policy(p, codes, n, player.weights)
    else:
        code = choose(p, kind, codes, n, reading.rng)
    return 1.0 if code == codes[index] else 0.0


def _filled(held: int, pool: int, size: int, count: int, rng: MutableSequence[int]) -> int:
    """Return ``count`` cards of a pool of ``size``: those held as far as there is room, and any others."""
    n = popcount(held)
    while n > count:
        held &= ~_any_card(held, n, rng)
        n -= 1
    while n < count:
        held |= _any_card(pool & ~held, size - n, rng)
        n += 1
    return held


def _any_card(mask: int, size: int, rng: MutableSequence[int]) -> int:
    """Return one card of a mask of so many, 1 or more, as a mask."""
    for _ in range(random_below(rng, size)):
        mask &= mask - 1
    return mask & -mask


def _draw_again(memory: ReadingMemory, held: MutableSequence[int], tried: int, total: float) -> None:
    """Let a type hold hands drawn in proportion to their weights, with the least scatter."""
    count = len(held)
    step = total / float(count)
    at = step * float(next_random(memory.readings[0].rng)) / _WORD
    picked = 0
    summed = 0.0
    for place in range(tried):
        summed += memory.weights[place]
        while picked < count and at < summed:
            held[picked] = memory.hands[place]
            picked += 1
            at += step
    while picked < count:
        held[picked] = memory.hands[tried - 1]
        picked += 1
