"""What goes wrong with a library, in sentences for the person."""

from __future__ import annotations

import errno
import sqlite3
from typing import Final

from durak_tui.text.i18n import mark, say, translate

_DAMAGE: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_REASONS: Final = {
    sqlite3.SQLITE_FULL: mark("the disk is full"),
    sqlite3.SQLITE_READONLY: mark("it may not be written to"),
    sqlite3.SQLITE_CANTOPEN: mark("its file cannot be opened"),
    sqlite3.SQLITE_BUSY: mark("another program is using it"),
    sqlite3.SQLITE_LOCKED: mark("another program is using it"),
    sqlite3.SQLITE_IOERR: mark("the disk does not answer as it should"),
    sqlite3.SQLITE_PERM: mark("it may not be opened"),
}


class LibraryError(Exception):
    """The library cannot do what was asked; the text says why."""


def is_damage(error: sqlite3.Error) -> bool:
    """Tell whether an error means that the file is no good any more."""
    if _code(error) in _DAMAGE:
        return True
    # A table that this program made itself is gone.
    return _code(error) == sqlite3.SQLITE_ERROR and "no such table" in str(error)


def explain(error: sqlite3.Error | OSError) -> str:
    """Say in a few words what an error means."""
    if isinstance(error, OSError):
        return say("the disk is full") if error.errno == errno.ENOSPC else str(error.strerror or error)
    return translate(_REASONS.get(_code(error), str(error)))


def _code(error: sqlite3.Error) -> int:
    """Return the primary code; the extended ones have it in their lowest byte."""
    return (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
