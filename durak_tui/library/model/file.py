"""The library's SQLite file: its errors, its tables and their migrations, and its rescue if it is damaged."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any, Final

from durak_core.errors import DurakError, FileError
from durak_core.files import make_private, temporary_name, why, writing
from durak_core.messages import Message
from durak_tui.library.model.entries import LONGEST, entry_of, insert, read_record
from durak_tui.storage.paths import keep_aside

_DAMAGE: Final = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_UNREADABLE: Final = (*_DAMAGE, sqlite3.SQLITE_TOOBIG, sqlite3.SQLITE_IOERR)
"""Codes of errors after which some rows cannot be read, but others possibly can."""
_UNSHARED: Final = frozenset(
    {
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PROTOCOL,
        sqlite3.SQLITE_IOERR_SHMOPEN,
        sqlite3.SQLITE_IOERR_SHMLOCK,
        sqlite3.SQLITE_IOERR_SHMMAP,
    }
)
"""Extended codes of a file system that may lack the shared memory that WAL needs."""
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


def _explain(error: sqlite3.Error) -> Message | str:
    return _REASONS.get(_code(error) & 0xFF, str(error))


def _code(error: sqlite3.Error) -> int:
    """Return the extended error code, whose lowest byte is the primary code; 0 for Python's own errors."""
    return getattr(error, "sqlite_errorcode", None) or 0


def _is(error: sqlite3.Error, *codes: int) -> bool:
    """Return whether an error has one of these primary codes."""
    return _code(error) & 0xFF in codes


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
        sqlite3.DatabaseError: If not; its code is one of `_DAMAGE`.
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


_TABLES: Final = ("games", "records", "seats", "judgements", "searched", "mistakes", "progress", "puzzles")
"""Tables to copy, referenced ones first."""

_MOST_NUMBER: Final = 2**63 - 1
_MOST_READINGS: Final = 20_000
"""Maximum number of queries for a table. An unreadable page takes a few for each of its rows."""

_VM_STEPS: Final = 10_000
_MOST_VM_STEPS: Final = 20_000_000
"""Maximum number of steps of SQLite's virtual machine. A game takes less than a hundred."""

_MOST_REBUILT: Final = 500
"""Maximum number of games to rebuild from their records. Each is replayed, which takes milliseconds."""

_INCOMPLETE: Final = "seats <> (SELECT count(*) FROM seats WHERE game = id)"


def rescue(damaged: sqlite3.Connection, new: sqlite3.Connection) -> None:
    """Copy all complete games and all progress that can be read.

    A game that has lost other rows is rebuilt from its record. The names of imported files are copied only if
    nothing was lost: without them, lost games are imported again.

    Args:
        damaged: A damaged or foreign file, opened read-only.
        new: An empty library. Nothing happens if another program has begun to use it.

    Raises:
        sqlite3.Error: If the new file cannot be written. It stays empty then.
    """
    called = count(1)
    damaged.set_progress_handler(lambda: next(called) * _VM_STEPS > _MOST_VM_STEPS, _VM_STEPS)
    damaged.execute("PRAGMA writable_schema = ON")  # reads the rest of a truncated file
    new.execute("BEGIN IMMEDIATE")
    try:
        if new.execute("SELECT count(*) FROM games").fetchone() == (0,):
            _Copy(damaged, new).copy_all()
    except BaseException:
        new.execute("ROLLBACK")
        raise
    new.execute("COMMIT")


