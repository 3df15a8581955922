"""Temperaments: the rule book played by different characters, who do not always do the same.

A temperament is a point of a small space: seven weights in ranks, each of which makes one habit
cheaper or dearer than it is in the rule book of `durak_core.search.policies.expert`, and the noise of its
choices. `Temperament.table` turns them into a table of costs; the policy draws an action whose chance
halves with every so many units of cost. So a temperament has a probability for every action, which is
what others need who want to find out whom they play against.

The policy is a plain function over integers as in the kernel, and uses integers throughout: it draws the
same actions in CPython and as machine code. It knows what the rule book knows, and nothing of other hands.
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

_STEPS: Final = 8  # of a halving: the table's fineness
_CERTAIN: Final = 1 << 24  # odds of the cheapest action; 64 times that stays below 2^31
HALVINGS: Final[tuple[int, ...]] = tuple([round(_CERTAIN * 2 ** (-i / _STEPS)) for i in range(25 * _STEPS)])
"""Odds of an action that is dearer than the cheapest by so many eighths of the noise."""


@dataclass(frozen=True, slots=True)
class Temperament:
    """A character: by how many ranks of a card its costs differ from the rule book's.

    Attributes:
        aggression: Not throwing in is dearer, so it throws in more.
        spite: Not piling on is dearer, so it gives the defender more to take.
        thrift: A trump is dearer to it, whatever it is played for.
        daring: Attacking with a trump is cheaper.
        defiance: Taking is dearer, so it beats what it can.
        evasion: Transferring and showing a trump are cheaper.
        secrecy: Beating with a rank that is not on the table is dearer, for each unseen card of it.
        noise: An action that is dearer by so much is half as likely as the cheapest; 0 for no chance.
    """

    aggression: float = 0.0
    spite: float = 0.0
    thrift: float = 0.0
    daring: float = 0.0
    defiance: float = 0.0
    evasion: float = 0.0
    secrecy: float = 0.0
    noise: float = 0.5

    def table(self) -> list[int]:
        """Return the rule book's weights as this character has them, `N_WEIGHTS` integers."""
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
        """The noise in the unit of costs."""
        return round(STEP * self.noise)


MODERATE: Final = Temperament()
"""Plays the rule book as it stands."""

AGGRESSIVE: Final = Temperament(
    aggression=12, spite=6, thrift=-6, daring=6, defiance=12, evasion=-8, secrecy=-3
)
"""Throws in, attacks with trumps and spends them to beat whatever comes, and passes little on."""

CAUTIOUS: Final = Temperament(aggression=-6, spite=-8, thrift=6, daring=-6, defiance=-6, evasion=8, secrecy=2)
"""Keeps its cards and its trumps for the end, and would rather take or pass on than spend one."""


class Character(NamedTuple):
    """A temperament as a policy takes it.

    Attributes:
        weights: Its table of costs.
        noise: The units of cost that make an action half as likely.
    """

    weights: Sequence[int]
    noise: int


def write_odds(p: Position, choices: Choices, character: Character, odds: MutableSequence[int]) -> int:
    """Write how likely each legal action is, as integers, and return their sum, below 2^31.

    The noise is 1 or more; all else is as for `durak_core.search.policies.expert.write_costs`.
    """
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
    """Draw an action by a temperament's odds; without noise it is the rule book's choice.

    A single action draws no random number. Arguments are as for `write_odds`.
    """
    if choices.n == 1 or character.noise == 0:
        return expert_policy(p, choices.codes, choices.n, character.weights)
    drawn = random_below(rng, write_odds(p, choices, character, odds))
    i = 0
    while drawn >= odds[i]:
        drawn -= odds[i]
        i += 1
    return choices.codes[i]
