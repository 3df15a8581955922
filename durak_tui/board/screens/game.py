"""What the table and the watched game share: a session, its board, and advice."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable
from functools import cached_property
from typing import Final

from durak_core.agents.registry import thinks
from durak_tui.board.screens.board import Replay, ReplayScreen
from durak_tui.board.view.table import table_view
from durak_tui.board.widgets.prompt import Prompt
from durak_tui.engine.processes import Engine
from durak_tui.hints.model.adviser import Advice, Adviser
from durak_tui.hints.view.advice import advice_view
from durak_tui.play.moment import Moment
from durak_tui.play.saves import SavedGame
from durak_tui.play.session import Session
from durak_tui.text.core_messages import core_words
from durak_tui.text.i18n import say
from durak_tui.text.phrases import Voice
from durak_tui.ui.screens.dialogs import when_saved
from durak_tui.ui.view.data import ButtonView, TableView

_WARM_AFTER: Final = 0.3
"""Seconds before the engines start: the first picture comes first."""
_PARAGRAPH: Final = re.compile(r"\(\w+ (\d+(?:\.\d+)?)\)")


class GameScreen(ReplayScreen):
    """Shows a game that is played."""

    def __init__(self, session: Session, saved: SavedGame) -> None:
        super().__init__()
        self.session = session
        self.saved = saved
        self._moment = session.moment

    @cached_property
    def advice(self) -> ShownAdvice:
        return ShownAdvice(self, self.host.engines.adviser)

    @property
    def moment(self) -> Moment:
        return self._moment

    @property
    def replay(self) -> Replay:
        return self.session

    @property
    def paragraph(self) -> str:
        named = _PARAGRAPH.search(self.query_one(Prompt).aside)
        return named[1] if named else ""

    def on_mount(self) -> None:
        self._play()
        self.set_timer(_WARM_AFTER, self._warm)

    def _play(self) -> None:
        """Begin, with what was read of the same players in the game before, if there was one."""
        self.readings = self.host.readings.of(self.session.setup, self.session.states)
        self.session.subscribe(self.take)
        self.session.start()

    async def change_game(self, session: Session, saved: SavedGame) -> None:
        await self._end()
        self.session, self.saved = session, saved
        self.advice.clear()
        self._play()

    def _warm(self) -> None:
        """Start the engine that this game needs; both at once would make each other wait."""
        if any(map(thinks, self.session.setup.players)):
            self.host.engines.players.warm()
        elif self.session.setup.humans:
            self.host.engines.adviser.warm()

    async def on_unmount(self) -> None:
        self.advice.close()
        await self._end()

    async def _end(self) -> None:
        """Stop playing; the game stays saved."""
        await self.session.close()
        self.saved.release()

    def save(self) -> str:
        self.saved.try_again()
        why = self.saved.unsaved
        return "" if why is None else say("What was played last cannot be saved: {why}.", why=core_words(why))

    def leave(self, then: Callable[[], object] = lambda: None) -> None:
        """Go back to the screen before, then do something else; ask first while the game is not saved.

        An unfinished game stays to be continued.
        """
        when_saved(self.app, self.save, lambda: self.close(then))

    def close(self, then: Callable[[], object] = lambda: None) -> None:
        """Leave without asking."""
        self.session.stop()
        self.advice.close()
        self.saved.release()
        self.dismiss()
        then()

    # Showing

    def take(self, moment: Moment) -> None:
        """Remember what to show; several moments at once are drawn once."""
        self._moment = moment
        self.advice.follow(wanted=self.wants_advice)
        self.redraw()

    def view(self) -> TableView:
        return table_view(self._moment, self.look, extra=self.extra_buttons())

    @property
    def flight_seconds(self) -> float:
        return self.flight_at(self.session.pace)

    def key_pressed(self) -> None:
        """Let every card be where it belongs before a key does anything."""
        self.board.land()

    @abstractmethod
    def extra_buttons(self) -> tuple[ButtonView, ...]:
        """Return the buttons that the prompt gets beside those of the rules."""

    def tell(self, text: str) -> None:
        """Say something in the prompt once what has just changed is drawn."""
        self.call_after_refresh(self.board.tell, text)

    @property
    @abstractmethod
    def wants_advice(self) -> bool:
        """Whether advice is to be shown without being asked for."""

    def settings_changed(self) -> None:
        super().settings_changed()
        self.session.set_pace(self.host.settings.pace_seconds)
        self.take(self.session.moment)


class ShownAdvice:
    """Advice on a screen: it belongs to one decision, and goes with it."""

    def __init__(self, screen: GameScreen, engine: Engine) -> None:
        self._screen = screen
        self._adviser = Adviser(engine, self._show)
        self._asked_at: tuple[int, int] | None = None
        self._hidden_at: tuple[int, int] | None = None

    @property
    def found(self) -> Advice | None:
        """What is known of the decision asked about last."""
        return self._adviser.advice

    @property
    def _decision(self) -> tuple[int, int]:
        session = self._screen.session
        return session.ply, len(session.states)

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
        observation = self._screen.session.decision
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

    def clear(self) -> None:
        self._hidden_at = self._asked_at = None
        self._adviser.clear()

    def close(self) -> None:
        self._adviser.close()

    def _show(self, advice: Advice | None) -> None:
        screen = self._screen
        if not screen.is_complete or (advice is not None and self._hidden_at == self._decision):
            return
        settings, session = screen.host.settings, screen.session
        voice = Voice(session.names, session.person, settings.ascii)
        calm = settings.reduced_motion
        screen.board.show_advice(None if advice is None else advice_view(advice, voice, calm=calm))
        if advice is not None and advice.lines and self._asked_at == self._decision:
            session.count_hint()
