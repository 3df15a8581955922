"""Particle filter: the likelihood of an observed choice under each type of player.

The likelihood averages over hands consistent with the reader's knowledge that hold the played card. Each type
keeps its own particles, resampled by the likelihood of the choice; later draws are filled with random hidden
cards. If no particle explains a choice, fresh hands are tried. Plain functions that also compile;
`durak_core.search.opponents.model` provides their memory.

Source: Gordon, Salmond and Smith, "Novel approach to nonlinear/non-Gaussian Bayesian state estimation", IEE
Proceedings F 140 (1993).
"""

from __future__ import annotations

import math
from collections.abc import MutableSequence, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from durak_core.kernel.compiled import compiled, zeros
from durak_core.kernel.legal import TAKE_CODE, card_used, legal
from durak_core.kernel.position import MAX_ACTIONS, MAX_SEATS, Position, next_random, popcount, random_below
from durak_core.search.network.encoding import Memory, code_index, encode, trump_place
from durak_core.search.network.weights import Activations, Weights, action_values
from durak_core.search.players import SMART, TEMPERED, VALUING, Player
from durak_core.search.policies.expert import Character, expert_policy, smart_policy, write_odds
from durak_core.search.policies.playouts import RANDOM, UNIFORM, choose
from durak_core.search.policies.policies import LegalCodes
from durak_core.statistics import logistic

ROUNDS: Final = 8
"""Rounds of fresh hands tried to explain a choice."""

_EVALUATION: Final = 8
"""Particles of other types for each of a type with a network."""

_SLIP: Final = 0.03
"""Probability that any type chooses uniformly at random."""

_STEEPEST: Final = 700.0
"""Maximum exponent of a softmax."""

_SLOTS: Final = 509
"""Size of the hash table of hands, a prime."""

_WORD: Final = float(1 << 32)

_THOUSAND: Final = 1000.0


@dataclass(slots=True)
class Reading:
    """An observed choice, and buffers."""

    code: int = 0  # the choice of the seat to act
    hidden: int = 0  # mask of the cards the reader could not locate
    known: list[int] = field(default_factory=zeros(MAX_SEATS))  # masks of the cards publicly in each hand
    rng: list[int] = field(default_factory=lambda: [1])  # state of the random generator
    sizes: list[int] = field(default_factory=zeros(MAX_SEATS))  # of the hands
    codes: list[int] = field(default_factory=zeros(MAX_ACTIONS))  # legal ones
    spare: list[int] = field(default_factory=zeros(MAX_ACTIONS))  # buffer of the same size
    slots: list[int] = field(default_factory=zeros(_SLOTS))  # hash table of hands tried


class ReadingMemory(NamedTuple):
    """The memory of `read_choice`."""

    positions: Sequence[Position]  # one, just before the choice
    readings: Sequence[Reading]  # one
    types: Sequence[Player]  # the types of player
    seen: Sequence[Memory]  # one, the public knowledge
    network: Weights  # of the types that value actions
    room: Activations  # its buffers
    held: MutableSequence[MutableSequence[int]]  # by type, updated: particles' hidden cards, or 0
    hands: MutableSequence[int]  # buffer of `ROUNDS` times as many hands
    weights: MutableSequence[float]  # buffer of the same size
    chances: MutableSequence[float]  # result: the likelihood of the choice for each type


@compiled("opponents")
def read_choice(memory: ReadingMemory) -> None:
    """Write the likelihood of a choice for each type, and resample the particles."""
    p = memory.positions[0]
    shown = p.hands[p.turn]
    for number in range(len(memory.chances)):
        memory.chances[number] = _weigh(memory, number, shown)
    p.hands[p.turn] = shown


