"""What the table and the watched game share: a session, its board, and advice."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from durak_tui.engines.adviser import Adviser
from durak_tui.players.roster import thinks
from durak_tui.screens.knowing import KnowingScreen
from durak_tui.text.phrases import Voice
from durak_tui.views.advice import advice_view
from durak_tui.views.data import ButtonView
from durak_tui.views.table import table_view
from durak_tui.widgets.prompt import Prompt

if TYPE_CHECKING:
    from durak_core import Card
    from durak_tui.engines.adviser import Advice
    from durak_tui.play.moment import Moment
    from durak_tui.play.saves import SavedGame
    from durak_tui.play.session import Session

_WARM_AFTER: Final = 0.3
"""Seconds before the engines start: the first picture comes first."""
_FLIGHTS_FROM: Final = (80, 24)
"""Columns and rows from which cards are seen on their way."""
_LONGEST_FLIGHT: Final = 0.25
"""Seconds."""
_PARAGRAPH: Final = re.compile(r"\(\w+ (\d+(?:\.\d+)?)\)")


class GameScreen(KnowingScreen):
    """Shows a game that is played.

    Args:
        session: The game.
        saved: Its file, if it could be made.
    """

    def __init__(self, session: Session, saved: SavedGame | None) -> None:
        super().__init__()
        self.adviser: Adviser
        self.session = session
        self.saved = saved
        self.target: Card | None = None
        self._moment = session.moment
        self._is_drawing = False
        self._advised: tuple[int, int] | None = None
        self._hidden_at: tuple[int, int] | None = None

    @property
    def moment(self) -> Moment:
        """What was published last."""
        return self._moment

    @property
    def paragraph(self) -> str:
        """The paragraph that the prompt names."""
        named = _PARAGRAPH.search(self.query_one(Prompt).aside)
        return named[1] if named else ""

    def on_mount(self) -> None:
        self.adviser = Adviser(self.host.engines.adviser, self._show_advice)
        self._read_players()
        self._play()
        self.set_timer(_WARM_AFTER, self._warm)

    def _read_players(self) -> None:
        """Go on with what was read of the same players in the game before, if there was one."""
        self.readings = self.host.readings.of(self.session.setup, self.session.states)

    def _play(self) -> None:
        self.session.subscribe(self.take)
        self.session.start()

    async def change_game(self, session: Session, saved: SavedGame | None) -> None:
        """Go on with another game on the same screen."""
        await self.session.close()
        if self.saved is not None:
            self.saved.release()
        self.session, self.saved, self.target = session, saved, None
        self._read_players()
        self._hidden_at = self._advised = None
        self.adviser.clear()
        self._play()

    def _warm(self) -> None:
        """Start the engine that this game needs; both at once would make each other wait."""
        if any(map(thinks, self.session.setup.players)):
            self.host.engines.players.warm()
        elif self.session.setup.humans:
            self.host.engines.adviser.warm()

    async def on_unmount(self) -> None:
        """Stop playing; the game stays saved."""
        self.adviser.close()
        await self.session.close()
        if self.saved is not None:
            self.saved.release()

    def leave(self) -> None:
        """Go back to the screen before; an unfinished game stays to be continued."""
        self.session.stop()
        self.adviser.close()
        if self.saved is not None:
            self.saved.release()
        self.dismiss()

    # Showing

    @property
    def known_moment(self) -> Moment:
        """What was published last."""
        return self._moment

    def redraw(self) -> None:
        """Show the moment that was published last, soon; several changes at once are drawn once."""
        if not self._is_drawing:
            self._is_drawing = True
            self.call_after_refresh(self.draw)

    def take(self, moment: Moment) -> None:
        """Remember what to show; several moments at once are drawn once."""
        self._moment = moment
        self._follow_with_advice()
        self.redraw()

    def draw(self) -> None:
        """Show the moment that was published last."""
        self._is_drawing = False
        if not self.is_attached:
            return
        view = table_view(self._moment, self.look, self.target, self.extra_buttons())
        self.board.show(self.with_keys(view), self.flight_seconds)
        self.show_knowledge()
        self.refresh_bindings()

    @property
    def flight_seconds(self) -> float:
        """How long a card is seen on its way; 0 where nothing may move, or where there is no room for it."""
        width, height = self.app.size
        calm = self.host.settings.reduced_motion or self.app.animation_level == "none"
        if calm or self.board.is_covered or width < _FLIGHTS_FROM[0] or height < _FLIGHTS_FROM[1]:
            return 0.0
        return min(_LONGEST_FLIGHT, self.session.pace / 2)

    def key_pressed(self) -> None:
        """Let every card be where it belongs before a key does anything."""
        self.board.land()

    def extra_buttons(self) -> tuple[ButtonView, ...]:
        """Return the buttons that the prompt gets beside those of the rules."""
        return ()

    def tell(self, text: str) -> None:
        """Say something in the prompt once what has just changed is drawn."""
        self.call_after_refresh(self.board.tell, text)

    # Advice

    @property
    def wants_advice(self) -> bool:
        """Whether advice is to be shown without being asked for."""
        return False

    @property
    def _decision(self) -> tuple[int, int]:
        """Stands for the moment shown and who is to act in it."""
        return self.session.ply, len(self.session.states)

    def _follow_with_advice(self) -> None:
        """Let go of advice for another moment, and ask anew where that is wanted."""
        decision = self._decision
        if decision == self._advised:
            return
        if self._advised is not None:
            self._advised = None
            self.adviser.clear()
        if self.wants_advice and decision != self._hidden_at:
            self._ask_for_advice()

    def _ask_for_advice(self) -> None:
        observation = self.session.decision
        if observation is not None:
            self._advised = self._decision
            self._hidden_at = None
            self.adviser.ask(observation)

    def hide_advice(self) -> None:
        """Show no advice for this decision any more; what was found is kept until the next one."""
        self._hidden_at = self._decision
        self.adviser.stop()
        self.board.show_advice(None)

    def toggle_advice(self) -> None:
        """Show advice for this decision, or hide it."""
        if self._advised == self._decision and self._hidden_at != self._decision:
            self.hide_advice()
        else:
            self._ask_for_advice()

    def _show_advice(self, advice: Advice | None) -> None:
        """Show what the adviser has found."""
        if not self.is_attached or (advice is not None and self._hidden_at == self._decision):
            return
        settings = self.host.settings
        voice = Voice(self.session.names, self.session.person, settings.ascii)
        calm = settings.reduced_motion
        self.board.show_advice(None if advice is None else advice_view(advice, voice, calm=calm))
        if advice is not None and advice.lines and self._advised == self._decision:
            self.session.count_hint()

    def settings_changed(self) -> None:
        """Draw anew with changed settings."""
        super().settings_changed()
        self.session.set_pace(self.host.settings.pace_seconds)
        self.take(self.session.moment)
