"""Search info: the results of a search, in the same form for all searches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from durak_core.actions import Action, decode
from durak_core.search.depth_first import LINE

Unit: TypeAlias = Literal["score", "points"]

SCORE: Final[Unit] = "score"
"""The probability of not being the fool, a draw counting half."""
POINTS: Final[Unit] = "points"
"""What the search's evaluation counts, from the side of the seat to act."""


@dataclass(frozen=True, slots=True)
class SearchedAction:
    """The evaluation of one action.

    Attributes:
        score: Its value for the seat to act, in the unit of the search.
        visits: Visits, or for deterministic searches the number of deals in which it was best.
        continuation: The expected actions after it, as far as known; forced ones may be missing.
    """

    action: Action
    score: float
    visits: int
    continuation: tuple[Action, ...]

    def as_json(self) -> dict[str, Any]:
        return {
            "action": str(self.action),
            "score": self.score,
            "visits": self.visits,
            "continuation": [str(action) for action in self.continuation],
        }


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


def read_line(lines: Sequence[int], place: int) -> tuple[Action, ...]:
    """Return the continuation that a search wrote for the legal action of an index."""
    return tuple(_actions(lines[place * LINE : (place + 1) * LINE]))


def _actions(codes: Sequence[int]) -> Iterator[Action]:
    for code in codes:
        if code == 0:
            return
        yield decode(int(code) - 1)
