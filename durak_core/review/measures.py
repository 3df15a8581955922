"""How accurate moves and games are, from the win probability that was given away and that was at stake.

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
"""A choice matters where the worst action gives so much away."""

_SLOPE: Final = 4.0
"""How fast accuracy falls with what is given away."""


def move_accuracy(drop: float, stake: float) -> float:
    """Return how accurate a move is, 0 to 100.

    Args:
        drop: The win probability that it gave away, 0 to 1.
        stake: What the worst action would have given away; above 0.
    """
    return 100 * math.exp(-_SLOPE * drop / math.sqrt(stake))


def game_accuracy(choices: Sequence[tuple[float, float]]) -> float | None:
    """Return how accurate a player is, 0 to 100; None without any choice.

    It is the geometric mean of the moves' accuracies, in which a blunder weighs heavily, each with the
    root of what was at stake as its weight.

    Args:
        choices: What each choice that mattered gave away, and what was at stake.
    """
    weight = math.fsum(math.sqrt(stake) for _, stake in choices)
    given = math.fsum(drop for drop, _ in choices)
    return 100 * math.exp(-_SLOPE * given / weight) if choices else None
