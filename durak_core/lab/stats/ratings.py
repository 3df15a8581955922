"""Ratings: how strong players are that did not all meet equally often.

Players of two seats are rated by the Bradley-Terry model, whose logistic curve is Elo's; players of
more seats by the Plackett-Luce model of `openskill`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from durak_core.errors import AgentError
from durak_core.extras import require
from durak_core.statistics import Z95

_POINTS: Final = 400 / math.log(10)
"""Elo points of one unit of the logistic curve."""

_STEPS: Final = 200
"""Newton needs about ten; each moves nobody by more than one unit."""

_CLOSE: Final = 1e-12
"""A step that moves nobody by more is the last one."""


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
        MissingExtraError: If numpy is not installed.

    Source: R. A. Bradley and M. E. Terry, "Rank analysis of incomplete block designs", Biometrika 39
    (1952); when the maximum exists: D. R. Hunter, "MM algorithms for generalized Bradley-Terry
    models", Annals of Statistics 32 (2004); sandwich: H. White, Econometrica 50 (1982).
    """
    require("An Elo rating", "lab", "numpy")
    met = [(one.first, one.second) for one in pairings]
    if not _connected(players, [*met, *[(second, first) for first, second in met]]):
        raise AgentError("some players never met the others: expected pairings that connect everybody")
    took = [(one.first, one.second) for one in pairings if one.score > 0]
    took += [(one.second, one.first) for one in pairings if one.score < 1]
    with_prior = not _connected(players, took)
    if with_prior:
        pairings = [_with_draw(one) for one in pairings]
    ratings = [
        EloRating(_POINTS * strength, _POINTS * (strength - Z95 * error), _POINTS * (strength + Z95 * error))
        for strength, error in _most_likely(players, pairings)
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


def _connected(players: int, edges: Sequence[tuple[int, int]]) -> bool:
    """Return whether the edges lead from every player to every other one."""
    import numpy as np  # noqa: PLC0415 - an extra, and slow to load

    reached = np.eye(players, dtype=bool)
    reached[tuple(zip(*edges, strict=True))] = True
    for _ in range(players.bit_length()):  # each time over twice as many edges
        reached = reached @ reached
    return bool(reached.all())


def _most_likely(players: int, pairings: Sequence[Pairing]) -> Iterator[tuple[float, float]]:
    """Yield each player's strength and its standard error; the mean of all strengths is 0."""
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


def _inverse(laplacian: Any) -> Any:  # noqa: ANN401 - arrays of numpy, which need not be there
    """Invert a connected Laplacian on the vectors whose mean is 0 (its Moore-Penrose inverse)."""
    import numpy as np  # noqa: PLC0415 - as above

    scale, even = laplacian.diagonal().max(), 1 / len(laplacian)
    return (np.linalg.inv(laplacian / scale + even) - even) / scale
