"""The book of the agent `adaptive`: ways to play, and how each does against each type of player."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from durak_core.search.temperament import Temperament

__all__ = ["PAYOFFS", "REPLIES"]

REPLIES: Final[Mapping[str, Temperament]] = {
    "expert": Temperament(noise=0),
}

PAYOFFS: Final[Mapping[str, Mapping[str, float]]] = {
    "expert": dict.fromkeys(("aggressive", "cautious", "moderate", "greedy", "smart", "random"), 0.5),
}
