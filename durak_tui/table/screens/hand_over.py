"""The handover between people at one keyboard."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from textual.app import ComposeResult
from textual.containers import Center, Vertical
from textual.widgets import Button, Static

from durak_tui.play.session import Session
from durak_tui.play.snapshot import SessionSnapshot
from durak_tui.table.view import HAND_OVER
from durak_tui.text.i18n import gettext
from durak_tui.text.phrases import Voice, log_lines
from durak_tui.ui.screens.base import DurakScreen, TranslatedLabel
from durak_tui.ui.screens.dialogs import when_saved

GRACE = 0.4
"""Seconds without any cards, so that a repeated key does not reveal another player's hand."""
_NEWS: Final = 3
"""Number of actions listed while the table is hidden."""


class HandOverScreen(DurakScreen, place="handover"):
    """Hides the table until the next player takes the keyboard. Returns ``show``, ``undo`` or ``menu``."""

    AUTO_FOCUS = ""

    def __init__(self, session: Session, moment: SessionSnapshot, save: Callable[[], str]) -> None:
        super().__init__()
        self._session = session
        self._moment = moment
        self._save = save
        self._can_undo = session.can_undo
        self._since = time.monotonic()
        self.answer = ""

    def compose_body(self) -> ComposeResult:
        with Vertical(id="hand-over"):
            yield Static(id="hand-over-news", markup=False)
            yield Static(id="hand-over-name", markup=False)
            yield TranslatedLabel(HAND_OVER, id="hand-over-how")
            with Center():
                yield Button("", id="show", compact=True)
            with Center():
                yield Button("", id="undo", compact=True, disabled=not self._can_undo)

    def settings_changed(self) -> None:
        super().settings_changed()
        names = self._session.names
        told = log_lines(self._moment.observation.events, Voice(names, ascii=self.host.settings.ascii))
        news = [line.words for line in told if line.is_action][-_NEWS:]
        name = names[self._moment.hand_over or 0]
        self.query_one("#hand-over-news", Static).update("\n".join(news))
        self.query_one("#hand-over-name", Static).update(gettext("{name}, your turn", name=name))
        self.query_one("#show", Button).label = gettext("Show my cards")
        self.query_one("#undo", Button).label = gettext("Take back")

    def on_button_pressed(self, event: Button.Pressed) -> None:
        event.stop()
        if event.button.id == "undo":
            self.action_undo()
        else:
            self.action_show()

    def offers(self, action: str) -> bool:
        return action != "undo" or self._can_undo

    def action_show(self) -> None:
        if time.monotonic() - self._since >= GRACE:
            self._close("show")

    def action_undo(self) -> None:
        if self._can_undo:
            self._close("undo")

    def action_back(self) -> None:
        when_saved(self.app, self._save, lambda: self._close("menu"))

    def _close(self, answer: str) -> None:
        self.answer = answer
        self.dismiss()
