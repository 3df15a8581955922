"""What to remember of a game: a player's moments to learn from, and where the game turned."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from durak_core.review.judgement import Judgement
from durak_core.review.report import Review

MOST_LESSONS: Final = 3


def lessons(review: Review, seat: int) -> tuple[Judgement, ...]:
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
    most = [*chosen, *repeating][:MOST_LESSONS]
    return tuple(sorted(most, key=lambda judgement: -judgement.drop))


def _kind(judgement: Judgement) -> str:
    return judgement.reason.template if judgement.reason else ""


@dataclass(frozen=True, slots=True)
class TurningPoint:
    """Where a player's chance went to the side of the fair share on which the game ended for them.

    Attributes:
        ply: How many moves had been played when the chance was last known on the other side.
        last: How many had been played when it was known here.
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
    """Return where the chance of being the fool changed for good, as the player could know it.

    None in a draw, in a game without an end, and where the chance never stood on the other side.
    """
    result = review.record.result
    if result is None or result.draw:
        return None
    fair = 1 - 1 / review.record.rules.team_count
    won = seat not in result.fools
    crossings = [
        (one, other)
        for one, other in pairwise(review.curve(seat).items())
        if (one[1] >= fair) != won and (other[1] >= fair) == won
    ]
    if not crossings:
        return None
    (ply, before), (last, after) = crossings[-1]
    own = review.judgements.get(last) if last == ply + 1 else None
    return TurningPoint(ply, last, before, after, own if own and own.seat == seat else None)
