"""A running game on a screen, with its saves and hints; used for playing and watching."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Final

from durak_core import Action
from durak_core.agents.registry import thinks
from durak_tui.board.screens.board import BoardScreen
from durak_tui.hints.model.adviser import SHOWN, Advice, Adviser
from durak_tui.hints.view.advice import advice_view
from durak_tui.play.session import Session
from durak_tui.play.snapshot import SessionSnapshot
from durak_tui.text.phrases import Voice
from durak_tui.ui.screens.dialogs import when_saved

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
