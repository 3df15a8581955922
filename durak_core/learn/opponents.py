"""Whom a learner plays against: itself, its earlier selves, and policies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from durak_core.learn.rollout import LEARNER, PAST
from durak_core.search.backend.batch import POLICIES
from durak_core.search.network.vector import OUTSIDE

SELF: Final = "self"
PAST_SELF: Final = "past"

_ROWS: Final = 997
"""Line-ups drawn once; game number ``i`` has row ``i`` modulo this prime number."""


@dataclass(frozen=True, slots=True)
class Company:
    """Line-ups for many games.

    Attributes:
        kinds: Against whom each row is: `SELF`, `PAST_SELF` or a policy.
        seats: Where the learner sits in each row; against itself everywhere, and this seat is counted.
        line_ups: For `durak_core.learn.vector.VectorGames`.
        cast: For `durak_core.learn.rollout.Rollout`.
    """

    kinds: tuple[str, ...]
    seats: tuple[int, ...]
    line_ups: tuple[tuple[int, ...], ...]
    cast: tuple[tuple[int, ...], ...]


def company(shares: Mapping[str, float], seats: int, seed: int) -> Company:
    """Draw line-ups by shares of the games against each kind; what is left is against itself."""
    chance = np.random.default_rng(seed)
    names = [*shares, SELF]
    parts = [*shares.values(), 1 - sum(shares.values())]
    drawn = chance.choice(len(names), _ROWS, p=parts)
    kinds = tuple([names[i] for i in drawn])
    places = tuple([int(seat) for seat in chance.integers(0, seats, _ROWS)])
    return _company(kinds, places, seats)


def against_policy(policy: str, seats: int) -> Company:
    return _company((policy,) * seats, tuple(range(seats)), seats)


def _company(kinds: tuple[str, ...], places: tuple[int, ...], seats: int) -> Company:
    line_ups, cast = [], []
    for kind, place in zip(kinds, places, strict=True):
        others = POLICIES.get(kind, OUTSIDE)
        who = PAST if kind == PAST_SELF else LEARNER
        line_ups.append(tuple([OUTSIDE if seat == place else others for seat in range(seats)]))
        cast.append(tuple([LEARNER if seat == place else who for seat in range(seats)]))
    return Company(kinds, places, tuple(line_ups), tuple(cast))
