"""Signals outside the app's window, and a game's code as others get it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from durak_core import BeatenOff, GameEnded, Record, TableTaken, write_game_code
from durak_core.errors import DurakError, printable
from durak_core.game.events import ActionEvent
from durak_tui.play.game import Moment
from durak_tui.sandbox import page_server
from durak_tui.text.core_messages import core_words
from durak_tui.text.i18n import gettext
from durak_tui.ui.model import SOUNDS, Sound

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


_OWN_LINK: Final = re.compile(r"https?://(localhost|127\.|\[::1\])", re.IGNORECASE)


def qr_lines(text: str) -> list[str]:
    """Return a QR code in half blocks, to be drawn light on dark.

    It is empty without the library, and for a link to this machine, which no phone can open.
    """
    if _OWN_LINK.match(text):
        return []
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


KEEP_TITLE: Final = "\x1b[22;2t"
"""Lets the terminal remember its title."""
RETURN_TITLE: Final = "\x1b[23;2t"

_ESCAPE: Final = "\x1b"
_BELL: Final = "\x07"
_OSC: Final = "\x1b]"
_END: Final = "\x1b\\"


def title(text: str) -> str:
    """Return the sequence that sets the window's title."""
    return f"{_OSC}2;{printable(text)}{_BELL}"


def notification(text: str, environ: Mapping[str, str]) -> str:
    """Return the sequence of a desktop notification in this terminal's dialect.

    kitty has OSC 99, VTE, foot and rxvt have OSC 777, and others, such as iTerm2 and WezTerm, have OSC 9.
    tmux passes it on if it is allowed to. Terminals without notifications ignore it.
    """
    text = printable(text).replace(";", ",")
    term = environ.get("TERM", "")
    if environ.get("KITTY_WINDOW_ID") or "kitty" in term:
        sequence = f"{_OSC}99;;{text}{_END}"
    elif environ.get("VTE_VERSION") or term.startswith(("foot", "rxvt")):
        sequence = f"{_OSC}777;notify;Durak;{text}{_BELL}"
    else:
        sequence = f"{_OSC}9;{text}{_BELL}"
    if environ.get("TMUX"):
        doubled = sequence.replace(_ESCAPE, 2 * _ESCAPE)
        return f"{_ESCAPE}Ptmux;{doubled}{_END}"
    return sequence


def page_sound(sound: Sound) -> str:
    """Return the sequence that plays a sound in the browser's page: hertz, start and length of each tone."""
    tones = ";".join([",".join(map(str, tone)) for tone in SOUNDS[sound]])
    return f"{_OSC}777;durak;{tones}{_BELL}"


def page_keyboard(*, is_wanted: bool) -> str:
    """Return the sequence that calls the phone's keyboard in the browser's page, or sends it away."""
    return f"{_OSC}777;durak-keyboard;{is_wanted:d}{_BELL}"


def sounds_between(before: Moment | None, after: Moment, *, is_turn: bool) -> tuple[Sound, ...]:
    """Return the sounds of the moves between two snapshots, and of the viewer's turn.

    Nothing sounds when a game is opened, looked back at or taken back.
    """
    if before is None or after.ply <= before.ply or after.ply != after.last_ply:
        return ()
    seen = len(before.observation.events)
    new = after.observation.events[seen:] if before.observation.seat == after.observation.seat else ()
    if any(isinstance(event, GameEnded) for event in new):
        is_lost = after.human is not None and after.human in after.observation.fools
        return ("taken",) if is_lost else ("won",)
    sounds: list[Sound] = []
    kinds = {type(event) for event in new}
    if TableTaken in kinds:
        sounds.append("taken")
    elif BeatenOff in kinds:
        sounds.append("beaten")
    elif any(isinstance(event, ActionEvent) for event in new):
        sounds.append("card")
    if is_turn:
        sounds.append("turn")
    return tuple(sounds)
