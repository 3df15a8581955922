"""Screens with a game board: drawing, replay, and the knowledge panel."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final, cast

from textual import on, work
from textual.app import ComposeResult

from durak_core import Card, Record, Rules
from durak_core.config import allowed_words
from durak_tui.board.widgets.board import GameBoard
from durak_tui.board.widgets.prompt import Prompt
from durak_tui.hints.model import PlayerModels
from durak_tui.hints.view.knowledge import KnowledgeView, PanelState, Side, knowledge_view
from durak_tui.hints.widgets import KnowledgePanel
from durak_tui.keys.actions import ACTIONS
from durak_tui.play.game import Game, Moment
from durak_tui.storage.settings import PACE_SECONDS, Settings
from durak_tui.text.house_rules import setting_words
from durak_tui.text.i18n import gettext
from durak_tui.ui.screens.base import DurakScreen, start_work
from durak_tui.ui.view.board_data import ButtonView, CardSize, DeckColours, Look, SortOrder, TableView
from durak_tui.ui.widgets.key_bar import KeyBar
from durak_tui.ui.widgets.plot import PlyChosen

AT_ONCE: Final = 0.002
"""Seconds a key press may spend on player models; the rest is computed in the background."""
_FLIGHTS_FROM: Final = (80, 24)
"""Smallest window, in columns and rows, with animated cards."""
_LONGEST_FLIGHT: Final = 0.25
_PANEL_KEYS: Final = frozenset({"other_side", "card_left", "card_right", "card_up", "card_down"})
_ORDERS: Final = (("suit", False), ("suit", True), ("rank", False), ("rank", True), ("drawn", False))


@dataclass
class Knowledge:
    """The state of a knowledge panel: whether it is open, its side, and the card it explains."""

    is_open: bool = False
    side: Side = "places"
    asked: Card | None = None
    view: KnowledgeView | None = None


class BoardScreen(DurakScreen):
    """Shows a moment of a game on a board.

    Subclasses provide the moment and its view, and call `redraw` after a change.
    """

    LOG: ClassVar[bool] = True
    readings: PlayerModels
    """Each seat's model of the other players."""

    def __init__(self) -> None:
        super().__init__(classes="-board")
        self.knowledge = Knowledge()
        self.buttons: frozenset[str] = frozenset()
        """The keys with a button in the prompt, which need no word to tap."""
        self._is_drawing = False

    def compose_body(self) -> ComposeResult:
        yield GameBoard(log=self.LOG)

    @property
    def board(self) -> GameBoard:
        return self.query_one(GameBoard)

    @property
    @abstractmethod
    def moment(self) -> Moment: ...

    @property
    def rules(self) -> Rules:
        return self.moment.observation.rules

    @property
    def read_up_to(self) -> int:
        return self.moment.ply

    @abstractmethod
    def view(self) -> TableView: ...

    # Drawing

    def redraw(self) -> None:
        """Schedule a redraw; several changes are drawn once."""
        if not self._is_drawing:
            self._is_drawing = True
            # `call_after_refresh` waits for the screen in front, which may stay.
            self.call_later(self._draw_if_there)

    def _draw_if_there(self) -> None:
        self._is_drawing = False
        if self.is_complete:
            self.draw()

    def draw(self) -> None:
        self.board.show(self._with_keys(self.view()), self.flight_seconds)
        self._show_knowledge()
        self.refresh_bindings()

    @property
    def seconds_per_move(self) -> float:
        """The pace of the moves; 0 for no animation."""
        return 0.0

    @property
    def flight_seconds(self) -> float:
        """The duration of card animations; 0 if motion is reduced or the window too small."""
        width, height = self.app.size
        calm = self.host.settings.reduced_motion or self.app.animation_level == "none"
        if calm or width < _FLIGHTS_FROM[0] or height < _FLIGHTS_FROM[1]:
            return 0.0
        return min(_LONGEST_FLIGHT, self.seconds_per_move / 2)

    def key_pressed(self) -> None:
        """End running card animations before a key acts."""
        self.board.land()

    def _with_keys(self, view: TableView) -> TableView:
        def labelled(button: ButtonView) -> ButtonView:
            return replace(button, key=self.key_label(button.name))

        buttons = tuple(map(labelled, view.prompt.buttons))
        self.buttons = frozenset(self._key_of(button.name) for button in buttons)
        words: tuple[ButtonView, ...] = ()
        if self.is_for_fingers and not self.is_upright:  # there is no key bar
            words = self.query_one(KeyBar).buttons()
        return replace(view, prompt=replace(view.prompt, buttons=buttons, words=words))

    def key_label(self, button: str) -> str:
        settings = self.host.settings
        return settings.keymap.label(self._key_of(button), ascii_only=settings.ascii)

    def _key_of(self, button: str) -> str:
        return button if button in ACTIONS else f"{self.PLACE}.{button.replace('_', '-')}"

    @property
    def look(self) -> Look:
        """Card display options; with the knowledge panel open, publicly known cards are shown."""
        settings = self.host.settings
        return Look(
            colours=cast("DeckColours", settings.colours),
            ascii=settings.ascii,
            size=cast("CardSize", settings.size),
            sort=cast("SortOrder", settings.sort),
            descending=settings.descending,
            plain=self.app.no_color,
            seen=self.knowledge.is_open,
            remarks=settings.remarks,
            cursor=settings.cursor,
        )

    def offers(self, action: str) -> bool:
        return self.knowledge.is_open if action in _PANEL_KEYS else super().offers(action)

    @on(Prompt.ButtonChosen)
    async def press_button(self, event: Prompt.ButtonChosen) -> None:
        event.stop()
        await self.press(event.name)

    async def press(self, button: str) -> None:
        await self.run_action(ACTIONS[self._key_of(button)].action)

    # Display options

    def action_sort(self) -> None:
        settings = self.host.settings
        at = _ORDERS.index((settings.sort, settings.descending and settings.sort != "drawn"))
        sort, descending = _ORDERS[(at + 1) % len(_ORDERS)]
        self.host.change_settings(sort=sort, descending=descending)

    def action_colours(self) -> None:
        self.host.change_settings(colours="four" if self.host.settings.colours == "two" else "two")

    def action_figures(self) -> None:
        self.host.change_settings(figures=not self.host.settings.figures)

    def action_size(self) -> None:
        sizes = allowed_words(Settings, "size")
        at = sizes.index(self.host.settings.size)
        self.host.change_settings(size=sizes[(at + 1) % len(sizes)])
        self.board.tell(
            gettext("Size of the cards: {size}.", size=setting_words("size")[self.host.settings.size])
        )

    def action_log(self) -> None:
        self.board.toggle_log()

    # Knowledge panel

    def action_knowledge(self) -> None:
        self.knowledge.is_open = not self.knowledge.is_open
        self.knowledge.asked = None
        self._show_knowledge()
        self.redraw()

    def action_other_side(self) -> None:
        """Switch between the cards' locations and what the others know about the hand; open the panel."""
        if not self.knowledge.is_open:
            self.action_knowledge()
            return
        self.knowledge.side = "hand" if self.knowledge.side == "places" else "places"
        self._paint_knowledge()

    @on(KnowledgePanel.CardAsked)
    def ask_card(self, event: KnowledgePanel.CardAsked) -> None:
        event.stop()
        self.knowledge.asked = event.card
        self._paint_knowledge()

    def action_move_card(self, right: int, down: int) -> None:
        if not self.knowledge.is_open:
            self.action_knowledge()
        if self.knowledge.view is not None:
            self.knowledge.asked = self.knowledge.view.beside(right, down)
            self._paint_knowledge()

    def _show_knowledge(self) -> None:
        if self.knowledge.is_open:
            if not self._read_models():
                self._read_on()
            self._paint_knowledge()
        elif self.knowledge.view is not None:
            self.knowledge.view = None
            self.board.show_knowledge(None)

    def _read_models(self) -> bool:
        """Update the player models briefly; return whether they have reached the shown moment."""
        return self.readings.read(self.moment.observation.seat, self.read_up_to, AT_ONCE)

    @work(group="reading", exclusive=True)
    async def _read_on(self) -> None:
        """Update the models in the background until they reach the shown moment."""
        while self.is_complete and self.knowledge.is_open:
            if self._read_models():
                self._paint_knowledge()
                return
            await asyncio.sleep(0)

    def _paint_knowledge(self) -> None:
        moment, panel = self.moment, self.knowledge
        panel.view = knowledge_view(
            moment.observation,
            moment.names,
            replace(self.look, seen=False),
            PanelState(panel.side, panel.asked, self._panel_keys),
            self.readings.at(moment.observation.seat, self.read_up_to),
        )
        self.board.show_knowledge(panel.view)

    @property
    def _panel_keys(self) -> str:
        if self.is_for_fingers:
            return gettext("Tap a card to ask about it.")
        settings = self.host.settings
        names = {
            "turn": "knowledge.other-side",
            "close": f"{self.PLACE}.knowledge",
            "tell": "knowledge.card-right",
        }
        keys = {
            field: settings.keymap.label(name, ascii_only=settings.ascii) for field, name in names.items()
        }
        if self.knowledge.side == "places":
            return gettext("{turn}: what others know, {close}: close; {tell} or a click: a card", **keys)
        return gettext("{turn}: card locations, {close}: close; {tell} or a click: a card", **keys)


