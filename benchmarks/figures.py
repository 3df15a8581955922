"""Means with intervals and scores by deal, shared by several benchmarks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from typing import Final

from durak_core import DurakError
from durak_core.lab import Match, play_matches
from durak_core.statistics import DealMean

__all__ = ["HELD_OUT", "Estimate", "check_numbers", "estimate", "scores_by_deal"]

HELD_OUT: Final = 1_000_000_000
"""Seeds from here on are for published figures alone: tuning, trials and drawn seeds stay below."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with half its 95 % interval."""

    mean: float
    half: float

    def __str__(self) -> str:
        return f"{self.mean:.3f} ± {self.half:.3f}"


def estimate(values: Iterable[float]) -> Estimate:
    """Return the mean of some independent values; the interval is the normal distribution's."""
    found = DealMean()
    for value in values:
        found.add(value)
    return Estimate(found.mean, 1.96 * math.sqrt(found.variance))


def scores_by_deal(match: Match, jobs: int = 1) -> list[float]:
    """Play a match of two agents and return the first one's score for each deal, 0 to 1.

    Args:
        match: Two seats and an even number of games, so that every deal is played from both sides.
        jobs: Number of processes; policies run compiled in this one.
    """
    with closing(play_matches([match], jobs)) as games:
        return list(_by_deal(game.fool for _, game in games))


def _by_deal(fools: Iterable[int | None]) -> Iterator[float]:
    """Yield the first player's mean score over both games of each deal; it sits at seat 0, then at 1."""
    games = iter(fools)
    while deal := list(islice(games, 2)):
        worth = [0.5 if fool is None else float(fool != seat) for seat, fool in enumerate(deal)]
        yield sum(worth) / len(worth)


def check_numbers(even: Iterable[int], positive: Iterable[int]) -> None:
    """Refuse numbers of a command line that cannot be.

    Args:
        even: Have to be even, and 2 or more.
        positive: Have to be 1 or more.

    Raises:
        DurakError: If one of them is not.
    """
    if any(number < 2 or number % 2 for number in even):
        raise DurakError("expected even numbers of games, 2 or more: every deal is played from both sides")
    if any(number < 1 for number in positive):
        raise DurakError("expected numbers of 1 or more")
