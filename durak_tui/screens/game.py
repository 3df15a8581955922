"""What the table and the watched game share: a session, its board, and how the cards look."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Final, cast

from durak_tui.keymap import key_label
from durak_tui.screens.base import DurakScreen
from durak_tui.view_model import ButtonView, Look, TableView, table_view
from durak_tui.widgets.board import GameBoard
from durak_tui.widgets.prompt import Prompt

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from durak_core import Card
    from durak_tui.saves import SavedGame
    from durak_tui.session import Session
    from durak_tui.view_model import CardSize, DeckColours, Moment, SortOrder

__all__ = ["GameScreen"]

_PARAGRAPH: Final = re.compile(r"rules (\d+(?:\.\d+)?)")
_ORDERS: Final = (("suit", False), ("suit", True), ("rank", False), ("rank", True), ("drawn", False))


class GameScreen(DurakScreen):
    """Shows a game and lets its looks be changed.

    Args:
        session: The game.
        saved: Its file, if it could be made.
    """

    BUTTON_KEYS: ClassVar[dict[str, str]]
    """Ids of the actions that the prompt's buttons stand for, by the buttons' names."""

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
    def board(self) -> GameBoard:
        """The board."""
        return self.query_one(GameBoard)

    @property
    def paragraph(self) -> str:
        """The paragraph that the prompt names."""
        named = _PARAGRAPH.search(self.query_one(Prompt).aside)
        return named[1] if named else ""

    def compose_body(self) -> ComposeResult:
        """Make the board."""
        yield GameBoard()

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
        self.board.show(self._with_keys(table_view(moment, self.look, self.target)))
        self.refresh_bindings()

    def extra_buttons(self) -> tuple[ButtonView, ...]:
        """Return the buttons that the prompt gets beside those of the rules."""
        return ()

    def _with_keys(self, view: TableView) -> TableView:
        """Name on each button the key that is in force."""
        settings = self.durak.settings

        def labelled(button: ButtonView) -> ButtonView:
            action_id = self.BUTTON_KEYS.get(button.name)
            if action_id is None:
                return button
            key = settings.keymap.keys(action_id)[0]
            return replace(button, key=key_label(key, ascii_only=settings.ascii))

        buttons = tuple(map(labelled, view.prompt.buttons))
        return replace(view, prompt=replace(view.prompt, buttons=buttons))

    @property
    def look(self) -> Look:
        """How the person wants the cards to look."""
        settings = self.durak.settings
        return Look(
            colours=cast("DeckColours", settings.colours),
            ascii=settings.ascii,
            size=cast("CardSize", settings.size),
            sort=cast("SortOrder", settings.sort),
            descending=settings.descending,
            plain=self.app.no_color,
        )

    def settings_changed(self) -> None:
        """Draw anew with changed settings."""
        super().settings_changed()
        self.session.set_pace(self.durak.settings.pace_seconds)
        self._take(self._moment)

    # Keys of both screens

    def action_sort(self) -> None:
        """Sort the hand another way."""
        settings = self.durak.settings
        at = _ORDERS.index((settings.sort, settings.descending and settings.sort != "drawn"))
        sort, descending = _ORDERS[(at + 1) % len(_ORDERS)]
        self.durak.change_settings(sort=sort, descending=descending)

    def action_colours(self) -> None:
        """Change between two and four colours."""
        self.durak.change_settings(colours="four" if self.durak.settings.colours == "two" else "two")

    def action_size(self) -> None:
        """Take the next size of the cards."""
        sizes = ("auto", "large", "normal", "small", "tiny")
        at = sizes.index(self.durak.settings.size)
        self.durak.change_settings(size=sizes[(at + 1) % len(sizes)])
        self.board.tell(f"Size of the cards: {self.durak.settings.size}.")

    def action_log(self) -> None:
        """Show or hide the move log."""
        self.board.toggle_log()
