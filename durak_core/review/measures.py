"""The accuracy of moves and games, from the lost win probability and what was at stake.

>>> round(move_accuracy(0.0, 0.2)), round(move_accuracy(0.05, 0.2)), round(move_accuracy(0.2, 0.2))
(100, 64, 17)
>>> round(game_accuracy([(0.0, 0.2), (0.0, 0.1), (0.2, 0.2)]))
52
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

AT_STAKE: Final = 0.05
"""Loss of the worst action from which a choice matters."""

_SLOPE: Final = 4.0
"""Decay of accuracy with the relative loss."""


def move_accuracy(drop: float, stake: float) -> float:
    """Return a move's accuracy, 0 to 100, from its loss and the worst action's loss, above 0."""
    return 100 * math.exp(-_SLOPE * drop / math.sqrt(stake))


def game_accuracy(choices: Sequence[tuple[float, float]]) -> float | None:
    """Return a player's accuracy, 0 to 100, from each choice's loss and stake; None without choices.

    This is the geometric mean of the moves' accuracies, weighted by the square roots of their stakes.
    """
    weight = math.fsum(math.sqrt(stake) for _, stake in choices)
    given = math.fsum(drop for drop, _ in choices)
    return 100 * math.exp(-_SLOPE * given / weight) if choices else None