class _Copy:
    def __init__(self, damaged: sqlite3.Connection, new: sqlite3.Connection) -> None:
        self._damaged = damaged
        self._new = new
        self._lost = False
        self._lone_records: list[str] = []

    def copy_all(self) -> None:
        for table in _TABLES:
            self._copy(table)
        lone = f"SELECT record FROM games JOIN records ON game = id WHERE {_INCOMPLETE}"  # noqa: S608 - own words
        self._lone_records += [record for (record,) in self._new.execute(lone)]
        incomplete = f"DELETE FROM games WHERE {_INCOMPLETE} OR id NOT IN (SELECT game FROM records)"  # noqa: S608 - as above
        self._lost |= self._new.execute(incomplete).rowcount > 0
        for text in self._lone_records[:_MOST_REBUILT]:
            with suppress(DurakError):
                entry = entry_of(read_record(text))
                insert(self._new, entry if entry.has_people else replace(entry, source="imported"))
        if not self._lost:
            self._copy("files")

    def _copy(self, table: str) -> None:
        about = self._new.execute("SELECT name, type, pk FROM pragma_table_info(?)", (table,)).fetchall()
        names = [name for name, _, _ in about]
        if not self._has(table, names):
            self._lost = True
            return
        columns = ", ".join(names)
        statement = f"INSERT OR IGNORE INTO {table} ({columns}) VALUES ({', '.join('?' * len(names))})"  # noqa: S608 - own words
        key, kind = next((name, kind) for name, kind, place in about if place == 1)
        select = f"SELECT {key}, {columns} FROM {table}"  # noqa: S608 - as above
        for row in self._by_number(select, key) if kind == "INTEGER" else self._by_text(select, key):
            try:
                self._new.execute(statement, row[1:])
            except sqlite3.IntegrityError:  # its game was lost
                self._lost = True
                if table == "records":
                    self._lone_records.append(row[2])

    def _has(self, table: str, names: list[str]) -> bool:
        """Return whether the damaged file stores these columns, rather than computing them."""
        statement = (
            "SELECT name FROM pragma_table_xinfo(?1) WHERE hidden = 0 AND EXISTS "
            "(SELECT 1 FROM sqlite_master WHERE type = 'table' AND rootpage > 0 AND name = ?1)"
        )
        try:
            return {name for (name,) in self._damaged.execute(statement, (table,))}.issuperset(names)
        except sqlite3.Error:
            return False

    def _by_number(self, select: str, key: str) -> Iterator[tuple[Any, ...]]:
        """Read a table by ranges. One with an unreadable page is read from both ends, and its rest halved."""
        ranges = deque([(0, _MOST_NUMBER)])
        for _ in range(_MOST_READINGS):
            if not ranges:
                return
            low, high = ranges.popleft()
            for order in ("ASC", "DESC"):
                statement = f"{select} WHERE {key} > ? AND {key} < ? ORDER BY {key} {order}"
                try:
                    for row in self._damaged.execute(statement, (low, high)):
                        yield row
                        low, high = (row[0], high) if order == "ASC" else (low, row[0])
                    break
                except sqlite3.Error as error:
                    self._lost = True
                    if not _is(error, *_UNREADABLE):
                        return
            else:
                if high - low > 2:
                    middle = (low + high) // 2
                    ranges.extend(((low, middle + 1), (middle, high)))

    def _by_text(self, select: str, key: str) -> Iterator[tuple[Any, ...]]:
        """Read a table from both ends, up to an unreadable page."""
        for order in ("ASC", "DESC"):
            try:
                yield from self._damaged.execute(f"{select} ORDER BY {key} {order}")
            except sqlite3.Error as error:
                self._lost = True
                if not _is(error, *_UNREADABLE):
                    return
            else:
                return


FILE_NAME: Final = "library.sqlite3"
_EXTRA_SUFFIXES: Final = ("-wal", "-shm", "-journal")
"""Suffixes of the extra files that SQLite creates."""

_PATIENCE: Final = 5.0
"""Seconds to wait for another program's write."""

_CAREFUL: Final = ("foreign_keys = ON", "trusted_schema = OFF", "cell_size_check = ON", "mmap_size = 0")
"""Settings for opening an untrusted file."""