class ReplayScreen(BoardScreen):
    """Shows a game with keys to step through its moves."""

    game: Game[Any]

    @property
    def moment(self) -> Moment:
        return self.game.moment

    @on(PlyChosen)
    def show_ply(self, event: PlyChosen) -> None:
        event.stop()
        self.action_go(event.ply)

    def moment_changed(self) -> None:
        """Update after a step to another moment."""

    def view_changed(self) -> None:
        """Update after a change of the viewing seat or of open hands."""
        self.redraw()

    def step_buttons(self) -> tuple[ButtonView, ...]:
        return ButtonView("step_back", gettext("Back")), ButtonView("step", gettext("Move"))

    def action_go(self, ply: int) -> None:
        self.game.go(ply)
        self.moment_changed()

    def action_end(self) -> None:
        self.action_go(self.game.last_ply)

    def action_step(self, direction: int) -> None:
        self.game.step(direction)
        self.moment_changed()

    def action_bout(self, direction: int) -> None:
        self.game.go_bout(direction)
        self.moment_changed()

    def action_open_hands(self) -> None:
        if self._all_seats_known():
            self.game.open_hands = not self.game.open_hands
            self.view_changed()

    def _all_seats_known(self) -> bool:
        seat = self.game.known_seat
        if seat is not None:
            self.notify(gettext("With real cards, only your own hand is known."))
        return seat is None

    def action_next_view(self) -> None:
        if not self._all_seats_known():
            return
        self.game.viewer = (self.game.viewer + 1) % self.rules.seats
        self.view_changed()


