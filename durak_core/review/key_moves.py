"""What to remember of a game: a player's worst moves, and where the game turned."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from durak_core.review.judgement import Estimate, Judgement, Unjudged
from durak_core.review.report import Review

MOST_WORST: Final = 3

_UNKNOWN: Final = frozenset({Unjudged.TOO_LITTLE, Unjudged.NOT_LISTED})
"""Choices that may have changed the chance by nobody knows how much."""


def worst_moves(review: Review, seat: int) -> tuple[Judgement, ...]:
    """Return a player's moves that gave most away, the worst first, at most three, each with its reason.

    They are as different as may be: no two have the same reason or belong to the same bout, as long as
    there are others.
    """
    marked = [j for j in review.judgements.values() if j.seat == seat and j.mark not in {"", "!"}]
    marked.sort(key=lambda judgement: -judgement.drop)
    bouts = {question.ply: question.observation.bout for question in review.asked}
    chosen: list[Judgement] = []
    repeating: list[Judgement] = []
    for one in marked:
        repeats = any(_kind(other) == _kind(one) or bouts[other.ply] == bouts[one.ply] for other in chosen)
        (repeating if repeats else chosen).append(one)
    most = [*chosen, *repeating][:MOST_WORST]
    return tuple(sorted(most, key=lambda judgement: -judgement.drop))


def _kind(judgement: Judgement) -> str:
    return judgement.reason.template if judgement.reason else ""


@dataclass(frozen=True, slots=True)
class TurningPoint:
    """The change by which a player's chance came to the side of the fair share on which the game ended.

    Attributes:
        ply: How many moves had been played before it.
        last: How many had been played after it.
        before: The chance at ``ply``, 0 to 1.
        after: The chance at ``last``.
        own: The judgement of the player's own move if that alone lies between, else None: draws and the
            others' moves changed it.
    """

    ply: int
    last: int
    before: float
    after: float
    own: Judgement | None = None


def turning_point(review: Review, seat: int) -> TurningPoint | None:
    """Return where the chance of not being the fool changed for good, as the player could know it.

    The chance is surely on a side of the fair share where its whole interval is. From where it was surely
    on the other side for the last time to where it is surely on this one, the largest change whose
    intervals do not overlap is taken.

    None in a draw, in a game without an end, where the chance was never surely on the other side, and
    where it came over in steps that the search cannot tell from none.
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
        if _surely_moves(one[1], other[1], way) and not _is_unjudged(review, seat, one[0] + 1)
    ]
    if not steps:
        return None
    (ply, before), (last, after) = max(steps, key=lambda step: abs(step[1][1].score - step[0][1].score))
    own = review.judgements.get(last) if last == ply + 1 else None
    return TurningPoint(ply, last, before.score, after.score, own if own and own.seat == seat else None)


def _beyond(chance: Estimate, fair: float, way: int) -> float:
    """Return how far a chance is surely above the fair share (1) or below it (-1)."""
    return chance.low - fair if way > 0 else fair - chance.high


def _surely_moves(one: Estimate, other: Estimate, way: int) -> bool:
    return other.is_surely_above(one) if way > 0 else one.is_surely_above(other)


def _is_unjudged(review: Review, seat: int, ply: int) -> bool:
    """Tell whether a choice of the player's is all that is known to lie there, and not what it was worth."""
    judgement = review.judgements.get(ply)
    return judgement is not None and judgement.seat == seat and judgement.unjudged in _UNKNOWN
