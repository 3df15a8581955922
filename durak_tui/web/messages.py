"""Messages from a page to its app: parsing, checks and limits.

The page's script sends JSON lists: ``["stdin", TEXT]``, ``["resize", {"width": W, "height": H}]``,
``["focus"]``, ``["blur"]`` and ``["ping", TEXT]``, which is answered. Anything else is ignored.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any, Final

from durak_core.errors import NotationError
from durak_core.files import read_json

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

PONG: Final = '["pong", ""]'
"""The answer to a ping, by which a page knows that its connection is alive."""


def cells(width: object, height: object) -> tuple[int, int]:
    """Return a terminal size within limits. Invalid numbers give the default size."""
    return _within(width, 80, _MOST_WIDTH), _within(height, 24, _MOST_HEIGHT)


def _within(told: object, usual: int, most: int) -> int:
    if isinstance(told, str) and told.isascii() and told.isdecimal():
        told = int(told[:9])
    is_number = isinstance(told, int | float) and not isinstance(told, bool) and abs(told) < 10**9
    return min(max(int(told), 1), most) if is_number else usual  # type: ignore[call-overload]


def read_message(text: str) -> tuple[str, bytes]:
    """Return a message's kind and the packet for the app, empty for a ping; both empty if it is invalid."""
    try:
        told = read_json(text, MOST_BYTES)
    except NotationError:
        return "", b""
    match told:
        case ["stdin", str(typed)] if len(typed) <= _MOST_TEXT:
            return "stdin", _packet(b"D", typed.encode("utf-8", "replace"))
        case ["resize", {"width": width, "height": height}]:
            return "resize", resize_packet(*cells(width, height))
        case ["focus" | "blur" as kind]:
            return kind, _about(kind)
        case ["ping", str()]:
            return "ping", b""
    return "", b""


def resize_packet(width: int, height: int) -> bytes:
    """Return the packet that gives an app a terminal size within limits."""
    return _about("resize", width=width, height=height)


def _about(kind: str, **values: Any) -> bytes:  # noqa: ANN401 - whatever JSON can say
    return _packet(b"M", json.dumps({"type": kind, **values}).encode())


def _packet(kind: bytes, payload: bytes) -> bytes:
    return kind + len(payload).to_bytes(4, "big") + payload


QUIT: Final = _about("quit")
"""The packet that ends an app."""
REDRAW: Final = _about("redraw")
"""The packet after which an app draws everything again."""


def price(kind: str) -> int:
    """Return the cost of a message of a kind, in messages."""
    return _PRICES.get(kind, 1)


class Pace:
    """Rate limit that delays messages and drops none.

    Args:
        a_second: Messages accepted per second.
        at_once: Messages accepted without waiting after a pause.
    """

    def __init__(self, a_second: int = _A_SECOND, at_once: int = _AT_ONCE) -> None:
        self._a_second = a_second
        self._at_once = at_once
        self._heard_until = 0.0

    async def wait(self, price: int = 1) -> None:
        """Wait until the next message may be read after one that costs as much as `price` messages."""
        now = asyncio.get_running_loop().time()
        earliest = now - self._at_once / self._a_second
        self._heard_until = max(self._heard_until, earliest) + price / self._a_second
        if self._heard_until > now:
            await asyncio.sleep(self._heard_until - now)
