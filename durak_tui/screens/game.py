"""What the table and the watched game share: a session and its board."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from durak_tui.screens.board import BoardScreen
from durak_tui.view_model import ButtonView, table_view
from durak_tui.widgets.prompt import Prompt

if TYPE_CHECKING:
    from durak_core import Card
    from durak_tui.saves import SavedGame
    from durak_tui.session import Session
    from durak_tui.view_model import Moment

__all__ = ["GameScreen"]

_PARAGRAPH: Final = re.compile(r"rules (\d+(?:\.\d+)?)")


class GameScreen(BoardScreen):
    """Shows a game that is played.

    Args:
        session: The game.
        saved: Its file, if it could be made.
    """

    def __init__(self, session: Session, saved: SavedGame | None) -> None:
        super().__init__()
        self.session = session
        self.saved = saved
        self.target: Card | None = None
        self._moment = session.moment
        self._is_drawing = False

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
        """Show the game and begin to play."""
        super().on_mount()
        self.session.subscribe(self._take)
        self.session.start()

    async def on_unmount(self) -> None:
        """Stop playing; the game stays saved."""
        await self.session.close()
        if self.saved is not None:
            self.saved.release()

    def leave(self) -> None:
        """Go back to the screen before; an unfinished game stays to be continued."""
        self.session.stop()
        if self.saved is not None:
            self.saved.release()
        self.dismiss()

    # Showing

    def _take(self, moment: Moment) -> None:
        """Remember what to show; several moments at once are drawn once."""
        self._moment = moment
        if not self._is_drawing:
            self._is_drawing = True
            self.call_after_refresh(self.draw)

    def draw(self) -> None:
        """Show the moment that was published last."""
        self._is_drawing = False
        if not self.is_attached:
            return
        moment = replace(self._moment, extra=self.extra_buttons())
        self.board.show(self.with_keys(table_view(moment, self.look, self.target)))
        self.refresh_bindings()

    def extra_buttons(self) -> tuple[ButtonView, ...]:
        """Return the buttons that the prompt gets beside those of the rules."""
        return ()

    def settings_changed(self) -> None:
        """Draw anew with changed settings."""
        super().settings_changed()
        self.session.set_pace(self.durak.settings.pace_seconds)
        self._take(self._moment)
