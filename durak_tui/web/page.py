"""The page that shows the app, in the visitor's language."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Final

from durak_tui.text.i18n import Speaker, mark

_PAGE: Final = Path(__file__).with_name("page.html").read_text(encoding="utf-8")
_FIELD: Final = re.compile(r"__([A-Z]+)__")
_TEXTS: Final = {
    "STARTING": mark("Durak is starting …"),
    "ENDED": mark("Durak has closed. Your game is saved."),
    "LOST": mark("Reconnecting…"),
    "AGAIN": mark("Open it again"),
    "LEFT": mark("Left"),
    "RIGHT": mark("Right"),
    "ENTER": mark("Enter"),
    "KEYBOARD": mark("Keyboard"),
}


def page(speaker: Speaker, nonce: str, code: str = "", game: str = "") -> str:
    """Return the page in a language; its scripts and styles have the nonce.

    With a table's code it is the page at ``/t/CODE``, whose app joins that table. With a game's code it is
    the page at ``/g/CODE``, whose app reviews that game.
    """
    socket = f"ws/g/{game}" if game else f"ws/{code}" if code else "ws"
    values = {name: speaker.translate(text) for name, text in _TEXTS.items()}
    values |= {"NONCE": nonce, "LANGUAGE": speaker.language()}
    values |= {"TOP": "../" if code or game else "", "SOCKET": socket}
    return _FIELD.sub(lambda field: html.escape(values[field[1]]), _PAGE)
