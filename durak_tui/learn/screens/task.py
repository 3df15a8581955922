"""Base screen of lessons, puzzles and mistakes: a board with a question and feedback above it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import replace
from typing import ClassVar, Literal

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Static

from durak_core import TAKE
from durak_tui.board.screens.playing import PlayingScreen
from durak_tui.keys.actions import Key
from durak_tui.text.i18n import gettext
from durak_tui.ui.view.board_data import PromptView, TableView


class TaskScreen(PlayingScreen):
    """Asks for an action, and continues once it is found."""

    AUTO_FOCUS: ClassVar[str | None] = "Hand"

    def compose_body(self) -> ComposeResult:
        yield Static(id="task-title", markup=False)
        with VerticalScroll(id="task-words", can_focus=False):
            yield Static(id="task-said", markup=False)
        yield from super().compose_body()

    def settings_changed(self) -> None:
        super().settings_changed()
        self.redraw()

    # Drawing

    @property
    @abstractmethod
    def heading(self) -> str: ...

    @abstractmethod
    def said(self) -> Iterable[Text]:
        """Yield the question and the feedback as paragraphs."""

    @abstractmethod
    def pause(self, view: TableView) -> PromptView:
        """Return the prompt shown between questions."""

    @abstractmethod
    def go_on(self) -> None:
        """Continue after a pause."""

    def view(self) -> TableView:
        view = super().view()
        if self.is_my_turn:
            return view
        return replace(view, prompt=self.pause(view), hand=replace(view.hand, is_turn=False))

    def draw(self) -> None:
        super().draw()
        self.query_one("#task-title", Static).update(self.heading)
        self.query_one("#task-said", Static).update(Text("\n").join(self.said()))

    def show_from_top(self) -> None:
        if self.is_complete:
            self.query_one("#task-words").scroll_home(animate=False)
            self.redraw()

    def style_of(self, kind: Literal["success", "warning"]) -> str:
        return self.app.theme_variables[f"text-{kind}"]

    # Keys

    def refuses_out_of_turn(self) -> bool:
        return not self.is_my_turn

    def take_table(self) -> None:
        """Take without a confirmation: the answer follows at once."""
        self.submit(TAKE)

    def offers(self, action: str) -> bool:
        playing = {"left", "right", "card"}
        return self.is_my_turn if action in playing else super().offers(action)

    def bar_label(self, key: Key) -> str:
        goes_on = key.word == "play" and not self.is_my_turn
        return gettext("next") if goes_on else super().bar_label(key)

    def action_play(self) -> None:
        if self.is_my_turn:
            super().action_play()
        else:
            self.go_on()

    def action_done(self) -> None:
        if self.is_my_turn:
            super().action_done()
        else:
            self.go_on()

    def action_back(self) -> None:
        if not self.asks_no_more():
            self.dismiss()
