"""The analysis of a whole or partly evaluated game, and its key moments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Final, TypeAlias

from durak_core.game.record import Record
from durak_core.review.evaluation import (
    KNOWN,
    MoveEvaluation,
    Question,
    Unevaluated,
    evaluate_move,
    game_accuracy,
)
from durak_core.search.search_result import SearchedAction

_UNSURE: Final = 0.2
"""Largest ratio of under-searched choices to choices that count."""

_Interval: TypeAlias = tuple[float, float, float]
"""A win probability with the lower and the upper end of its 95 % interval."""


@dataclass(frozen=True, slots=True)
class PlayerReport:
    """One player's results.

    Attributes:
        accuracy: 0 to 100; None without evaluations, or with too many under-searched choices.
        counted: Number of choices that mattered.
        unsure: Number of under-searched choices.
        given: Total lost win probability, in games.
        fortune: Total change of win probability by draws and other players: from each played action
            to the next choice's best one, the result last.
    """

    seat: int
    accuracy: float | None
    counted: int
    unsure: int
    marks: Mapping[str, int]
    given: float
    fortune: float


@dataclass(frozen=True)
class Review:
    """The analysis of a game; raises `RecordError` if the game is illegal.

    Args:
        asked: The record's `questions`.
        answers: The evaluations so far: lines, best first, by the ply of the move.
    """

    record: Record
    asked: Sequence[Question]
    answers: Mapping[int, Sequence[SearchedAction]]

    @cached_property
    def evaluations(self) -> Mapping[int, MoveEvaluation]:
        """The evaluations so far, by ply, always including forced moves."""
        found = {}
        for question, after in zip(self.asked, [*self.asked, None][1:], strict=True):
            lines = self.answers.get(question.ply)
            if question.is_free and lines is None:
                continue
            stays = after is not None and after.seat == question.seat and after.is_free
            next_lines = self.answers.get(question.ply + 1) if stays else None
            found[question.ply] = evaluate_move(question, lines or (), next_lines)
        return found

    @property
    def open_plies(self) -> tuple[int, ...]:
        """Plies of the choices not yet evaluated."""
        return tuple(asked.ply for asked in self.asked if asked.is_free and asked.ply not in self.answers)

    @property
    def is_complete(self) -> bool:
        return not self.open_plies

    def curve(self, seat: int) -> dict[int, float]:
        """Return a player's win probability at and after each choice, as the player could know it.

        The keys are numbers of moves played; the last value of a finished game is its result. Values that are
        not known well enough to be shown are left out.
        """
        intervals = self.intervals(seat).items()
        return {played: score for played, (score, low, high) in intervals if high - low <= 2 * KNOWN}

    def intervals(self, seat: int) -> dict[int, _Interval]:
        """Return the values of `curve`, the others included, with their intervals."""
        values = {}
        for ply, evaluation in self.evaluations.items():
            best, played = evaluation.best, evaluation.played
            if evaluation.seat != seat or best is None:
                continue
            values[ply - 1] = best.score, best.low, best.high
            if played is not None and evaluation.unevaluated is None:
                lower = played if played.score <= best.score else best
                values[ply] = lower.score, lower.low, lower.high
        end = self._outcome(seat)
        if end is not None:
            values[len(self.record.moves)] = end, end, end
        return dict(sorted(values.items()))

    def player(self, seat: int) -> PlayerReport:
        own = [one for one in self.evaluations.values() if one.seat == seat and one.best is not None]
        counted = [one for one in own if one.accuracy is not None]
        marks = {mark: sum(one.mark == mark for one in counted) for mark in ("!", "?!", "?", "??")}
        # A move starts at its best action's value; what it does not lose is left for luck to change.
        values = [(one.best.score, one.best.score - one.drop) for one in own if one.best]
        fortune = sum(later - earlier for (_, earlier), (later, _) in pairwise(values))
        end = self._outcome(seat)
        if values and end is not None:
            fortune += end - values[-1][1]
        given = sum(one.drop for one in own)
        unsure = sum(
            one.unevaluated is Unevaluated.TOO_LITTLE for one in self.evaluations.values() if one.seat == seat
        )
        # Without the omitted lines, which are seldom the best, the rest would look too good.
        is_fair = unsure <= _UNSURE * len(counted)
        accuracy = game_accuracy([(one.drop, one.stake) for one in counted]) if is_fair else None
        return PlayerReport(seat, accuracy, len(counted), unsure, marks, given, fortune)

    def annotated(self) -> Record:
        """Return the game with a mark and a comment at every evaluated move.

        Existing marks are kept, and existing comments come first. The tags ``Accuracy0``, ``Accuracy1``, ...
        hold the accuracies.
        """
        record = self.record
        moves = list(record.moves)
        for ply, evaluation in self.evaluations.items():
            move = moves[ply - 1]
            said = evaluation_text(evaluation)
            comment = move.comment if not said or said in move.comment else f"{move.comment} {said}".strip()
            moves[ply - 1] = replace(move, mark=move.mark or evaluation.mark, comment=comment)
        reports = [self.player(seat) for seat in range(record.rules.seats)]
        tags = {f"Accuracy{r.seat}": f"{r.accuracy:.1f}" for r in reports if r.accuracy is not None}
        return replace(record, moves=tuple(moves), tags={**record.tags, **tags})

    def _outcome(self, seat: int) -> float | None:
        """Return 0 for the fool, 1 for the others, 0.5 in a draw; None before the end."""
        result = self.record.result
        if result is None:
            return None
        return 0.5 if result.draw else float(seat not in result.fools)


def evaluation_text(evaluation: MoveEvaluation) -> str:
    """Return an evaluation in a few words; empty for a forced move."""
    best, played = evaluation.best, evaluation.played
    if best is None:
        return ""
    if evaluation.unevaluated is Unevaluated.NO_DIFFERENCE:
        return percent_text(best)
    if evaluation.unevaluated is not None:
        return f"{evaluation.unevaluated.value}; best {best.action} {percent_text(best)}"
    if evaluation.action == best.action or played is None:
        return percent_text(best)
    return f"{percent_text(played)}, best {best.action} {percent_text(best)}"


def percent_text(line: SearchedAction) -> str:
    """Format a win probability as ``54.1% ±1.2``, or as won, draw or lost if it is proved."""
    if line.exact:
        return {1.0: "won", 0.5: "draw", 0.0: "lost"}.get(line.score, f"{line.score:.1%}")
    return f"{line.score:.1%} ±{100 * line.margin:.1f}"


MOST_WORST: Final = 3

_UNKNOWN: Final = frozenset({Unevaluated.TOO_LITTLE, Unevaluated.NOT_LISTED})
"""Choices with an unknown effect on the win probability."""


def worst_moves(review: Review, seat: int) -> tuple[MoveEvaluation, ...]:
    """Return a player's costliest moves, at most three, worst first, each with its reason.

    Moves with distinct reasons and bouts are preferred.
    """
    marked = [one for one in review.evaluations.values() if one.seat == seat and one.mark not in {"", "!"}]
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
    chances = list(review.intervals(seat).items())
    other_side = [n for n, (_, one) in enumerate(chances) if _beyond(one, fair, -way) >= 0]
    if not other_side:
        return None
    chances = chances[other_side[-1] :]
    end = next(n for n, (_, one) in enumerate(chances) if _beyond(one, fair, way) > 0)
    evaluations = review.evaluations
    unknown = {one.ply for one in evaluations.values() if one.seat == seat and one.unevaluated in _UNKNOWN}
    steps = []
    for (ply, before), (last, after) in pairwise(chances[: end + 1]):
        is_sure = after[1] > before[2] if way > 0 else before[1] > after[2]
        if is_sure and ply + 1 not in unknown:
            own = evaluations.get(last) if last == ply + 1 else None
            own = own if own and own.seat == seat else None
            steps.append(TurningPoint(ply, last, before[0], after[0], own))
    return max(steps, key=lambda step: abs(step.after - step.before), default=None)


def _beyond(chance: _Interval, fair: float, way: int) -> float:
    """Return how far the interval lies above par (``way`` 1) or below it (-1)."""
    _, low, high = chance
    return low - fair if way > 0 else fair - high
