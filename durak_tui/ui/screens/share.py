"""Sharing a finished game by its code: one key copies it and shows it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Final

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.containers import Horizontal, Vertical
from textual.widgets import Static

from durak_core import Record
from durak_tui.keys.bindings import bindings
from durak_tui.keys.keymap import key_label
from durak_tui.text.i18n import gettext
from durak_tui.ui.screens.base import AppScreen
from durak_tui.ui.screens.dialogs import Ask
from durak_tui.ui.view.share import code_of, game_link, qr_lines

_LARGEST: Final = 500
"""Characters of the longest code with a QR code that fits some window."""
_AROUND: Final = 5
"""Window rows around the picture."""
_BESIDE: Final = 34
"""Window columns for the text and the frame next to the picture."""


def share_game(screen: AppScreen[Any], record: Record) -> str:
    """Copy a finished game's code and show it; return why there is none, or an empty string."""
    code, problem = code_of(record)
    if code:
        screen.app.copy_to_clipboard(code)
        screen.app.push_screen(ShareDialog(code))
    return problem


class ShareDialog(Ask):
    """Shows a game's code, its link if there is a server, and a QR code of these."""

    def __init__(self, code: str) -> None:
        self._code = code
        self._link = game_link(code)
        buttons = [("code", gettext("Copy code")), ("close", gettext("Close"))]
        if self._link:
            buttons.insert(1, ("link", gettext("Copy link")))
        super().__init__(gettext("Share this game"), "", buttons)
        self._keys[-1] = key_label("escape")

    def compose_text(self) -> ComposeResult:
        with Horizontal(id="share"):
            with Vertical(id="share-text"):
                yield Static(gettext("The code is copied."), id="share-told", markup=False)
                yield Static(Text(self._code, overflow="fold"), id="share-code")
                yield Static(self._how(), markup=False)
            yield Static(id="share-qr", markup=False)

    def _how(self) -> str:
        if self._link:
            return gettext(
                "The code and this link open the whole game with its review: {link}", link=self._link
            )
        return gettext(
            "It holds the whole game. To open it, start {command} with the code.", command="durak-tui"
        )

    def on_resize(self) -> None:
        width, height = self.app.size
        text = self._link or self._code
        can_have = not self.host.settings.ascii and len(text) <= _LARGEST
        lines = qr_lines(text) if can_have else []
        room = (width, height // 2) if self.is_upright else (width - _BESIDE, height - _AROUND)
        has_room = bool(lines) and len(lines[0]) <= room[0] and len(lines) <= room[1]
        picture = self.query_one("#share-qr", Static)
        picture.update(Text("\n".join(lines) if has_room else "", "white on black"))
        picture.display = has_room
        self.set_class(has_room, "-with-picture")

    def answer(self, name: str) -> None:
        if name == "close":
            self.dismiss(None)
            return
        self.app.copy_to_clipboard(self._link if name == "link" else self._code)
        told = gettext("The link is copied.") if name == "link" else gettext("The code is copied.")
        self.query_one("#share-told", Static).update(told)


class SharingAsk(Ask):
    """A dialog about a finished game, which one key shares.

    Args:
        record: Returns the game to share, or None if there is none yet.
        buttons: Each button's name and label.
    """

    BINDINGS: ClassVar = bindings("result")

    def __init__(self, record: Callable[[], Record | None], buttons: Sequence[tuple[str, str]]) -> None:
        super().__init__(gettext("The game is over"), "", buttons)
        self._shared_record = record

    def on_mount(self) -> None:
        if not self.is_for_fingers:
            key = self.host.settings.keymap.label("result.share")
            words = gettext("{key}: share the game", key=key)
        else:
            words = gettext("Share the game")
        self.query_one(".window").border_subtitle = f"[@click=screen.share]{words}[/]"

    def on_key(self, event: events.Key) -> None:
        # The letters of the buttons do not distinguish cases.
        if event.key in self.host.settings.keymap.all_keys("result.share"):
            event.stop()
            event.prevent_default()
            self.action_share()

    def dismiss(self, result: str | None = None) -> AwaitComplete:
        """Close with a result, and what is shown to share the game."""
        if isinstance(self.app.screen, ShareDialog):
            self.app.screen.dismiss(None)
        return super().dismiss(result)

    def action_share(self) -> None:
        record = self._shared_record()
        problem = "" if record is None else share_game(self, record)
        if problem:
            self.host.tell(problem)
