"""A screen around the board: how the cards look, and the keys that change it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Final, cast

from textual import on

from durak_tui.input.keymap import ACTIONS, key_label
from durak_tui.input.messages import ButtonChosen, PlyChosen
from durak_tui.screens.base import DurakScreen
from durak_tui.text.i18n import say, say_as
from durak_tui.views.data import ButtonView, Look, TableView
from durak_tui.widgets.board import GameBoard

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from durak_tui.views.data import CardSize, DeckColours, SortOrder

_ORDERS: Final = (("suit", False), ("suit", True), ("rank", False), ("rank", True), ("drawn", False))


class BoardScreen(DurakScreen):
    """Shows a board and lets its looks be changed."""

    BUTTON_KEYS: ClassVar[dict[str, str]]
    """Ids of the actions that the prompt's buttons stand for, by the buttons' names."""

    @property
    def board(self) -> GameBoard:
        """The board."""
        return self.query_one(GameBoard)

    def compose_body(self) -> ComposeResult:
        yield GameBoard()

    def with_keys(self, view: TableView) -> TableView:
        """Name on each button the key that is in force."""
        settings = self.host.settings

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
        settings = self.host.settings
        return Look(
            colours=cast("DeckColours", settings.colours),
            ascii=settings.ascii,
            size=cast("CardSize", settings.size),
            sort=cast("SortOrder", settings.sort),
            descending=settings.descending,
            plain=self.app.no_color,
        )

    @on(ButtonChosen)
    async def press_button(self, event: ButtonChosen) -> None:
        """Do what the button says."""
        event.stop()
        await self.run_action(ACTIONS[self.BUTTON_KEYS[event.name]].action)

    @on(PlyChosen)
    def show_ply(self, event: PlyChosen) -> None:
        """Go to the moment that was clicked in the log or in a curve."""
        event.stop()
        self.go(event.ply)

    def go(self, ply: int) -> None:
        """Show the moment after so many moves, where one can look back."""

    # Keys of all these screens

    def action_sort(self) -> None:
        settings = self.host.settings
        at = _ORDERS.index((settings.sort, settings.descending and settings.sort != "drawn"))
        sort, descending = _ORDERS[(at + 1) % len(_ORDERS)]
        self.host.change_settings(sort=sort, descending=descending)

    def action_colours(self) -> None:
        self.host.change_settings(colours="four" if self.host.settings.colours == "two" else "two")

    def action_size(self) -> None:
        sizes = ("auto", "large", "normal", "small", "tiny")
        at = sizes.index(self.host.settings.size)
        self.host.change_settings(size=sizes[(at + 1) % len(sizes)])
        self.board.tell(say("Size of the cards: {size}.", size=say_as("choice", self.host.settings.size)))

    def action_log(self) -> None:
        self.board.toggle_log()
