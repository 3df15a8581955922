"""The address of a table: a link such as ``http://192.0.2.7:8000/t/ABCDEFGH``, or its parts."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import urlsplit

from durak_core.errors import NotationError
from durak_tui.friends.messages import checked_code
from durak_tui.sandbox import TABLES, is_confined

USUAL_SERVER: Final = "http://127.0.0.1:8000/"
"""The server of a code that was typed alone: this machine's own, on the usual port."""

LONGEST_ADDRESS: Final = 300

_LINK: Final = re.compile(r".*[./:].*|localhost", re.IGNORECASE)
_HAS_SCHEME: Final = re.compile(r"[a-z]+://", re.IGNORECASE)
_TABLE: Final = re.compile(r"(?P<base>.*/|)t/(?P<code>[^/]*)/?")
_HOST: Final = re.compile(r"[\w.-]+|[0-9a-f:.]+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Address:
    """A server and perhaps one of its tables.

    Attributes:
        server: The address of its page, ``http`` or ``https``, with a slash at the end.
        code: The table's code, or empty.
    """

    server: str
    code: str = ""

    @property
    def socket(self) -> str:
        """The address of the server's WebSocket for tables."""
        return "ws" + self.server.removeprefix("http") + "tables"

    @property
    def link(self) -> str:
        """What a friend opens in a browser, or gives to ``--join``."""
        return f"{self.server}t/{self.code}" if self.code else self.server

    @property
    def port(self) -> int:
        parts = urlsplit(self.server)
        return parts.port or (443 if parts.scheme == "https" else 80)

    def at_table(self, code: str) -> Address:
        return replace(self, code=code)


def parse_address(text: str, server: str = USUAL_SERVER) -> Address:
    """Parse what a player typed: a link, a host, or a code alone.

    A visitor in the browser stays at the server of the page; only the code counts.

    Args:
        text: The typed text.
        server: The server of a code that is typed alone.

    Raises:
        NotationError: If it is none of these.
    """
    text = text.strip()
    code = checked_code(text)
    address = Address(server, code) if code else _parse_link(text)
    return replace(address, server=own_server()) if is_confined() else address


def own_server() -> str:
    """Return the server that a visitor's app belongs to; `USUAL_SERVER` in a terminal."""
    return os.environ.get(TABLES) or USUAL_SERVER


def _parse_link(text: str) -> Address:
    if len(text) > LONGEST_ADDRESS or not text.isprintable() or " " in text or not _LINK.fullmatch(text):
        raise _no_address(text)
    try:
        parts = urlsplit(text if _HAS_SCHEME.match(text) else f"http://{text}")
        host, port = parts.hostname or "", parts.port
        host.encode("idna")  # as the connection does
    except ValueError:
        raise _no_address(text) from None
    scheme = {"http": "http", "https": "https", "ws": "http", "wss": "https"}.get(parts.scheme)
    if scheme is None or not _HOST.fullmatch(host) or "@" in parts.netloc or parts.query or parts.fragment:
        raise _no_address(text)
    name = f"[{host}]" if ":" in host else host
    place = f"{scheme}://{name}" + ("" if port is None else f":{port}")
    path = parts.path.removeprefix("/")
    table = _TABLE.fullmatch(path)
    if table is None:
        return Address(f"{place}/{path}" if path.endswith("/") or not path else f"{place}/{path}/")
    code = checked_code(table["code"])
    if not code:
        raise _no_address(text)
    return Address(f"{place}/{table['base']}", code)


def _no_address(text: str) -> NotationError:
    return NotationError(
        "{text} is no table: expected its link, such as http://192.0.2.7:8000/t/ABCDEFGH, or its code of "
        "eight letters and digits",
        text=repr(text[:80]),
    )
