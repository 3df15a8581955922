"""Messages from a page to its app: parsing, checks and limits.

The page's script sends JSON lists: ``["stdin", TEXT]``, ``["resize", {"width": W, "height": H}]``,
``["focus"]``, ``["blur"]`` and a ``ping`` that needs no answer. Anything else is ignored.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any, Final

from durak_core.errors import NotationError
from durak_core.json_text import read_json

MOST_BYTES: Final = 1 << 16
"""Maximum bytes of a message. A longer one closes its socket."""

_MOST_TEXT: Final = 1 << 14
"""Maximum characters typed or pasted at once."""
_MOST_WIDTH: Final = 500
_MOST_HEIGHT: Final = 200

_A_SECOND: Final = 100
"""Messages accepted per second; a mouse sends about sixty. Further ones wait."""
_AT_ONCE: Final = 200
"""Messages accepted without waiting after a pause."""
_PRICES: Final = {"resize": 25}
"""Cost of a message in messages: after a resize everything is redrawn."""

QUIT: Final = b"M" + len(b'{"type": "quit"}').to_bytes(4, "big") + b'{"type": "quit"}'
"""The packet that ends an app."""


def cells(width: object, height: object) -> tuple[int, int]:
    """Return a terminal size within limits. Invalid numbers give the default size."""
    return _within(width, 80, _MOST_WIDTH), _within(height, 24, _MOST_HEIGHT)


def _within(told: object, usual: int, most: int) -> int:
    if isinstance(told, str) and told.isascii() and told.isdecimal():
        told = int(told[:9])
    is_number = isinstance(told, int | float) and not isinstance(told, bool) and abs(told) < 10**9
    return min(max(int(told), 1), most) if is_number else usual  # type: ignore[call-overload]


def read_message(text: str) -> tuple[str, bytes]:
    """Return a message's kind and the packet for the app; both empty if it is invalid."""
    try:
        told = read_json(text, MOST_BYTES)
    except NotationError:
        return "", b""
    match told:
        case ["stdin", str(typed)] if len(typed) <= _MOST_TEXT:
            return "stdin", _packet(b"D", typed.encode("utf-8", "replace"))
        case ["resize", {"width": width, "height": height}]:
            width, height = cells(width, height)
            return "resize", _about("resize", width=width, height=height)
        case ["focus" | "blur" as kind]:
            return kind, _about(kind)
    return "", b""


def _about(kind: str, **values: Any) -> bytes:  # noqa: ANN401 - whatever JSON can say
    return _packet(b"M", json.dumps({"type": kind, **values}).encode())


def _packet(kind: bytes, payload: bytes) -> bytes:
    return kind + len(payload).to_bytes(4, "big") + payload


class Pace:
    """Rate limit that delays messages and drops none."""

    def __init__(self) -> None:
        self._heard_until = 0.0

    async def wait(self, kind: str) -> None:
        """Wait until the next message may be read after one of this kind."""
        now = asyncio.get_running_loop().time()
        spent = _PRICES.get(kind, 1) / _A_SECOND
        self._heard_until = max(self._heard_until, now - _AT_ONCE / _A_SECOND) + spent
        if self._heard_until > now:
            await asyncio.sleep(self._heard_until - now)
