"""Between two people at one keyboard: nothing is shown until the next one has taken it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, ClassVar

from textual.containers import Center, Vertical
from textual.widgets import Button, Static

from durak_tui.bindings import bindings
from durak_tui.i18n import say
from durak_tui.screens.base import DurakScreen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult

__all__ = ["GRACE", "HandOverScreen"]

GRACE = 0.4
"""Seconds in which nothing is shown: a key pressed once too often must not open another's hand."""


class HandOverScreen(DurakScreen):
    """Hides the table.

    Args:
        name: Whom the keyboard is handed to.
        news: What was played last, which everybody may know.
        can_undo: Whether whoever has just played may take that back.

    Attributes:
        answer: ``show``, ``undo`` or ``menu`` once it is closed.
    """

    PLACE: ClassVar[str] = "handover"
    BINDINGS: ClassVar = bindings("handover")
    CSS_PATH = "hand_over.tcss"
    AUTO_FOCUS = ""

    def __init__(self, name: str, news: Sequence[str], *, can_undo: bool) -> None:
        super().__init__()
        self._name_to = name
        self._news = tuple(news)
        self._can_undo = can_undo
        self._since = time.monotonic()
        self.answer = ""

    def compose_body(self) -> ComposeResult:
        """Say whose turn it is, with a button for each key."""
        with Vertical(id="hand-over"):
            yield Static("\n".join(self._news), id="hand-over-news", markup=False)
            yield Static(say("{name}, your turn", name=self._name_to), id="hand-over-name", markup=False)
            yield Static(say("Press Enter when nobody else looks."), id="hand-over-how")
            with Center():
                yield Button(say("Show my cards"), id="show", compact=True)
            with Center():
                yield Button(say("Take back"), id="undo", compact=True, disabled=not self._can_undo)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Do what the button says."""
        event.stop()
        if event.button.id == "undo":
            self.action_undo()
        else:
            self.action_show()

    def offers(self, action: str) -> bool:
        """Name taking back only where it can be done."""
        return action != "undo" or self._can_undo

    def action_show(self) -> None:
        """Show the table."""
        if time.monotonic() - self._since >= GRACE:
            self._close("show")

    def action_undo(self) -> None:
        """Take back what was just played."""
        if self._can_undo:
            self._close("undo")

    def action_back(self) -> None:
        """Go back to the menu; the game stays saved."""
        self._close("menu")

    def _close(self, answer: str) -> None:
        self.answer = answer
        self.dismiss()
