"""Escapes of quoted text (docs/notation.md, "Quoted text")."""

from __future__ import annotations

import re
from typing import Final

from durak_core.errors import NotationError

_LETTERS: Final = {"\n": "n", "\r": "r", "\t": "t"}
_CONTROLS: Final = {letter: control for control, letter in _LETTERS.items()}
_UNPRINTED: Final = r"\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff"
"""Control characters, Unicode line ends, lone surrogates and the byte order mark."""
_ESCAPE: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.)|$)", re.DOTALL)


def escape(text: str, closing: str) -> str:
    """Escape a text for quotes or braces, with a backslash before the closing characters."""
    special = re.compile(rf"[\\{re.escape(closing)}{_UNPRINTED}]")
    return special.sub(_escaped, text)


def unescape(text: str) -> str:
    """Reverse `escape`; raise `NotationError` for an unknown escape."""
    return _ESCAPE.sub(_unescaped, text) if "\\" in text else text


def _escaped(match: re.Match[str]) -> str:
    character = match[0]
    if character in _LETTERS:
        return "\\" + _LETTERS[character]
    if character.isprintable():
        return "\\" + character
    return f"\\u{ord(character):04x}"


def _unescaped(match: re.Match[str]) -> str:
    code, character = match[1], match[2]
    if code is not None:
        return chr(int(code, 16))
    if character in _CONTROLS:
        return _CONTROLS[character]
    if character is not None and character in '\\"{}':
        return str(character)
    raise NotationError(
        '{found} means nothing: write \\\\ for a backslash, or one of \\" \\{{ \\}} \\n \\r \\t \\u0000',
        found=match[0],
    )
