"""The book of `adaptive`: strategies and their payoffs against each type of player."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from durak_core.search.policies.temperament import Temperament

REPLIES: Final[Mapping[str, Temperament]] = {
    "against aggressive": Temperament(
        aggression=3, spite=2, thrift=-2, daring=1, defiance=-1, secrecy=1, noise=0
    ),
    "against cautious": Temperament(thrift=5, daring=8, defiance=1, noise=0),
    "against moderate": Temperament(spite=-2, thrift=-2, defiance=-4, noise=0),
    "the rule book": Temperament(noise=0),
}
"""Strategies by name: the best replies found to the temperaments, and the rule book for greedy.

Source: ``python3 -m benchmarks.adaptive --tune --games 40000 --seed 777``.
"""

PAYOFFS: Final[Mapping[str, Mapping[str, float]]] = {
    "against aggressive": {
        "aggressive": 0.669,
        "cautious": 0.635,
        "moderate": 0.510,
        "greedy": 0.656,
        "smart": 0.638,
        "random": 0.989,
    },
    "against cautious": {
        "aggressive": 0.660,
        "cautious": 0.646,
        "moderate": 0.509,
        "greedy": 0.648,
        "smart": 0.639,
        "random": 0.989,
    },
    "against moderate": {
        "aggressive": 0.668,
        "cautious": 0.640,
        "moderate": 0.516,
        "greedy": 0.654,
        "smart": 0.646,
        "random": 0.989,
    },
    "the rule book": {
        "aggressive": 0.666,
        "cautious": 0.636,
        "moderate": 0.514,
        "greedy": 0.655,
        "smart": 0.646,
        "random": 0.989,
    },
}
"""Scores of each strategy against each type of player, for two seats and default rules.

Source: ``python3 -m benchmarks.adaptive --payoffs --games 40000 --seed 4242``.
"""
