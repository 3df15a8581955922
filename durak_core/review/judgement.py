"""The judgement of one move: what it is worth beside the best one, and the mark it gets.

>>> mark_of(Estimate(0.70, 0.68, 0.72), Estimate(0.52, 0.50, 0.54))
'??'
>>> mark_of(Estimate(0.70, 0.60, 0.80), Estimate(0.52, 0.40, 0.64))
''
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Final, Protocol

from durak_core.actions import Action
from durak_core.messages import Message
from durak_core.review.comparison import Comparison
from durak_core.review.measures import AT_STAKE, move_accuracy
from durak_core.review.reasons import reason_of
from durak_core.review.subject import Question

DROPS: Final = (("??", 0.15), ("?", 0.10), ("?!", 0.05))
"""Marks, and the win probability that has to be given away for each."""

_ONLY_MOVE: Final = 0.10
"""How much worse the second best action is where the best one is the only good one."""
_WIDE: Final = 0.5
"""Intervals wider than this say too little to count."""
_ROUNDING: Final = 1e-9
"""So that 0.70 less 0.55 counts as 0.15."""


class ScoredLine(Protocol):
    """What a search or an engine says of one action; the attributes are those of an analysis's line."""

    @property
    def action(self) -> Action: ...
    @property
    def score(self) -> float: ...
    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...
    @property
    def visits(self) -> int: ...
    @property
    def exact(self) -> bool: ...
    @property
    def continuation(self) -> Sequence[Action]: ...


@dataclass(frozen=True, slots=True)
class Estimate:
    """A win probability and how sure it is.

    Attributes:
        score: Probability of not being the fool, a draw counting half, 0 to 1.
        low: Lower end of its 95 % interval.
        exact: Whether it is proved.
    """

    score: float
    low: float
    high: float
    exact: bool = False

    @classmethod
    def of(cls, line: ScoredLine) -> Estimate:
        return cls(line.score, line.low, line.high, line.exact)

    @property
    def margin(self) -> float:
        """Half the interval's width."""
        return (self.high - self.low) / 2

    def is_surely_above(self, other: Estimate) -> bool:
        """Tell whether the intervals leave no doubt that this is more."""
        return self.low > other.high


class Unjudged(Enum):
    """Why a move has no judgement."""

    NO_CHOICE = "there was no choice"
    NO_DIFFERENCE = "every action leads to the same result"
    TOO_LITTLE = "it was searched too little to be judged"
    NOT_LISTED = "it cannot be compared with the others"


@dataclass(frozen=True, slots=True)
class Judgement:
    """What is thought of one move.

    Attributes:
        ply: The move's number, from 1.
        best: The best action; None without a choice, and so is what it is worth.
        played: What the action is worth; None where nothing is known of it.
        stake: The win probability that the worst action would have given away.
        mark: ``??``, ``?``, ``?!``, ``!`` or nothing.
        unjudged: Why it does not count, or None when it does.
        reason: Why the best action is better, said of the move; for ``!`` why the obvious one, `instead`,
            is worse. None without a mark.
    """

    ply: int
    seat: int
    action: Action
    best: Action | None = None
    best_estimate: Estimate | None = None
    played: Estimate | None = None
    stake: float = 0.0
    mark: str = ""
    unjudged: Unjudged | None = None
    reason: Message | None = None
    instead: Action | None = None

    @property
    def drop(self) -> float:
        """The win probability that the move gave away, 0 to 1."""
        if self.best_estimate is None or self.played is None or self.unjudged is not None:
            return 0.0
        return max(0.0, self.best_estimate.score - self.played.score)

    @property
    def is_doubtful(self) -> bool:
        """Whether it seems to have given away enough for a mark, but the intervals overlap."""
        best, played = self.best_estimate, self.played
        if best is None or played is None or self.mark:
            return False
        return best.score - played.score + _ROUNDING >= DROPS[-1][1]

    @property
    def accuracy(self) -> float | None:
        """How accurate it is, 0 to 100; None where it does not count, or nothing was at stake."""
        matters = self.unjudged is None and self.stake + _ROUNDING >= AT_STAKE
        return move_accuracy(self.drop, self.stake) if matters else None


def mark_of(best: Estimate, played: Estimate) -> str:
    """Return the mark of a move that gave something away, or nothing.

    Moves whose intervals overlap get none, however far the scores are apart.
    """
    if not best.is_surely_above(played):
        return ""
    drop = best.score - played.score + _ROUNDING
    return next((mark for mark, least in DROPS if drop >= least), "")


def judge(
    question: Question, lines: Sequence[ScoredLine], next_lines: Sequence[ScoredLine] | None = None
) -> Judgement:
    """Judge a move.

    Args:
        question: The move.
        lines: What was found about the position before it, best first, a line for each legal action;
            not looked at where there was no choice.
        next_lines: The same for the position after it, if the same seat is to act there; used where
            an answer to another attack card than the oldest was played, which has no line of its own
            (rules 5.5: the order of answers changes nothing, and nobody learns anything in between).
    """
    if not question.is_free or not lines:
        return _unjudged(question, Unjudged.TOO_LITTLE if question.is_free else Unjudged.NO_CHOICE)
    best = lines[0]
    of_best = Estimate.of(best)
    own = next((line for line in lines if line.action == question.action), None)
    found = own or (next_lines[0] if next_lines else None)
    if found is None:
        return _unjudged(question, Unjudged.NOT_LISTED, best)
    played = Estimate.of(found)
    if all(line.exact and line.score == best.score for line in lines):
        return _unjudged(question, Unjudged.NO_DIFFERENCE, best, of_best)
    doubtful = played.high - played.low > _WIDE and not of_best.is_surely_above(played)
    if doubtful and found is not best:
        return _unjudged(question, Unjudged.TOO_LITTLE, best, played)
    worst = min([played.score, *(line.score for line in lines if line.visits or line.exact)])
    made = Judgement(
        question.ply, question.seat, question.action, best.action, of_best, played, best.score - worst
    )
    if _is_only_move(question, lines):
        return _praised(made, question, lines)
    mark = mark_of(of_best, played)
    return replace(made, mark=mark, reason=_reason(question, question.action, found, best)) if mark else made


def _praised(made: Judgement, question: Question, lines: Sequence[ScoredLine]) -> Judgement:
    obvious = next((line for line in lines if line.action == question.obvious), None)
    reason = _reason(question, question.obvious, obvious, lines[0]) if obvious else None
    return replace(made, mark="!", reason=reason, instead=question.obvious)


def _reason(question: Question, action: Action, line: ScoredLine, best: ScoredLine) -> Message:
    """Say why an action, for which a line was found, is worse than the best one."""
    proved = (line.score, best.score) if line.exact and best.exact else None
    ahead = line.continuation, best.continuation
    return reason_of(Comparison(question.observation, action, best.action, *ahead, proved))


def _unjudged(
    question: Question, why: Unjudged, best: ScoredLine | None = None, played: Estimate | None = None
) -> Judgement:
    return Judgement(
        question.ply,
        question.seat,
        question.action,
        best.action if best else None,
        Estimate.of(best) if best else None,
        played,
        unjudged=why,
    )


def _is_only_move(question: Question, lines: Sequence[ScoredLine]) -> bool:
    """Tell whether the one good action was played although a simple player would not have."""
    best = lines[0]
    if question.action != best.action or question.action == question.obvious:
        return False
    return all(
        Estimate.of(best).is_surely_above(Estimate.of(line))
        and best.score - line.score + _ROUNDING >= _ONLY_MOVE
        for line in lines[1:]
    )
