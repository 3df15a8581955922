"""The database schema, its migrations, and the library's errors."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
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


_FIRST: Final = """
CREATE TABLE games (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    date TEXT NOT NULL,
    rules TEXT NOT NULL,
    preset TEXT NOT NULL,
    seats INTEGER NOT NULL,
    players TEXT NOT NULL,
    names TEXT NOT NULL,
    human INTEGER,
    outcome TEXT NOT NULL,
    draw INTEGER NOT NULL,
    over INTEGER NOT NULL,
    bouts INTEGER NOT NULL,
    plies INTEGER NOT NULL,
    hints INTEGER NOT NULL,
    undos INTEGER NOT NULL,
    source TEXT NOT NULL,
    tags TEXT NOT NULL,
    search TEXT NOT NULL,
    deleted INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE records (
    game INTEGER PRIMARY KEY REFERENCES games ON DELETE CASCADE,
    record TEXT NOT NULL
);
CREATE TABLE seats (
    game INTEGER NOT NULL REFERENCES games ON DELETE CASCADE,
    seat INTEGER NOT NULL,
    player TEXT NOT NULL,
    name TEXT NOT NULL,
    lost INTEGER NOT NULL,
    accuracy REAL,
    PRIMARY KEY (game, seat)
) WITHOUT ROWID;
CREATE TABLE files (name TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE INDEX seats_by_player ON seats (player);
CREATE INDEX deleted_games ON games (id) WHERE deleted = 1;
"""

_EVALUATIONS: Final = """
CREATE TABLE judgements (
    game INTEGER PRIMARY KEY REFERENCES games ON DELETE CASCADE,
    engine TEXT NOT NULL,
    milliseconds INTEGER NOT NULL,
    lines TEXT NOT NULL
)
"""

# Standings are now computed on demand, and this table is unused.
_STANDINGS: Final = """
CREATE TABLE standings (
    game INTEGER PRIMARY KEY REFERENCES games ON DELETE CASCADE,
    date TEXT NOT NULL,
    key TEXT NOT NULL,
    deal TEXT NOT NULL,
    rated INTEGER NOT NULL,
    scale TEXT NOT NULL,
    games INTEGER NOT NULL,
    points REAL NOT NULL,
    deviation REAL NOT NULL,
    scores TEXT NOT NULL
);
CREATE INDEX standings_by_date ON standings (date, key);
CREATE INDEX rated_standings ON standings (date, key) WHERE rated = 1;
CREATE INDEX rated_deals ON standings (deal) WHERE rated = 1;
CREATE INDEX counted_games ON games (date, key)
    WHERE deleted = 0 AND over = 1 AND human IS NOT NULL AND hints = 0 AND undos = 0
"""

_PROGRESS: Final = """
CREATE TABLE progress (
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (kind, name)
) WITHOUT ROWID
"""

_MISTAKES: Final = """
CREATE TABLE mistakes (
    game INTEGER NOT NULL REFERENCES games ON DELETE CASCADE,
    ply INTEGER NOT NULL,
    lines TEXT NOT NULL,
    solved INTEGER NOT NULL DEFAULT 0 CHECK (solved >= 0),
    due TEXT NOT NULL DEFAULT '' CHECK (due = '' OR due GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'),
    tried TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (game, ply)
) WITHOUT ROWID;
CREATE TABLE searched (game INTEGER PRIMARY KEY REFERENCES judgements ON DELETE CASCADE)
"""

_PUZZLES: Final = """
CREATE TABLE puzzles (
    position TEXT PRIMARY KEY,
    place INTEGER NOT NULL CHECK (place > 0),
    level INTEGER NOT NULL CHECK (level BETWEEN 0 AND 9999),
    solved INTEGER NOT NULL CHECK (solved IN (0, 1))
) WITHOUT ROWID
"""

STEPS: Final[tuple[str, ...]] = (_FIRST, _EVALUATIONS, _STANDINGS, _PROGRESS, _MISTAKES, _PUZZLES)
"""Migrations to versions 1, 2 and so on. Never change one."""


def bring_up_to_date(db: sqlite3.Connection, steps: Sequence[str] = STEPS) -> None:
    """Migrate the database in one transaction.

    Raises:
        LibraryError: If the file is from a newer version.
        sqlite3.Error: If a step fails. Nothing has changed then.
    """
    if _version(db, steps) == len(steps):
        return
    db.execute("BEGIN IMMEDIATE")
    try:
        # Another program may have migrated it meanwhile.
        for step in steps[_version(db, steps) :]:
            for statement in _statements(step):
                db.execute(statement)
        db.execute(f"PRAGMA user_version = {len(steps)}")
    except BaseException:
        db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")


def _version(db: sqlite3.Connection, steps: Sequence[str]) -> int:
    version = int(db.execute("PRAGMA user_version").fetchone()[0])
    if not 0 <= version <= len(steps):
        raise LibraryError(
            "it was written by a newer version of Durak (library version {version}; this program knows "
            "{known})",
            version=version,
            known=len(steps),
        )
    return version


def check_tables(db: sqlite3.Connection) -> None:
    """Check that the schema is exactly the one made by `STEPS`, without extra triggers or views.

    Raises:
        sqlite3.DatabaseError: If not; `is_damage` recognizes it.
    """
    made = "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL"
    found = {_words(str(sql)) for (sql,) in db.execute(made)}
    wanted = {_words(statement) for step in STEPS for statement in _statements(step)}
    acting = db.execute("SELECT count(*) FROM sqlite_master WHERE type IN ('view', 'trigger')").fetchone()
    if not wanted <= found or acting != (0,):
        raise damage("these are not the tables of a library")


def _statements(step: str) -> list[str]:
    return [statement for statement in step.split(";") if statement.strip()]


def _words(sql: str) -> str:
    return " ".join(sql.split())
