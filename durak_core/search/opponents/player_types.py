"""Types of player with a probability for everything they may do: what an `OpponentModel` chooses between."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from durak_core.search.players.player import SMART, TEMPERED, Player
from durak_core.search.policies.playouts import GREEDY, RANDOM
from durak_core.search.policies.temperament import AGGRESSIVE, CAUTIOUS, MODERATE, Temperament


def tempered(temperament: Temperament) -> Player:
    """Return who plays by a temperament."""
    return Player(TEMPERED, weights=temperament.table(), noise=temperament.units)


PLAYER_TYPES: Final[Mapping[str, Player]] = {
    "aggressive": tempered(AGGRESSIVE),
    "cautious": tempered(CAUTIOUS),
    "moderate": tempered(MODERATE),
    "greedy": Player(GREEDY),
    "smart": Player(SMART),
    "random": Player(RANDOM),
}
"""The types by name, which is the name of an agent that plays so."""