class LibraryFile:
    """A database whose opening never fails. Programs and threads take turns to write.

    Attributes:
        problem: Why nothing can be stored, as a message for the player; empty if all is well.
        notices: Other messages for the player, such as a damaged file that was set aside.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE_NAME
        self.problem: Message | str = ""
        self.notices: list[Message] = []
        self._guard = threading.RLock()
        self._opened: os.stat_result | None = None
        self._db = self._open()

    def open_again(self) -> None:
        with self._guard:
            if self.problem:
                self._db.close()
                self.problem = ""
                self._db = self._open()

    def close(self) -> None:
        """Close the file. Purges deleted games unless another program may still restore them."""
        with self._guard:
            self._db.close()
            if not self.problem:
                with contextlib.suppress(sqlite3.Error, LibraryError), self._lock_exclusively() as db:
                    # Only in this mode do idle programs hold the file.
                    if db.execute("PRAGMA journal_mode").fetchone() == ("wal",):
                        db.execute("DELETE FROM games WHERE deleted = 1")
                        db.execute("DELETE FROM standings")  # written by earlier programs, which rebuild them
                        db.execute("COMMIT")

    @contextlib.contextmanager
    def using(self, what: Message, *, change: bool = False) -> Iterator[sqlite3.Connection]:
        """Open a read or write transaction on the file.

        Raises:
            LibraryError: On failure. Its text begins with `what`, such as "The game cannot be stored". If the
                file is damaged, a new one is begun.
        """
        with self._guard:
            if change:
                self.open_again()
                self._leave_deleted()
            if change and self.problem:
                raise LibraryError(self.problem)
            try:
                if change:
                    self._db.execute("BEGIN IMMEDIATE")
                yield self._db
                if change:
                    self._db.execute("COMMIT")
            except sqlite3.Error as error:
                self._undo_changes()
                # Texts stored by this program are never too big to read.
                if self.problem or not _is(error, *_DAMAGE, *([] if change else [sqlite3.SQLITE_TOOBIG])):
                    raise LibraryError("{what}: {why}.", what=what, why=_explain(error)) from error
                self._db.close()
                self._db = self._replace_damaged()
                raise LibraryError(self.problem or self.notices[-1]) from error
            except BaseException:
                self._undo_changes()
                raise

    def _leave_deleted(self) -> None:
        """Begin a new file if the open one was deleted or replaced: SQLite would write to it unnoticed."""
        if self.problem or self._opened is None:
            return
        with contextlib.suppress(OSError):
            if os.path.samestat(self.path.stat(), self._opened):
                return
        self._db.close()  # SQLite leaves the extra files of another database alone
        self._db = self._open()
        self.notices.append(
            Message("The library was deleted while Durak was running; {path} is used now.", path=self.path)
        )

    def _undo_changes(self) -> None:
        with contextlib.suppress(sqlite3.Error):
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")

    def _open(self) -> sqlite3.Connection:
        try:
            with writing(self.path):
                make_private(self.path.parent)
            return self._open_writable()
        except sqlite3.Error as error:
            if _is(error, *_DAMAGE):
                return self._replace_damaged()
            return self._open_read_only(self._explain(error))
        except FileError as error:
            return self._open_read_only(error.why)
        except LibraryError as error:
            return self._open_in_memory(self._unusable(error))

    def _explain(self, error: sqlite3.Error) -> Message | str:
        """Explain an error, if possible by the folder: SQLite calls a read-only disk broken."""
        probe = temporary_name(self.path)
        try:
            with writing(self.path):
                probe.touch(exist_ok=False)
                probe.unlink()
        except FileError as found:
            return found.why
        return _explain(error)

    def _connect(self, way: str, patience: float = _PATIENCE, path: Path | None = None) -> sqlite3.Connection:
        """Open the file with URI parameters. Raises `LibraryError` if it is not a regular file."""
        path = path or self.path
        for each in (path, *self._extra_files(path)):
            if each.exists() and not each.is_file():
                raise LibraryError("{name} is not a regular file", name=each.name)
        name = f"{path.absolute().as_uri()}?{way}"
        db = sqlite3.connect(name, patience, uri=True, isolation_level=None, check_same_thread=False)
        db.text_factory = lambda data: data.decode("utf-8", "replace")
        db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST)
        for setting in _CAREFUL:
            db.execute(f"PRAGMA {setting}")
        return db

    @staticmethod
    def _extra_files(path: Path) -> list[Path]:
        return [path.with_name(path.name + suffix) for suffix in _EXTRA_SUFFIXES]

    def _open_writable(self) -> sqlite3.Connection:
        """Open and migrate the file, which may be damaged or from a newer version."""
        try:
            return self._open_migrated("WAL")
        except sqlite3.OperationalError as error:
            if _code(error) not in _UNSHARED:
                raise
        # A single program needs no shared memory, and can return to a rollback journal.
        with self._lock_exclusively() as db:
            db.execute("COMMIT")
            db.execute("PRAGMA journal_mode = DELETE")
        opened = self._open_migrated("DELETE")
        told = Message(
            "The disk of {path} does not let programs share memory: several windows use it in turns.",
            path=self.path,
        )
        if told not in self.notices:
            self.notices.append(told)
        return opened

    def _open_migrated(self, journal: str) -> sqlite3.Connection:
        db = self._open_checked("mode=rwc")
        with contextlib.suppress(OSError):
            self._opened = self.path.stat()
        try:
            if _set_journal_mode(db, journal) == "wal":
                db.execute("PRAGMA synchronous = NORMAL")
        except BaseException:
            db.close()
            raise
        return db

    def _open_checked(self, way: str) -> sqlite3.Connection:
        db = self._connect(way)
        try:
            bring_up_to_date(db)
            check_tables(db)
        except BaseException:
            db.close()
            raise
        return db

    @contextlib.contextmanager
    def _lock_exclusively(self) -> Iterator[sqlite3.Connection]:
        """Open an exclusive transaction. Fails at once if another program has the file open."""
        with contextlib.closing(self._connect("mode=rw", 0)) as db:
            db.execute("PRAGMA locking_mode = EXCLUSIVE")
            db.execute("BEGIN IMMEDIATE")
            yield db

    def _open_read_only(self, reason: Message | str) -> sqlite3.Connection:
        # Without locks and shared memory, another program is unlikely to be writing.
        for way in ("mode=ro", "mode=ro&immutable=1") if self.path.exists() else ():
            with contextlib.suppress(sqlite3.Error, LibraryError):
                db = self._open_checked(way)
                self.problem = Message(
                    "{path} cannot be changed: {why}. Games can be looked at, but are not stored in it.",
                    path=self.path,
                    why=reason,
                )
                return db
        return self._open_in_memory(self._unusable(reason))

    def _unusable(self, reason: object) -> Message:
        return Message("{path} cannot be used: {why}", path=self.path, why=reason)

    def _open_in_memory(self, reason: Message) -> sqlite3.Connection:
        """Continue with an empty database in memory."""
        self.problem = Message("{why}. Games are played, but not stored in the library.", why=reason)
        db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        bring_up_to_date(db)
        return db

    def _replace_damaged(self) -> sqlite3.Connection:
        """Set the damaged file aside and copy what can be read of it, unless another program has it open.

        That program would keep using the damaged file, and on exit remove the new file's journal.
        """
        try:
            aside = self._set_aside()
            db = self._open_writable()
        except (OSError, sqlite3.Error) as error:
            reason = why(error) if isinstance(error, OSError) else _explain(error)
            return self._open_in_memory(
                Message("{path} is damaged and cannot be put aside ({why})", path=self.path, why=reason)
            )
        self.notices.append(
            Message(
                "The library was damaged; its file is kept as {aside}. "
                "A new one has the games that could be read.",
                aside=aside,
            )
        )
        with contextlib.suppress(sqlite3.Error, LibraryError):
            # Without a journal to read, SQLite need not create other files.
            way = "mode=ro" if self._extra_files(aside)[0].exists() else "mode=ro&immutable=1"
            with contextlib.closing(self._connect(way, path=aside)) as damaged:
                rescue(damaged, db)
        return db

    def _set_aside(self) -> Path:
        with contextlib.ExitStack() as alone:
            try:
                alone.enter_context(self._lock_exclusively())
            except sqlite3.Error as error:
                if _is(error, sqlite3.SQLITE_BUSY):
                    raise
            aside = keep_aside(self.path)
        for path, beside in zip(self._extra_files(self.path), self._extra_files(aside), strict=True):
            if path.exists():
                path.replace(beside)
        return aside


def _set_journal_mode(db: sqlite3.Connection, journal: str) -> str:
    try:
        return str(db.execute(f"PRAGMA journal_mode = {journal}").fetchone()[0])
    except sqlite3.OperationalError as error:
        if _is(error, sqlite3.SQLITE_BUSY):  # another program requests the same
            return ""
        raise
