"""Types of player with a probability for everything they may do: what an `OpponentModel` chooses between."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from durak_core.kernel.codes import TAKE_CODE
from durak_core.kernel.position import Position
from durak_core.knowledge.opponents.model import Likelihood
from durak_core.search.policies.policies import greedy_policy
from durak_core.search.policies.smart import smart_policy
from durak_core.search.policies.temperament import AGGRESSIVE, CAUTIOUS, MODERATE, Temperament, write_odds


def _tempered_likelihood(temperament: Temperament) -> Likelihood:
    """Return the likelihood of a temperament's choices; its noise has to be more than 0."""
    weights = temperament.table()
    noise = temperament.units

    def likelihood(p: Position, codes: Sequence[int], n: int, known: Sequence[int], index: int) -> float:
        del known
        odds = [0] * n
        total = write_odds(p, codes, n, weights, 0, noise, odds)
        return odds[index] / total

    return likelihood


def _greedy_likelihood(p: Position, codes: Sequence[int], n: int, known: Sequence[int], index: int) -> float:
    """Return 1 for what greedy plays, else 0."""
    del known
    return float(greedy_policy(codes, n, p.trump_mask, p.deck_size - p.drawn, p.phase) == codes[index])


def _smart_likelihood(p: Position, codes: Sequence[int], n: int, known: Sequence[int], index: int) -> float:
    """Return 1 for what smart plays, else 0."""
    sizes = [hand.bit_count() for hand in p.hands]
    return float(smart_policy(p, codes, n, known, sizes, [0] * n) == codes[index])


def _random_likelihood(p: Position, codes: Sequence[int], n: int, known: Sequence[int], index: int) -> float:
    """Return the probability with which `durak_core.search.policies.policies.random_policy` plays it."""
    del p, known
    if n == 1:
        return 1.0
    if codes[n - 1] > TAKE_CODE:
        return 1 / n
    return 0.2 if index == n - 1 else 0.8 / (n - 1)


PLAYER_TYPES: Final[Mapping[str, Likelihood]] = {
    "aggressive": _tempered_likelihood(AGGRESSIVE),
    "cautious": _tempered_likelihood(CAUTIOUS),
    "moderate": _tempered_likelihood(MODERATE),
    "greedy": _greedy_likelihood,
    "smart": _smart_likelihood,
    "random": _random_likelihood,
}
"""The types by name, which is the name of an agent that plays so."""
