"""Ratings: how strong players are that did not all meet equally often.

Players of two seats are rated by the Bradley-Terry model, whose logistic curve is Elo's; players of
more seats by the Plackett-Luce model of `openskill`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from durak_core.errors import AgentError
from durak_core.statistics import Z95, logistic

_POINTS: Final = 400 / math.log(10)
"""Elo points of one unit of the logistic curve."""

_STEPS: Final = 200
"""Newton needs about ten; each moves nobody by more than one unit."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """What two players did against each other.

    Attributes:
        first: A player's number, from 0.
        second: The other's.
        score: The first one's score, 0 to 1, a draw counting half.
        variance: The square of the score's standard error, or None to take the games for independent.
    """

    first: int
    second: int
    games: int
    score: float
    variance: float | None = None


@dataclass(frozen=True, slots=True)
class EloRating:
    """A player's rating in Elo points, where all players' mean is 0, and its 95 % interval."""

    points: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class EloTable:
    """All players' ratings.

    Attributes:
        with_prior: Whether each pairing was given one draw more, because the ratings had no bounds.
    """

    ratings: tuple[EloRating, ...]
    with_prior: bool


@dataclass(frozen=True, slots=True)
class SkillRating:
    """A player's rating by openskill.

    Attributes:
        mu: The mean of what is believed of its skill; everybody begins with 25.
        sigma: The standard deviation; everybody begins with 25/3.
    """

    mu: float
    sigma: float

    @property
    def interval(self) -> tuple[float, float]:
        """Where the skill is believed to lie with 95 %."""
        return self.mu - Z95 * self.sigma, self.mu + Z95 * self.sigma


def elo_ratings(players: int, pairings: Sequence[Pairing]) -> EloTable:
    """Return the ratings under which the scores of all pairings together are most likely.

    The expected score of a lead of d points is 1 / (1 + 10^(-d/400)). The ratings are the maximum of
    the likelihood by Newton's method. Their intervals come from the sandwich estimator, with the
    variances that the pairings tell: scores by deals vary less than scores of independent games. Where
    some players never lost a point to any of the others, the likelihood has no maximum; then each
    pairing counts as if one draw more had been played.

    Args:
        players: How many there are, 2 or more.
        pairings: Who met whom; everybody has to be connected with everybody else by them.

    Raises:
        AgentError: If some players never met the others, directly or by way of others.

    Source: R. A. Bradley and M. E. Terry, "Rank analysis of incomplete block designs", Biometrika 39
    (1952); when the maximum exists: D. R. Hunter, "MM algorithms for generalized Bradley-Terry
    models", Annals of Statistics 32 (2004); sandwich: H. White, Econometrica 50 (1982).
    """
    met = [(one.first, one.second) for one in pairings]
    if not _connected(players, [*met, *[(second, first) for first, second in met]]):
        raise AgentError("some players never met the others: expected pairings that connect everybody")
    took = [(one.first, one.second) for one in pairings if one.score > 0]
    took += [(one.second, one.first) for one in pairings if one.score < 1]
    with_prior = not _connected(players, took)
    if with_prior:
        pairings = [_with_draw(one) for one in pairings]
    strengths = _maximum(players, pairings)
    errors = _standard_errors(strengths, pairings)
    ratings = [
        EloRating(_POINTS * strength, _POINTS * (strength - Z95 * error), _POINTS * (strength + Z95 * error))
        for strength, error in zip(strengths, errors, strict=True)
    ]
    return EloTable(tuple(ratings), with_prior)


def skill_ratings(players: int, games: Iterable[tuple[Sequence[int], int | None]]) -> tuple[SkillRating, ...]:
    """Return ratings of games with any number of seats, one game after the other.

    The fool of a game is its only loser: all others share the first place (rules 8.4), and in a draw
    everybody does. The order of the games matters a little.

    Args:
        players: How many there are.
        games: Each game's players by seat, and the fool's seat or None.

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


def _with_draw(one: Pairing) -> Pairing:
    games = one.games + 1
    score = (one.score * one.games + 0.5) / games
    return Pairing(one.first, one.second, games, score)


def _connected(players: int, edges: Iterable[tuple[int, int]]) -> bool:
    known = list(edges)
    for towards in (known, [(end, start) for start, end in known]):
        reached, fresh = {0}, {0}
        while fresh:
            fresh = {end for start, end in towards if start in fresh} - reached
            reached |= fresh
        if len(reached) < players:
            return False
    return True


def _expected(strengths: Sequence[float], one: Pairing) -> float:
    return logistic(strengths[one.first] - strengths[one.second])


def _maximum(players: int, pairings: Sequence[Pairing]) -> list[float]:
    strengths = [0.0] * players
    for _ in range(_STEPS):
        gradient = [0.0] * players
        for one in pairings:
            surplus = one.games * (one.score - _expected(strengths, one))
            gradient[one.first] += surplus
            gradient[one.second] -= surplus
        step = _times(_inverse(_information(strengths, pairings)), gradient)
        longest = max(map(abs, step))
        shorter = min(1.0, 1 / longest) if longest else 1.0
        strengths = [strength + shorter * by for strength, by in zip(strengths, step, strict=True)]
        if longest < 1e-12:
            break
    mean = sum(strengths) / players
    return [strength - mean for strength in strengths]


def _information(strengths: Sequence[float], pairings: Sequence[Pairing]) -> list[list[float]]:
    weights = []
    for one in pairings:
        expected = _expected(strengths, one)
        weights.append(one.games * expected * (1 - expected))
    return _laplacian(len(strengths), pairings, weights)


def _standard_errors(strengths: Sequence[float], pairings: Sequence[Pairing]) -> list[float]:
    weights = []
    for one in pairings:
        expected = _expected(strengths, one)
        variance = expected * (1 - expected) / one.games if one.variance is None else one.variance
        weights.append(one.games * one.games * variance)
    players = range(len(strengths))
    spread = _laplacian(len(strengths), pairings, weights)
    inverse = _inverse(_information(strengths, pairings))
    return [
        math.sqrt(
            max(0.0, sum(inverse[at][i] * spread[i][j] * inverse[at][j] for i in players for j in players))
        )
        for at in players
    ]


def _laplacian(size: int, pairings: Sequence[Pairing], weights: Sequence[float]) -> list[list[float]]:
    rows = [[0.0] * size for _ in range(size)]
    for one, weight in zip(pairings, weights, strict=True):
        rows[one.first][one.first] += weight
        rows[one.second][one.second] += weight
        rows[one.first][one.second] -= weight
        rows[one.second][one.first] -= weight
    return rows


def _inverse(laplacian: Sequence[Sequence[float]]) -> list[list[float]]:
    """Invert a connected Laplacian on the vectors whose mean is 0 (its Moore-Penrose inverse)."""
    size = len(laplacian)
    scale = max(row[place] for place, row in enumerate(laplacian)) or 1.0
    rows = [
        [*(value / scale + 1 / size for value in row), *(float(i == j) for j in range(size))]
        for i, row in enumerate(laplacian)
    ]
    for at in range(size):
        best = max(range(at, size), key=lambda row: abs(rows[row][at]))
        rows[at], rows[best] = rows[best], rows[at]
        pivot = rows[at][at]
        rows[at] = [value / pivot for value in rows[at]]
        for row in range(size):
            if row != at:
                factor = rows[row][at]
                rows[row] = [value - factor * by for value, by in zip(rows[row], rows[at], strict=True)]
    return [[(value - 1 / size) / scale for value in row[size:]] for row in rows]


def _times(matrix: Sequence[Sequence[float]], vector: Sequence[float]) -> list[float]:
    return [sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix]