def particles_of(player: Player, samples: int) -> int:
    """Return the number of a type's particles: a network takes much longer for each."""
    return max(1, samples // _EVALUATION) if player.kind == VALUING else samples


def _weigh(memory: ReadingMemory, number: int, shown: int) -> float:
    """Return the likelihood of the choice for one type, averaged over consistent hands."""
    reading = memory.readings[0]
    held = memory.held[number]
    hands = memory.hands
    weights = memory.weights
    slots = reading.slots
    rng = reading.rng
    sure = (shown & ~reading.hidden) | (card_used(memory.positions[0], reading.code) & shown)
    loose = reading.hidden & ~sure
    size = popcount(loose)
    missing = popcount(shown & ~sure)
    samples = particles_of(memory.types[number], len(held))
    tried = 0
    total = 0.0
    greatest = 0.0
    # The first round tries the type's own particles, so that a player who always acts in character keeps the
    # hands that explain it. Fresh hands follow only if none of them does better than a slip; without missing
    # cards there is but one hand. All rounds count in the mean, or a type would gain by being unlikely first.
    while tried < samples * ROUNDS and greatest <= _SLIP and (missing or not tried):
        for i in range(samples):
            before = held[i] if tried < samples else 0
            hand = _filled(before & loose, loose, size, missing, rng)
            slot = hand % _SLOTS
            same = slots[slot]  # many hands are equal
            # The table is never cleared: a stale slot either names a hand of this call or fails this check.
            if same < tried and hands[same] == hand:
                weights[tried] = weights[same]
            else:
                player = memory.types[number]
                weights[tried] = _chance(memory, player, sure | hand)
                slots[slot] = tried
            hands[tried] = hand
            total += weights[tried]
            greatest = max(greatest, weights[tried])
            tried += 1
    if total > 0.0:
        _draw_again(memory, held, (samples, tried), total)
    return total / float(tried)


def _chance(memory: ReadingMemory, player: Player, hand: int) -> float:
    """Return `choice_chance` for any type."""
    p = memory.positions[0]
    reading = memory.readings[0]
    if player.kind != VALUING:
        return choice_chance(p, player, reading, hand)
    p.hands[p.turn] = hand
    n = legal(p, reading.codes)
    at = -1
    for i in range(n):
        if reading.codes[i] == reading.code:
            at = i
    if at < 0:
        return 0.0
    if n == 1:
        return 1.0
    return _network_chance(memory, player.manner, n, at) * (1.0 - _SLIP) + _SLIP / float(n)


def _network_chance(memory: ReadingMemory, temperature: float, n: int, index: int) -> float:
    """Return the probability of one of ``n`` codes in a softmax over the network's values."""
    p = memory.positions[0]
    room = memory.room
    trump = trump_place(p)
    for i in range(n):
        room.actions[i] = code_index(memory.readings[0].codes[i], trump)
    action_values(memory.network, room, encode(p, memory.seen[0], p.turn, room.active), n)
    total = 0.0
    value = logistic(room.outputs[index])
    for i in range(n):
        total += math.exp(min((logistic(room.outputs[i]) - value) / temperature, _STEEPEST))
    return 1.0 / total


def choice_chance(p: Position, player: Player, reading: Reading, hand: int) -> float:
    """Return the likelihood of the choice for a type with a hand, which the position then has; slips count.

    It is 0 if the hand does not allow the choice.
    """
    p.hands[p.turn] = hand
    n = legal(p, reading.codes)
    for i in range(n):
        if reading.codes[i] == reading.code:
            chance = likelihood(p, player, reading, n, i) if n > 1 else 1.0
            return chance * (1.0 - _SLIP) + _SLIP / float(n)
    return 0.0


def likelihood(p: Position, player: Player, reading: Reading, n: int, index: int) -> float:
    """Return the probability that a player up to `SMART` chooses one of ``n`` codes, 2 or more."""
    codes = reading.codes
    kind = player.kind
    last = n - 1
    if kind == UNIFORM or (kind == RANDOM and codes[last] > TAKE_CODE):
        return 1.0 / float(n)
    if kind == RANDOM:
        return 0.2 if index == last else 0.8 / float(last)
    if kind == TEMPERED and player.noise > 0:
        total = write_odds(p, LegalCodes(codes, n), Character(player.weights, player.noise), reading.spare)
        return float(reading.spare[index]) / float(total)
    if kind == SMART:
        for seat in range(p.seats):
            reading.sizes[seat] = popcount(p.hands[seat])
        code = smart_policy(p, LegalCodes(codes, n), reading.known, reading.sizes, reading.spare)
    elif kind == TEMPERED:
        code = expert_policy(p, codes, n, player.weights)
    else:
        code = choose(p, kind, codes, n, reading.rng)
        if player.noise > 0:
            share = float(player.noise) / _THOUSAND
            return share / float(n) + (1.0 - share if code == codes[index] else 0.0)
    return 1.0 if code == codes[index] else 0.0


def _filled(held: int, pool: int, size: int, count: int, rng: MutableSequence[int]) -> int:
    """Return ``count`` cards of a pool of ``size``: the held ones, filled up with random others."""
    n = popcount(held)
    while n > count:
        held &= ~_any_card(held, n, rng)
        n -= 1
    while n < count:
        held |= _any_card(pool & ~held, size - n, rng)
        n += 1
    return held


def _any_card(mask: int, size: int, rng: MutableSequence[int]) -> int:
    """Return a random card of a non-empty mask of ``size`` cards, as a mask."""
    for _ in range(random_below(rng, size)):
        mask &= mask - 1
    return mask & -mask


def _draw_again(
    memory: ReadingMemory, held: MutableSequence[int], counts: tuple[int, int], total: float
) -> None:
    """Resample a type's particles by weight from the hands tried (systematic resampling)."""
    count, tried = counts
    # One random number for all: evenly spaced points have less variance than as many draws.
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
