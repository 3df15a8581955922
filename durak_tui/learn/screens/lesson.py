"""The Learn menu, the list of lessons, the base screen of tasks, and a lesson with its board."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Final, Literal

from rich.console import Group
from rich.padding import Padding
from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.containers import Center, VerticalScroll
from textual.timer import Timer
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from durak_core import TAKE, Action, Attack, Card, Defend, Phase, State, WhyNot
from durak_core.lessons.lesson import LEARNER, Answer, Lesson, Tutor, Verdict
from durak_tui.board.screens.playing import PlayingScreen
from durak_tui.engine import in_thread, turn_of
from durak_tui.keys.actions import Key
from durak_tui.learn.model import DONE, HIDDEN, count_mistakes, find_mistakes, lessons, now, puzzle_standing
from durak_tui.learn.view import dots, lessons_line, mistakes_line, rating_words, said
from durak_tui.library.model.file import LibraryError
from durak_tui.library.model.store import Library
from durak_tui.play.game import CardOptions, Moment, card_options
from durak_tui.play.setup import person_name
from durak_tui.text.core_messages import core_words
from durak_tui.text.i18n import gettext, language, mark, translate
from durak_tui.ui.screens.base import ListScreen, TranslatedLabel, start_work
from durak_tui.ui.screens.dialogs import Ask
from durak_tui.ui.view.board_data import ButtonView, PromptView, TableView


class TaskScreen(PlayingScreen):
    """Asks for an action, and continues once it is found."""

    AUTO_FOCUS: ClassVar[str | None] = "Hand"

    def compose_body(self) -> ComposeResult:
        yield Static(id="task-title", markup=False)
        with VerticalScroll(id="task-words", can_focus=False):
            yield Static(id="task-said", markup=False)
        yield from super().compose_body()

    def settings_changed(self) -> None:
        super().settings_changed()
        self.redraw()

    # Drawing

    @property
    @abstractmethod
    def heading(self) -> str: ...

    @abstractmethod
    def said(self) -> Iterable[Text]:
        """Yield the question and the feedback as paragraphs."""

    @abstractmethod
    def pause(self, view: TableView) -> PromptView:
        """Return the prompt shown between questions."""

    @abstractmethod
    def go_on(self) -> None:
        """Continue after a pause."""

    def moment_of(self, state: State, seat: int, names: Sequence[str]) -> Moment:
        """Return a position as a seat sees it, whose cards can be played while an answer is expected."""
        seen = state.observation(seat)
        options = card_options(state.why_not, seen) if self.is_my_turn else CardOptions()
        return Moment(seen, tuple(names), options, ply=state.plies, last_ply=state.plies, human=seat)

    def view(self) -> TableView:
        view = super().view()
        if self.is_my_turn:
            return view
        return replace(view, prompt=self.pause(view), hand=replace(view.hand, is_turn=False))

    def draw(self) -> None:
        super().draw()
        self.query_one("#task-title", Static).update(self.heading)
        self.query_one("#task-said", Static).update(Text("\n").join(self.said()))

    def show_from_top(self) -> None:
        if self.is_complete:
            self.query_one("#task-words").scroll_home(animate=False)
            self.redraw()

    def style_of(self, kind: Literal["success", "warning"]) -> str:
        return self.app.theme_variables[f"text-{kind}"]

    # Keys

    def refuses_out_of_turn(self) -> bool:
        return not self.is_my_turn

    def take_table(self) -> None:
        """Take without a confirmation: the answer follows at once."""
        self.submit(TAKE)

    def offers(self, action: str) -> bool:
        playing = {"left", "right", "card"}
        goes_on = action == "play" and not self.is_my_turn
        return goes_on or (self.is_my_turn if action in playing else super().offers(action))

    def bar_label(self, key: Key) -> str:
        goes_on = key.word == "play" and not self.is_my_turn
        return gettext("next") if goes_on else super().bar_label(key)

    def action_play(self) -> None:
        if self.is_my_turn:
            super().action_play()
        else:
            self.go_on()

    def action_done(self) -> None:
        if self.is_my_turn:
            super().action_done()
        else:
            self.go_on()

    def action_back(self) -> None:
        if not self.asks_no_more():
            self.dismiss()


class LessonScreen(TaskScreen, place="lesson"):
    """Runs a lesson step by step. Wrong answers can be repeated without limit."""

    LOG: ClassVar[bool] = False

    def __init__(self, lessons: Sequence[Lesson], number: int) -> None:
        super().__init__()
        self._lessons = lessons
        self._number = number
        self._tutor = Tutor(lessons[number])
        self._coming: list[State] = []
        """States still to be shown after the last answer, the final one last."""
        self._timer: Timer | None = None
        self._answer: Answer | None = None
        self._answer_words = ""
        self._is_remembered = False

    # Drawing

    @property
    def is_my_turn(self) -> bool:
        return self._tutor.is_waiting and not self._coming

    @property
    def moment(self) -> Moment:
        state = self._coming[0] if self._coming else self._tutor.state
        others = self._tutor.lesson.names(language())[: state.rules.seats - 1]
        return self.moment_of(state, LEARNER, (person_name(self.host.settings), *others))

    @property
    def paragraph(self) -> str:
        why = self._answer.why if self._answer is not None else None
        return why.paragraph if why is not None else ""

    @property
    def seconds_per_move(self) -> float:
        is_new = self._tutor.state is self._tutor.step.position
        return 0.0 if is_new else self.host.settings.pace_seconds

    def view(self) -> TableView:
        """Return the table view. In the first lesson, whose task names the card, it explains how."""
        view = super().view()
        if self._number or not self.is_my_turn or self.moment.observation.phase != Phase.OPENING:
            return view
        if self.is_for_fingers:
            how = gettext("Tap a card to raise it, and again to play it.")
        else:
            how = gettext("Press a card's number, or click it.")
        return replace(view, prompt=replace(view.prompt, text=how, detail=""))

    def pause(self, view: TableView) -> PromptView:
        if self._coming:
            actions = [line.words for line in view.log if line.is_action]
            return PromptView(actions[-1], "wait")
        buttons = [ButtonView("play", gettext("Go on"))]
        is_answered = self._tutor.is_answered
        if self.offers("previous"):
            buttons.append(ButtonView("previous", gettext("Again") if is_answered else gettext("Back")))
        if self._is_at_end:
            text = gettext("That was the last step of this lesson.")
        else:
            text = gettext("That is right.") if is_answered else gettext("Have a look, then go on.")
        return PromptView(text, "turn", buttons=tuple(buttons))

    def offers(self, action: str) -> bool:
        if action == "previous":
            return self._tutor.is_answered or self._tutor.number > 1
        return super().offers(action)

    @property
    def heading(self) -> str:
        tutor = self._tutor
        return gettext(
            "Lesson {number}: {title}, step {step} of {steps}",
            number=self._number + 1,
            title=said(tutor.lesson.title, ascii_only=self.host.settings.ascii),
            step=tutor.number,
            steps=len(tutor.lesson.steps),
        )

    def said(self) -> Iterator[Text]:
        """Yield the step's text and the feedback on the answer.

        If space is short, only the feedback is shown. A refusal is short and leaves the task visible.
        """
        verdict = None if self._answer is None else self._answer.verdict
        if verdict in {None, Verdict.REFUSED} or self.has_class("-high"):
            yield Text(said(self._tutor.step.saying, ascii_only=self.host.settings.ascii))
        if self._answer_words:
            style = self.style_of("success" if verdict is Verdict.RIGHT else "warning")
            yield Text(self._answer_words, style)

    # Playing

    def submit(self, action: Action) -> None:
        answer = self._tutor.attempt(action)
        self._take(answer, self.why_words(answer.why) if answer.why is not None else "")

    def refuse_card(self, card: Card, target: Card | None, why: WhyNot) -> None:
        is_answer = target is not None and self.moment.observation.phase == Phase.DEFENCE
        tried = Defend(card, target) if is_answer and target is not None else Attack(card)
        words = self.why_words(why, card, target)
        self._take(self._tutor.attempt(tried), words)

    def _take(self, answer: Answer, refusal: str) -> None:
        """Show the feedback on an answer, and replay the moves that follow a right one."""
        saying = said(answer.saying, ascii_only=self.host.settings.ascii) if answer.saying else ""
        self._answer, self._answer_words = answer, f"{refusal} {saying}".strip()
        if answer.verdict is Verdict.REFUSED:
            self.app.bell()
        self.forget_choices()
        self._coming = list(answer.states)
        self._wait_for_next()
        self._settle()

    def _wait_for_next(self) -> None:
        if self._timer is not None:
            self._timer.stop()
        pace = self.host.settings.pace_seconds
        if not pace:
            self._coming.clear()
        elif self._coming:
            self._timer = self.set_timer(pace, self._show_next)

    def _show_next(self) -> None:
        del self._coming[:1]
        self._wait_for_next()
        self.redraw()

    def _settle(self) -> None:
        """Mark the lesson as completed after its last task, and redraw."""
        if self._is_at_end and not self._is_remembered:
            self._is_remembered = True
            key = self._tutor.lesson.key
            start_work(self.app, self.host.library.query, lambda library: library.remember(DONE, key))
        self.show_from_top()

    def refuses_out_of_turn(self) -> bool:
        """Return True if no action is expected. Pending states are then shown at once."""
        if self._coming:
            self._coming.clear()
            self.redraw()
        return not self._tutor.is_waiting

    def action_previous(self) -> None:
        self._coming.clear()
        self._tutor.go_back()
        self._begin_step()

    def _begin_step(self) -> None:
        self._answer, self._answer_words = None, ""
        self.forget_choices()
        self._settle()

    # The end

    @property
    def _is_at_end(self) -> bool:
        return self._tutor.number == len(self._tutor.lesson.steps) and not self._tutor.is_waiting

    def go_on(self) -> None:
        if self._coming:
            self.refuses_out_of_turn()
        elif self._is_at_end:
            self._ask_what_next()
        else:
            self._tutor.go_on()
            self._begin_step()

    def _ask_what_next(self) -> None:
        def go(answer: str) -> None:
            self.dismiss()
            if answer == "next":
                self.host.open_lesson(self._number + 1)
            elif answer == "game":
                self.host.play_game()

        title = gettext("Lesson {number} is done", number=self._number + 1)
        if self._number + 1 < len(self._lessons):
            following = said(self._lessons[self._number + 1].title, ascii_only=self.host.settings.ascii)
            text = gettext("Next comes lesson {number}: {title}.", number=self._number + 2, title=following)
            first = ("next", gettext("Next lesson"))
        else:
            text = gettext("That was the last lesson. Now you know all you need for a game.")
            first = ("game", gettext("Play a game"))
        self.ask(Ask(title, text, (first, ("leave", gettext("Leave")))), go)


@dataclass(frozen=True, slots=True)
class Part:
    """A row of the menu.

    Attributes:
        title: English title.
        about: Returns the progress line below the title. Called in a thread, with whether to use ASCII only.
        help: English description, shown at the bottom.
        enter: The action that opens it.
    """

    name: str
    title: str
    about: Callable[[Library, bool], str]
    help: str
    enter: str


PARTS: Final = (
    Part(
        "lessons",
        mark("Lessons"),
        lambda library, plain: lessons_line(lessons()[0], library.remembered(DONE), ascii_only=plain),
        mark("How the game goes: a lesson takes two minutes, on a real table."),
        "app.lessons",
    ),
    Part(
        "puzzles",
        mark("Puzzles: endgames"),
        lambda _library, _plain: gettext("open cards: find the only move, to the end of the game"),
        mark("Endgames with open cards: only one move is right. They get harder as you get better."),
        "app.puzzles",
    ),
    Part(
        HIDDEN,
        mark("Puzzles: what would you play?"),
        lambda _library, _plain: gettext("hidden cards: find the best move"),
        mark("Positions with hidden cards: one move is much better than the rest."),
        f"app.puzzles('{HIDDEN}')",
    ),
    Part(
        "mistakes",
        mark("Learn from your mistakes"),
        lambda library, _plain: mistakes_line(*count_mistakes(library, now())),
        mark("Retry the moves that cost you most. Each comes back after a few days."),
        "app.mistakes",
    ),
)


_ROOMY: Final = 30
"""Window rows from which each part has its description."""


class LearnScreen(ListScreen, place="learn"):
    """Offers lessons, puzzles and mistakes."""

    def __init__(self) -> None:
        super().__init__()
        self._about: dict[str, str] = {}
        self._rating = ""

    def compose_body(self) -> ComposeResult:
        yield Static(id="learn-title", markup=False)
        with Center(id="learn-body"):
            yield OptionList(id="learn-parts")
        yield Static(id="learn-help", markup=False)

    def on_screen_resume(self) -> None:
        start_work(self, self._look, group="look", exclusive=True)

    def settings_changed(self) -> None:
        super().settings_changed()
        self._fill()
        self.on_screen_resume()

    async def _look(self) -> None:
        """Load the progress of each part, again after searching reviewed games for mistakes."""
        turn = turn_of(asyncio.get_running_loop())
        try:
            library = await in_thread(lambda: self.host.library.store)
            await self._ask(library)
            problems = await in_thread(find_mistakes, library, turn)
            await self._ask(library)
        except LibraryError as error:
            problems = [error.message]
        for problem in problems:
            self.host.tell(core_words(problem))

    async def _ask(self, library: Library) -> None:
        ascii_only = self.host.settings.ascii
        self._rating = rating_words(await in_thread(puzzle_standing, library), ascii_only=ascii_only)
        for part in PARTS:
            self._about[part.name] = await in_thread(part.about, library, ascii_only)
        if self.is_complete:
            self._fill()

    @on(events.Resize)
    def _fill(self) -> None:
        self.query_one("#learn-title", Static).update(f"{gettext('Learn')}   {self._rating}".rstrip())
        rows = self.query_one(OptionList)
        chosen = rows.highlighted or 0
        rows.clear_options()
        for part in PARTS:
            rows.add_option(Option(self._line(part), id=part.name))
        rows.highlighted = chosen

    def _line(self, part: Part) -> Group:
        about = Text(self._about.get(part.name, ""), "dim")
        title = Text(f" {translate(part.title)}", "bold")
        if self.app.size.height < _ROOMY:
            return Group(title, Padding(about, (0, 0, 1, 3)))
        text = Text(translate(part.help))
        return Group("", title, Padding(text, (0, 0, 0, 3)), Padding(about, (0, 0, 1, 3)))

    @on(OptionList.OptionHighlighted)
    def _explain(self, event: OptionList.OptionHighlighted) -> None:
        is_said = self.app.size.height >= _ROOMY
        text = "" if is_said else translate(PARTS[event.option_index].help)
        self.query_one("#learn-help", Static).update(text)

    async def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        if self.is_in_front:
            await self.run_action(PARTS[event.option_index].enter)


class LessonsScreen(ListScreen, place="lessons"):
    """Lists the lessons, with the first unfinished one selected."""

    def __init__(self) -> None:
        super().__init__()
        self._lessons: tuple[Lesson, ...] = ()
        self._done: frozenset[str] = frozenset()

    def compose_body(self) -> ComposeResult:
        yield TranslatedLabel(mark("Lessons"), id="lessons-title")
        yield Static(id="lessons-progress", markup=False)
        yield OptionList(id="lessons")
        yield TranslatedLabel(mark("A lesson takes two minutes, on a real table."), id="lessons-help")

    def on_screen_resume(self) -> None:
        start_work(self, self._look, group="look", exclusive=True)

    async def _look(self) -> None:
        self._lessons, problems = await in_thread(lessons)
        for problem in problems:
            self.host.tell(core_words(problem))
        done = await self.host.library.query(lambda library: library.remembered(DONE))
        self._done = self._done if done is None else frozenset(done)
        if self.is_complete:
            undone = [at for at, lesson in enumerate(self._lessons) if lesson.key not in self._done]
            self._fill(next(iter(undone), 0))

    def settings_changed(self) -> None:
        super().settings_changed()
        self._fill(self.query_one(OptionList).highlighted)

    @on(events.Resize)
    def _lay_out(self) -> None:
        self._fill(self.query_one(OptionList).highlighted)

    def _fill(self, chosen: int | None) -> None:
        ascii_only = self.host.settings.ascii
        progress = gettext(
            "{dots}  {done} of {all} done",
            dots=dots(self._lessons, self._done, ascii_only=ascii_only),
            done=sum(lesson.key in self._done for lesson in self._lessons),
            all=len(self._lessons),
        )
        self.query_one("#lessons-progress", Static).update(progress if self._lessons else "")
        entries = self.query_one(OptionList)
        entries.clear_options()
        gap = "\n" if self.is_for_fingers else ""
        for number, lesson in enumerate(self._lessons, 1):
            sign = dots((lesson,), self._done, ascii_only=ascii_only)
            title = said(lesson.title, ascii_only=ascii_only)
            entries.add_option(Option(Text(f" {sign} {number}  {title}{gap}"), id=f"lesson-{number}"))
        entries.highlighted = chosen

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.host.open_lesson(event.option_index)
