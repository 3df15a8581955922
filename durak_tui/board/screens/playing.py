"""Screens of a running game, watched or played: saves, hints, keys, clicks and buttons."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import ClassVar, Final

from textual import on

from durak_core import (
    PASS,
    TAKE,
    Action,
    Card,
    Defend,
    Exchange,
    Pass,
    Phase,
    ShowTrump,
    Take,
    Transfer,
    WhyNot,
)
from durak_core.actions import card_of
from durak_core.agents.registry import thinks
from durak_tui.board.screens.board import BoardScreen
from durak_tui.board.view import table_view
from durak_tui.board.widgets.board import GameBoard
from durak_tui.board.widgets.cards import Hand, Table
from durak_tui.board.widgets.prompt import Prompt
from durak_tui.engine import Engine
from durak_tui.hints.model import SHOWN, Advice, Adviser
from durak_tui.hints.view.advice import advice_view
from durak_tui.keys.actions import Key
from durak_tui.play import commands
from durak_tui.play.game import CardOptions, Moment
from durak_tui.play.session import Session
from durak_tui.text.i18n import gettext, pgettext
from durak_tui.text.phrases import Voice, why_words
from durak_tui.ui.screens.dialogs import Ask, when_saved
from durak_tui.ui.view.board_data import ButtonView, TableView
from durak_tui.ui.view.signals import sounds_between

WARM_AFTER: Final = 0.3
"""Seconds before the engines start, so that the screen appears first."""


class ShownAdvice:
    """The hint on one decision of a game at a time. The game counts it when its first actions arrive.

    Args:
        changed: Called when there is something else to show, with whether it is the first hint of the game.
    """

    def __init__(self, session: Session, engine: Engine, changed: Callable[[bool], None]) -> None:
        self._session = session
        self._changed = changed
        self._adviser = Adviser(engine, self._take)
        self._asked_at: tuple[int, int] | None = None
        self._hidden_at: tuple[int, int] | None = None
        self.chosen: int | None = None
        """The index of the chosen action, or None."""

    def _take(self, advice: Advice | None) -> None:
        if advice is not None and self._asked_at == self._decision and advice.lines:
            self._session.answers.add_lines((self._session.ply, ()), advice.lines)
        if advice is not None and self._hidden_at == self._decision:
            return
        has_answer = advice is not None and bool(advice.lines) and self._asked_at == self._decision
        self._changed(has_answer and self._session.count_hint())

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
            self._adviser.ask(observation, self._session.answers.lines_at((self._session.ply, ())))

    def hide(self) -> None:
        """Hide the advice on this decision, but keep its results."""
        self._hidden_at = self._decision
        self._adviser.stop()
        self._changed(False)

    @property
    def is_open(self) -> bool:
        """Whether a hint on the shown decision was asked for, and not hidden again."""
        return self._asked_at == self._decision and self._hidden_at != self._decision

    @property
    def is_shown(self) -> bool:
        """Whether actions are shown for the current decision."""
        return self.is_open and self.found is not None and bool(self.found.lines)

    def choose(self, step: int) -> Action | None:
        """Choose the next or previous action shown, cyclically; return it if there is one."""
        if not self.is_shown or self.found is None:
            return None
        actions = [line.action for line in self.found.lines[:SHOWN]]
        start = self.chosen if self.chosen is not None else -1 if step > 0 else 0
        self.chosen = (start + step) % len(actions)
        return actions[self.chosen]

    @property
    def chosen_action(self) -> Action | None:
        if self.chosen is None or not self.is_shown or self.found is None:
            return None
        return self.found.lines[self.chosen].action

    def toggle(self) -> None:
        if self.is_open:
            self.hide()
        else:
            self.ask()

    def close(self) -> None:
        self._adviser.close()


class SessionScreen(BoardScreen):
    """A board with a running game: its hints, its notices, and how it is left."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        self._moment = session.moment

    @property
    def moment(self) -> Moment:
        return self._moment

    @cached_property
    def advice(self) -> ShownAdvice:
        return ShownAdvice(self.session, self.host.engines.adviser, self._hint_changed)

    def open_session(self, session: Session) -> None:
        """Show a game, and start it."""
        self.session, self._moment = session, session.moment
        self.__dict__.pop("advice", None)
        self.readings = self.host.readings.of(session.setup, session.states)
        session.subscribe(self.take)
        session.start()

    async def end_session(self) -> None:
        """Stop the game, which stays saved."""
        await self.session.close()
        self._let_go()

    def warm_engine(self) -> None:
        """Start the engine this game needs first; starting both would slow each down."""
        if any(map(thinks, self.session.setup.players)):
            self.host.engines.players.warm()
        elif self.session.setup.humans:
            self.host.engines.adviser.warm()

    def take(self, moment: Moment) -> None:
        """Accept a new moment of the game."""
        self._moment = moment
        if moment.observation.turn == moment.observation.seat:
            self.host.engines.adviser.warm()  # a hint should not wait for its start
        self.advice.follow(wanted=self.wants_advice(moment))
        self.redraw()

    @abstractmethod
    def wants_advice(self, moment: Moment) -> bool:
        """Return whether a hint appears by itself."""

    def settings_changed(self) -> None:
        super().settings_changed()
        self.session.set_pace(self.host.settings.pace_seconds)
        self.session.set_only_moves(self.host.settings.only_moves)
        self.take(self.session.moment)

    def save(self) -> str:
        return self.session.save()

    def show_notice(self, text: str) -> None:
        self.call_after_refresh(self.board.tell, text)

    # The hint

    def key_to_play(self, action: Action) -> str:
        """Return the label of the key that plays an action; empty on boards without playing."""
        del action
        return ""

    def _hint_changed(self, is_first: bool) -> None:
        self.show_hint()
        if is_first and self.host.settings.coach and self.session.setup.rules.teams is None:
            self.show_notice(gettext("With a hint, this game will not be rated."))

    def show_hint(self) -> None:
        """Draw the hint, with the numbers of the cards as they now lie in the hand."""
        if not self.is_complete:
            return
        settings, found = self.host.settings, self.advice.found
        if found is None or not self.advice.is_open:
            self.board.show_advice(None)
            return
        voice = Voice(self.session.names, self.session.person, settings.ascii)
        keys, chosen, calm = self.key_to_play, self.advice.chosen, settings.reduced_motion
        figures = settings.figures
        view = advice_view(found, voice, keys=keys, chosen=chosen, calm=calm, figures=figures)
        self.board.show_advice(view)

    # Leaving

    def leave_game(self, then: Callable[[], object] = lambda: None) -> None:
        """Close the screen, then call a function; ask first if the game is not saved."""
        when_saved(self.app, self.save, lambda: self.leave_now(then))

    def leave_now(self, then: Callable[[], object] = lambda: None) -> None:
        self.session.stop()
        self._let_go()
        self.dismiss()
        then()

    def _let_go(self) -> None:
        self.advice.close()
        if self.session.keeper is not None:
            self.session.keeper.release()


