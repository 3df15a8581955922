"""What endgames of games side by side are worth, with the memory that the solver needs."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from durak_core.kernel.deal import new_position
from durak_core.rules import Rules
from durak_core.search.backend import Backend
from durak_core.search.endgame import LEVELS, Solver

__all__ = ["Endings"]

_NODES: Final = 3_000
"""Searched for a position at most; of those with twelve cards eight in ten need fewer."""

_SLOTS: Final = 4_096


class Endings:
    """A solver for many positions.

    Args:
        rules: Of all of them.
        runner: Where to run.
    """

    def __init__(self, rules: Rules, runner: Backend) -> None:
        self._solve = runner.functions["solve_endings"]
        self._solver = (
            runner.records(new_position(rules), LEVELS),
            runner.records(Solver(slots=_SLOTS), 1),
            runner.integers(_SLOTS),
            runner.integers(_SLOTS),
        )

    def solve(self, positions: Any, cards: int, worth: npt.NDArray[np.float64]) -> None:  # noqa: ANN401 - records
        """Write what positions are worth to the seats to act.

        Args:
            positions: Of a `durak_core.learn.vector.VectorGames`.
            cards: Only those with at most so many cards are solved.
            worth: Written, see `durak_core.search.endings.solve_endings`.
        """
        self._solve(positions, (cards, _NODES), self._solver, worth)
