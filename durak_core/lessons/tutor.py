"""Who tells a lesson: what is said now, what an answer leads to, and how far the learner has come."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from durak_core.actions import Action
from durak_core.game.refusals import WhyNot
from durak_core.game.state import State
from durak_core.lessons.checking import play_on
from durak_core.lessons.lesson import Lesson, LessonError, Saying, Step


class Verdict(Enum):
    """What an answer is."""

    RIGHT = "right"
    """What the step asks for, or one of several such things."""
    OTHER = "other"
    """Allowed, but something else is asked for."""
    REFUSED = "refused"
    """Against the rules."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What becomes of what a learner has tried.

    Attributes:
        saying: What the lesson says of it; None where it says nothing.
        why: Why the rules refuse it; None where they do not.
        states: After a right answer the state after it, and after each move of the others that follows.
    """

    verdict: Verdict
    saying: Saying | None
    why: WhyNot | None = None
    states: tuple[State, ...] = ()


class Tutor:
    """Tells a lesson that has no `faults`, step by step; what was not right may be tried again.

    Attributes:
        state: What lies on the table; the learner sees it as seat `LEARNER` does.
        is_answered: Whether the step has had a right answer.
        is_over: Whether the learner has gone on from the last step.
    """

    def __init__(self, lesson: Lesson) -> None:
        self.lesson = lesson
        self.state = lesson.start
        self.is_answered = False
        self.is_over = False
        self._begun = [lesson.start]

    @property
    def number(self) -> int:
        """The number of the step, from 1."""
        return len(self._begun)

    @property
    def step(self) -> Step:
        return self.lesson.steps[self.number - 1]

    @property
    def is_waiting(self) -> bool:
        """Whether an answer is asked for before the learner may go on."""
        return bool(self.step.ways) and not self.is_answered

    def attempt(self, action: Action) -> Answer:
        """Try an action; only a right one changes anything.

        Raises:
            LessonError: If nothing is asked for.
        """
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
        """Begin the next step, or end the lesson.

        Raises:
            LessonError: If an answer is asked for.
        """
        if self.is_waiting:
            raise LessonError("an answer is asked for here", self.lesson.file, self.step.line)
        if self.number == len(self.lesson.steps):
            self.is_over = True
            return
        following = self.lesson.steps[self.number].position
        self._begun.append(following or self.state)
        self._begin()

    def go_back(self) -> None:
        """Begin this step anew or, where nothing has been answered yet, the one before."""
        if not self.is_answered and self.number > 1 and not self.is_over:
            self._begun.pop()
        self._begin()

    def _begin(self) -> None:
        self.state = self._begun[-1]
        self.is_answered = False
        self.is_over = False
