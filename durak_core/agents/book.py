"""The book of the agent `adaptive`: ways to play, and how each does against each type of player."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from durak_core.search.temperament import Temperament

__all__ = ["PAYOFFS", "REPLIES"]

REPLIES: Final[Mapping[str, Temperament]] = {
    "against aggressive": Temperament(
        aggression=3, spite=2, thrift=-2, daring=1, defiance=-1, secrecy=1, noise=0
    ),
    "against cautious": Temperament(thrift=5, daring=8, defiance=1, noise=0),
    "against moderate": Temperament(spite=-2, thrift=-2, defiance=-4, noise=0),
    "the rule book": Temperament(noise=0),
}
"""Ways to play, by name: the best replies to the temperaments that were found, and the rule book itself.

Source: ``python3 -m benchmarks.adaptive --tune --games 40000 --seed 777``. Against greedy nothing that was
found is clearly better than the rule book.
"""

PAYOFFS: Final[Mapping[str, Mapping[str, float]]] = {
    "expert": dict.fromkeys(("aggressive", "cautious", "moderate", "greedy", "smart", "random"), 0.5),
}
"""Score of each way to play against each type of player, two seats, default rules.

Source: ``python3 -m benchmarks.adaptive --payoffs --games 40000 --seed 4242``.
"""
