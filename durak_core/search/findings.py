"""What a search has found out, in the same form for all searches."""

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
class Finding:
    """What is thought of one action.

    Attributes:
        score: Its worth for the seat to act, in the unit of the findings.
        visits: How often it was tried by a search that draws, else in how many deals it was the best.
        continuation: What is expected after it, as far as anything is known; actions without a choice may be
            missing.
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
class Findings:
    """What a search knows when it chooses.

    Attributes:
        unit: `SCORE` or `POINTS`.
        nodes: How many positions it has looked at, or keeps in its trees.
        depth: How many decisions it has looked ahead at most.
        deals: How often it dealt the hidden cards; 1 where nothing is hidden.
        lines: One for each action that it knows something of, the chosen one first, then the best.
    """

    unit: Unit
    nodes: int
    depth: int
    deals: int
    lines: tuple[Finding, ...]

    def worth(self, line: Finding) -> str:
        """Return a line's score in its unit, as people read it."""
        return f"{100 * line.score:.1f} %" if self.unit == SCORE else f"{line.score:+.1f}"

    @property
    def effort(self) -> str:
        """How much was searched, in words."""
        deals = "1 deal" if self.deals == 1 else f"{self.deals:,} deals"
        return f"{self.nodes:,} nodes, {self.depth} deep, {deals}"

    @property
    def principal(self) -> tuple[Action, ...]:
        """The chosen action and what is expected after it."""
        best = self.lines[0]
        return (best.action, *best.continuation)

    def as_json(self, most: int | None = None) -> dict[str, Any]:
        """Return them as an object, with at most so many lines."""
        return {
            "unit": self.unit,
            "nodes": self.nodes,
            "depth": self.depth,
            "deals": self.deals,
            "lines": [line.as_json() for line in self.lines[:most]],
        }


def read_line(lines: Sequence[int], place: int) -> tuple[Action, ...]:
    """Return what a search has written as expected after the legal action of a place."""
    return tuple(_actions(lines[place * LINE : (place + 1) * LINE]))


def _actions(codes: Sequence[int]) -> Iterator[Action]:
    for code in codes:
        if code == 0:
            return
        yield decode(int(code) - 1)
