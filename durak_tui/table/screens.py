"""The game screen, the handover between people at one keyboard, and the result."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Center, Vertical
from textual.widgets import Button, Static

from durak_core import Action, Card, Record
from durak_core.actions import card_of
from durak_tui.board.screens.playing import WARM_AFTER, PlayingScreen, SessionScreen
from durak_tui.engine import Engine, in_thread
from durak_tui.hints.widgets import AdvicePanel
from durak_tui.keys.actions import ACTIONS, Key
from durak_tui.learn.view import daily_result_line as shared_line
from durak_tui.play.game import Moment
from durak_tui.play.session import Session
from durak_tui.play.setup import GameSetup, next_setup, swapped_setup
from durak_tui.review.model import Reviewer, ReviewGame
from durak_tui.review.view import turning_words, worst_move_words
from durak_tui.table import view
from durak_tui.table.widgets import ResultBanner, card_count
from durak_tui.text.i18n import gettext, mark, ngettext, pgettext, translate
from durak_tui.text.phrases import Voice, capital, log_lines
from durak_tui.ui.screens.base import DurakScreen, TranslatedLabel, start_work
from durak_tui.ui.screens.dialogs import Ask, SharingAsk, when_saved
from durak_tui.ui.view.board_data import ButtonView
from durak_tui.ui.widgets.plot import Plot

GRACE = 0.4
"""Seconds without any cards, so that a repeated key does not reveal another player's hand."""
_NEWS: Final = 3
"""Number of actions listed while the table is hidden."""


class HandOverScreen(DurakScreen, place="handover"):
    """Hides the table until the next player takes the keyboard. Returns ``show``, ``undo`` or ``menu``."""

    AUTO_FOCUS = ""

    def __init__(self, session: Session, moment: Moment, save: Callable[[], str]) -> None:
        super().__init__()
        self._session = session
        self._moment = moment
        self._save = save
        self._can_undo = session.can_undo
        self._since = time.monotonic()
        self.answer = ""

    def compose_body(self) -> ComposeResult:
        with Vertical(id="hand-over"):
            yield Static(id="hand-over-news", markup=False)
            yield Static(id="hand-over-name", markup=False)
            yield TranslatedLabel(view.HAND_OVER, id="hand-over-how")
            with Center():
                yield Button("", id="show", compact=True)
            with Center():
                yield Button("", id="undo", compact=True, disabled=not self._can_undo)

    def settings_changed(self) -> None:
        super().settings_changed()
        names = self._session.names
        told = log_lines(self._moment.observation.events, Voice(names, ascii=self.host.settings.ascii))
        news = [line.words for line in told if line.is_action][-_NEWS:]
        name = names[self._moment.hand_over or 0]
        self.query_one("#hand-over-news", Static).update("\n".join(news))
        self.query_one("#hand-over-name", Static).update(gettext("{name}, your turn", name=name))
        self.query_one("#show", Button).label = gettext("Show my cards")
        self.query_one("#undo", Button).label = gettext("Take back")

    def on_button_pressed(self, event: Button.Pressed) -> None:
        event.stop()
        if event.button.id == "undo":
            self.action_undo()
        else:
            self.action_show()

    def offers(self, action: str) -> bool:
        return action != "undo" or self._can_undo

    def action_show(self) -> None:
        if time.monotonic() - self._since >= GRACE:
            self._close("show")

    def action_undo(self) -> None:
        if self._can_undo:
            self._close("undo")

    def action_back(self) -> None:
        when_saved(self.app, self._save, lambda: self._close("menu"))

    def _close(self, answer: str) -> None:
        self.answer = answer
        self.dismiss()


_PLOT_FROM: Final = 34
"""Window rows needed for the curve."""
_BANNER_FROM: Final = 30
"""Window rows needed for the place in large signs and the faces."""
_SMALL_BANNER_FROM: Final = 24
"""Window rows needed for both in one row."""
_SIDES: Final = 8
"""Window columns left and right of the text."""
_AROUND: Final = 9
"""Window rows around the text."""
_FINGER: Final = 4
"""Rows of a button on a phone, with the gap below it."""
_LEAST: Final = 5
_MOST: Final = 29
_MOST_AT_ONCE: Final = 15
"""Rows of text when no analysis follows."""


class WorstMove(Static):
    """A key moment. A click opens it in the review."""


