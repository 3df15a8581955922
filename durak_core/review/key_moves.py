"""The key moments of a game: a player's worst moves, and the turning point."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from durak_core.review.evaluation import Estimate, MoveEvaluation, Unevaluated
from durak_core.review.report import Review

MOST_WORST: Final = 3

_UNKNOWN: Final = frozenset({Unevaluated.TOO_LITTLE, Unevaluated.NOT_LISTED})
"""Choices with an unknown effect on the win probability."""


def worst_moves(review: Review, seat: int) -> tuple[MoveEvaluation, ...]:
    """Return a player's costliest moves, at most three, worst first, each with its reason.

    Moves with distinct reasons and bouts are preferred.
    """
    marked = [j for j in review.evaluations.values() if j.seat == seat and j.mark not in {"", "!"}]
    marked.sort(key=lambda evaluation: -evaluation.drop)
    bouts = {question.ply: question.state.bout for question in review.asked}
    chosen: list[MoveEvaluation] = []
    repeating: list[MoveEvaluation] = []
    for one in marked:
        repeats = any(_kind(other) == _kind(one) or bouts[other.ply] == bouts[one.ply] for other in chosen)
        (repeating if repeats else chosen).append(one)
    most = [*chosen, *repeating][:MOST_WORST]
    return tuple(sorted(most, key=lambda evaluation: -evaluation.drop))


def _kind(evaluation: MoveEvaluation) -> str:
    return evaluation.reason.template if evaluation.reason else ""


@dataclass(frozen=True, slots=True)
class TurningPoint:
    """The change that moved a player's win probability, 0 to 1, to the final side of par (1/n).

    Attributes:
        ply: Number of moves before it.
        last: Number of moves after it.
        own: The evaluation of the player's own move if it is the only cause, otherwise None.
    """

    ply: int
    last: int
    before: float
    after: float
    own: MoveEvaluation | None = None


def turning_point(review: Review, seat: int) -> TurningPoint | None:
    """Return the last lasting change of a player's win probability, as the player could know it.

    A win probability is on a side of par if its whole interval is. The turning point is the largest change
    between non-overlapping intervals, from the last one on the other side to the first one on this side.

    None in a draw, in an unfinished game, if the interval was never on the other side, and if all changes
    are too small to distinguish.
    """
    result = review.record.result
    if result is None or result.draw:
        return None
    fair, way = 1 - 1 / review.record.rules.team_count, -1 if seat in result.fools else 1
    chances = list(review.estimates(seat).items())
    other_side = [n for n, (_, one) in enumerate(chances) if _beyond(one, fair, -way) >= 0]
    if not other_side:
        return None
    chances = chances[other_side[-1] :]
    end = next(n for n, (_, one) in enumerate(chances) if _beyond(one, fair, way) > 0)
    steps = [
        (one, other)
        for one, other in pairwise(chances[: end + 1])
        if _surely_moves(one[1], other[1], way) and not _is_unevaluated(review, seat, one[0] + 1)
    ]
    if not steps:
        return None
    (ply, before), (last, after) = max(steps, key=lambda step: abs(step[1][1].score - step[0][1].score))
    own = review.evaluations.get(last) if last == ply + 1 else None
    return TurningPoint(ply, last, before.score, after.score, own if own and own.seat == seat else None)


def _beyond(chance: Estimate, fair: float, way: int) -> float:
    """Return how far the interval lies above par (``way`` 1) or below it (-1)."""
    return chance.low - fair if way > 0 else fair - chance.high


def _surely_moves(one: Estimate, other: Estimate, way: int) -> bool:
    return other.is_surely_above(one) if way > 0 else one.is_surely_above(other)


def _is_unevaluated(review: Review, seat: int, ply: int) -> bool:
    """Return whether this ply is a choice of the player with an unknown effect."""
    evaluation = review.evaluations.get(ply)
    return evaluation is not None and evaluation.seat == seat and evaluation.unevaluated in _UNKNOWN
