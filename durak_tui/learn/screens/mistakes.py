"""Learn from your mistakes: the position before a mistake, and a better move to find."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace

from rich.text import Text

from durak_core import Action
from durak_core.messages import Message, printable
from durak_tui.engine.threads import turn_of
from durak_tui.learn.model.mistakes import Exercise, Exercises, Verdict, find_mistakes, now, settle
from durak_tui.learn.screens.task import TaskScreen
from durak_tui.learn.view.mistakes import answer_words, hint_words, return_words, solution_words, task_words
from durak_tui.library.model.entries import game_key
from durak_tui.library.model.store import Library
from durak_tui.play.snapshot import CardOptions, SessionSnapshot, card_options
from durak_tui.players.names import fit_names, shown_names
from durak_tui.players.roster import recorded_players
from durak_tui.review.model.review_game import ReviewGame
from durak_tui.text.core_messages import core_words
from durak_tui.text.i18n import date_text, gettext, pgettext
from durak_tui.ui.screens.app_context import AppContext
from durak_tui.ui.screens.base import start_work
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
    def moment(self) -> SessionSnapshot:
        exercise = self.exercise
        players = recorded_players(exercise.record)
        return SessionSnapshot(
            observation=exercise.observation,
            names=shown_names(fit_names(exercise.record.players), players),
            options=CardOptions()
            if self.is_over
            else card_options(exercise.state.why_not, exercise.observation),
            players=players,
            ply=exercise.mistake.ply - 1,
            last_ply=exercise.mistake.ply - 1,
            human=exercise.seat,
        )

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
        yield Text(task_words(exercise, voice))
        if self._tried is not None:
            words = answer_words(exercise, self._tried, voice)
            yield Text(words, self.style_of("success" if self.is_over else "warning"))
        elif self.is_over:
            yield Text(solution_words(exercise, voice), self.style_of("warning"))
        elif self._has_hint:
            yield Text(hint_words(exercise, voice))

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
        text = (
            gettext("You have found it.") if self._tried is not None else gettext("Have a look, then go on.")
        )
        return PromptView(text, "turn", return_words(self._days) if self._is_kept else "", buttons)

    def offers(self, action: str) -> bool:
        return {
            "hint": not self.is_over and not self._has_hint,
            "answer": not self.is_over,
            "review": self.is_over,
        }.get(action, super().offers(action))

    # Answering

    def submit(self, action: Action) -> None:
        why = self.exercise.state.why_not(action)
        if why is not None:
            self.refuse(why)
            return
        verdict = self.exercise.verdict(action)
        self._tried = action
        if verdict is not Verdict.RIGHT:
            self.app.bell()
        if verdict is not Verdict.UNKNOWN:
            self._end(is_solved=verdict is Verdict.RIGHT, is_over=verdict is Verdict.RIGHT)
        self.forget_choices()
        self.show_from_top()

    def _end(self, *, is_solved: bool, is_over: bool = True) -> None:
        self.is_over = is_over
        if not self._is_settled:
            self._is_settled = True
            start_work(self.app, self._settle, self.exercise, is_solved, self._has_hint)

    async def _settle(self, exercise: Exercise, is_solved: bool, with_hint: bool) -> None:
        def store(library: Library) -> tuple[int | None]:
            return (settle(library, exercise.mistake, now(), is_solved=is_solved, with_hint=with_hint),)

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
    """Return a screen for the due mistakes, or for those of a reviewed game.

    Shows a notice and returns None if there are none.
    """
    turn = turn_of(asyncio.get_running_loop())

    def look(library: Library) -> tuple[Exercises, list[Message]]:
        problems = find_mistakes(library, turn)
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
