"""The evaluation of moves and of a whole game: marks, accuracies, turning points.

>>> round(move_accuracy(0.0, 0.2)), round(move_accuracy(0.05, 0.2)), round(move_accuracy(0.2, 0.2))
(100, 64, 17)
>>> round(game_accuracy([(0.0, 0.2), (0.0, 0.1), (0.2, 0.2)]))
52

>>> from durak_core.actions import PASS, TAKE
>>> best = SearchedAction(TAKE, 0.70, low=0.68, high=0.72)
>>> played = SearchedAction(PASS, 0.52, low=0.50, high=0.54)
>>> mark_of(best, played)
'??'
>>> mark_of(replace(best, low=0.40, high=0.90), replace(played, low=0.20, high=0.84))
''
>>> is_known(best), is_known(replace(best, low=0.50, high=0.90))
(True, False)
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from itertools import pairwise
from typing import Final, TypeAlias

from durak_core.actions import Action
from durak_core.agents.simple import greedy_decision
from durak_core.errors import Message
from durak_core.game.observation import Observation
from durak_core.game.real_game import reporting_seat
from durak_core.game.record import Record
from durak_core.game.state import State
from durak_core.review.reasons import Comparison, foreseeable, known_reason, reason_of
from durak_core.search.search_result import SearchedAction


@dataclass(frozen=True, slots=True)
class Question:
    """A move to evaluate: its number from 1, the state before it, and the choice of ``greedy``."""

    ply: int
    state: State
    action: Action
    obvious: Action

    @property
    def observation(self) -> Observation:
        """The player's observation, computed at each call, since observations do not share their events."""
        return self.state.observation(self.seat)

    @property
    def seat(self) -> int:
        return self.state.turn or 0

    @property
    def is_free(self) -> bool:
        return len(self.state.legal_actions) > 1


def questions(record: Record, states: Sequence[State] = ()) -> tuple[Question, ...]:
    """Return a question for each move of a legal game, forced moves included.

    With real cards, only the reporting seat's observations are known, so only its moves are asked about.
    """
    played = zip(states or record.replay(), record.moves, strict=False)
    seat = reporting_seat(record)
    return tuple([question_of(state, move.action) for state, move in played if seat in {None, move.seat}])


def question_of(state: State, action: Action) -> Question:
    """Return the question for a legal action in a state whose game is not over."""
    observation = state.observation(state.turn or 0)
    return Question(state.plies + 1, state, action, greedy_decision(observation).action)


AT_STAKE: Final = 0.05
"""Loss of the worst action from which a choice matters."""

_SLOPE: Final = 4.0
"""Decay of accuracy with the relative loss."""


def move_accuracy(drop: float, stake: float) -> float:
    """Return a move's accuracy, 0 to 100, from its loss and the worst action's loss, above 0."""
    return 100 * math.exp(-_SLOPE * drop / math.sqrt(stake))


def game_accuracy(choices: Sequence[tuple[float, float]]) -> float | None:
    """Return a player's accuracy, 0 to 100, from each choice's loss and stake; None without choices.

    This is the geometric mean of the moves' accuracies, weighted by the square roots of their stakes.
    """
    weight = math.fsum(math.sqrt(stake) for _, stake in choices)
    given = math.fsum(drop for drop, _ in choices)
    return 100 * math.exp(-_SLOPE * given / weight) if choices else None


DROPS: Final = (("??", 0.15), ("?", 0.10), ("?!", 0.05))
"""Marks and the loss of win probability for each."""

_ONLY_MOVE: Final = 0.10
"""Gap to the second-best action that makes the best one an only move."""
_NOTICED: Final = 0.02
"""Loss from which an action counts as worse in a hint."""
_WIDE: Final = 0.5
"""Wider intervals do not count."""
KNOWN: Final = 0.08
"""Half-width of an interval up to which a value is known well enough to be shown."""
_ERROR: Final = 0.03
"""Error of a compared loss, which more search hardly reduces (benchmarks/marks.py)."""
_AGREED: Final = 0.75
"""Share of a grave mark's threshold that the lower end of a compared loss reaches."""
COMPARISONS: Final = (1, 4, 1)
"""Lengths of a doubtful move's comparisons. The later ones confirm a grave mark."""
BY_PLAYOUTS: Final = 2
"""Index of the comparison by playouts, which seldom err like a network."""
_ALIKE: Final = 0.9
"""Least ratio of the visits of compared actions; several threads may end at slightly different ones."""
_ROUNDING: Final = 1e-9
"""Tolerance, so that 0.70 - 0.55 counts as 0.15."""


