"""The parts of a lesson: steps with sentences, a position, and expected actions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from durak_core.actions import Action
from durak_core.errors import DurakError
from durak_core.game.record import Move
from durak_core.game.state import State
from durak_core.messages import Message

LEARNER: Final = 0

ENGLISH: Final = "en"
"""The language of every lesson."""


class LessonError(DurakError):
    """A malformed or illegal lesson; ``line`` counts from 1 and is None for the whole file."""

    def __init__(
        self, template: str | Message, /, file: str = "", line: int | None = None, **values: object
    ) -> None:
        self.file = file
        self.line = line
        what = template if isinstance(template, Message) else Message(template, **values)
        if line is None:
            super().__init__("{file}: {what}", file=file, what=what)
        else:
            super().__init__("{file}, line {line}: {what}", file=file, line=line, what=what)


@dataclass(frozen=True, slots=True)
class Saying:
    """The same sentences in several languages, with English as the fallback; a message's values are cards."""

    texts: Mapping[str, Message]

    def said(self, language: str) -> Message:
        return self.texts.get(language, self.texts[ENGLISH])


@dataclass(frozen=True, slots=True)
class Way:
    """One branch of a step: some of the learner's actions and the response.

    Attributes:
        is_right: Whether it is the step's goal.
        actions: Its actions; none for all actions not named by other ways.
        moves: Moves played after a right action.
        saying: The response, or None.
    """

    line: int
    is_right: bool
    actions: tuple[Action, ...]
    moves: tuple[Move, ...]
    saying: Saying | None


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a lesson.

    Attributes:
        position: Its position; None to continue from the step before.
        saying: The text before the learner's action.
        ways: Its branches; none for a step that is only read.
    """

    line: int
    position: State | None
    saying: Saying
    ways: tuple[Way, ...]

    @property
    def right_ways(self) -> tuple[Way, ...]:
        return tuple([way for way in self.ways if way.is_right])

    def way_of(self, action: Action) -> Way | None:
        named = [way for way in self.ways if action in way.actions]
        return next(iter(named or [way for way in self.ways if not way.actions]), None)


@dataclass(frozen=True, slots=True)
class Lesson:
    """A lesson.

    Attributes:
        key: Its permanent identifier.
        players: By language, the names of seats 1 and up.
        start: The position of the first step.
    """

    file: str
    key: str
    title: Saying
    players: Mapping[str, tuple[str, ...]]
    start: State
    steps: tuple[Step, ...]

    @property
    def languages(self) -> tuple[str, ...]:
        return tuple(self.title.texts)

    def names(self, language: str) -> tuple[str, ...]:
        return self.players.get(language, self.players[ENGLISH])
