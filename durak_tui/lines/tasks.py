"""Lessons and puzzles in lines, with the reader and the voice of the games in lines."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from dataclasses import replace
from typing import Generic, TypeVar

from durak_core import TAKE, Action, Card, CardSet, WhyNot
from durak_core.errors import DurakError
from durak_core.lessons.lesson import LEARNER, Lesson, Saying, Tutor
from durak_core.puzzles.puzzle import HiddenPuzzle, Puzzle
from durak_tui.engine import Engines, engine_command
from durak_tui.hints.view.advice import short_action
from durak_tui.learn import view as words
from durak_tui.learn.model import Solving, solving_of
from durak_tui.lines import view
from durak_tui.lines.reading import Console, Order, UnknownWordError, read_line, word
from durak_tui.lines.table import LinesBoard
from durak_tui.play.game import CardOptions, Moment, card_options
from durak_tui.play.setup import person_name
from durak_tui.storage.settings import Settings, SettingsFile
from durak_tui.text.core_messages import core_words
from durak_tui.text.i18n import LANGUAGES, gettext, set_language
from durak_tui.text.phrases import Voice

_TaskT = TypeVar("_TaskT", bound=Tutor | Solving)


def spoken(saying: Saying, voice: Voice, code: str) -> str:
    """Return the text of a saying in a language, with its cards in the voice's words."""
    return saying.said(code).said(str, lambda value: voice.card(value) if isinstance(value, Card) else value)


class TaskBoard(LinesBoard, Generic[_TaskT]):
    """A position that asks for an action, until its task is over."""

    def __init__(self, console: Console, settings: Settings, task: _TaskT) -> None:
        super().__init__(console, lambda: settings)
        self._task = task
        self._tried: list[Action] = []

    @property
    @abstractmethod
    def others(self) -> tuple[str, ...]:
        """The names of the other seats, from the one after the player's."""

    @property
    def seat(self) -> int:
        return LEARNER

    @property
    def open_hands(self) -> tuple[CardSet, ...] | None:
        """All hands, if the task shows them."""
        return None

    @property
    def moment(self) -> Moment:
        state, seat = self._task.state, self.seat
        others = iter(self.others)
        names = [
            person_name(self._settings()) if one == seat else next(others) for one in range(state.rules.seats)
        ]
        seen = replace(state.observation(seat), hands=self.open_hands)
        options = card_options(state.why_not, seen) if self.is_waiting else CardOptions()
        return Moment(seen, tuple(names), options, ply=state.plies, last_ply=state.plies, human=seat)

    def why_not(self, action: Action) -> WhyNot | None:
        return self._task.state.why_not(action)

    def submit(self, action: Action) -> WhyNot | None:
        self._tried.append(action)
        return None

    def _take_up(self, _order: Order) -> None:
        """Take without a confirmation: the answer follows at once."""
        self.submit(TAKE)

    @abstractmethod
    async def attempt(self, action: Action) -> None:
        """Answer an action."""

    @abstractmethod
    async def go_on(self) -> None:
        """Go on after a step that asks for nothing, or show the position again."""

    def tell_position(self) -> None:
        moment, voice = self.moment, self.voice
        observation = moment.observation
        say = self._console.say
        say(view.trump_line(observation, voice), view.left_line(observation, voice))
        say(*view.table_lines(moment, voice), *view.players_lines(moment, voice))
        say(view.hand_line(observation, voice, self._settings()))

    async def run(self) -> bool:
        """Ask until the task is over; return False if the input ends or the player leaves before."""
        while not self._task.is_over:
            line = await self._console.hear()
            if line is None:
                return False
            if not line.strip() and not self.is_waiting:
                await self.go_on()
                continue
            try:
                order = read_line(line)
            except UnknownWordError as error:
                self._console.say(str(error))
                continue
            if order.name == "quit":
                return False
            await self._obey(order)
        return True

    async def _obey(self, order: Order) -> None:
        if order.name == "help":
            self._console.say(*view.help_lines())
        elif order.name == "next" and not self.is_waiting:
            await self.go_on()
        elif not await self.answer(order):
            self._console.say(gettext("“{word}” is for a game.", word=word(order.name)))
        for action in self._tried:
            await self.attempt(action)
        self._tried.clear()

    def tell_news(self, before: int) -> None:
        self._console.say(*view.news_lines(self.moment, self.voice, before))


