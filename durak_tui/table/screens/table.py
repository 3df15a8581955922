"""The game screen: a person plays against bots."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from textual import on

from durak_core import Action
from durak_core.review.comparison import card_of
from durak_tui.board.screens.game import WARM_AFTER, PlayedGame, ShownAdvice
from durak_tui.board.screens.playing import PlayingScreen
from durak_tui.engine.threads import in_thread
from durak_tui.hints.widgets.advice import AdvicePanel
from durak_tui.keys.actions import Key
from durak_tui.play.session import Session
from durak_tui.play.setup import next_setup, swapped_setup
from durak_tui.play.snapshot import SessionSnapshot
from durak_tui.table.screens.hand_over import HandOverScreen
from durak_tui.text.i18n import gettext, mark, translate
from durak_tui.text.phrases import capital
from durak_tui.ui.screens.base import start_work
from durak_tui.ui.view.board_data import ButtonView

SKIP: Final = mark("skip to the end")
_LAST_LOOK: Final = 0.4
"""Seconds between the last card's arrival and the result."""
_REACTION: Final = 0.3
"""Seconds that reading a new question takes at least."""


class TableScreen(PlayingScreen, place="table"):
    """Runs a game for people at the keyboard."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        self.game = PlayedGame(self, session)
        self._result_was_shown = False
        self._is_handed_over = False
        self._is_first_game = False
        self._is_result_due = False
        """Whether the result waits for the last cards to leave the table."""
        self._is_unread = False
        """Whether a move played itself and the question after it was not on the screen long enough."""

    @property
    def moment(self) -> SessionSnapshot:
        return self.game.moment

    @property
    def advice(self) -> ShownAdvice:
        return self.game.advice

    def on_mount(self) -> None:
        self.game.start_game(self.take)
        self.set_timer(WARM_AFTER, self.game.warm_engine)
        start_work(self, self._greet)

    async def on_unmount(self) -> None:
        self.host.announce((), is_turn=False)
        await self.game.end_game()

    def save(self) -> str:
        return self.session.save()

    def settings_changed(self) -> None:
        super().settings_changed()
        self.session.set_pace(self.host.settings.pace_seconds)
        self.session.set_only_moves(self.host.settings.only_moves)
        self.take(self.session.moment)

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
        self.advice.paint()
        if self.comes_too_early:
            self.call_after_refresh(self.set_timer, _REACTION, partial(self._read, self.moment.ply))
        is_beginning = self.is_my_turn and self.moment.observation.bout == 1
        if self._is_first_game and is_beginning and not self.board.is_told:
            if self.is_for_fingers:
                words = gettext("New here? The rules are under “More”.")
            else:
                key = self.host.settings.keymap.label("app.rules")
                words = gettext("New here? {key}: how to play.", key=key)
            self.board.tell(words, "note")
        if self.moment.observation.is_over and not self._result_was_shown:
            self._result_was_shown = True
            self._finish()

    def take(self, moment: SessionSnapshot) -> None:
        """Accept a new snapshot. Hide the table at once if it is another person's turn."""
        self._is_unread = self._is_unread or self.session.forced is not None
        self.game.set_moment(moment, wants_advice=self.wants_advice(moment))
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
            self.game.leave_now(self.host.show_menu)
        else:
            self.session.take_seat()

    def extra_buttons(self) -> tuple[ButtonView, ...]:
        if self.session.can_skip:
            return () if self.session.is_skipping else (ButtonView("done", capital(translate(SKIP))),)
        if not self.moment.observation.is_over:
            is_offered = self._has_choice(self.moment) and self._may_be_helped
            return (ButtonView("hint", gettext("Hint")),) if is_offered else ()
        return (ButtonView("play", gettext("Next game")), ButtonView("back", gettext("Menu")))

    def bar_label(self, key: Key) -> str:
        return translate(SKIP) if key.word == "done" and self.session.can_skip else super().bar_label(key)

    def offers(self, action: str) -> bool:
        over = self.moment.observation.is_over
        plays = not over and not self.session.can_skip
        if action == "done" and self.session.can_skip:
            return not self.session.is_skipping
        return {
            "left": plays,
            "right": plays,
            "play": plays,
            "hint": self.is_my_turn and self._may_be_helped,
            "hint_up": self.advice.is_shown,
            "hint_down": self.advice.is_shown,
            "undo": self.session.can_undo,
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
        self.advice.forget_choice()
        super().action_move_cursor(step)

    def action_choose_hint(self, step: int) -> None:
        """Choose another action of the hint, with the cursor on its card."""
        action = self.advice.choose(step)
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

    @property
    def comes_too_early(self) -> bool:
        """Whether a key or click was meant for the move that just played itself, not for this question."""
        return self._is_unread and self.is_my_turn and self.session.forced is None

    def action_take(self) -> None:
        if not self.comes_too_early:
            super().action_take()

    # Help

    def _has_choice(self, moment: SessionSnapshot) -> bool:
        is_free = self.is_my_turn and self.session.forced is None
        return is_free and len(moment.observation.legal_actions) > 1

    def wants_advice(self, moment: SessionSnapshot) -> bool:
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

    def first_hint_shown(self) -> None:
        if self.session.setup.rules.teams is None:
            self.game.show_notice(gettext("With a hint, this game will not be rated."))

    def action_hint(self) -> None:
        if not self._refuses_help() and not self.refuses_out_of_turn():
            self.advice.toggle()

    def action_open_hands(self) -> None:
        """Show all hands, or hide them again."""
        if self._refuses_help() or self.session.setup.human is None:
            return
        self.session.show_hands(shown=not self.session.open_hands)
        if self.session.open_hands and self.session.setup.rules.teams is None:
            self.game.show_notice(gettext("With open hands, this game will not be rated."))

    def action_coach(self) -> None:
        if self._refuses_help():
            return
        self.host.change_settings(coach=not self.host.settings.coach)
        if self.host.settings.coach:
            self.game.show_notice(gettext("Hints on every turn are on."))
            if self.wants_advice(self.moment):
                self.advice.ask()
        else:
            self.game.show_notice(gettext("Hints on every turn are off."))
            self.advice.hide()

    def action_undo(self) -> None:
        if self.session.is_over:
            self.game.show_notice(gettext("The game is over; nothing can be taken back."))
        elif self._refuses_help():
            return
        elif self.session.undo():
            self.forget_choices()
            self.game.show_notice(gettext("Taken back. This game is not rated."))
        else:
            self.game.show_notice(gettext("You have not played anything yet."))

    # Leaving, and the end

    def action_back(self) -> None:
        """Cancel the question for a card, or return to the menu. The game stays saved."""
        if not self.asks_no_more():
            self.game.leave_game(self.host.show_menu)

    def _review(self, ply: int = 0) -> None:
        self.host.show_review(self.session.record, self.session.person, ply)

    def _finish(self) -> None:
        """Show the result once the last cards have left the table."""
        self._is_result_due = True
        if self.board.is_flying:
            self.set_timer(self.flight_seconds + _LAST_LOOK, self._show_due_result)
        else:
            self._show_due_result()

    def _show_due_result(self) -> None:
        if self._is_result_due:
            self._is_result_due = False
            self._show_result()

    def _show_result(self) -> None:
        from durak_tui.table.screens.result import ResultDialog  # noqa: PLC0415 - the game is seen first

        record, person = self.session.record, self.session.moment.human
        game = None if person is None else self.host.game_to_review(record, person)
        dialog = ResultDialog(self.session, record, game, self.host.engines.adviser)

        def answered(answer: str) -> None:
            if answer.isdecimal():
                self._review(dialog.moves[int(answer)])
            else:
                what_next[answer]()

        what_next: dict[str, Callable[[], object]] = {
            "again": self._next_game,
            "new": self._set_up_another,
            "swap": self._swap_seats,
            "review": self._review,
            "mistakes": lambda: self.host.action_mistakes(game),
            "menu": lambda: self.game.leave_game(self.host.show_menu),
        }
        self.ask(dialog, answered)

    def _set_up_another(self) -> None:
        self.game.leave_game(self.host.action_set_up)

    def _next_game(self) -> None:
        """Start the next game of the series. The rules decide who attacks first (4.2)."""
        setup = next_setup(self.session.setup, self.session.state)
        self.game.leave_game(lambda: self.host.begin(setup))

    def _swap_seats(self) -> None:
        setup = swapped_setup(self.session.setup, self.session.states)
        self.game.leave_game(lambda: self.host.begin(setup))
