"""The player types of an `OpponentModel`: players with a probability for every action."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from durak_core.search.ismcts.tree import NETWORK
from durak_core.search.players.player import SMART, TEMPERED, VALUING, Player
from durak_core.search.policies.playouts import EXPERT, GREEDY, POLICIES, RANDOM
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

_RANDOMNESS: Final = 250
"""Thousandths of random actions of the type that is nearly `greedy`."""

_SHARPNESS: Final = 0.01
"""Temperature of the type that plays by a network."""

_PLAYING_BY: Final = {
    POLICIES["random"]: ("random",),
    POLICIES["greedy"]: ("greedy", "smart"),
    POLICIES["expert"]: ("moderate",),
}
"""The player types that play exactly or nearly as a policy."""

_PRIOR: Final = {name: 3.0 if name in _PLAYING_BY[GREEDY] else 1.0 for name in PLAYER_TYPES}
"""Mistaking strong players for simple ones at first costs nothing measurable; the reverse does."""


@dataclass(frozen=True, slots=True)
class Followed:
    """The player types that a search tells apart, and which of them it follows.

    Attributes:
        types: The types by name.
        prior: Their prior weights.
        models: The model (`durak_core.search.ismcts.tree.MODELS`) of each type that the tree follows.
        samples: Particles for each type.
        guesses: For each type whose hands weight the deals, their weight; the belief network has the rest.
    """

    types: Mapping[str, Player]
    prior: Mapping[str, float]
    models: Mapping[str, int]
    samples: int = 64
    guesses: Mapping[str, float] = field(default_factory=dict)


def follow_policy(policy: int) -> Followed:
    """Follow one policy, for the types that play exactly or nearly by it."""
    return Followed(PLAYER_TYPES, _PRIOR, dict.fromkeys(_PLAYING_BY[policy], policy))


def follow_all(*, has_network: bool) -> Followed:
    """Follow `greedy`, the rule book and, if there is one, the network."""
    types = {**PLAYER_TYPES, "nearly greedy": Player(GREEDY, noise=_RANDOMNESS)}
    models = {"greedy": GREEDY, "smart": GREEDY, "nearly greedy": GREEDY, "moderate": EXPERT}
    if has_network:
        types["network"] = Player(VALUING, manner=_SHARPNESS)
        models["network"] = NETWORK
    prior = {name: _PRIOR.get(name, 1.0) for name in types}
    guesses = {name: 0.5 if name == "network" else 1.0 for name in models}
    return Followed(types, prior, models, samples=512, guesses=guesses)
