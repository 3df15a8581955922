"""A game's code as others get it: the text, the link and the QR code."""

from __future__ import annotations

from typing import Final

from durak_core import Record, write_game_code
from durak_core.errors import DurakError
from durak_tui.sandbox import page_server
from durak_tui.text.core_messages import core_words
from durak_tui.text.i18n import gettext

_MARGIN: Final = 2
"""Light modules around a QR code. Readers need four, and the window adds its own."""
_HALVES: Final = {(False, False): "█", (False, True): "▀", (True, False): "▄", (True, True): " "}
"""The character for two modules, one above the other, by whether they are dark."""


def code_of(record: Record) -> tuple[str, str]:
    """Return a finished game's code, or an empty one and why there is none."""
    if record.result is None:
        return "", gettext("A game can be shared once it is over.")
    try:
        return write_game_code(record), ""
    except DurakError as error:
        return "", core_words(error)


def game_link(code: str) -> str:
    """Return the link of a game on the server of a visitor's page; empty in a terminal."""
    server = page_server()
    return f"{server}g/{code}" if server else ""


def qr_lines(text: str) -> list[str]:
    """Return a QR code in half blocks, to be drawn light on dark; empty without the library."""
    try:
        import segno  # noqa: PLC0415 - part of the extra ``web``
    except ModuleNotFoundError:
        return []
    rows = [
        list(map(bool, row)) for row in segno.make(text, micro=False, error="l").matrix_iter(border=_MARGIN)
    ]
    if len(rows) % 2:
        rows.append([False] * len(rows[0]))
    pairs = zip(rows[::2], rows[1::2], strict=True)
    return ["".join(_HALVES[pair] for pair in zip(*two, strict=True)) for two in pairs]
