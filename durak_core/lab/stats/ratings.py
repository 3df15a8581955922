"""Elo ratings of players at tables of any number of seats."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
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
    tables = [
        _TableLosses((one.first, one.second), [one.games * (1 - one.score), one.games * one.score])
        for one in pairings
    ]
    fit = _most_likely(players, tables)
    for table, one in zip(tables, pairings, strict=True):
        if one.variance is not None:
            spread = one.games**2 * one.variance
            table.spread = [[spread, -spread], [-spread, spread]]
    return EloTable(_ratings(fit, tables), with_prior)


def fool_ratings(
    players: int, deals: Iterable[Sequence[tuple[Sequence[int], int | None]]]
) -> EloTable | None:
    """Return maximum-likelihood Elo ratings of games with any number of seats.

    A player rated r is the fool with the probability 10^(-r/400) over the sum of 10^(-r/400) of all at the
    table. With two seats these are `elo_ratings`, so ratings of any seats can be compared. It is the
    Plackett-Luce model with the fool as the only one ranked. Draws count nothing. Intervals use the sandwich
    estimator over deals. One game that all lose equally is added to each table if the maximum is unbounded.

    Args:
        players: Number of players.
        deals: The games of each deal, as the players by seat, and the fool's seat or None.

    Returns:
        The ratings, or None if the tables do not connect all players.

    Raises:
        MissingExtraError: If numpy is not installed.

    Source: R. D. Luce, Individual Choice Behavior (1959); R. L. Plackett, "The analysis of permutations",
    Applied Statistics 24 (1975); sandwich: H. White, Econometrica 50 (1982).
    """
    require("An Elo rating", "lab", "numpy")
    import numpy as np  # noqa: PLC0415 - an extra, and slow to load

    by_table: dict[tuple[int, ...], list[list[int]]] = defaultdict(list)
    for games in deals:
        for seating in dict.fromkeys([tuple(sorted(seating)) for seating, _ in games]):
            fools = [met[fool] for met, fool in games if fool is not None and tuple(sorted(met)) == seating]
            by_table[seating].append([fools.count(player) for player in seating])
    tables = [_TableLosses(seating, np.sum(lost, axis=0)) for seating, lost in by_table.items()]
    met = [(one, other) for table in tables for one in table.players for other in table.players]
    if not met or not _connected(players, met):
        return None
    took = [
        (other, fool)
        for table in tables
        for fool, lost in zip(table.players, table.lost, strict=True)
        if lost
        for other in table.players
    ]
    with_prior = not took or not _connected(players, took)
    if with_prior:
        tables = [_TableLosses(one.players, one.lost + 1 / len(one.players)) for one in tables]
    fit = _most_likely(players, tables)
    for table, lost in zip(tables, by_table.values(), strict=True):
        counts = np.array(lost, float)
        surplus = counts - counts.sum(axis=1, keepdims=True) * table.chances
        table.spread = surplus.T @ surplus * len(lost) / max(len(lost) - 1, 1)
    return EloTable(_ratings(fit, tables), with_prior)


def _connected(players: int, edges: Sequence[tuple[int, int]]) -> bool:
    """Return whether the directed graph is strongly connected."""
    import numpy as np  # noqa: PLC0415 - an extra, and slow to load

    reached = np.eye(players, dtype=bool)
    reached[tuple(zip(*edges, strict=True))] = True
    for _ in range(players.bit_length()):  # doubles the path length
        reached = reached @ reached
    return bool(reached.all())


@dataclass(slots=True)
class _TableLosses:
    """Players who met, their numbers of lost games, and what `_most_likely` and its callers add.

    Attributes:
        chances: Each player's probability of losing, fitted.
        spread: Covariance of ``lost``; None for independent games.
    """

    players: tuple[int, ...]
    lost: Any
    chances: Any = None
    spread: Any = None


def _most_likely(players: int, tables: Sequence[_TableLosses]) -> tuple[Any, Any]:
    """Return the players' strengths, with mean 0, and the inverse of the information."""
    import numpy as np  # noqa: PLC0415 - as above

    strengths = np.zeros(players)
    for _ in range(_STEPS):
        surplus, information = np.zeros(players), np.zeros((players, players))
        for table in tables:
            places, lost = list(table.players), np.asarray(table.lost, float)
            risks = np.exp(strengths[places].min() - strengths[places])
            table.chances = risks / risks.sum()
            surplus[places] += lost.sum() * table.chances - lost
            information[np.ix_(places, places)] += lost.sum() * _covariance(table.chances)
        inverse = _inverse(information)
        step = inverse @ surplus
        longest = np.abs(step).max()
        if longest < _CLOSE:
            break
        strengths += min(1.0, 1 / longest) * step
    return strengths, inverse


def _covariance(chances: Any) -> Any:  # noqa: ANN401 - arrays of numpy, which is optional
    """Return the covariance of one game's loss."""
    import numpy as np  # noqa: PLC0415 - as above

    return np.diag(chances) - np.outer(chances, chances)


def _ratings(fit: tuple[Any, Any], tables: Sequence[_TableLosses]) -> tuple[EloRating, ...]:
    """Return the ratings of fitted strengths, with intervals by the tables' spreads."""
    import numpy as np  # noqa: PLC0415 - as above

    strengths, inverse = fit
    spread = np.zeros(inverse.shape)
    for table in tables:
        places = list(table.players)
        known = np.sum(table.lost) * _covariance(table.chances) if table.spread is None else table.spread
        spread[np.ix_(places, places)] += known
    errors = np.sqrt(np.maximum(0, np.diag(inverse @ spread @ inverse)))
    return tuple(
        [
            EloRating(
                _POINTS * strength, _POINTS * (strength - Z95 * error), _POINTS * (strength + Z95 * error)
            )
            for strength, error in zip(strengths.tolist(), errors.tolist(), strict=True)
        ]
    )


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
