"""The progress of a learner through a lesson."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from durak_core.actions import Action
from durak_core.game.illegal_reasons import WhyNot
from durak_core.game.state import State
from durak_core.lessons.checking import play_on
from durak_core.lessons.lesson import Lesson, LessonError, Saying, Step


class Verdict(Enum):
    """The verdict on an action."""

    RIGHT = "right"
    OTHER = "other"
    """Legal, but not the goal."""
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Answer:
    """The response to an action.

    Attributes:
        saying: The lesson's text, or None.
        why: Why the rules forbid the action, or None.
        states: After a right action, the state after it and after each move that follows.
    """

    verdict: Verdict
    saying: Saying | None
    why: WhyNot | None = None
    states: tuple[State, ...] = ()


class Tutor:
    """Runs a valid lesson step by step; a wrong action can be retried.

    ``state`` holds all cards; the learner sees it from the seat `LEARNER`.
    """

    def __init__(self, lesson: Lesson) -> None:
        self.lesson = lesson
        self.state = lesson.start
        self.is_answered = False
        self.is_over = False
        self._begun = [lesson.start]

    @property
    def number(self) -> int:
        return len(self._begun)

    @property
    def step(self) -> Step:
        return self.lesson.steps[self.number - 1]

    @property
    def is_waiting(self) -> bool:
        return bool(self.step.ways) and not self.is_answered

    def attempt(self, action: Action) -> Answer:
        """Try an action; only a right one changes the state. Raise `LessonError` if none is expected."""
        way = self.step.way_of(action) if self.is_waiting else None
        why = self.state.why_not(action)
        if why is not None and self.is_waiting:
            named = way is not None and action in way.actions
            return Answer(Verdict.REFUSED, way.saying if way and named else None, why)
        if way is None:
            raise LessonError("nothing is asked for here", self.lesson.file, self.step.line)
        if not way.is_right:
            return Answer(Verdict.OTHER, way.saying)
        states = tuple(play_on(self.state, action, way))
        self.state = states[-1]
        self.is_answered = True
        return Answer(Verdict.RIGHT, way.saying, states=states)

    def go_on(self) -> None:
        """Start the next step, or end the lesson; raise `LessonError` if an action is expected."""
        if self.is_waiting:
            raise LessonError("an answer is asked for here", self.lesson.file, self.step.line)
        if self.number == len(self.lesson.steps):
            self.is_over = True
            return
        following = self.lesson.steps[self.number].position
        self._begun.append(following or self.state)
        self._begin()

    def go_back(self) -> None:
        """Restart this step, or return to the one before if nothing has been answered."""
        if not self.is_answered and self.number > 1 and not self.is_over:
            self._begun.pop()
        self._begin()

    def _begin(self) -> None:
        self.state = self._begun[-1]
        self.is_answered = False
        self.is_over = False
