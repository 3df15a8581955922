"""What goes wrong with a library, in sentences for the person."""

from __future__ import annotations

import errno
import sqlite3
from typing import Final

from durak_core.errors import DurakError
from durak_core.messages import Message

_DAMAGE: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_FULL: Final = Message("the disk is full")
_REASONS: Final = {
    sqlite3.SQLITE_FULL: _FULL,
    sqlite3.SQLITE_READONLY: Message("it may not be written to"),
    sqlite3.SQLITE_CANTOPEN: Message("its file cannot be opened"),
    sqlite3.SQLITE_BUSY: Message("another program is using it"),
    sqlite3.SQLITE_LOCKED: Message("another program is using it"),
    sqlite3.SQLITE_IOERR: Message("the disk does not answer as it should"),
    sqlite3.SQLITE_PERM: Message("it may not be opened"),
}


class LibraryError(DurakError):
    """The library cannot do what was asked; the text says why."""


def is_damage(error: sqlite3.Error) -> bool:
    """Tell whether an error means that the file is no good any more."""
    if _code(error) in _DAMAGE:
        return True
    # A table that this program made itself is gone.
    return _code(error) == sqlite3.SQLITE_ERROR and "no such table" in str(error)


def explain(error: sqlite3.Error | OSError) -> Message | str:
    if isinstance(error, OSError):
        return _FULL if error.errno == errno.ENOSPC else str(error.strerror or error)
    return _REASONS.get(_code(error), str(error))


def _code(error: sqlite3.Error) -> int:
    """Return the primary code; the extended ones have it in their lowest byte."""
    return (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
