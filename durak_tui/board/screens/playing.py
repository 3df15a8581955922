"""Base class of boards on which the user plays: keys, clicks and buttons."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import Final

from textual import on

from durak_core import EXCHANGE, PASS, TAKE, Action, Card, Exchange, Pass, ShowTrump, Take, Transfer, WhyNot
from durak_core.review.comparison import card_of
from durak_tui.board.screens.board import BoardScreen
from durak_tui.board.view.prompt import out_of_turn_words, take_question
from durak_tui.board.view.table import chosen_action, current_target, next_target, table_view
from durak_tui.board.widgets.hand import Hand
from durak_tui.board.widgets.prompt import Prompt
from durak_tui.board.widgets.table import Table
from durak_tui.keys.actions import Key
from durak_tui.play.snapshot import CardOptions, SessionSnapshot
from durak_tui.text.i18n import gettext
from durak_tui.text.phrases import Voice, card_text, why_words
from durak_tui.ui.screens.dialogs import Ask
from durak_tui.ui.view.board_data import ButtonView, TableView
from durak_tui.ui.view.signals import sounds_between

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
