"""Screens with a game board: drawing, replay, and the knowledge panel."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar, Final, Protocol, cast

from textual import on, work
from textual.app import ComposeResult

from durak_core import Action, Card, Rules, State
from durak_core.config import allowed_words
from durak_tui.board.widgets.board import GameBoard
from durak_tui.board.widgets.prompt import Prompt
from durak_tui.hints.model import PlayerModels
from durak_tui.hints.view.knowledge import KnowledgeView, PanelState, Side, knowledge_view
from durak_tui.hints.widgets import KnowledgePanel
from durak_tui.keys.actions import ACTIONS
from durak_tui.play.snapshot import SessionSnapshot
from durak_tui.storage.settings import Settings
from durak_tui.text.house_rules import setting_words
from durak_tui.text.i18n import gettext
from durak_tui.ui.screens.base import DurakScreen
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


class Replay(Protocol):
    """A game that can be viewed at every moment, from any seat."""

    viewer: int
    open_hands: bool

    @property
    def states(self) -> Sequence[State]:
        """All positions from the deal on."""

    def go(self, ply: int) -> None:
        """Show a ply, or the nearest one."""

    def step(self, direction: int) -> None:
        """Go one move forward (1) or back (-1)."""

    def go_bout(self, direction: int) -> None:
        """Show the start of the next bout (1), or of the current or previous one (-1)."""


class BoardScreen(DurakScreen):
    """Shows a moment of a game on a board.

    Subclasses provide the moment and its view, and call `redraw` after a change.
    """

    LOG: ClassVar[bool] = True
    readings: PlayerModels
    """Each seat's model of the other players."""

    def __init__(self) -> None:
        super().__init__(classes="-board")
        self.knowledge = Knowledge(self)
        self._is_drawing = False

    def compose_body(self) -> ComposeResult:
        yield GameBoard(log=self.LOG)

    @property
    def board(self) -> GameBoard:
        return self.query_one(GameBoard)

    @property
    @abstractmethod
    def moment(self) -> SessionSnapshot: ...

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
        self.knowledge.show()
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
        words: tuple[ButtonView, ...] = ()
        if self.is_for_fingers and not self.is_upright:  # there is no key bar
            offered = {self._key_of(button.name) for button in buttons}
            words = tuple(word for word in self.query_one(KeyBar).buttons() if word.name not in offered)
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
        )

    def offers(self, action: str) -> bool:
        return self.knowledge.is_open if action in _PANEL_KEYS else super().offers(action)

    @on(Prompt.ButtonChosen)
    async def press_button(self, event: Prompt.ButtonChosen) -> None:
        event.stop()
        await self.press(event.name)

    def key_to_play(self, action: Action) -> str:
        """Return the label of the key that plays an action; empty on boards without playing."""
        del action
        return ""

    def first_hint_shown(self) -> None:
        """Called once the first hint of a game is on the board."""

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
        self.knowledge.toggle()
        self.redraw()

    def action_other_side(self) -> None:
        self.knowledge.turn()

    @on(KnowledgePanel.CardAsked)
    def ask_card(self, event: KnowledgePanel.CardAsked) -> None:
        event.stop()
        self.knowledge.select_card(event.card)

    @work(group="reading", exclusive=True)
    async def read_on(self) -> None:
        await self.knowledge.read_on()

    def action_move_card(self, right: int, down: int) -> None:
        self.knowledge.move(right, down)


class ReplayScreen(BoardScreen):
    """Shows a game with keys to step through its moves."""

    @property
    @abstractmethod
    def replay(self) -> Replay: ...

    @on(PlyChosen)
    def show_ply(self, event: PlyChosen) -> None:
        event.stop()
        self.action_go(event.ply)

    def moment_changed(self) -> None:
        """Update after a step to another moment."""

    def view_changed(self) -> None:
        """Update after a change of the viewing seat or of open hands."""

    def step_buttons(self) -> tuple[ButtonView, ...]:
        return ButtonView("step_back", gettext("Back")), ButtonView("step", gettext("Move"))

    def action_go(self, ply: int) -> None:
        self.replay.go(ply)
        self.moment_changed()

    def action_end(self) -> None:
        self.action_go(len(self.replay.states))

    def action_step(self, direction: int) -> None:
        self.replay.step(direction)
        self.moment_changed()

    def action_bout(self, direction: int) -> None:
        self.replay.go_bout(direction)
        self.moment_changed()

    def action_open_hands(self) -> None:
        self.replay.open_hands = not self.replay.open_hands
        self.view_changed()

    def action_next_view(self) -> None:
        self.replay.viewer = (self.replay.viewer + 1) % self.replay.states[0].rules.seats
        self.view_changed()


class Knowledge:
    """A screen's knowledge panel, with player models computed incrementally."""

    def __init__(self, screen: BoardScreen) -> None:
        self._screen = screen
        self._side: Side = "places"
        self.is_open = False
        self.asked: Card | None = None
        self.view: KnowledgeView | None = None

    def toggle(self) -> None:
        self.is_open = not self.is_open
        self.asked = None
        self.show()

    def turn(self) -> None:
        """Switch between the cards' locations and what the others know about the hand; open the panel."""
        if not self.is_open:
            self._screen.action_knowledge()
            return
        self._side = "hand" if self._side == "places" else "places"
        self._paint()

    def select_card(self, card: Card) -> None:
        self.asked = card
        self._paint()

    def move(self, right: int, down: int) -> None:
        if not self.is_open:
            self._screen.action_knowledge()
        if self.view is not None:
            self.asked = self.view.beside(right, down)
            self._paint()

    def show(self) -> None:
        if self.is_open:
            if not self._read():
                self._screen.read_on()
            self._paint()
        elif self.view is not None:
            self.view = None
            self._screen.board.show_knowledge(None)

    def _read(self) -> bool:
        """Update the models briefly; return whether they have reached the shown moment."""
        screen = self._screen
        return screen.readings.read(screen.moment.observation.seat, screen.read_up_to, AT_ONCE)

    async def read_on(self) -> None:
        """Update the models in the background until they reach the shown moment."""
        while self._screen.is_complete and self.is_open:
            if self._read():
                self._paint()
                return
            await asyncio.sleep(0)

    def _paint(self) -> None:
        screen, moment = self._screen, self._screen.moment
        self.view = knowledge_view(
            moment.observation,
            moment.names,
            replace(screen.look, seen=False),
            PanelState(self._side, self.asked, self._hint),
            screen.readings.at(moment.observation.seat, screen.read_up_to),
        )
        screen.board.show_knowledge(self.view)

    @property
    def _hint(self) -> str:
        if self._screen.is_for_fingers:
            return gettext("Tap a card to ask about it.")
        settings = self._screen.host.settings
        turn, close, tell = (
            settings.keymap.label(name, ascii_only=settings.ascii)
            for name in ("knowledge.other-side", f"{self._screen.PLACE}.knowledge", "knowledge.card-right")
        )
        keys = {"turn": turn, "close": close, "tell": tell}
        if self._side == "places":
            return gettext("{turn}: what others know, {close}: close; {tell} or a click: a card", **keys)
        return gettext("{turn}: card locations, {close}: close; {tell} or a click: a card", **keys)
