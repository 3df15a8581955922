"""Puzzles, and the player's own mistakes: positions with a move to find."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar, Final

from rich.text import Text

from durak_core import Action
from durak_core.errors import DurakError, Message, printable
from durak_tui.engine import in_thread, turn_of
from durak_tui.hints.view.advice import short_action
from durak_tui.learn import model
from durak_tui.learn import view as words
from durak_tui.learn.model import Exercise, Exercises, ExerciseVerdict, PuzzleStanding, Solving, now
from durak_tui.learn.screens.lesson import TaskScreen
from durak_tui.library.model.entries import game_key
from durak_tui.library.model.store import Library
from durak_tui.play.game import Moment
from durak_tui.play.setup import person_name
from durak_tui.players import called, fit_names, recorded_players, shown_names
from durak_tui.review.model import ReviewGame
from durak_tui.text.core_messages import core_words
from durak_tui.text.i18n import date_text, gettext, pgettext, translate
from durak_tui.ui.screens.base import AppContext, start_work
from durak_tui.ui.screens.dialogs import Pick
from durak_tui.ui.view.board_data import ButtonView, Look, PromptView, TableView


class MistakesScreen(TaskScreen, place="mistakes"):
    """Asks for a better move than the one played, with unlimited attempts."""

    def __init__(self, exercises: Exercises, first: Exercise) -> None:
        super().__init__()
        self._exercises = exercises
        self._take_up(first)

    def _take_up(self, exercise: Exercise) -> None:
        self.exercise = exercise
        self._tried: Action | None = None
        """The last answer, or None after a hint or the solution."""
        self._has_hint = self._is_settled = self._is_kept = self.is_over = False
        self._days: int | None = None

    # Drawing

    @property
    def is_my_turn(self) -> bool:
        return not self.is_over

    @property
    def moment(self) -> Moment:
        exercise = self.exercise
        players = recorded_players(exercise.record)
        names = shown_names(fit_names(exercise.record.players), players)
        return replace(self.moment_of(exercise.state, exercise.seat, names), players=players)

    @property
    def look(self) -> Look:
        """Show the publicly known cards: the player has not just seen the moves that revealed them."""
        return replace(super().look, seen=True)

    @property
    def heading(self) -> str:
        fields = {"number": self._exercises.number, "count": self._exercises.count}
        date = printable(date_text(self.exercise.record.date))
        if not date:
            return gettext("Your mistakes: {number} of {count}", **fields)
        return gettext("Your mistakes: {number} of {count}, game of {date}", date=date, **fields)

    def said(self) -> Iterator[Text]:
        exercise, voice = self.exercise, self.voice
        yield Text(words.mistake_task(exercise, voice))
        if self._tried is not None:
            answered = words.answer_words(exercise, self._tried, voice)
            yield Text(answered, self.style_of("success" if self.is_over else "warning"))
        elif self.is_over:
            yield Text(words.solution_words(exercise, voice), self.style_of("warning"))
        elif self._has_hint:
            yield Text(words.hint_words(exercise, voice))

    def extra_buttons(self) -> tuple[ButtonView, ...]:
        hint = () if self._has_hint else (ButtonView("hint", gettext("Hint")),)
        return (*hint, ButtonView("answer", gettext("Answer")))

    def pause(self, view: TableView) -> PromptView:
        del view
        is_last = self._exercises.number == self._exercises.count
        buttons = (
            ButtonView("play", pgettext("mistakes", "Done") if is_last else gettext("Next")),
            ButtonView("review", pgettext("button", "Review")),
        )
        is_found = self._tried is not None
        text = gettext("You have found it.") if is_found else gettext("Have a look, then go on.")
        return PromptView(text, "turn", words.return_words(self._days) if self._is_kept else "", buttons)

    def offers(self, action: str) -> bool:
        has_hint = not self.is_over and not self._has_hint
        offered = {"hint": has_hint, "answer": not self.is_over, "review": self.is_over}
        return offered.get(action, super().offers(action))

    # Answering

    def submit(self, action: Action) -> None:
        why = self.exercise.state.why_not(action)
        if why is not None:
            self.refuse(why)
            return
        verdict = self.exercise.verdict(action)
        self._tried = action
        if verdict is not ExerciseVerdict.RIGHT:
            self.app.bell()
        if verdict is not ExerciseVerdict.UNKNOWN:
            self._end(is_solved=verdict is ExerciseVerdict.RIGHT, is_over=verdict is ExerciseVerdict.RIGHT)
        self.forget_choices()
        self.show_from_top()

    def _end(self, *, is_solved: bool, is_over: bool = True) -> None:
        self.is_over = is_over
        if not self._is_settled:
            self._is_settled = True
            start_work(self.app, self._settle, self.exercise, is_solved, self._has_hint)

    async def _settle(self, exercise: Exercise, is_solved: bool, with_hint: bool) -> None:
        def store(library: Library) -> tuple[int | None]:
            return (model.settle(library, exercise.mistake, now(), is_solved=is_solved, with_hint=with_hint),)

        kept = await self.host.library.query(store)
        if kept is not None and self.exercise is exercise:
            (self._days,), self._is_kept = kept, True
            self.redraw()

    def action_hint(self) -> None:
        if not self.is_over:
            self._has_hint, self._tried = True, None
            self.show_from_top()

    def action_answer(self) -> None:
        """Show the best move. The task then counts as unsolved."""
        if not self.is_over:
            self._tried = None
            self._end(is_solved=False)
            self.forget_choices()
            self.show_from_top()

    def action_review(self) -> None:
        if self.is_over:
            self.host.show_review(self.exercise.record, self.exercise.seat, self.exercise.mistake.ply - 1)

    # The next mistake

    def go_on(self) -> None:
        start_work(self, self._next, group="next", exclusive=True)

    async def _next(self) -> None:
        exercise = await _following(self.host, self._exercises)
        if exercise is None:
            self.dismiss()
            return
        self._take_up(exercise)
        self.forget_choices()
        self.show_from_top()


async def open_mistakes(host: AppContext, game: ReviewGame | None = None) -> MistakesScreen | None:
    """Return a screen for the due mistakes, or for a reviewed game's mistakes.

    Shows a notice and returns None if there are none.
    """
    turn = turn_of(asyncio.get_running_loop())

    def look(library: Library) -> tuple[Exercises, list[Message]]:
        problems = model.find_mistakes(library, turn)
        return Exercises(library, "" if game is None else game_key(game.record)), problems

    if game is not None:
        await game.remember(host.library)
    await host.library.collect()
    found = await host.library.query(look)
    if found is None:
        return None
    exercises, problems = found
    for problem in problems:
        host.tell(core_words(problem))
    first = await _following(host, exercises)
    if first is None:
        host.tell(gettext("No mistakes to fix right now."))
        return None
    return MistakesScreen(exercises, first)


async def _following(host: AppContext, exercises: Exercises) -> Exercise | None:
    problems: list[Message] = []
    exercise = await host.library.query(lambda _library: exercises.following(problems))
    for problem in problems:
        host.tell(core_words(problem))
    return exercise


_OTHER: Final = "level:nina"
"""The opponent who plays the other hand: she solves endgames exactly."""


class PuzzleScreen(TaskScreen, place="puzzle"):
    """Shows puzzles one after another. Only the first attempt at each counts.

    Args:
        solving: The first puzzle.
        kind: The kind of puzzles, from `KINDS`.
        seen: Positions shown so far.
        standing: The player's results.
    """

    LOG: ClassVar[bool] = False

    def __init__(self, solving: Solving, kind: str, seen: set[str], standing: PuzzleStanding) -> None:
        super().__init__()
        self._standing = standing
        self._kind, self._seen = kind, seen
        self._take_up(solving)

    def _take_up(self, solving: Solving) -> None:
        self._solving = solving
        self._words = ""
        self._is_right = self._is_busy = self._is_wrong = self._is_kept = False

    def on_mount(self) -> None:
        start_work(self, self._prepare, group="solve", exclusive=True)

    # Drawing

    @property
    def is_my_turn(self) -> bool:
        return not (self._is_busy or self._is_wrong or self._solving.is_over)

    @property
    def moment(self) -> Moment:
        solving = self._solving
        seat = solving.puzzle.state.turn or 0
        names = [called(_OTHER)] * solving.state.rules.seats
        names[seat] = person_name(self.host.settings)
        return replace(self.moment_of(solving.state, seat, names), open_hands=solving.open_hands)

    @property
    def look(self) -> Look:
        """Show the publicly known cards: the player has not seen the moves that revealed them."""
        return replace(super().look, seen=True)

    @property
    def heading(self) -> str:
        heading = words.heading_words(self._solving, self._standing, ascii_only=self.host.settings.ascii)
        title, themes = model.KINDS[self._kind]
        return f"{heading}  {translate(title)}" if themes else heading

    def said(self) -> Iterator[Text]:
        solving = self._solving
        if solving.is_over:
            end = words.end_words(solving, self.voice)
            yield Text(end, self.style_of("warning" if solving.failed else "success"))
            more = words.other_words(solving, self.voice), words.theme_words(solving.puzzle.themes)
            yield from map(Text, filter(None, more))
            return
        yield Text(words.puzzle_task(solving))
        if self._words:
            yield Text(self._words, self.style_of("success" if self._is_right else "warning"))

    def pause(self, view: TableView) -> PromptView:
        del view
        following = ButtonView("next", gettext("Next"))
        if self._solving.is_over:
            is_whole = not isinstance(self._solving, model.HiddenSolving)
            text = gettext("That was the last move.") if is_whole else gettext("Have a look, then go on.")
            return PromptView(text, "turn", buttons=(following,))
        if self._is_busy:
            return PromptView(gettext("One moment..."), "wait")
        again, answer = ButtonView("again", gettext("Try again")), ButtonView("answer", gettext("Answer"))
        return PromptView(gettext("That was not it."), "turn", buttons=(again, answer, following))

    def offers(self, action: str) -> bool:
        offered = {"again": self._is_wrong, "answer": not self._solving.is_over}
        return offered.get(action, super().offers(action))

    # Solving

    def submit(self, action: Action) -> None:
        why = self._solving.state.why_not(action)
        if why is not None:
            self.refuse(why)
        else:
            self._work_on(action, is_shown=False)

    def _work_on(self, action: Action, *, is_shown: bool) -> None:
        self._is_busy = True
        self.forget_choices()
        start_work(self, self._answer, action, is_shown, group="solve", exclusive=True)

    async def _prepare(self) -> None:
        """Let the engine solve the position while the player thinks."""
        try:
            await self._solving.begin()
        except DurakError as error:
            self._words = core_words(error)
            self.redraw()

    async def _answer(self, action: Action, is_shown: bool) -> None:
        solving = self._solving
        named = short_action(action, self.voice)
        try:
            self._is_right = await solving.accepts(action)
            if self._is_right:
                solving.failed |= is_shown
                shown = gettext("The answer: {action}.", action=named)
                self._words = shown if is_shown else gettext("{action}: right. Go on.", action=named)
            else:
                self._words = words.wrong_words(solving, action, self.voice)
                self.app.bell()
            self._is_wrong = not self._is_right
        except DurakError as error:
            self._is_right, self._words = False, core_words(error)
        self._is_busy = False
        self.show_from_top()
        if not self._is_kept and (solving.failed or solving.is_over):
            self._is_kept = True
            await self._keep(solving)

    async def _keep(self, solving: Solving) -> None:
        puzzle, is_solved = solving.puzzle, not solving.failed
        kept = await self.host.library.query(
            lambda library: model.keep_puzzle(library, puzzle.position, puzzle.rating, is_solved=is_solved),
        )
        if kept is not None:
            self._standing = kept
            self.redraw()

    def action_again(self) -> None:
        """Clear the wrong answer, which was not played on the board."""
        if self._is_wrong:
            self._is_wrong, self._words = False, ""
            self.show_from_top()

    def action_answer(self) -> None:
        """Play the right action. The puzzle then counts as unsolved."""
        if not self._is_busy and not self._solving.is_over:
            self._is_wrong = False
            self._work_on(self._solving.answer, is_shown=True)

    def action_copy(self) -> None:
        self._copy(self._solving.puzzle.position)

    def _copy(self, line: str) -> None:
        self.app.copy_to_clipboard(line)
        self.notify(gettext("The line is copied."), markup=False)

    def action_share(self) -> None:
        if self._solving.is_over:
            ascii_only = self.host.settings.ascii
            self._copy(words.puzzle_line(self._solving, self._standing, ascii_only=ascii_only))
        else:
            self.notify(gettext("A result can be shared once the puzzle is solved."), markup=False)

    def go_on(self) -> None:
        if self._is_wrong:
            self.action_again()
        elif self._solving.is_over:
            self.action_next()

    def action_next(self) -> None:
        start_work(self, self._next, group="solve", exclusive=True)

    async def _next(self) -> None:
        found = await following(self.host, self._kind, self._seen)
        if found is None:
            self.dismiss()
            return
        solving, self._standing = found
        self._take_up(solving)
        self.forget_choices()
        self.show_from_top()
        await self._prepare()

    def action_themes(self) -> None:
        def change(kind: str) -> None:
            self._kind = kind
            self.action_next()

        choices = [(kind, translate(title)) for kind, (title, _themes) in model.KINDS.items()]
        self.ask(Pick(gettext("Which puzzles?"), choices, self._kind), change)


async def following(host: AppContext, kind: str, seen: set[str]) -> tuple[Solving, PuzzleStanding] | None:
    """Return the next puzzle and the player's results, or show a notice and return None."""
    problems: list[DurakError] = []

    def choose() -> tuple[Solving, PuzzleStanding] | None:
        standing = model.puzzle_standing(host.library.store)
        chosen = model.choose_puzzle(kind, standing, seen, problems)
        return None if chosen is None else (model.solving_of(*chosen, host.engines.adviser), standing)

    try:
        found = await in_thread(choose)
    except DurakError as error:
        problems.append(error)
        found = None
    for problem in problems:
        host.tell(core_words(problem))
    if found is None and not problems:
        host.tell(gettext("There is no such puzzle."))
    return found


async def open_puzzles(host: AppContext, kind: str) -> PuzzleScreen | None:
    """Return a screen with puzzles of a kind, or show a notice and return None if there are none."""
    seen: set[str] = set()
    found = await following(host, kind, seen)
    return None if found is None else PuzzleScreen(found[0], kind, seen, found[1])
