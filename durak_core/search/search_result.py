"""Search info: the results of a search, in the same form for all searches."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from durak_core.actions import Action

Unit: TypeAlias = Literal["score", "points"]

SCORE: Final[Unit] = "score"
"""The probability of not being the fool, a draw counting half."""
POINTS: Final[Unit] = "points"
"""What the search's evaluation counts, from the side of the seat to act."""


@dataclass(frozen=True, slots=True)
class SearchedAction:
    """The evaluation of one action, the same from the tree to the screen.

    Attributes:
        score: Its value for the seat to act, in the unit of the search; for an analysis the probability of
            not being the fool, draws counting half, so 1, 0.5 or 0 if exact.
        visits: Visits, or for deterministic searches the number of deals in which it was best.
        continuation: The expected actions after it, as far as known; forced ones may be missing.
        low: Lower end of the score's 95 % interval; the interval is infinite if only the score is known.
        exact: Whether the score is proved under best play.
        bouts: Bouts until a proved win or loss, this one included; None if unknown.
    """

    action: Action
    score: float
    visits: int = 0
    continuation: tuple[Action, ...] = ()
    low: float = -math.inf
    high: float = math.inf
    exact: bool = False
    bouts: int | None = None

    @property
    def is_tried(self) -> bool:
        return self.exact or self.visits > 0

    @property
    def margin(self) -> float:
        """Half the width of the interval."""
        return (self.high - self.low) / 2

    def is_surely_above(self, other: SearchedAction) -> bool:
        return self.low > other.high

    def as_json(self) -> dict[str, Any]:
        """Return a JSON object, with the interval as a pair if there is one."""
        found = {
            "action": str(self.action),
            "score": self.score,
            "visits": self.visits,
            "continuation": [str(action) for action in self.continuation],
        }
        if math.isfinite(self.margin):
            found |= {"interval": [self.low, self.high], "exact": self.exact, "bouts": self.bouts}
        return found


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The info of a search when it chooses.

    Attributes:
        unit: ``"score"`` or ``"points"``.
        nodes: Positions searched, or nodes kept in its trees.
        depth: The greatest depth in decisions.
        deals: Number of deals of the hidden cards; 1 if nothing is hidden.
        lines: One for each evaluated action, the chosen one first, then the best.
    """

    unit: Unit
    nodes: int
    depth: int
    deals: int
    lines: tuple[SearchedAction, ...]

    def value_text(self, line: SearchedAction) -> str:
        """Return a line's score in its unit, for display."""
        return f"{100 * line.score:.1f} %" if self.unit == SCORE else f"{line.score:+.1f}"

    @property
    def effort(self) -> str:
        """The search effort, for display."""
        deals = "1 deal" if self.deals == 1 else f"{self.deals:,} deals"
        return f"{self.nodes:,} nodes, {self.depth} deep, {deals}"

    @property
    def principal(self) -> tuple[Action, ...]:
        """The chosen action and its continuation."""
        best = self.lines[0]
        return (best.action, *best.continuation)

    def as_json(self, most: int | None = None) -> dict[str, Any]:
        """Return the info as a JSON object, with at most that many lines."""
        return {
            "unit": self.unit,
            "nodes": self.nodes,
            "depth": self.depth,
            "deals": self.deals,
            "lines": [line.as_json() for line in self.lines[:most]],
        }
