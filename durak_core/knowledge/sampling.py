"""Drawing full deals that are consistent with what a seat knows, all equally likely.

Kernel-style text: it runs in CPython and as machine code. `durak_core.knowledge.belief` makes the
two positions' worth of facts that it needs from an observation.
"""

from __future__ import annotations

from collections.abc import MutableSequence
from dataclasses import dataclass, field

from durak_core.kernel.machine_code import zeros
from durak_core.kernel.position import DECK_SIZE, MAX_SEATS, Position, copy_into
from durak_core.kernel.random import random_below


@dataclass(slots=True)
class Belief:
    """Which cards are hidden, and where they may be."""

    n_pool: int = 0  # how many cards are hidden
    talon_from: int = 0  # places of the deck that hold hidden cards: talon_from .. talon_to - 1
    talon_to: int = 0
    pool: list[int] = field(default_factory=zeros(DECK_SIZE))  # numbers of the hidden cards
    missing: list[int] = field(default_factory=zeros(MAX_SEATS))  # hidden cards in each hand


def sample_deal(p: Position, root: Position, belief: Belief, rng: MutableSequence[int]) -> None:
    """Deal the hidden cards at random into ``p``; ``root`` is only read, the belief's pool is shuffled."""
    copy_into(p, root)
    n = belief.n_pool
    for seat in range(p.seats):
        for _ in range(belief.missing[seat]):
            n -= 1
            p.hands[seat] |= 1 << draw_from(belief, n, rng)
    for slot in range(belief.talon_from, belief.talon_to):
        n -= 1
        p.deck[slot] = draw_from(belief, n, rng)


def draw_from(belief: Belief, last: int, rng: MutableSequence[int]) -> int:
    """Take a random one of the pool's cards up to ``last`` and put it there."""
    i = random_below(rng, last + 1)
    card = belief.pool[i]
    belief.pool[i] = belief.pool[last]
    belief.pool[last] = card
    return card
