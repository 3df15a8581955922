"""The knowledge panel on a screen with a board: its keys, and reading the others bit by bit."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from textual import on, work

from durak_tui.screens.board import BoardScreen
from durak_tui.text.i18n import say
from durak_tui.views.knowledge import knowledge_view
from durak_tui.views.knowledge_data import PanelState
from durak_tui.widgets.knowledge import KnowledgePanel

if TYPE_CHECKING:
    from durak_core import Card
    from durak_tui.play.moment import Moment
    from durak_tui.play.player_models import PlayerModels
    from durak_tui.views.data import Look
    from durak_tui.views.knowledge_data import KnowledgeView, Side

AT_ONCE: Final = 0.002
"""Seconds for which a key waits for the others to be read; what is left is read between other things."""
_KEYS: Final = frozenset({"other_side", "card_left", "card_right", "card_up", "card_down"})


class KnowingScreen(BoardScreen):
    """Shows what the seat that looks knows, beside the board or over it.

    Subclasses say what is shown, by `known_moment` and `readings`, and call `show_knowledge` when they draw.
    """

    readings: PlayerModels
    """What each seat makes of the others."""

    def __init__(self) -> None:
        super().__init__()
        self._is_known = False
        self._side: Side = "places"
        self._asked: Card | None = None
        self._knowledge: KnowledgeView | None = None

    @property
    def known_moment(self) -> Moment:
        """The moment that the board shows."""
        raise NotImplementedError

    @property
    def read_up_to(self) -> int:
        """After how many moves of the game the others are read."""
        return self.known_moment.ply

    def redraw(self) -> None:
        """Draw the screen anew."""
        raise NotImplementedError

    @property
    def look(self) -> Look:
        """How the cards look: while the panel is open, hands show what everybody knows of them."""
        return replace(super().look, seen=self._is_known)

    def offers(self, action: str) -> bool:
        """Name the panel's keys while it is open."""
        return self._is_known if action in _KEYS else super().offers(action)

    # Showing

    def show_knowledge(self) -> None:
        """Show what is known in the moment that the board shows, or nothing while the panel is closed."""
        if not self._is_known:
            if self._knowledge is not None:
                self._knowledge = None
                self.board.show_knowledge(None)
            return
        seat, ply = self.known_moment.observation.seat, self.read_up_to
        if not self.readings.read(seat, ply, AT_ONCE):
            self._read_on()
        self._paint()

    def _paint(self) -> None:
        moment = self.known_moment
        seat, ply = moment.observation.seat, self.read_up_to
        view = knowledge_view(
            moment.observation,
            moment.names,
            super().look,
            PanelState(self._side, self._asked, self._hint),
            self.readings.at(seat, ply),
        )
        self._knowledge = view
        self.board.show_knowledge(view)

    @property
    def _hint(self) -> str:
        """Say what the panel's keys do."""
        settings = self.host.settings
        turn, close, tell = (
            settings.keymap.label(name, ascii_only=settings.ascii)
            for name in ("knowledge.other-side", f"{self.PLACE}.knowledge", "knowledge.card-right")
        )
        return say(
            "{turn}: other side, {close}: close; {tell} or a click: a card", turn=turn, close=close, tell=tell
        )

    @work(group="reading", exclusive=True)
    async def _read_on(self) -> None:
        """Read on until the moment shown is reached; whatever else is to be done comes in between."""
        while self.is_attached and self._is_known:
            seat, ply = self.known_moment.observation.seat, self.read_up_to
            if self.readings.read(seat, ply, AT_ONCE):
                self._paint()
                return
            await asyncio.sleep(0)

    # Keys

    def action_knowledge(self) -> None:
        self._is_known = not self._is_known
        self._asked = None
        self.show_knowledge()
        self.redraw()

    def action_other_side(self) -> None:
        if self._is_known:
            self._side = "hand" if self._side == "places" else "places"
            self._paint()

    @on(KnowledgePanel.CardAsked)
    def ask_card(self, event: KnowledgePanel.CardAsked) -> None:
        """Tell of the card that was clicked."""
        event.stop()
        self._asked = event.card
        self._paint()

    def _move(self, right: int, down: int) -> None:
        if self._is_known and self._knowledge is not None:
            self._asked = self._knowledge.beside(right, down)
            self._paint()

    def action_card_left(self) -> None:
        self._move(-1, 0)

    def action_card_right(self) -> None:
        self._move(1, 0)

    def action_card_up(self) -> None:
        self._move(0, -1)

    def action_card_down(self) -> None:
        self._move(0, 1)
