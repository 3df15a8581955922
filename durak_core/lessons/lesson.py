"""Lessons (docs/write-lessons.md): parsing, validation by playing them, and a learner's progress."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

from durak_core.actions import Action, Defend, parse_action
from durak_core.cards import Card
from durak_core.errors import DurakError, Message, RecordError, printable
from durak_core.files import MEGABYTE, Name, read_text
from durak_core.game.notation.position_text import read_position
from durak_core.game.record import Move, played
from durak_core.game.state import State
from durak_core.game.state_view import WhyNot, no_turn

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


LARGEST: Final = MEGABYTE >> 4
LONGEST: Final = 300
"""Longest sentences in letters."""
MOST_STEPS: Final = 40
MOST_MOVES: Final = 20
"""Most moves after a right action."""

_ENTRY: Final = re.compile(r"([a-z]+):(.*)")
_LANGUAGE: Final = re.compile(r"(?!do)[a-z]{2}")
_KEY: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_LONGEST_KEY: Final = 40
_CARD: Final = re.compile(r"\{([^{}:]*)(?::(?:acc|dat|gen|ins))?\}")
"""A card in a sentence, and the case in which it is spoken."""
_MOVE: Final = re.compile(r"([0-5]):(\S+)")
_SHIPPED: Final = Path(__file__).parent / "shipped"

_Value = TypeVar("_Value")


def read_lesson(path: Name) -> Lesson:
    """Parse a file with a lesson; raise `LessonError` if malformed, `FileError` if it cannot be read."""
    return parse_lesson(read_text(path, LARGEST), str(path))


def load_lesson(path: Name) -> Lesson:
    """Read a lesson and raise its first fault as a `LessonError`; `FileError` if it cannot be read."""
    lesson = read_lesson(path)
    for fault in faults(lesson):
        raise fault
    return lesson


@cache
def shipped_lessons() -> tuple[Path, ...]:
    """Return the files of the packaged lessons in order."""
    return tuple(sorted(_SHIPPED.glob("*.lesson"), key=lambda path: int(path.name.partition("-")[0])))


def parse_lesson(text: str, file: str) -> Lesson:
    """Parse a lesson; ``file`` names it in errors. Raise `LessonError` if it is malformed."""
    return _Reader(file, text).lesson()


class _Entry(NamedTuple):
    """One ``key: text`` with its line; continuation lines are joined to the text."""

    line: int
    key: str
    text: str


class _Reader:
    """A parser that consumes one entry at a time."""

    def __init__(self, file: str, text: str) -> None:
        self._file = file
        self._entries = list(self._split(text))
        self._next = 0
        self._languages: tuple[str, ...] = ()

    def _error(self, line: int, template: str, **values: object) -> LessonError:
        return LessonError(template, self._file, line, **values)

    def _split(self, text: str) -> Iterator[_Entry]:
        entry: _Entry | None = None
        for number, line in enumerate(text.splitlines(), 1):
            if not line.strip() or line.startswith("#"):
                continue
            if line[0].isspace() and entry is not None:
                entry = entry._replace(text=f"{entry.text} {line.strip()}".strip())
                continue
            if entry is not None:
                yield entry
            found = _ENTRY.fullmatch(line)
            if found is None:
                raise self._error(
                    number,
                    "{text!r}: expected a key, a colon and a text, as in 'en: Go!'; a line that goes on "
                    "from the one before begins with a space",
                    text=line,
                )
            entry = _Entry(number, found[1], found[2].strip())
        if entry is not None:
            yield entry

    def _peek(self) -> str:
        return self._entries[self._next].key if self._next < len(self._entries) else ""

    def _take(self, *keys: str) -> _Entry:
        if self._next == len(self._entries):
            raise LessonError(
                "the file ends where {expected}: is expected", self._file, expected=" or ".join(keys)
            )
        entry = self._entries[self._next]
        if entry.key not in keys:
            raise self._error(
                entry.line,
                "{found}: found where {expected}: is expected",
                found=entry.key,
                expected=": or ".join(keys),
            )
        self._next += 1
        return entry

    def _checked(self, line: int, read: Callable[[str], _Value], text: str) -> _Value:
        try:
            return read(text)
        except DurakError as error:
            raise self._error(line, "{why}", why=error) from None

    def lesson(self) -> Lesson:
        head = self._take("lesson")
        if not _KEY.fullmatch(head.text) or len(head.text) > _LONGEST_KEY:
            raise self._error(
                head.line,
                "lesson: {found!r}: expected a name of small letters, digits and hyphens, as in throw-in, "
                "of at most {most} characters",
                found=head.text,
                most=_LONGEST_KEY,
            )
        title = self._saying(head)
        players = self._players(self._take("players"))
        steps = [self._step()]
        start = steps[0].position
        if start is None:
            raise self._error(
                steps[0].line,
                "step: the first one needs a position (docs/notation.md), such as durak replay --ply prints",
            )
        while self._peek():
            if len(steps) == MOST_STEPS:
                raise self._error(
                    self._entries[self._next].line, "a lesson has at most {most} steps", most=MOST_STEPS
                )
            steps.append(self._step())
        return Lesson(self._file, head.text, title, players, start, tuple(steps))

    def _players(self, entry: _Entry) -> Mapping[str, tuple[str, ...]]:
        self._empty(entry)
        lists = {
            language: tuple([name.strip() for name in str(message).split(",")])
            for language, message in self._saying(entry).texts.items()
        }
        if len(set(map(len, lists.values()))) > 1 or not all(map(all, lists.values())):
            raise self._error(
                entry.line, "players: expected as many names in each language, with commas between them"
            )
        return lists

    def _step(self) -> Step:
        entry = self._take("step")
        position = self._checked(entry.line, read_position, entry.text) if entry.text else None
        saying = self._saying(entry)
        ways = []
        while self._peek() in {"do", "else"}:
            ways.append(self._way())
        return Step(entry.line, position, saying, tuple(ways))

    def _way(self) -> Way:
        entry = self._take("do", "else")
        is_right = entry.key == "do"
        actions = self._checked(entry.line, _actions, entry.text)
        if is_right and not actions:
            raise self._error(entry.line, "do: expected one or more actions, such as 9cx6c or take")
        moves: tuple[Move, ...] = ()
        if is_right and self._peek() == "then":
            moves = self._moves(self._take("then"))
        needs_words = not is_right or _LANGUAGE.fullmatch(self._peek())
        return Way(entry.line, is_right, actions, moves, self._saying(entry) if needs_words else None)

    def _moves(self, entry: _Entry) -> tuple[Move, ...]:
        words = entry.text.split()
        if not 0 < len(words) <= MOST_MOVES:
            raise self._error(
                entry.line, "then: expected 1 to {most} moves, such as 1:take 2:pass", most=MOST_MOVES
            )
        moves = []
        for word in words:
            found = _MOVE.fullmatch(word)
            if found is None:
                raise self._error(
                    entry.line, "then: {word!r}: expected a seat and an action, such as 1:take", word=word
                )
            moves.append(Move(int(found[1]), self._checked(entry.line, parse_action, found[2])))
        return tuple(moves)

    def _empty(self, entry: _Entry) -> None:
        if entry.text:
            raise self._error(
                entry.line, "{key}: expected no value on this line, only on the lines below it", key=entry.key
            )

    def _saying(self, owner: _Entry) -> Saying:
        texts: dict[str, Message] = {}
        while _LANGUAGE.fullmatch(self._peek()):
            entry = self._take(self._peek())
            if entry.key in texts:
                raise self._error(
                    entry.line,
                    "{key}: is there already; a line that goes on begins with a space",
                    key=entry.key,
                )
            texts[entry.key] = self._checked(entry.line, _sentence, entry.text)
        self._languages = self._languages or (ENGLISH, *[code for code in texts if code != ENGLISH])
        for language in self._languages:
            if language not in texts:
                raise self._error(
                    owner.line, "{key}: {language}: is missing below it", key=owner.key, language=language
                )
        for language in texts:
            if language not in self._languages:
                raise self._error(
                    owner.line,
                    "{key}: {language}: is below it, but the lesson's title is not in that language",
                    key=owner.key,
                    language=language,
                )
        return Saying(texts)


def _actions(text: str) -> tuple[Action, ...]:
    return tuple(map(parse_action, text.split()))


def _sentence(text: str) -> Message:
    if not text or len(text) > LONGEST:
        raise DurakError("expected 1 to {most} letters, found {count}", most=LONGEST, count=len(text))
    if printable(text) != text:
        raise DurakError("{text!r}: expected letters and signs that can be shown", text=text)
    if set("{}") & set(_CARD.sub("", text)):
        raise DurakError("{text!r}: braces stand around a card, as in {example}", text=text, example="{9c}")
    return Message(text, **{name: Card.parse(name) for name in _CARD.findall(text)})


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
