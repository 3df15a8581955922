"""Validation of lessons, by playing them."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Final

from durak_core.actions import Action, Defend
from durak_core.errors import RecordError
from durak_core.game.illegal_reasons import no_turn
from durak_core.game.record import played
from durak_core.game.state import State
from durak_core.lessons.lesson import LEARNER, Lesson, LessonError, Step, Way

_CANNOT_BE_TRIED: Final = "not_in_hand"


def faults(lesson: Lesson) -> Iterator[LessonError]:
    """Yield a lesson's errors in the order of its lines.

    Steps that depend on a faulty step's end are skipped.
    """
    ends: list[State] = []
    for step in lesson.steps:
        if step.position is not None:
            ends = [step.position]
            yield from _table_faults(lesson, step, step.position)
        if len(ends) > 1:
            yield LessonError(
                "step: the one before ends in several ways, so this one needs a position",
                lesson.file,
                step.line,
            )
        elif ends:
            ends = yield from _step_faults(lesson, step, ends[0])


def play_on(state: State, action: Action, way: Way) -> Iterator[State]:
    """Yield the state after a right way's action, and after each move that follows.

    Raises `RecordError` for an illegal move, `IllegalActionError` for an illegal action.
    """
    state = state.apply(action)
    yield state
    for number, move in enumerate(way.moves, 1):
        state = played(state, move, number)
        yield state


def _table_faults(lesson: Lesson, step: Step, state: State) -> Iterator[LessonError]:
    others = state.rules.seats - 1
    names = len(next(iter(lesson.players.values())))
    if names < others:
        yield LessonError(
            "step: {others} others sit at this table, and players: names {names}",
            lesson.file,
            step.line,
            others=others,
            names=names,
        )


def _step_faults(lesson: Lesson, step: Step, state: State) -> Generator[LessonError, None, list[State]]:
    """Yield the errors of a step from a state; return its possible end states."""
    if not step.ways:
        return [state]
    if not step.right_ways:
        yield LessonError("step: else: needs a do: in the same step", lesson.file, step.line)
        return []
    if state.turn != LEARNER:
        yield LessonError(
            "step: the learner is asked to do something, but {why}",
            lesson.file,
            step.line,
            why=no_turn(state.turn),
        )
        return []
    ends: list[State] = []
    is_sound = True
    named: set[Action] = set()
    for way in step.ways:
        for action in way.actions:
            fault = _action_fault(lesson, way, state, action, named)
            named.add(action)
            if fault is None and way.is_right:
                try:
                    *_, end = play_on(state, action, way)
                    ends += [end] if end not in ends else []
                except RecordError as error:
                    fault = LessonError(
                        "then: after {action}: {why}", lesson.file, way.line, action=action, why=error
                    )
            if fault is not None:
                yield fault
                is_sound &= not way.is_right
    unsaid = [action for action in _choices(state) if step.way_of(action) is None]
    if unsaid:
        yield LessonError(
            "step: {action} is allowed here too: say with else: what is wrong with it",
            lesson.file,
            step.line,
            action=unsaid[0],
        )
    return ends if is_sound else []


def _action_fault(
    lesson: Lesson, way: Way, state: State, action: Action, named: set[Action]
) -> LessonError | None:
    key = "do" if way.is_right else "else"
    if action in named:
        return LessonError(
            "{key}: {action} is in this step already", lesson.file, way.line, key=key, action=action
        )
    why = state.why_not(action)
    if why is None or not (way.is_right or why.kind == _CANNOT_BE_TRIED):
        return None
    return LessonError(
        "{key}: {action} is not allowed here: {why}; legal: {legal}",
        lesson.file,
        way.line,
        key=key,
        action=action,
        why=why.message,
        legal=tuple(map(str, state.legal_actions)),
    )


def _choices(state: State) -> list[Action]:
    """Return the learner's actions, with answers to every open card (rules 5.5)."""
    open_cards = [pair.attack for pair in state.table if pair.defence is None]
    answers = [Defend(card, target) for card in state.hands[LEARNER] for target in open_cards[1:]]
    return [*state.legal_actions, *[answer for answer in answers if state.why_not(answer) is None]]
