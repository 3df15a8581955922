"""How accurate moves and games are, from win probabilities.

>>> round(move_accuracy(0.0), 1), round(move_accuracy(0.05), 1), round(move_accuracy(0.15), 1)
(100.0, 79.8, 50.5)
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from typing import Final

_HEIGHT, _SLOPE, _FLOOR = 103.1668, 0.04354, 3.1669
_WINDOWS: Final = (2, 8)
"""Least and most win probabilities that the weight of a move looks at."""
_WEIGHTS: Final = (0.5, 12.0)
"""Least and greatest weight of a move."""
_LEAST_ACCURACY: Final = 1.0
"""What a worthless move counts in the harmonic mean, which has no place for 0."""


def move_accuracy(drop: float) -> float:
    """Return how accurate a move is, 0 to 100, that gave away a win probability of 0 to 1, or of less than 0.

    Source: lichess.org/page/accuracy, "Accuracy%".
    """
    points = 100 * max(drop, 0.0)
    return min(max(_HEIGHT * math.exp(-_SLOPE * points) - _FLOOR, 0.0), 100.0)


def game_accuracy(accuracies: Sequence[float], wins: Sequence[float]) -> float | None:
    """Return how accurate a player's moves are in all, 0 to 100; None without any.

    It is the mean of two means: the harmonic one, in which a blunder weighs heavily, and one in which
    moves weigh as much as the win probability went up and down around them.

    Args:
        accuracies: Of each move.
        wins: The player's win probability, 0 to 1, before each of these moves, and after the last.

    Raises:
        ValueError: If there are not as many win probabilities as moves and one.

    Source: the class ``AccuracyPercent`` of lichess.org; there the curve holds both players' moves.
    """
    if len(wins) != len(accuracies) + 1:
        raise ValueError(f"{len(wins)} win probabilities for {len(accuracies)} moves: expected one more")
    if not accuracies:
        return None
    weights = _volatilities([100 * win for win in wins])
    weighted = math.fsum(a * w for a, w in zip(accuracies, weights, strict=True)) / math.fsum(weights)
    harmonic = statistics.harmonic_mean([max(accuracy, _LEAST_ACCURACY) for accuracy in accuracies])
    return (weighted + harmonic) / 2


def _volatilities(percents: Sequence[float]) -> list[float]:
    """Return the weight of each move: the standard deviation in the window that ends after it."""
    moves = len(percents) - 1
    least, most = _WINDOWS
    size = min(max(moves // 10, least), most)
    starts = [max(0, move + 2 - size) for move in range(moves)]
    spreads = [statistics.pstdev(percents[start : start + size]) for start in starts]
    return [min(max(spread, _WEIGHTS[0]), _WEIGHTS[1]) for spread in spreads]