class Unevaluated(Enum):
    """Why a move has no evaluation."""

    NO_CHOICE = "there was no choice"
    NO_DIFFERENCE = "every action leads to the same result"
    TOO_LITTLE = "it was searched too little to be evaluated"
    NOT_LISTED = "it cannot be compared with the others"


@dataclass(frozen=True, slots=True)
class MoveEvaluation:
    """The evaluation of one move.

    Attributes:
        ply: The move's number, from 1.
        best: The best action's evaluation; None for a forced move.
        played: The played action's evaluation, or None if unknown.
        stake: The worst action's loss of win probability.
        mark: ``??``, ``?``, ``?!``, ``!`` or empty.
        unevaluated: Why it does not count, or None.
        reason: Why the best action is better; for ``!`` why the obvious action, `instead`, is worse.
            None without a mark.
    """

    ply: int
    seat: int
    action: Action
    best: SearchedAction | None = None
    played: SearchedAction | None = None
    stake: float = 0.0
    mark: str = ""
    unevaluated: Unevaluated | None = None
    reason: Message | None = None
    instead: Action | None = None

    @property
    def drop(self) -> float:
        """The move's loss of win probability, 0 to 1."""
        if self.best is None or self.played is None or self.unevaluated is not None:
            return 0.0
        return max(0.0, self.best.score - self.played.score)

    @property
    def is_grave(self) -> bool:
        """Whether the mark is ``?`` or ``??``."""
        return self.mark in {"?", "??"}

    @property
    def is_doubtful(self) -> bool:
        """Whether the move may be a mistake, and was not yet compared with the best one."""
        best, played = self.best, self.played
        if best is None or played is None or self.unevaluated is not None:
            return self.unevaluated is Unevaluated.TOO_LITTLE
        if self.action == best.action or _are_compared(best, played):
            return False
        return best.score - played.score + _spread(best, played) + _ROUNDING >= DROPS[1][1]

    def comparison(self, done: int) -> int:
        """Return the length of the next comparison with the best move, in search times; 0 if none is due.

        Args:
            done: Number of comparisons made.
        """
        best, played = self.best, self.played
        is_proved = best is not None and played is not None and _are_proved(best, played)
        is_due = self.is_grave and not is_proved if done else self.is_doubtful
        return COMPARISONS[done] if is_due and done < len(COMPARISONS) else 0

    @property
    def compared(self) -> tuple[Action, ...]:
        """The best and the played action, to be compared by a longer search; empty if either is unknown."""
        best, played = self.best, self.played
        return (best.action, played.action) if best and played and best.action != played.action else ()

    @property
    def accuracy(self) -> float | None:
        """The move's accuracy, 0 to 100; None if it does not count or nothing was at stake."""
        matters = self.unevaluated is None and self.stake + _ROUNDING >= AT_STAKE
        return move_accuracy(self.drop, self.stake) if matters else None


def is_known(line: SearchedAction) -> bool:
    """Return whether a value is known well enough to be shown as a figure."""
    return line.exact or line.margin <= KNOWN


def mark_of(best: SearchedAction, played: SearchedAction) -> str:
    """Return the mark of a mistake, or "".

    A compared loss reaches the mildest mark's threshold, or a graver one's by `_ERROR`. The lower end of the
    loss's interval reaches `_AGREED` of that, without a comparison half of any threshold.
    """
    drop = best.score - played.score
    if _are_proved(best, played):
        return _mark_for(drop)
    least = drop - _spread(best, played)
    if _are_compared(best, played):
        return _mark_for(min(drop - _ERROR, least / _AGREED)) or _mark_for(min(drop, DROPS[-1][1]))
    return _mark_for(min(drop, 2 * least))


def _are_compared(best: SearchedAction, played: SearchedAction) -> bool:
    """Return whether both are proved, or were searched equally often: a search prefers the better one."""
    return _are_proved(best, played) or played.visits > _ALIKE * best.visits


def _are_proved(best: SearchedAction, played: SearchedAction) -> bool:
    return best.exact and played.exact


def _mark_for(drop: float) -> str:
    return next((mark for mark, least in DROPS if drop + _ROUNDING >= least), "")


def _spread(best: SearchedAction, played: SearchedAction) -> float:
    """Return how far the loss's 95 % interval reaches down, from the two moves' intervals."""
    return math.hypot(best.score - best.low, played.high - played.score)


def with_comparison(
    lines: Sequence[SearchedAction], compared: Sequence[SearchedAction]
) -> tuple[SearchedAction, ...]:
    """Return a position's lines with the new lines of compared actions, the best compared one first."""
    tried = {line.action: line for line in compared if line.is_tried}
    rest = [tried.get(line.action, line) for line in lines if line.action != compared[0].action]
    return (compared[0], *rest)


