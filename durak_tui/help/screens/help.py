"""The key list of a screen, from the active keymap."""

from __future__ import annotations

from typing import ClassVar

from rich.table import Table
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.widgets import Static

from durak_tui.keys.actions import Key
from durak_tui.keys.keymap import Keymap, key_label
from durak_tui.text.i18n import gettext, translate
from durak_tui.ui.screens.base import Dialog


class HelpDialog(Dialog[None]):
    """Lists keys and what they do."""

    BINDINGS: ClassVar = [("question_mark,comma,f1,enter,space", "close", "close")]
    MOVED = VerticalScroll

    def __init__(self, place: str) -> None:
        super().__init__()
        self._place = place

    def compose(self) -> ComposeResult:
        settings = self.host.settings
        with Vertical(classes="window") as window:
            window.border_title = gettext("Keys")
            window.border_subtitle = "[@click=screen.close]Esc[/]"
            with VerticalScroll(classes="text", can_focus=False):
                yield Static(_table(settings.keymap, self._place, ascii_only=settings.ascii))
                hint = gettext(
                    "Letter keys work in a Russian layout as well. The mouse does all of this too: click "
                    "cards, buttons, and the words in the last line."
                )
                yield Static(hint, classes="hint", markup=False)
                if self._place == "statistics":
                    yield Static(_about_rating(), classes="hint", markup=False)

    def closes_at(self, event: events.Click) -> bool:
        """Close on any click: the dialog has no controls."""
        del event
        return True

    def action_left(self) -> None:
        self.action_move("page_up")

    def action_right(self) -> None:
        self.action_move("page_down")


def _about_rating() -> str:
    return gettext(
        "Your rating is on the opponents' scale: you would lose every other game to an opponent with the "
        "same rating. Each finished game against the six opponents changes it, the first ones most. Games "
        "with hints, moves taken back, a deal you know, partners, several people or other bots do not count."
    )


def _table(keymap: Keymap, place: str, *, ascii_only: bool) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(justify="right", no_wrap=True)
    table.add_column()
    for action in keymap.at(place):
        table.add_row(
            Text(_keys(keymap, action, ascii_only=ascii_only), "bold"), Text(translate(action.help))
        )
    return table


def _keys(keymap: Keymap, action: Key, *, ascii_only: bool) -> str:
    labels = [key_label(key, ascii_only=ascii_only) for key in keymap.keys(action.id)]
    return f"{labels[0]} ... {labels[-1]}" if action.counted else " ".join(labels)