class WatchingScreen(ReplayScreen):
    """Shows games of others that go on meanwhile, at a pace, and keeps one in the library if asked to."""

    pace = "1x"
    _keeps_at_end = False

    @property
    @abstractmethod
    def has_seen_end(self) -> bool:
        """Whether the game is over, and its end has been on the screen."""

    @abstractmethod
    def finished_record(self) -> Record | None:
        """Return the record of the finished game for the library."""

    def settings_changed(self) -> None:
        self.pace = self.host.settings.pace
        super().settings_changed()

    @property
    def seconds_per_move(self) -> float:
        return PACE_SECONDS[self.pace]

    def action_change_pace(self, step: int) -> None:
        paces = list(PACE_SECONDS)
        self.pace = paces[max(0, min(paces.index(self.pace) + step, len(paces) - 1))]
        self.redraw()

    async def action_keep(self) -> None:
        """Keep the game: now if its end has been seen, otherwise then, unless the key is pressed again."""
        if self.has_seen_end:
            await self._keep()
            return
        self._keeps_at_end = not self._keeps_at_end
        self.board.tell(
            gettext("The game will be kept in the library when it is over.")
            if self._keeps_at_end
            else gettext("The game will not be kept.")
        )

    def keep_at_end(self) -> None:
        if self._keeps_at_end and self.has_seen_end:
            self._keeps_at_end = False
            start_work(self, self._keep, group="keep")

    async def _keep(self) -> None:
        self._keeps_at_end = False
        record = self.finished_record()
        if record is not None:
            self.board.tell(await self.host.library.add_watched(record))