def with_playouts(
    lines: Sequence[SearchedAction], compared: Sequence[SearchedAction]
) -> tuple[SearchedAction, ...]:
    """Return a position's lines after a comparison by playouts of the best action with another.

    Values stay, and the other action's interval reaches the loss that the playouts found.
    """
    best = lines[0]
    scores = {line.action: line.score for line in compared if line.is_tried}
    found = []
    for line in lines:
        if line is not best and {line.action, best.action} <= scores.keys():
            end = min(1.0, best.score - scores[best.action] + scores[line.action])
            found.append(replace(line, high=max(line.high, end)))
        else:
            found.append(line)
    return tuple(found)


def evaluate_move(
    question: Question, lines: Sequence[SearchedAction], next_lines: Sequence[SearchedAction] | None = None
) -> MoveEvaluation:
    """Evaluate a move.

    Args:
        question: The move.
        lines: The evaluation of the position before it, best first, with a line for each legal action;
            ignored for a forced move.
        next_lines: The evaluation of the position after it, if the same seat is to act. It replaces the
            missing line of an answer to another attack card than the oldest; the order of answers
            changes nothing (rules 5.5).
    """
    if not question.is_free or not lines:
        return _unevaluated(question, Unevaluated.TOO_LITTLE if question.is_free else Unevaluated.NO_CHOICE)
    best = lines[0]
    own = next((line for line in lines if line.action == question.action), None)
    played = own or (next_lines[0] if next_lines else None)
    if played is None:
        return _unevaluated(question, Unevaluated.NOT_LISTED, best)
    if all(line.exact and line.score == best.score for line in lines):
        return _unevaluated(question, Unevaluated.NO_DIFFERENCE, best, best)
    doubtful = played.high - played.low > _WIDE and not best.is_surely_above(played)
    if doubtful and played is not best:
        return _unevaluated(question, Unevaluated.TOO_LITTLE, best, played)
    worst = min([played.score, *(line.score for line in lines if line.is_tried)])
    made = MoveEvaluation(question.ply, question.seat, question.action, best, played, best.score - worst)
    if _is_only_move(question, lines):
        obvious = next((line for line in lines if line.action == question.obvious), None)
        reason = _reason(question, question.obvious, obvious, best) if obvious else None
        return replace(made, mark="!", reason=reason, instead=question.obvious)
    mark = mark_of(best, played)
    return replace(made, mark=mark, reason=_reason(question, question.action, played, best)) if mark else made


def _reason(question: Question, action: Action, line: SearchedAction, best: SearchedAction) -> Message:
    ahead = line.continuation, best.continuation
    return reason_of(Comparison(question.observation, action, best.action, *ahead, _proved(line, best)))


def _proved(line: SearchedAction, best: SearchedAction) -> tuple[float, float] | None:
    return (line.score, best.score) if _are_proved(best, line) else None


def reason_for_best(
    observation: Observation, lines: Sequence[SearchedAction]
) -> tuple[Action, Message | None] | None:
    """Return a worse action and why the best one, the first line, is better; None if all are about equal.

    The choice of the agent ``greedy`` comes first if it is worse, then the others as listed. The message is
    None if no reason applies. Unlike a review, it names no card that the player has not seen.
    """
    best, others = lines[0], [line for line in lines[1:] if line.is_tried]
    worse = [line for line in others if best.score - line.score + _ROUNDING >= _NOTICED]
    if not worse:
        return None
    obvious = greedy_decision(observation).action
    worse.sort(key=lambda line: line.action != obvious)
    for line in worse:
        after_line, after_best = (foreseeable(observation, one.continuation) for one in (line, best))
        compared = Comparison(
            observation, line.action, best.action, after_line, after_best, _proved(line, best)
        )
        reason = known_reason(compared)
        if reason is not None:
            return line.action, reason
    return worse[0].action, None


def _unevaluated(
    question: Question,
    why: Unevaluated,
    best: SearchedAction | None = None,
    played: SearchedAction | None = None,
) -> MoveEvaluation:
    return MoveEvaluation(question.ply, question.seat, question.action, best, played, unevaluated=why)


def _is_only_move(question: Question, lines: Sequence[SearchedAction]) -> bool:
    """Return whether the only good action was played although it is not the obvious one."""
    best = lines[0]
    if question.action != best.action or question.action == question.obvious:
        return False
    return all(
        best.is_surely_above(line) and best.score - line.score + _ROUNDING >= _ONLY_MOVE for line in lines[1:]
    )


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
            next_one = question.ply + 1, question.seat
            stays = after is not None and (after.ply, after.seat) == next_one and after.is_free
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
