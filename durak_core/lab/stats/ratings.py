"""Ratings: Elo (Bradley-Terry) for two seats, openskill's Plackett-Luce model for more."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from durak_core.errors import AgentError
from durak_core.installation import require
from durak_core.statistics import Z95

_POINTS: Final = 400 / math.log(10)
"""Elo points per unit of log odds."""

_STEPS: Final = 200
"""Maximum Newton steps of length at most 1; about ten are needed."""

_CLOSE: Final = 1e-12
"""Convergence tolerance."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """Results of two players against each other.

    Attributes:
        first: Index of a player.
        second: Index of the opponent.
        score: Score of the first player, 0 to 1; a draw counts half.
        variance: Squared standard error of the score, or None for independent games.
    """

    first: int
    second: int
    games: int
    score: float
    variance: float | None = None


@dataclass(frozen=True, slots=True)
class EloRating:
    """Elo rating with its 95 % interval; the mean of all ratings is 0."""

    points: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class EloTable:
    """Elo ratings of all players; ``with_prior`` if a draw was added to each pairing."""

    ratings: tuple[EloRating, ...]
    with_prior: bool


@dataclass(frozen=True, slots=True)
class SkillRating:
    """Rating by openskill: mean (25 at first) and standard deviation (25/3 at first) of the skill."""

    mu: float
    sigma: float

    @property
    def interval(self) -> tuple[float, float]:
        """95 % credible interval."""
        return self.mu - Z95 * self.sigma, self.mu + Z95 * self.sigma


def elo_ratings(players: int, pairings: Sequence[Pairing]) -> EloTable:
    """Return maximum-likelihood Elo ratings.

    A lead of d points has the expected score 1 / (1 + 10^(-d/400)). Intervals use the sandwich estimator with
    the pairings' variances. One draw is added to each pairing if the maximum is unbounded, because a group of
    players never lost a point to the others.

    Raises:
        AgentError: If the pairings do not connect all players.
        MissingExtraError: If numpy is not installed.

    Source: R. A. Bradley and M. E. Terry, "Rank analysis of incomplete block designs", Biometrika 39
    (1952); when the maximum exists: D. R. Hunter, "MM algorithms for generalized Bradley-Terry
    models", Annals of Statistics 32 (2004); sandwich: H. White, Econometrica 50 (1982).
    """
    require("An Elo rating", "lab", "numpy")
    met = [(one.first, one.second) for one in pairings]
    if not met or not _connected(players, [*met, *[(second, first) for first, second in met]]):
        raise AgentError("some players never met the others: expected pairings that connect all players")
    took = [(one.first, one.second) for one in pairings if one.score > 0]
    took += [(one.second, one.first) for one in pairings if one.score < 1]
    with_prior = not _connected(players, took)
    if with_prior:
        pairings = [
            Pairing(one.first, one.second, one.games + 1, (one.score * one.games + 0.5) / (one.games + 1))
            for one in pairings
        ]
    ratings = [
        EloRating(_POINTS * strength, _POINTS * (strength - Z95 * error), _POINTS * (strength + Z95 * error))
        for strength, error in _most_likely(players, pairings)
    ]
    return EloTable(tuple(ratings), with_prior)


def skill_ratings(players: int, games: Iterable[tuple[Sequence[int], int | None]]) -> tuple[SkillRating, ...]:
    """Return ratings of games with any number of seats, updated game by game.

    A game is its players by seat, and the fool's seat or None. All players but the fool share the first place
    (rules 8.4). The order of the games has a small effect.

    Source: R. C. Weng and C.-J. Lin, "A Bayesian approximation method for online ranking", Journal of
    Machine Learning Research 12 (2011), by the library openskill.
    """
    from openskill.models import PlackettLuce  # noqa: PLC0415 - only tournaments of many seats need it

    model = PlackettLuce()
    rated = [model.rating() for _ in range(players)]
    for seating, fool in games:
        teams = [[rated[player]] for player in seating]
        ranks = [float(seat == fool) for seat in range(len(seating))]
        for player, team in zip(seating, model.rate(teams, ranks=ranks), strict=True):
            rated[player] = team[0]
    return tuple([SkillRating(float(one.mu), float(one.sigma)) for one in rated])


def _connected(players: int, edges: Sequence[tuple[int, int]]) -> bool:
    """Return whether the directed graph is strongly connected."""
    import numpy as np  # noqa: PLC0415 - an extra, and slow to load

    reached = np.eye(players, dtype=bool)
    reached[tuple(zip(*edges, strict=True))] = True
    for _ in range(players.bit_length()):  # doubles the path length
        reached = reached @ reached
    return bool(reached.all())


def _most_likely(players: int, pairings: Sequence[Pairing]) -> Iterator[tuple[float, float]]:
    """Yield each player's strength, with mean 0, and its standard error."""
    import numpy as np  # noqa: PLC0415 - as above

    games = np.array([one.games for one in pairings], float)
    scores = np.array([one.score for one in pairings], float)
    sides = np.zeros((len(pairings), players))
    for row, one in zip(sides, pairings, strict=True):
        row[one.first], row[one.second] = 1, -1
    strengths = np.zeros(players)
    for _ in range(_STEPS):
        expected = 1 / (1 + np.exp(-(sides @ strengths)))
        inverse = _inverse(sides.T * (games * expected * (1 - expected)) @ sides)
        step = inverse @ (sides.T @ (games * (scores - expected)))
        longest = np.abs(step).max()
        if longest < _CLOSE:
            break
        strengths += min(1.0, 1 / longest) * step
    variances = [
        known * (1 - known) / one.games if one.variance is None else one.variance
        for known, one in zip(expected, pairings, strict=True)
    ]
    spread = sides.T * (games**2 * variances) @ sides
    errors = np.sqrt(np.maximum(0, np.diag(inverse @ spread @ inverse)))
    return zip(strengths.tolist(), errors.tolist(), strict=True)


def _inverse(laplacian: Any) -> Any:  # noqa: ANN401 - arrays of numpy, which is optional
    """Return the Moore-Penrose inverse of a connected graph's Laplacian."""
    import numpy as np  # noqa: PLC0415 - as above

    scale, even = laplacian.diagonal().max(), 1 / len(laplacian)
    return (np.linalg.inv(laplacian / scale + even) - even) / scale


def elo(score: float) -> float:
    """Return the Elo difference of a score between two players.

    Args:
        score: 0 to 1, a draw counting half; 0 and 1 give minus and plus infinity.

    Raises:
        ValueError: If the score is out of range.

    Source: A. E. Elo, The Rating of Chessplayers (1978), the logistic curve.
    """
    if not 0 <= score <= 1:
        raise ValueError(f"score {score}: expected a share from 0 to 1")
    if score in (0, 1):
        return math.inf if score else -math.inf
    return 400 * math.log10(score / (1 - score))


def elo_interval(interval: tuple[float, float]) -> tuple[float, float]:
    return elo(interval[0]), elo(interval[1])