_CHOICE: Final = 2
"""Fewest open attacks from which to choose."""


class PlayingScreen(BoardScreen):
    """A board on which the user plays. Subclasses know whose turn it is, and play the chosen action.

    Attributes:
        target: The open attack the next card beats; None for the oldest.
        asks_transfer: Whether the user is choosing the card to transfer with.
        planned: The card that will beat the next attack, if it can; with the number of the bout.
    """

    target: Card | None = None
    asks_transfer = False
    planned: tuple[Card, int] | None = None
    PLANS: ClassVar = False
    """Whether a card can be planned before an attack comes."""
    _announced: Moment | None = None
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
            self.board.tell(commands.out_of_turn_words(self.moment.observation), "refusal")
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
            "play": self.can_plan or any(choice.actions for choice in options.cards),
            "take": options.can_take,
            "done": options.can_pass,
            "transfer": options.can_transfer or options.can_exchange,
            "show_trump": options.show_trump is not None,
            "target": self.is_my_turn and len(self.moment.observation.open_attacks) > 1,
        }.get(action, super().offers(action))

    def bar_label(self, key: Key) -> str:
        if key.word == "play" and self.can_plan:
            return gettext("plan")
        is_exchange = key.word == "transfer" and self.options.can_exchange
        return gettext("exchange") if is_exchange else super().bar_label(key)

    def forget_choices(self) -> None:
        self.target = None
        self.asks_transfer = False

    def asks_no_more(self) -> bool:
        """Cancel the question for a transfer card, or the planned card; return whether there was one."""
        was_asked = self.asks_transfer or self.planned is not None
        self.asks_transfer, self.planned = False, None
        if was_asked:
            self.board.tell("")
            self.redraw()
        return was_asked

    # A card planned for the next attack

    def draw(self) -> None:
        super().draw()
        if self.planned is not None:
            self._follow_plan(*self.planned)
        self.board.hand.planned = None if self.planned is None else self.planned[0]

    @property
    def can_plan(self) -> bool:
        """Whether a card can be chosen now to beat the next attack."""
        seen = self.moment.observation
        defends = seen.defender == seen.seat and seen.phase != Phase.PILE_ON
        return self.PLANS and defends and not seen.is_over and not self.is_my_turn

    def _plan(self, card: Card) -> None:
        """Let a card of the hand beat the next attack if it can; the same card again cancels that."""
        seen = self.moment.observation
        if not self.can_plan:
            self.refuses_out_of_turn()
        elif self.planned == (card, seen.bout):
            self.asks_no_more()
        else:
            self.planned = card, seen.bout
            self.board.tell(gettext("{card} will beat what comes, if it can.", card=self.voice.card(card)))
            self.redraw()

    def _follow_plan(self, card: Card, bout: int) -> None:
        """Beat the attack that has come with the planned card; forget the plan if that is impossible."""
        seen = self.moment.observation
        if seen.bout != bout or seen.is_over or card not in seen.hand or seen.phase == Phase.PILE_ON:
            self.planned = None
        elif self.is_asked and seen.phase == Phase.DEFENCE:
            self.planned = None
            target = commands.current_target(seen)
            if target is not None and Defend(card, target) in self.options.of(card).actions:
                self.call_later(self._play_planned, Defend(card, target), self.moment.ply)
            elif target is not None:
                words = self.voice.card(card), self.voice.card(target)
                self.board.tell(
                    gettext("{card} does not beat {target}", card=words[0], target=words[1]) + "."
                )

    def _play_planned(self, action: Action, ply: int) -> None:
        if self.is_my_turn and self.moment.ply == ply:
            self.submit(action)

    @property
    def voice(self) -> Voice:
        return Voice(self.moment.names, self.moment.human, self.look.ascii)

    @property
    def paragraph(self) -> str:
        words, paragraph = self._refusal
        return paragraph if words and words == self.query_one(Prompt).aside else ""

    def refuse(self, why: WhyNot, words: str = "") -> None:
        words = words or self.why_words(why)
        if not self.options.could_answer and self.options.can_pass and not self.is_for_fingers:
            words = gettext("{words} {key} passes.", words=words, key=self.key_label("done"))
        self._refusal = words, why.paragraph
        self.app.bell()
        self.board.tell(words, "refusal")

    def refuse_action(self, action: Action, why: WhyNot) -> None:
        """Show why an action is refused; a transfer names its card, which buttons choose by themselves."""
        if isinstance(action, Transfer | ShowTrump):
            self.refuse(why, f"{self.voice.card(action.card)}: {self.why_words(why)}")
        else:
            self.refuse(why)

    def refuse_card(self, card: Card, target: Card | None, why: WhyNot) -> None:
        self.refuse(why, self.why_words(why, card, target))

    def why_words(self, why: WhyNot, card: Card | None = None, target: Card | None = None) -> str:
        return why_words(why, self.moment.observation, self.voice, card, target)

    @on(Hand.CardChosen)
    def play_clicked_card(self, event: Hand.CardChosen) -> None:
        event.stop()
        self.play_card(event.card)

    @on(Hand.Raised)
    def tell_of_second_tap(self, event: Hand.Raised) -> None:
        event.stop()
        card = self.voice.card(event.card)
        words = gettext("{card} is chosen: click it again to play it.", card=card)
        if self.is_for_fingers:
            words = gettext("{card} is chosen: tap it again to play it.", card=card)
        self.board.tell(words)

    @on(GameBoard.Dropped)
    def play_dropped_card(self, event: GameBoard.Dropped) -> None:
        event.stop()
        if event.target is not None:
            self.target = event.target
        self.play_card(event.card)

    def play_card(self, card: Card) -> None:
        """Beat the target with a card, otherwise transfer, attack or throw in; or show why not.

        Before an attack comes, the card is planned for it.
        """
        if not self.is_my_turn and not self.moment.observation.is_over:
            self._plan(card)
            return
        target = commands.current_target(self.moment.observation, self.target)
        outcome = commands.play(self.options, card, target)
        if isinstance(outcome, WhyNot):
            self.refuse_card(card, target, outcome)
        elif outcome is not None:
            self.submit(outcome)
        elif self.asks_transfer:
            self.submit(Transfer(card))  # which is refused

    def key_to_play(self, action: Action) -> str:
        """Return the number of the card that plays an action, or the key of its button."""
        card, observation = card_of(action), self.moment.observation
        if card is not None:
            target = commands.current_target(observation, self.target)
            if commands.play(self.options, card, target) == action:
                return self.board.hand.number_of(card)
        buttons = {Take: "take", Pass: "done", ShowTrump: "show_trump", Exchange: "transfer"}
        return self.key_label(buttons[type(action)]) if type(action) in buttons else ""

    @on(Table.TargetChosen)
    def choose_target(self, event: Table.TargetChosen) -> None:
        event.stop()
        self.target = event.card
        self.draw()

    def action_move_cursor(self, step: int) -> None:
        self.board.hand.move_cursor(step)

    def action_play(self) -> None:
        """Play the chosen card; nothing is chosen before an arrow, a number or a click does it."""
        if self.board.card is not None:
            self.play_card(self.board.card)
        elif not self.refuses_out_of_turn():
            self.board.tell(gettext("Choose a card first: with an arrow, its number or a click."), "refusal")

    def action_card(self, number: int) -> None:
        """Play the card with this number, counted from 1; before an attack, only choose it."""
        card = self.board.hand.go_to_number(number)
        if card is not None and not self.can_plan:
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
        question = commands.take_question(moment)
        if not (question and self.host.settings.confirm):
            self.submit(TAKE)
            return

        def answered(answer: str) -> None:
            if answer == "take" and self.is_my_turn and self.moment.ply == moment.ply:
                self.submit(TAKE)

        buttons = (("take", gettext("Take")), ("no", pgettext("answer", "Back")))
        self.ask(Ask(gettext("Take the cards"), question, buttons), answered)

    async def press(self, button: str) -> None:
        """Run a button; transfer ignores the cursor, which followed the mouse to the button."""
        if button == "transfer":
            self._transfer(None)
        else:
            await super().press(button)

    def action_transfer(self) -> None:
        """Transfer with the card under the cursor; if it cannot, do as the button does."""
        if not self.refuses_out_of_turn():
            self._transfer(self.board.card)

    def _transfer(self, card: Card | None) -> None:
        """Transfer or exchange; if several cards can transfer, ask which."""
        outcome = commands.transfer_or_exchange(self.options, card)
        if isinstance(outcome, Sequence):
            self.asks_transfer = True
            self.redraw()
        else:
            self.submit(outcome)

    def action_show_trump(self) -> None:
        card = self.board.card or (self.options.show_trump.card if self.options.show_trump else None)
        if not self.refuses_out_of_turn() and card is not None:
            self.submit(commands.show_trump(self.options, card))

    def action_next_target(self, step: int) -> None:
        if len(self.moment.observation.open_attacks) < _CHOICE:
            self.board.tell(gettext("Only with several cards to beat is there a choice."), "refusal")
            return
        self.target = commands.next_target(self.moment.observation, self.target, step)
        self.draw()
