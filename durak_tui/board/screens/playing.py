"""Screens of a running game, watched or played: saves, hints, keys, clicks and buttons."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Final

from textual import on

from durak_core import EXCHANGE, PASS, TAKE, Action, Card, Exchange, Pass, ShowTrump, Take, Transfer, WhyNot
from durak_core.agents.registry import thinks
from durak_core.review.comparison import card_of
from durak_tui.board.screens.board import BoardScreen
from durak_tui.board.view import (
    chosen_action,
    current_target,
    next_target,
    out_of_turn_words,
    table_view,
    take_question,
)
from durak_tui.board.widgets.cards import Hand, Table
from durak_tui.board.widgets.prompt import Prompt
from durak_tui.hints.model import SHOWN, Advice, Adviser
from durak_tui.hints.view.advice import advice_view
from durak_tui.keys.actions import Key
from durak_tui.play.session import Session
from durak_tui.play.snapshot import CardOptions, SessionSnapshot
from durak_tui.text.i18n import gettext
from durak_tui.text.phrases import Voice, card_text, why_words
from durak_tui.ui.screens.dialogs import Ask, when_saved
from durak_tui.ui.view.board_data import ButtonView, TableView
from durak_tui.ui.view.signals import sounds_between

WARM_AFTER: Final = 0.3
"""Seconds before the engines start, so that the screen appears first."""


class PlayedGame:
    """A running game on a screen, with its save file and hints."""

    def __init__(self, screen: BoardScreen, session: Session) -> None:
        self._screen = screen
        self.session = session
        self.moment = session.moment

    @cached_property
    def advice(self) -> ShownAdvice:
        return ShownAdvice(self._screen, self.session)

    def start_game(self, take: Callable[[SessionSnapshot], None]) -> None:
        self._screen.readings = self._screen.host.readings.of(self.session.setup, self.session.states)
        self.session.subscribe(take)
        self.session.start()

    def warm_engine(self) -> None:
        """Start the engine this game needs first; starting both would slow each down."""
        engines = self._screen.host.engines
        if any(map(thinks, self.session.setup.players)):
            engines.players.warm()
        elif self.session.setup.humans:
            engines.adviser.warm()

    def set_moment(self, moment: SessionSnapshot, *, wants_advice: bool) -> None:
        self.moment = moment
        self.advice.follow(wanted=wants_advice)
        self._screen.redraw()

    def show_notice(self, text: str) -> None:
        self._screen.call_after_refresh(self._screen.board.tell, text)

    def leave_game(self, then: Callable[[], object] = lambda: None) -> None:
        """Close the screen, then call a function; ask first if the game is not saved."""
        when_saved(self._screen.app, self.session.save, lambda: self.leave_now(then))

    def leave_now(self, then: Callable[[], object] = lambda: None) -> None:
        self.session.stop()
        self._let_go()
        self._screen.dismiss()
        then()

    async def end_game(self) -> None:
        """Stop the session; the game stays saved."""
        await self.session.close()
        self._let_go()

    def _let_go(self) -> None:
        self.advice.close()
        if self.session.keeper is not None:
            self.session.keeper.release()


class ShownAdvice:
    """Hint on a screen, for one decision at a time."""

    def __init__(self, screen: BoardScreen, session: Session) -> None:
        self._screen = screen
        self._session = session
        self._adviser = Adviser(screen.host.engines.adviser, self._show)
        self._asked_at: tuple[int, int] | None = None
        self._hidden_at: tuple[int, int] | None = None
        self.chosen: int | None = None
        """The index of the chosen action, or None."""

    @property
    def found(self) -> Advice | None:
        return self._adviser.advice

    @property
    def _decision(self) -> tuple[int, int]:
        return self._session.ply, len(self._session.states)

    def follow(self, *, wanted: bool) -> None:
        """Clear advice for another decision; search this one if wanted."""
        decision = self._decision
        if decision == self._asked_at:
            return
        self.chosen = None
        if self._asked_at is not None:
            self._asked_at = None
            self._adviser.clear()
        if wanted and decision != self._hidden_at:
            self.ask()

    def ask(self) -> None:
        """Search the shown decision; asking again searches longer."""
        observation = self._session.decision
        if observation is not None:
            self._asked_at = self._decision
            self._hidden_at = None
            self._adviser.ask(observation)

    def hide(self) -> None:
        """Hide the advice on this decision, but keep its results."""
        self._hidden_at = self._decision
        self._adviser.stop()
        self._screen.board.show_advice(None)

    @property
    def is_shown(self) -> bool:
        """Whether actions are shown for the current decision."""
        return self._is_open and self.found is not None and bool(self.found.lines)

    @property
    def _is_open(self) -> bool:
        return self._asked_at == self._decision and self._hidden_at != self._decision

    def choose(self, step: int) -> Action | None:
        """Choose the next or previous action shown, cyclically; return it if there is one."""
        if not self.is_shown or self.found is None:
            return None
        actions = [line.action for line in self.found.lines[:SHOWN]]
        start = self.chosen if self.chosen is not None else -1 if step > 0 else 0
        self.chosen = (start + step) % len(actions)
        self.paint()
        return actions[self.chosen]

    @property
    def chosen_action(self) -> Action | None:
        if self.chosen is None or not self.is_shown or self.found is None:
            return None
        return self.found.lines[self.chosen].action

    def forget_choice(self) -> None:
        if self.chosen is not None:
            self.chosen = None
            self.paint()

    def toggle(self) -> None:
        if self._is_open:
            self.hide()
        else:
            self.ask()

    def close(self) -> None:
        self._adviser.close()

    def paint(self) -> None:
        """Draw the advice again, with the numbers of the cards as they now lie in the hand."""
        if self._is_open:
            self._show(self.found)

    def _show(self, advice: Advice | None) -> None:
        screen = self._screen
        if not screen.is_complete or (advice is not None and self._hidden_at == self._decision):
            return
        settings, session = screen.host.settings, self._session
        if advice is None:
            screen.board.show_advice(None)
            return
        voice = Voice(session.names, session.person, settings.ascii)
        keys, chosen, calm = screen.key_to_play, self.chosen, settings.reduced_motion
        screen.board.show_advice(advice_view(advice, voice, keys=keys, chosen=chosen, calm=calm))
        if advice.lines and self._asked_at == self._decision:
            is_first = session.used.hints == 0
            session.count_hint()
            if is_first and session.used.hints:
                screen.first_hint_shown()


_CHOICE: Final = 2
"""Fewest open attacks from which to choose."""


class PlayingScreen(BoardScreen):
    """A board on which the user plays. Subclasses know whose turn it is, and play the chosen action.

    Attributes:
        target: The open attack the next card beats; None for the oldest.
        asks_transfer: Whether the user is choosing the card to transfer with.
    """

    target: Card | None = None
    asks_transfer = False
    _announced: SessionSnapshot | None = None
    _refusal = ("", "")
    """Text and rule paragraph of the last refusal."""

    @property
    @abstractmethod
    def is_my_turn(self) -> bool: ...

    @property
    def is_asked(self) -> bool:
        """Whether the game waits for the user."""
        return self.is_my_turn and not self.moment.observation.is_over

    @abstractmethod
    def submit(self, action: Action) -> None:
        """Play an action, or show why it is refused."""

    def announce(self) -> None:
        """Announce the moves since the last call, and whether it is the user's turn now."""
        before, self._announced = self._announced, self.moment
        is_turn = self.is_asked
        self.host.announce(sounds_between(before, self.moment, is_turn=is_turn), is_turn=is_turn)

    def refuses_out_of_turn(self) -> bool:
        """Return whether it is another player's turn, and show so."""
        if not self.is_my_turn and not self.moment.observation.is_over:
            self.board.tell(out_of_turn_words(self.moment.observation), "refusal")
        return not self.is_my_turn

    @property
    def options(self) -> CardOptions:
        options = self.moment.options
        return options.only_transfers() if self.asks_transfer else options

    def extra_buttons(self) -> tuple[ButtonView, ...]:
        """Return the buttons shown in addition to the game's."""
        return ()

    def view(self) -> TableView:
        extra = () if self.asks_transfer else self.extra_buttons()
        return table_view(replace(self.moment, options=self.options), self.look, self.target, extra)

    def offers(self, action: str) -> bool:
        options = self.options
        return {
            "take": options.can_take,
            "done": options.can_pass,
            "transfer": options.can_transfer or options.can_exchange,
            "show_trump": options.show_trump is not None,
            "target": self.is_my_turn and len(self.moment.observation.open_attacks) > 1,
        }.get(action, super().offers(action))

    def bar_label(self, key: Key) -> str:
        is_exchange = key.word == "transfer" and self.options.can_exchange
        return gettext("exchange") if is_exchange else super().bar_label(key)

    def forget_choices(self) -> None:
        self.target = None
        self.asks_transfer = False

    def asks_no_more(self) -> bool:
        """Cancel the question for a transfer card; return whether there was one."""
        was_asked, self.asks_transfer = self.asks_transfer, False
        if was_asked:
            self.redraw()
        return was_asked

    @property
    def voice(self) -> Voice:
        return Voice(self.moment.names, self.moment.human, self.look.ascii)

    @property
    def paragraph(self) -> str:
        words, paragraph = self._refusal
        return paragraph if words and words == self.query_one(Prompt).aside else ""

    def refuse(self, why: WhyNot, words: str = "") -> None:
        words = words or why_words(why)
        self._refusal = words, why.paragraph
        self.app.bell()
        self.board.tell(words, "refusal")

    def refuse_action(self, action: Action, why: WhyNot) -> None:
        """Show why an action is refused; a transfer names its card, which buttons choose by themselves."""
        if isinstance(action, Transfer | ShowTrump):
            self.refuse(why, f"{card_text(action.card, ascii=self.look.ascii)}: {why_words(why)}")
        else:
            self.refuse(why)

    def refuse_card(self, card: Card, target: Card | None, why: WhyNot) -> None:
        self.refuse(why, why_words(why, card, target, self.voice))

    @on(Hand.CardChosen)
    def play_clicked_card(self, event: Hand.CardChosen) -> None:
        event.stop()
        self.play_card(event.card)

    @on(Hand.Raised)
    def tell_of_second_tap(self, event: Hand.Raised) -> None:
        event.stop()
        self.board.tell(
            gettext("{card} is chosen: tap it again to play it.", card=self.voice.card(event.card))
        )

    def play_card(self, card: Card) -> None:
        """Beat the target with a card, otherwise transfer, attack or throw in; or show why not."""
        if self.refuses_out_of_turn():
            return
        target, options = current_target(self.moment.observation, self.target), self.options
        action = chosen_action(options, card, target)
        why = options.of(card).why
        if action is not None:
            self.submit(action)
        elif why is not None:
            self.refuse_card(card, target, why)
        elif self.asks_transfer:
            self.submit(Transfer(card))  # which is refused

    def key_to_play(self, action: Action) -> str:
        """Return the number of the card that plays an action, or the key of its button."""
        card, observation = card_of(action), self.moment.observation
        if card is not None:
            target = current_target(observation, self.target)
            if chosen_action(self.options, card, target) == action:
                return self.board.hand.number_of(card)
        match action:
            case Take():
                return self.key_label("take")
            case Pass():
                return self.key_label("done")
            case ShowTrump():
                return self.key_label("show_trump")
            case Exchange():
                return self.key_label("transfer")
            case _:
                return ""

    @on(Table.TargetChosen)
    def choose_target(self, event: Table.TargetChosen) -> None:
        event.stop()
        self.target = event.card
        self.draw()

    def action_move_cursor(self, step: int) -> None:
        self.board.hand.move_cursor(step)

    def action_play(self) -> None:
        if self.board.card is not None:
            self.play_card(self.board.card)

    def action_card(self, number: int) -> None:
        """Play the card with this number, counted from 1, if it exists."""
        card = self.board.hand.go_to_number(number)
        if card is not None:
            self.play_card(card)

    def action_done(self) -> None:
        """Pass; if that is illegal, take."""
        if self.refuses_out_of_turn():
            return
        if self.moment.options.can_pass or not self.moment.options.can_take:
            self.submit(PASS)
        else:
            self.take_table()

    def action_take(self) -> None:
        if not self.refuses_out_of_turn():
            self.take_table()

    def take_table(self) -> None:
        """Take the cards, with a confirmation if they could be beaten."""
        moment = self.moment
        question = take_question(moment)
        if not (question and self.host.settings.confirm):
            self.submit(TAKE)
            return

        def answered(answer: str) -> None:
            if answer == "take" and self.is_my_turn and self.moment.ply == moment.ply:
                self.submit(TAKE)

        buttons = (("take", gettext("Take")), ("no", gettext("Back")))
        self.ask(Ask(gettext("Take the cards"), question, buttons), answered)

    async def press(self, button: str) -> None:
        """Run a button; transfer ignores the cursor, which followed the mouse to the button."""
        if button == "transfer":
            self._transfer(None)
        else:
            await super().press(button)

    def action_transfer(self) -> None:
        """Transfer with the card under the cursor; if it cannot, do as the button does."""
        card = self.board.card
        if not self.refuses_out_of_turn() and card is not None:
            self._transfer(card)

    def _transfer(self, card: Card | None) -> None:
        """Transfer with a card, or the only one that can; if several can, ask which; or exchange a trump."""
        able = self.options.transfers
        if self.options.can_exchange:
            self.submit(EXCHANGE)
        elif card is not None and (not able or Transfer(card) in able):
            self.submit(Transfer(card))
        elif len(able) == 1:
            self.submit(able[0])
        else:
            self.asks_transfer = True
            self.redraw()

    def action_show_trump(self) -> None:
        card = self.board.card
        if not self.refuses_out_of_turn() and card is not None:
            self.submit(self.options.show_trump or ShowTrump(card))

    def action_next_target(self, step: int) -> None:
        if len(self.moment.observation.open_attacks) < _CHOICE:
            self.board.tell(gettext("Only with several cards to beat is there a choice."), "refusal")
            return
        self.target = next_target(self.moment.observation, self.target, step)
        self.draw()
