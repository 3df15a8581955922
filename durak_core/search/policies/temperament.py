"""Temperaments: stochastic variants of the rule book, with a probability for every action; also compiled.

A temperament has seven weights in ranks and a noise. Each weight makes one habit cheaper or more expensive;
an action's probability halves with every ``noise`` of cost. The policy uses integers throughout, so that
CPython and compiled code draw the same actions.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from durak_core.kernel.position import Position
from durak_core.kernel.random import random_below
from durak_core.search.policies.expert import (
    FRESH,
    N_ROWS,
    PILE_ON_LIMIT,
    SHOW,
    STEP,
    TAKE,
    THROW_IN_LIMIT,
    TRANSFER,
    TRUMP,
    TRUMP_ATTACK,
    WEIGHTS,
    expert_policy,
    write_costs,
)
from durak_core.search.policies.policies import Choices

_STEPS: Final = 8  # steps of a halving in the table
_CERTAIN: Final = 1 << 24  # odds of the cheapest action; 64 times that stays below 2^31
HALVINGS: Final[tuple[int, ...]] = tuple([round(_CERTAIN * 2 ** (-i / _STEPS)) for i in range(25 * _STEPS)])
"""Odds by the extra cost in eighths of the noise."""


@dataclass(frozen=True, slots=True)
class Temperament:
    """A character: the differences of its costs from the rule book's, in ranks of a card."""

    aggression: float = 0.0  # added for not throwing in
    spite: float = 0.0  # added for not piling on
    thrift: float = 0.0  # added to trumps
    daring: float = 0.0  # off attacks with a trump
    defiance: float = 0.0  # added to taking
    evasion: float = 0.0  # off transfers and showing a trump
    secrecy: float = 0.0  # added to beating with a new rank, for each unseen card of it
    noise: float = 0.5  # costlier by this: half as likely; 0 for the cheapest only

    def table(self) -> list[int]:
        """Return this character's `N_WEIGHTS` integer weights."""
        added = dict.fromkeys(range(N_ROWS), 0.0)
        added[THROW_IN_LIMIT] = self.aggression
        added[PILE_ON_LIMIT] = self.spite
        added[TRUMP] = self.thrift
        added[TRUMP_ATTACK] = -self.daring
        added[TAKE] = self.defiance
        added[TRANSFER] = added[SHOW] = -self.evasion
        added[FRESH] = self.secrecy
        return [weight + round(STEP * added[i % N_ROWS]) for i, weight in enumerate(WEIGHTS)]

    @property
    def units(self) -> int:
        """The noise in units of cost."""
        return round(STEP * self.noise)


MODERATE: Final = Temperament()
"""Plays the rule book unchanged."""

AGGRESSIVE: Final = Temperament(
    aggression=12, spite=6, thrift=-6, daring=6, defiance=12, evasion=-8, secrecy=-3
)
"""Throws in, attacks and beats with trumps, and rarely transfers."""

CAUTIOUS: Final = Temperament(aggression=-6, spite=-8, thrift=6, daring=-6, defiance=-6, evasion=8, secrecy=2)
"""Saves cards and trumps for the end, and prefers taking or transferring."""


class Character(NamedTuple):
    """A temperament as a policy's argument."""

    weights: Sequence[int]  # its table of costs
    noise: int  # units of cost that halve an action's odds


def write_odds(p: Position, choices: Choices, character: Character, odds: MutableSequence[int]) -> int:
    """Write each legal action's integer odds, and return their sum, below 2^31; the noise is 1 or more."""
    n, noise = choices.n, character.noise
    write_costs(p, choices.codes, n, character.weights, odds)
    least = odds[0]
    for i in range(1, n):
        least = min(least, odds[i])
    total = 0
    for i in range(n):
        step = (odds[i] - least) * _STEPS // noise
        odds[i] = HALVINGS[step] if step < len(HALVINGS) else 0
        total += odds[i]
    return total


def tempered_policy(
    p: Position,
    choices: Choices,
    character: Character,
    odds: MutableSequence[int],
    rng: MutableSequence[int],
) -> int:
    """Draw by a temperament's odds, or with noise 0 choose by the rule book; see `write_odds`."""
    if choices.n == 1 or character.noise == 0:
        return expert_policy(p, choices.codes, choices.n, character.weights)
    drawn = random_below(rng, write_odds(p, choices, character, odds))
    i = 0
    while drawn >= odds[i]:
        drawn -= odds[i]
        i += 1
    return choices.codes[i]
