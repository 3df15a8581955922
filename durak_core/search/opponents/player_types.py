"""The player types of an `OpponentModel`: policies with a probability for every action."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from durak_core.search.players.player import SMART, TEMPERED, Player
from durak_core.search.policies.playouts import GREEDY, RANDOM
from durak_core.search.policies.temperament import AGGRESSIVE, CAUTIOUS, MODERATE, Temperament


def tempered(temperament: Temperament) -> Player:
    return Player(TEMPERED, weights=temperament.table(), noise=temperament.units)


PLAYER_TYPES: Final[Mapping[str, Player]] = {
    "aggressive": tempered(AGGRESSIVE),
    "cautious": tempered(CAUTIOUS),
    "moderate": tempered(MODERATE),
    "greedy": Player(GREEDY),
    "smart": Player(SMART),
    "random": Player(RANDOM),
}
"""The types by name, the same as their agents' names."""
