"""Errors of the library, and classification of SQLite errors."""

from __future__ import annotations

import sqlite3
from typing import Final

from durak_core.errors import DurakError
from durak_core.messages import Message

_DAMAGE: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_UNSHARED: Final = frozenset(
    {
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PROTOCOL,
        sqlite3.SQLITE_IOERR_SHMOPEN,
        sqlite3.SQLITE_IOERR_SHMLOCK,
        sqlite3.SQLITE_IOERR_SHMMAP,
    }
)
_REASONS: Final = {
    sqlite3.SQLITE_FULL: Message("the disk is full"),
    sqlite3.SQLITE_READONLY: Message("it may not be written to"),
    sqlite3.SQLITE_CANTOPEN: Message("its file cannot be opened"),
    sqlite3.SQLITE_BUSY: Message("another program is using it"),
    sqlite3.SQLITE_LOCKED: Message("another program is using it"),
    sqlite3.SQLITE_IOERR: Message("the disk does not answer as it should"),
    sqlite3.SQLITE_PERM: Message("it may not be opened"),
}


class LibraryError(DurakError):
    """The library failed. The text gives the reason."""


class GameError(LibraryError):
    """One game is damaged or missing. Other games are unaffected."""


def damage(what: str) -> sqlite3.DatabaseError:
    """Return an error that reports a damaged file, as SQLite's own errors do."""
    error = sqlite3.DatabaseError(what)
    error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    return error


def is_damage(error: sqlite3.Error) -> bool:
    return _code(error) & 0xFF in _DAMAGE


def is_too_big(error: sqlite3.Error) -> bool:
    return _code(error) & 0xFF == sqlite3.SQLITE_TOOBIG


def is_unreadable(error: sqlite3.Error) -> bool:
    """Return whether some rows cannot be read, but others possibly can."""
    return is_damage(error) or is_too_big(error) or _code(error) & 0xFF == sqlite3.SQLITE_IOERR


def is_busy(error: sqlite3.Error) -> bool:
    return _code(error) & 0xFF == sqlite3.SQLITE_BUSY


def is_unshared(error: sqlite3.Error) -> bool:
    """Return whether the file system may lack the shared memory that WAL needs."""
    return _code(error) in _UNSHARED


def explain(error: sqlite3.Error) -> Message | str:
    return _REASONS.get(_code(error) & 0xFF, str(error))


def _code(error: sqlite3.Error) -> int:
    """Return the extended error code, whose lowest byte is the primary code; 0 for Python's own errors."""
    return getattr(error, "sqlite_errorcode", None) or 0