class LessonBoard(TaskBoard[Tutor]):
    """Runs a lesson step by step; a wrong answer can be repeated."""

    def __init__(self, console: Console, settings: Settings, lesson: Lesson, code: str) -> None:
        super().__init__(console, settings, Tutor(lesson))
        self._code = code

    @property
    def others(self) -> tuple[str, ...]:
        return self._task.lesson.names(self._code)[: self._task.state.rules.seats - 1]

    @property
    def is_waiting(self) -> bool:
        return self._task.is_waiting

    def start(self) -> None:
        self._console.say(view.sentence(spoken(self._task.lesson.title, self.voice, self._code)))
        self._tell_step()

    def _tell_step(self) -> None:
        tutor = self._task
        number = gettext("Step {step} of {steps}.", step=tutor.number, steps=len(tutor.lesson.steps))
        self._console.say(number)
        if tutor.step.position is not None or tutor.number == 1:
            self.tell_position()
        self._console.say(spoken(tutor.step.saying, self.voice, self._code))
        self._ask()

    def _ask(self) -> None:
        if self.is_waiting:
            self._console.say(view.question(self.moment, self.voice))
        else:
            self._console.say(gettext("Press Enter to go on."))

    async def attempt(self, action: Action) -> None:
        before = len(self.moment.observation.events)
        answer = self._task.attempt(action)
        if answer.why is not None:
            self._refuse(answer.why, getattr(action, "card", None), getattr(action, "target", None))
        if answer.states:
            self.tell_news(before)
        if answer.saying is not None:
            self._console.say(spoken(answer.saying, self.voice, self._code))
        if not self.is_waiting:
            self._ask()

    async def go_on(self) -> None:
        self._task.go_on()
        if not self._task.is_over:
            self._tell_step()


class PuzzleBoard(TaskBoard[Solving]):
    """Asks for the moves of a puzzle's solution."""

    @property
    def others(self) -> tuple[str, ...]:
        numbers = range(2, self._task.state.rules.seats + 1)
        return tuple([gettext("Player {number}", number=number) for number in numbers])

    @property
    def seat(self) -> int:
        return self._task.puzzle.state.turn or 0

    @property
    def open_hands(self) -> tuple[CardSet, ...] | None:
        return self._task.open_hands

    async def start(self) -> None:
        await self._task.begin()
        self.tell_position()
        self._console.say(words.puzzle_task(self._task))
        self._console.say(gettext("To see the answer, type {word}.", word=word("show")))

    async def _obey(self, order: Order) -> None:
        if order.name == "show" and not order.cards:
            self._task.failed = True
            await self.attempt(self._task.answer)
        else:
            await super()._obey(order)

    async def attempt(self, action: Action) -> None:
        solving = self._task
        before = len(self.moment.observation.events)
        named = short_action(action, self.voice)
        if not await solving.accepts(action):
            self._console.say(view.sentence(words.wrong_words(solving, action, self.voice)))
            return
        if not self._task.is_over:
            self._console.say(view.stated("{action}: right. Go on.", action=named))
            self.tell_news(before)
            self._console.say(view.question(self.moment, self.voice))
            return
        themes = words.theme_words(solving.puzzle.themes)
        said = (words.end_words(solving, self.voice), words.other_words(solving, self.voice), themes)
        self._console.say(*map(view.sentence, filter(None, said)))

    async def go_on(self) -> None:
        self.tell_position()


def _settings(code: str) -> Settings:
    """Return the player's settings, and speak a language; English if the app does not have it."""
    set_language(code if code in LANGUAGES else "en")
    return SettingsFile().load()


def play_lesson(lesson: Lesson, code: str) -> bool:
    """Play a lesson on the standard streams in a language; return whether it was finished."""
    board = LessonBoard(Console(), _settings(code), lesson, code)
    board.start()
    return asyncio.run(board.run())


def solve_puzzle(number: int, puzzle: Puzzle | HiddenPuzzle, code: str) -> bool:
    """Let the player solve a puzzle on the standard streams; return whether it is over."""

    async def solve() -> bool:
        console, engines = Console(), Engines(engine_command())
        try:
            board = PuzzleBoard(console, _settings(code), solving_of(number, puzzle, engines.adviser))
            await board.start()
            return await board.run()
        except DurakError as error:
            console.say(view.sentence(core_words(error)))
            return False
        finally:
            await engines.close()

    return asyncio.run(solve())
