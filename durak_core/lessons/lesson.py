"""What a lesson is: steps of some sentences, a position, and what the learner may do there."""

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
"""The seat of whoever learns."""

ENGLISH: Final = "en"
"""The language that every lesson has."""


class LessonError(DurakError):
    """A lesson that does not follow the format, or that the rules do not let happen.

    Attributes:
        file: Where it stands.
        line: The line, counted from 1, or None where it is about the whole file.
    """

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
    """The same sentences in some languages; the values of a message are the cards that it names."""

    texts: Mapping[str, Message]

    def said(self, language: str) -> Message:
        """Return it in a language, or in English where nobody has translated it."""
        return self.texts.get(language, self.texts[ENGLISH])


@dataclass(frozen=True, slots=True)
class Way:
    """What a learner may try in a step.

    Attributes:
        line: Where it stands.
        is_right: Whether the step asks for it.
        actions: Any of them; none for whatever the step's other ways do not name.
        moves: What is played after a right one.
        saying: What is said then; None where nothing is.
    """

    line: int
    is_right: bool
    actions: tuple[Action, ...]
    moves: tuple[Move, ...]
    saying: Saying | None


@dataclass(frozen=True, slots=True)
class Step:
    """One idea.

    Attributes:
        line: Where it stands.
        position: Where it begins; None for where the step before has ended.
        saying: What is said before anything is tried.
        ways: What the learner may try; none for a step that is only read.
    """

    line: int
    position: State | None
    saying: Saying
    ways: tuple[Way, ...]

    @property
    def right_ways(self) -> tuple[Way, ...]:
        return tuple([way for way in self.ways if way.is_right])

    def way_of(self, action: Action) -> Way | None:
        """Return the way that an action goes, if only that of all others; None where nobody speaks of it."""
        named = [way for way in self.ways if action in way.actions]
        return next(iter(named or [way for way in self.ways if not way.actions]), None)


@dataclass(frozen=True, slots=True)
class Lesson:
    """A lesson.

    Attributes:
        file: Where it stands, for errors.
        key: Its name for programs, under which it is remembered.
        players: For each language the names of the others at the table, from seat 1 on.
        start: Where the first step begins.
        steps: One or more.
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
        """Return what the others are called in a language, or in English."""
        return self.players.get(language, self.players[ENGLISH])
