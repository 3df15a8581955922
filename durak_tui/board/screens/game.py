"""What the table and the watched game share: a game that goes on, is saved, and is advised about."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Final

from durak_core.agents.registry import thinks
from durak_tui.board.screens.board import BoardScreen
from durak_tui.hints.model.adviser import Advice, Adviser
from durak_tui.hints.view.advice import advice_view
from durak_tui.play.moment import Moment
from durak_tui.play.session import Session
from durak_tui.text.core_messages import core_words
from durak_tui.text.i18n import say
from durak_tui.text.phrases import Voice
from durak_tui.ui.screens.dialogs import when_saved

WARM_AFTER: Final = 0.3
"""Seconds before the engines start: the first picture comes first."""


class PlayedGame:
    """A game that goes on while a screen shows it: it is saved, and there is advice about it.

    Args:
        screen: Where it is shown.
        session: The game.

    Attributes:
        moment: The moment to show.
    """

    def __init__(self, screen: BoardScreen, session: Session) -> None:
        self._screen = screen
        self.session = session
        self.moment = session.moment

    @cached_property
    def advice(self) -> ShownAdvice:
        return ShownAdvice(self._screen, self.session)

    def start_game(self, take: Callable[[Moment], None]) -> None:
        """Begin, with what was read of the same players in the game before, if there was one."""
        self._screen.readings = self._screen.host.readings.of(self.session.setup, self.session.states)
        self.session.subscribe(take)
        self.session.start()

    def warm_engine(self) -> None:
        """Start the engine that this game needs; both at once would make each other wait."""
        engines = self._screen.host.engines
        if any(map(thinks, self.session.setup.players)):
            engines.players.warm()
        elif self.session.setup.humans:
            engines.adviser.warm()

    def set_moment(self, moment: Moment, *, wants_advice: bool) -> None:
        """Remember what to show; several moments at once are drawn once."""
        self.moment = moment
        self.advice.follow(wanted=wants_advice)
        self._screen.redraw()

    def show_notice(self, text: str) -> None:
        """Say something in the prompt once what has just changed is drawn."""
        self._screen.call_after_refresh(self._screen.board.tell, text)

    def save_game(self) -> str:
        """Try to save what is not on the disk yet; say what cannot be, nothing if all is there."""
        saved = self.session.keeper
        if saved is None:
            return ""
        saved.try_again()
        why = saved.unsaved
        return "" if why is None else say("What was played last cannot be saved: {why}.", why=core_words(why))

    def leave_game(self, then: Callable[[], object] = lambda: None) -> None:
        """Go back to the screen before, then do something else; ask first while the game is not saved.

        An unfinished game stays to be continued.
        """
        when_saved(self._screen.app, self.save_game, lambda: self.leave_now(then))

    def leave_now(self, then: Callable[[], object] = lambda: None) -> None:
        """Leave without asking."""
        self.session.stop()
        self._let_go()
        self._screen.dismiss()
        then()

    async def end_game(self) -> None:
        """Stop playing; the game stays saved."""
        await self.session.close()
        self._let_go()

    def _let_go(self) -> None:
        self.advice.close()
        if self.session.keeper is not None:
            self.session.keeper.release()


class ShownAdvice:
    """Advice on a screen: it belongs to one decision, and goes with it."""

    def __init__(self, screen: BoardScreen, session: Session) -> None:
        self._screen = screen
        self._session = session
        self._adviser = Adviser(screen.host.engines.adviser, self._show)
        self._asked_at: tuple[int, int] | None = None
        self._hidden_at: tuple[int, int] | None = None

    @property
    def found(self) -> Advice | None:
        """What is known of the decision asked about last."""
        return self._adviser.advice

    @property
    def _decision(self) -> tuple[int, int]:
        return self._session.ply, len(self._session.states)

    def follow(self, *, wanted: bool) -> None:
        """Let go of advice for another moment, and ask anew where that is wanted."""
        decision = self._decision
        if decision == self._asked_at:
            return
        if self._asked_at is not None:
            self._asked_at = None
            self._adviser.clear()
        if wanted and decision != self._hidden_at:
            self.ask()

    def ask(self) -> None:
        """Ask about the decision shown; asked again, it is searched longer."""
        observation = self._session.decision
        if observation is not None:
            self._asked_at = self._decision
            self._hidden_at = None
            self._adviser.ask(observation)

    def hide(self) -> None:
        """Show no advice for this decision any more; what was found is kept until the next one."""
        self._hidden_at = self._decision
        self._adviser.stop()
        self._screen.board.show_advice(None)

    def toggle(self) -> None:
        if self._asked_at == self._decision and self._hidden_at != self._decision:
            self.hide()
        else:
            self.ask()

    def close(self) -> None:
        self._adviser.close()

    def _show(self, advice: Advice | None) -> None:
        screen = self._screen
        if not screen.is_complete or (advice is not None and self._hidden_at == self._decision):
            return
        settings, session = screen.host.settings, self._session
        voice = Voice(session.names, session.person, settings.ascii)
        calm = settings.reduced_motion
        screen.board.show_advice(None if advice is None else advice_view(advice, voice, calm=calm))
        if advice is not None and advice.lines and self._asked_at == self._decision:
            session.count_hint()