class ResultDialog(SharingAsk):
    """Shows the result at once, and the analysis of the play as it arrives.

    Returns a button's name, or the number of a move to open in the review.

    Args:
        record: The game as the library stores it.
        game: The game under review by its player; None if several people played.
    """

    def __init__(self, session: Session, record: Record, game: ReviewGame | None, engine: Engine) -> None:
        buttons = {
            "again": (gettext("Next game"), gettext("The same players, new cards.")),
            "new": (gettext("New game"), gettext("Choose the game and the players first.")),
            "swap": (
                gettext("Swap seats"),
                gettext("Same deal, new seats."),
            ),
            "review": (pgettext("button", "Review"), gettext("Look at the game again, move by move.")),
            "mistakes": (gettext("Fix mistakes"), gettext("Retry your costliest moves.")),
            "menu": (gettext("Menu"), gettext("Leave the table.")),
        }
        if session.setup.day is not None:
            copy = pgettext("button", "Copy"), gettext("Copy the line, to share it.")
            buttons = {"copy": copy, **{name: buttons[name] for name in ("review", "mistakes", "menu")}}
        elif session.known_seat is not None:
            del buttons["new"], buttons["swap"]
        labels = [(name, label) for name, (label, _how) in buttons.items()]
        super().__init__(lambda: record, labels)
        if "copy" in buttons:
            self._keys[0] = ACTIONS["daily.copy"].keys[0]
        self._session = session
        self._hints = {f"answer-{name}": how for name, (_label, how) in buttons.items()}
        self._record = record
        self._game = game
        self._moves: Sequence[tuple[int, str]] = ()
        self._reviewer = None if game is None else Reviewer(game, engine, self._answered)

    def compose_text(self) -> ComposeResult:
        session, plain = self._session, self.host.settings.ascii
        observation = session.moment.observation
        voice = Voice(session.names, session.moment.human, plain)
        yield Static(view.headline(observation, voice), id="headline", markup=False)
        yield ResultBanner()
        told = (view.shoulder_straps(observation, voice), view.places_line(observation, voice))
        yield Static("\n".join(filter(None, told)), markup=False)
        yield Static(id="daily", markup=False)
        for name in ("rating", "accuracy", "turning"):
            yield Static(id=name, markup=False)
        yield Plot()
        yield Static(id="learn", markup=False)
        for number in range(3):
            yield WorstMove(id=f"move-{number}", markup=False)
        yield Static(view.facts(session), id="facts", markup=False)

    def compose_below(self) -> ComposeResult:
        yield Static(id="what", markup=False)

    def on_mount(self) -> None:
        self._tell("rating", "")
        self.query_one("#answer-mistakes", Button).disabled = True
        self._fit()
        if not (self.host.settings.reduced_motion or self.app.animation_level == "none"):
            self.query_one(ResultBanner).turn_cards(card_count(self._session.moment))
        if self._reviewer is not None:
            self._reviewer.milliseconds = self.host.settings.review_milliseconds
            self._reviewer.start()
            start_work(self, self._show_rating, group="rating")

    async def on_unmount(self) -> None:
        if self._reviewer is not None:
            await self._reviewer.close()

    def on_resize(self) -> None:
        self._fit()

    def _fit(self) -> None:
        # The height is fixed, so that later results do not move the buttons.
        width, height = self.app.size
        rows = max(_LEAST, height - _AROUND)
        if self.is_for_fingers:
            rows_of_buttons = -(-len(self._buttons) // (2 if self.is_upright else 3))
            rows = max(_LEAST, rows - _FINGER * (rows_of_buttons - 1))
        banner = self.query_one(ResultBanner)
        banner.show(
            self._session.moment,
            width - _SIDES,
            is_small=height < _BANNER_FROM,
            ascii_only=self.host.settings.ascii,
        )
        banner.display = height >= _SMALL_BANNER_FROM
        self.query_one(".text").styles.height = min(rows, _MOST if self._game else _MOST_AT_ONCE)
        self._show_evaluation()

    # Texts

    async def _show_rating(self) -> None:
        change = await self.host.library.ratings_around(self._record)
        if change is not None and self.is_complete:
            self._tell("rating", view.rating_change_line(*change, ascii_only=self.host.settings.ascii))

    def _answered(self) -> None:
        if self.is_complete:
            self._show_evaluation()
            game = self._game
            if game is not None and game.review.is_complete and not game.answers.is_stored:
                start_work(self, game.remember, self.host.library, group="remember", exclusive=True)

    def _show_evaluation(self) -> None:
        game = self._game
        self._tell("daily", self._line)
        plot = self.query_one(Plot)
        problem = self._reviewer is not None and self._reviewer.problem
        is_evaluated = game is not None and game.evaluated_moves > 0
        plot.display = is_evaluated and self.app.size.height >= _PLOT_FROM
        if game is None or (problem and not is_evaluated):
            for name in ("accuracy", "turning", "learn"):
                self._tell(name, "")
            self._tell_moves(())
            return
        seat, settings = game.viewer, self.host.settings
        voice = Voice(game.names, seat, settings.ascii)
        line, look = view.chance_plot(game, seat, plot.ink(seat))
        plot.show([line], look, ascii_only=settings.ascii)
        self._tell("accuracy", view.accuracy_line(game, seat, is_done=self._is_done))
        is_known = not game.open_choices
        self._tell("turning", turning_words(game, seat, voice) if is_known else "")
        self._tell_moves(worst_move_words(game, seat, voice) if is_known else ())
        marks = game.review.player(seat).marks
        has_mistakes = is_known and marks["??"] + marks["?"] > 0
        self.query_one("#answer-mistakes", Button).disabled = not has_mistakes

    @property
    def _is_done(self) -> bool:
        reviewer = self._reviewer
        return reviewer is None or reviewer.is_idle or bool(reviewer.problem)

    @property
    def _line(self) -> str:
        day, game = self._session.setup.day, self._game
        if day is None or game is None:
            return ""
        return shared_line(day, game, ascii_only=self.host.settings.ascii)

    def _tell_moves(self, told: Sequence[tuple[int, str]]) -> None:
        self._moves = told
        count = len(told)
        title = ngettext("{count} key moment:", "{count} key moments:", count)
        self._tell("learn", title if count else "")
        for number, line in enumerate(self.query(WorstMove)):
            line.display = number < count
            line.update(f"{number + 1}  {told[number][1]}" if number < count else "")

    def _tell(self, name: str, text: str) -> None:
        line = self.query_one(f"#{name}", Static)
        line.update(text)
        line.display = bool(text)

    # Actions

    @property
    def moves(self) -> Sequence[int]:
        """Number of game moves before each key moment."""
        return [ply for ply, _words in self._moves]

    def answer(self, name: str) -> None:
        if name == "copy":
            self.app.copy_to_clipboard(self._line)
            self._tell("what", gettext("The line is copied."))
        else:
            super().answer(name)

    def on_key(self, event: events.Key) -> None:
        if event.key.isdecimal() and 1 <= int(event.key) <= len(self._moves):
            event.stop()
            self.dismiss(str(int(event.key) - 1))

    def on_click(self, event: events.Click) -> None:
        if isinstance(event.widget, WorstMove):
            self.dismiss((event.widget.id or "").removeprefix("move-"))

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        self._tell_what(event.widget.id)

    def on_enter(self, event: events.Enter) -> None:
        if isinstance(event.node, Button):
            self._tell_what(event.node.id)

    def _tell_what(self, button: str | None) -> None:
        self.query_one("#what", Static).update(self._hints.get(button or "", ""))


SKIP: Final = mark("skip to the end")
_LAST_LOOK: Final = 0.4
"""Seconds between the last card's arrival and the result."""
_REACTION: Final = 0.3
"""Seconds that reading a new question takes at least."""


class TableScreen(PlayingScreen, SessionScreen, place="table"):
    """Runs a game for people at the keyboard."""

    PLANS = True

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._result_was_shown = False
        self._is_handed_over = False
        self._is_first_game = False
        self._is_result_due = False
        """Whether the result waits for the last cards to leave the table."""
        self._is_unread = False
        """Whether a move played itself and the question after it was not on the screen long enough."""

    def on_mount(self) -> None:
        self.open_session(self.session)
        self.set_timer(WARM_AFTER, self.warm_engine)
        start_work(self, self._greet)

    async def on_unmount(self) -> None:
        self.host.announce((), is_turn=False)
        await self.end_session()

    async def _greet(self) -> None:
        self._is_first_game = await in_thread(self.host.library.is_empty)
        self.redraw()

    @property
    def is_my_turn(self) -> bool:
        return self.session.is_persons_turn

    @property
    def is_asked(self) -> bool:
        return super().is_asked and self.session.forced is None

    # Drawing

    @property
    def seconds_per_move(self) -> float:
        return self.session.pace

    def draw(self) -> None:
        if self.moment.hand_over is not None:
            return
        super().draw()
        self.announce()
        if self.advice.is_open:
            self.show_hint()
        if self.comes_too_early:
            self.call_after_refresh(self.set_timer, _REACTION, partial(self._read, self.moment.ply))
        is_beginning = self.is_asked and self.moment.observation.bout == 1
        if self._is_first_game and is_beginning and not self.board.is_told:
            if self.is_for_fingers:
                words = gettext("New here? The rules are under “More”.")
            else:
                key = self.host.settings.keymap.label("app.rules")
                words = gettext("New here? {key}: how to play.", key=key)
            self.board.tell(words, "note")
        if self.moment.observation.is_over and not self._result_was_shown:
            self._result_was_shown = self._is_result_due = True
            if self.board.is_flying:  # the last cards leave the table first
                self.set_timer(self.flight_seconds + _LAST_LOOK, self._show_due_result)
            else:
                self._show_due_result()

    def take(self, moment: Moment) -> None:
        """Accept a new moment. Hide the table at once if it is another person's turn."""
        self._is_unread = self._is_unread or self.session.forced is not None
        super().take(moment)
        if moment.hand_over is not None and not self._is_handed_over:
            self._is_handed_over = True
            self.forget_choices()
            screen = HandOverScreen(self.session, moment, self.save)
            self.app.push_screen(screen, lambda _nothing: self._handed_over(screen.answer))

    def _handed_over(self, answer: str) -> None:
        self._is_handed_over = False
        if answer == "undo":
            self.action_undo()
        elif answer == "menu":
            self.leave_now(self.host.show_menu)
        else:
            self.session.take_seat()

    def extra_buttons(self) -> tuple[ButtonView, ...]:
        if self.session.can_skip:
            return () if self.session.is_skipping else (ButtonView("done", capital(translate(SKIP))),)
        if not self.moment.observation.is_over:
            is_offered = self._has_choice(self.moment) and self._may_be_helped
            return (ButtonView("hint", gettext("Hint")),) if is_offered else ()
        labels = {"play": gettext("Next game"), "transfer": gettext("Result"), "back": gettext("Menu")}
        return tuple(ButtonView(name, label) for name, label in labels.items())

    def bar_label(self, key: Key) -> str:
        if self.moment.observation.is_over and key.word in {"play", "transfer"}:
            return gettext("next game") if key.word == "play" else gettext("result")
        return translate(SKIP) if key.word == "done" and self.session.can_skip else super().bar_label(key)

    def offers(self, action: str) -> bool:
        over = self.moment.observation.is_over
        plays = not over and not self.session.can_skip
        if action == "done" and self.session.can_skip:
            return not self.session.is_skipping
        return {
            "left": plays,
            "right": plays,
            "play": over or (plays and super().offers("play")),
            "transfer": over or super().offers("transfer"),
            "hint": self.is_my_turn and self._may_be_helped,
            "hint_up": self.advice.is_shown,
            "hint_down": self.advice.is_shown,
            "undo": self.session.can_undo,
            "redo": self.session.can_redo,
            "open_hands": self.session.setup.human is not None and self._may_be_helped,
            "sort": plays,
        }.get(action, super().offers(action))

    def _read(self, ply: int) -> None:
        if ply == self.session.ply:
            self._is_unread = False

    # Playing

    def submit(self, action: Action) -> None:
        why = self.session.submit(action)
        if why is None:
            self.forget_choices()
        else:
            self.refuse_action(action, why)

    def action_play(self) -> None:
        """Play the chosen action of the hint, otherwise the card under the cursor."""
        chosen = self.advice.chosen_action
        if self._is_result_due:
            self._show_due_result()
        elif self.session.is_over:
            self._next_game()
        elif self.comes_too_early:
            return
        elif chosen is not None:
            self.submit(chosen)
        else:
            super().action_play()

    def action_move_cursor(self, step: int) -> None:
        if self.advice.chosen is not None:
            self.advice.chosen = None
            self.show_hint()
        super().action_move_cursor(step)

    def action_choose_hint(self, step: int) -> None:
        """Choose another action of the hint, with the cursor on its card."""
        action = self.advice.choose(step)
        self.show_hint()
        card = None if action is None else card_of(action)
        if card is not None:
            self.board.hand.go_to(card)

    @on(AdvicePanel.Chosen)
    def play_hint(self, event: AdvicePanel.Chosen) -> None:
        event.stop()
        if self.is_my_turn:
            self.submit(event.action)

    def action_done(self) -> None:
        """Pass or take; a player who is out skips to the end."""
        if self.session.can_skip:
            self.session.skip_to_end()
        elif not self.comes_too_early:
            super().action_done()

    def action_take(self) -> None:
        if not self.comes_too_early:
            super().action_take()

    @property
    def comes_too_early(self) -> bool:
        """Whether a key or click was meant for the move that just played itself, not for this question."""
        return self._is_unread and self.is_my_turn and self.session.forced is None

    # Help

    def _has_choice(self, moment: Moment) -> bool:
        is_free = self.is_my_turn and self.session.forced is None
        return is_free and len(moment.observation.legal_actions) > 1

    def wants_advice(self, moment: Moment) -> bool:
        """Return whether hints on every turn are on and the player has a choice."""
        return self.host.settings.coach and self._has_choice(moment) and self._may_be_helped

    @property
    def _may_be_helped(self) -> bool:
        return self.session.setup.day is None

    def _refuses_help(self) -> bool:
        if not self._may_be_helped:
            self.board.tell(
                gettext("In the daily deal there are no hints, and no moves are taken back."), "refusal"
            )
        return not self._may_be_helped

    def _help(self, then: Callable[[], object]) -> None:
        """Get help; ask before it costs the rating, once a game."""
        if not self.session.is_rated:
            then()
            return
        words = gettext("With help, this game will not be rated. Go on?")
        buttons = (("help", gettext("Help me")), ("no", pgettext("answer", "Back")))
        self.ask(
            Ask(pgettext("heading", "Help"), words, buttons),
            lambda answer: then() if answer == "help" else None,
        )

    def action_hint(self) -> None:
        if not self._refuses_help() and not self.refuses_out_of_turn():
            self._help(self.advice.toggle)

    def action_open_hands(self) -> None:
        """Show all hands, or hide them again."""
        if not self._refuses_help() and self.session.setup.human is not None:
            self._help(lambda: self.session.show_hands(shown=not self.session.open_hands))

    def action_coach(self) -> None:
        if self._refuses_help():
            return
        if not self.host.settings.coach:
            self._help(self._coach)
            return
        self.host.change_settings(coach=False)
        self.show_notice(gettext("Hints on every turn are off."))
        self.advice.hide()

    def _coach(self) -> None:
        self.host.change_settings(coach=True)
        self.show_notice(gettext("Hints on every turn are on."))
        if self.wants_advice(self.moment):
            self.advice.ask()

    def action_undo(self) -> None:
        if self.session.is_over:
            self.show_notice(gettext("The game is over; nothing can be taken back."))
        elif self._refuses_help():
            return
        elif self.session.can_undo:
            self._help(self._undo)
        else:
            self.show_notice(gettext("You have not played anything yet."))

    def _undo(self) -> None:
        self.session.undo()
        self.forget_choices()
        self.show_notice(gettext("Taken back. {key} plays it again.", key=self.key_label("redo")))

    def action_redo(self) -> None:
        if not self.session.redo():
            self.show_notice(gettext("Nothing was taken back."))
        self.forget_choices()

    def action_transfer(self) -> None:
        if self.session.is_over:
            self._transfer(None)
        else:
            super().action_transfer()

    def _transfer(self, card: Card | None) -> None:
        """Transfer or exchange; after the game, show the result again."""
        if self.session.is_over:
            self._show_result()
        else:
            super()._transfer(card)

    # Leaving, and the end

    def action_back(self) -> None:
        """Cancel the question for a card, or return to the menu. The game stays saved."""
        if not self.asks_no_more():
            self.leave_game(self.host.show_menu)

    def _review(self, ply: int | None = None) -> None:
        self.host.show_review(self.session.record, self.session.person, ply)

    def _show_due_result(self) -> None:
        if self._is_result_due:
            self._is_result_due = False
            self._show_result()

    def _show_result(self) -> None:
        record, person = self.session.record, self.session.moment.human
        game = None if person is None else self.host.game_to_review(record, person, self.session.answers)
        dialog = ResultDialog(self.session, record, game, self.host.engines.adviser)

        def answered(answer: str) -> None:
            if answer.isdecimal():
                self._review(dialog.moves[int(answer)])
            else:
                what_next[answer]()

        what_next: dict[str, Callable[[], object]] = {
            "again": self._next_game,
            "new": lambda: self.leave_game(self.host.action_set_up),
            "swap": lambda: self._begin(swapped_setup(self.session.setup, self.session.states)),
            "review": self._review,
            "mistakes": lambda: self.host.action_mistakes(game),
            "menu": lambda: self.leave_game(self.host.show_menu),
        }
        self.ask(dialog, answered)

    def _next_game(self) -> None:
        """Start the next game of the series. The rules decide who attacks first (4.2)."""
        self._begin(next_setup(self.session.setup, self.session.state))

    def _begin(self, setup: GameSetup) -> None:
        self.leave_game(lambda: self.host.begin(setup))
