"""The server's socket and log, which stay usable when strangers open many connections or send garbage."""

from __future__ import annotations

import logging
import socket
import sys
from typing import Any, Final

from aiohttp.http_exceptions import HttpProcessingError

_MOST_FILES: Final = 600
"""Maximum number of the server's open files. All visits together need about a hundred."""
_RESERVE: Final = 56
"""Files below the system's limit that connections leave to visits."""


def most_files() -> int:
    """Return the maximum number of the server's open files on this system."""
    try:
        import resource  # noqa: PLC0415 - there is none on Windows
    except ModuleNotFoundError:
        return _MOST_FILES
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _MOST_FILES if soft == resource.RLIM_INFINITY else min(_MOST_FILES, soft - _RESERVE)


class _Listener(socket.socket):
    """Closes connections beyond a number. Without it, the process would run out of files."""

    def accept(self) -> tuple[socket.socket, Any]:
        connection, address = super().accept()
        # The system gives each file the lowest free number, except on Windows, where files are not numbered.
        if sys.platform != "win32" and connection.fileno() >= most_files():
            connection.close()
            raise ConnectionAbortedError
        return connection, address


def listen(host: str, port: int) -> socket.socket:
    """Listen on a name or address; port 0 takes any free one. Raises `OSError` on failure."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except UnicodeError:
        raise OSError("this is not an address") from None
    created = socket.create_server(address[:2], family=family, backlog=64)
    return _Listener(fileno=created.detach())


def ignore_garbage() -> None:
    """Leave requests that are not HTTP out of the server's log."""
    logging.getLogger("aiohttp.server").addFilter(_is_not_garbage)


def _is_not_garbage(record: logging.LogRecord) -> bool:
    return not (record.exc_info and isinstance(record.exc_info[1], HttpProcessingError))
