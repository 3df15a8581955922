"""SQLite files: errors with reasons, careful opening, rescue of damaged files, and dated copies."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import sqlite3
import stat
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any, Final

from durak_core.errors import DurakError, Message
from durak_core.files import MEGABYTE, REASONS, replace_whole, temporary_name
from durak_tui.storage.paths import keep_aside

LONGEST: Final = 16 * MEGABYTE
"""Maximum bytes of a stored text. Texts written by this program are far shorter."""

DAMAGE: Final = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_UNREADABLE: Final = (*DAMAGE, sqlite3.SQLITE_TOOBIG, sqlite3.SQLITE_IOERR)
"""Codes of errors after which some rows cannot be read, but others possibly can."""
_BUSY: Final = Message("another program is using it; close that program")
_REASONS: Final = {
    sqlite3.SQLITE_FULL: REASONS[errno.ENOSPC],
    sqlite3.SQLITE_READONLY: REASONS[errno.EACCES],
    sqlite3.SQLITE_CANTOPEN: Message("its file cannot be opened"),
    sqlite3.SQLITE_BUSY: _BUSY,
    sqlite3.SQLITE_LOCKED: _BUSY,
    sqlite3.SQLITE_IOERR: REASONS[errno.EIO],
    sqlite3.SQLITE_PERM: REASONS[errno.EACCES],
}
_CAREFUL: Final = ("foreign_keys = ON", "trusted_schema = OFF", "cell_size_check = ON", "mmap_size = 0")
"""Settings for opening an untrusted file."""

_MOST_NUMBER: Final = 2**63 - 1
_MOST_READINGS: Final = 20_000
"""Maximum number of queries for a table. An unreadable page takes a few for each of its rows."""
_MOST_IN_VAIN: Final = 2_000
"""Maximum number of ranges in a row without a readable row."""
_VM_STEPS: Final = 10_000
_MOST_VM_STEPS: Final = 20_000_000
_VM_STEPS_A_BYTE: Final = 1
"""Maximum number of steps of SQLite's virtual machine. A game takes less than a hundred."""
_PAGES: Final = 2_000
"""Pages to copy at once."""


class Database(sqlite3.Connection):
    """A connection that also reports a schema with invalid UTF-8, which messages quote, as damage."""

    def execute(self, *arguments: Any) -> sqlite3.Cursor:  # noqa: ANN401 - as SQLite's own
        try:
            return super().execute(*arguments)
        except UnicodeDecodeError as error:
            raise damage("its schema is not UTF-8") from error

    def executemany(self, *arguments: Any) -> sqlite3.Cursor:  # noqa: ANN401 - as above
        try:
            return super().executemany(*arguments)
        except UnicodeDecodeError as error:
            raise damage("its schema is not UTF-8") from error


def damage(what: str) -> sqlite3.DatabaseError:
    """Return an error that reports a damaged file, as SQLite's own errors do."""
    error = sqlite3.DatabaseError(what)
    error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    return error


def explain(error: sqlite3.Error) -> Message | str:
    return _REASONS.get(error_code(error) & 0xFF, str(error))


def error_code(error: sqlite3.Error) -> int:
    """Return the extended error code, whose lowest byte is the primary code; 0 for Python's own errors."""
    return getattr(error, "sqlite_errorcode", None) or 0


def has_code(error: sqlite3.Error, *codes: int) -> bool:
    """Return whether an error has one of these primary codes."""
    return error_code(error) & 0xFF in codes


def connect(path: Path, way: str, patience: float = 0.0) -> Database:
    """Open an untrusted file.

    Args:
        path: The file.
        way: URI parameters, such as ``mode=ro``.
        patience: Seconds to wait for another program's lock.

    Raises:
        DurakError: If it is not a regular file.
        OSError: If it cannot be reached.
        sqlite3.Error: If it cannot be opened.
    """
    for each in (path, *extra_files(path)):
        if is_there(each) and not stat.S_ISREG(each.stat().st_mode):
            raise DurakError("{name} is not a regular file", name=each.name)
    name = f"{path.absolute().as_uri()}?{way}"
    db = sqlite3.connect(
        name, patience, uri=True, isolation_level=None, check_same_thread=False, factory=Database
    )
    db.text_factory = lambda data: data.decode("utf-8", "replace")
    db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST)
    try:
        for setting in _CAREFUL:
            db.execute(f"PRAGMA {setting}")
    except BaseException:
        db.close()
        raise
    return db


def is_there(path: Path) -> bool:
    """Return whether a file exists; raise `OSError` if that cannot be seen, as with circular links."""
    try:
        path.stat()
    except FileNotFoundError:
        return False
    return True


def extra_files(path: Path) -> list[Path]:
    """Return the names of the extra files that SQLite creates; the first is the journal to read."""
    return [path.with_name(path.name + suffix) for suffix in ("-wal", "-shm", "-journal")]


def set_aside(path: Path) -> Path:
    """Rename a damaged database and its extra files; return its new path.

    Raises:
        sqlite3.Error: If another program has it open, which would keep using the damaged file and on exit
            remove the new file's journal.
        OSError: If it cannot be renamed.
    """
    with contextlib.ExitStack() as alone:
        try:
            alone.enter_context(locked_exclusively(path))
        except sqlite3.Error as error:
            if has_code(error, sqlite3.SQLITE_BUSY):
                raise
        aside = keep_aside(path)
    for extra, beside in zip(extra_files(path), extra_files(aside), strict=True):
        if extra.exists():
            extra.replace(beside)
    return aside


@contextlib.contextmanager
def locked_exclusively(path: Path) -> Iterator[Database]:
    """Open an exclusive transaction. Fails at once if another program has the file open."""
    with contextlib.closing(connect(path, "mode=rw")) as db:
        db.execute("PRAGMA locking_mode = EXCLUSIVE")
        db.execute("BEGIN IMMEDIATE")
        yield db


@contextlib.contextmanager
def salvaging(path: Path, schema: Sequence[str]) -> Iterator[Database]:
    """Open a damaged file to read the rest, if possible in a temporary copy whose schema is repaired.

    Args:
        path: The file, which is not changed.
        schema: The statements that made its tables.
    """
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError, sqlite3.Error):
            path = stack.enter_context(_mended(path, schema))
        # Without a journal to read, SQLite need not create other files.
        way = "mode=ro" if extra_files(path)[0].exists() else "mode=ro&immutable=1"
        db = stack.enter_context(contextlib.closing(connect(path, way)))
        most, called = _MOST_VM_STEPS + _VM_STEPS_A_BYTE * path.stat().st_size, count(1)
        db.set_progress_handler(lambda: next(called) * _VM_STEPS > most, _VM_STEPS)
        db.execute("PRAGMA writable_schema = ON")  # reads the rest of a truncated file
        yield db


@contextlib.contextmanager
def _mended(path: Path, schema: Sequence[str]) -> Iterator[Path]:
    """Copy a file and give the rows of its schema the texts they had; texts of other lengths are not ours."""
    copy = temporary_name(path)
    columns = ("type", "name", "tbl_name", "sql")
    with contextlib.closing(sqlite3.connect(":memory:")) as new:
        for statement in schema:
            new.execute(statement)
        rows = new.execute(f"SELECT {', '.join(columns)}, rowid FROM sqlite_master").fetchall()  # noqa: S608
    change = ", ".join(f"{column} = ?" for column in columns)
    size = "ifnull(length(CAST({} AS BLOB)), 0)"
    lengths = " AND ".join(f"{size.format(column)} = {size.format('?')}" for column in columns)
    try:
        shutil.copyfile(path, copy)
        for extra, beside in zip(extra_files(path), extra_files(copy), strict=True):
            if extra.exists():
                shutil.copyfile(extra, beside)
        with contextlib.closing(connect(copy, "mode=rw")) as db:
            db.execute("PRAGMA writable_schema = ON")
            statement = f"UPDATE sqlite_master SET {change} WHERE rowid = ? AND {lengths}"  # noqa: S608 - own words
            db.execute("BEGIN")
            db.executemany(statement, [(*row, *row[:-1]) for row in rows])
            db.execute("COMMIT")
        yield copy
    finally:
        for each in (copy, *extra_files(copy)):
            each.unlink(missing_ok=True)


class Rescue:
    """Copies the readable rows of a damaged database.

    Args:
        damaged: The damaged file, opened by `salvaging`.
        new: A database with the tables, in a transaction.

    Attributes:
        has_lost: Whether anything could not be copied.
    """

    def __init__(self, damaged: sqlite3.Connection, new: sqlite3.Connection) -> None:
        self._damaged = damaged
        self._new = new
        self.has_lost = False

    def copy(self, table: str) -> list[tuple[Any, ...]]:
        """Copy a table, keeping rows that exist; return the rows that the new database refuses."""
        about = self._new.execute("SELECT name, type, pk FROM pragma_table_info(?)", (table,)).fetchall()
        names = [name for name, _, _ in about]
        refused: list[tuple[Any, ...]] = []
        if not self._has(table, names):
            self.has_lost = True
            return refused
        columns = ", ".join(names)
        statement = f"INSERT OR IGNORE INTO {table} ({columns}) VALUES ({', '.join('?' * len(names))})"  # noqa: S608 - own words
        key, kind = next((name, kind) for name, kind, place in about if place == 1)
        select = f"SELECT {key}, {columns} FROM {table}"  # noqa: S608 - as above
        for row in self._by_number(select, key) if kind == "INTEGER" else self._by_text(select, key):
            try:
                self._new.execute(statement, row[1:])
            except sqlite3.IntegrityError:
                self.has_lost = True
                refused.append(row[1:])
        return refused

    def _has(self, table: str, names: list[str]) -> bool:
        """Return whether the damaged file stores these columns, rather than computing them."""
        statement = (
            "SELECT name FROM pragma_table_xinfo(?1) WHERE hidden = 0 AND EXISTS "
            "(SELECT 1 FROM sqlite_master WHERE type = 'table' AND rootpage > 0 AND name = ?1)"
        )
        try:
            return {name for (name,) in self._damaged.execute(statement, (table,))}.issuperset(names)
        except (sqlite3.Error, UnicodeDecodeError):
            return False

    def _by_number(self, select: str, key: str) -> Iterator[tuple[Any, ...]]:
        """Read a table by ranges. One with an unreadable page is read from both ends, and its rest halved."""
        ranges = deque([(0, _MOST_NUMBER)])
        in_vain = 0
        for _ in range(_MOST_READINGS):
            if not ranges or in_vain > _MOST_IN_VAIN:
                return
            low, high = first = ranges.popleft()
            for order in ("ASC", "DESC"):
                statement = f"{select} WHERE {key} > ? AND {key} < ? ORDER BY {key} {order}"
                try:
                    for row in self._damaged.execute(statement, (low, high)):
                        yield row
                        low, high = (row[0], high) if order == "ASC" else (low, row[0])
                    break
                except sqlite3.Error as error:
                    self.has_lost = True
                    if not has_code(error, *_UNREADABLE):
                        return
            else:
                in_vain = in_vain + 1 if (low, high) == first else 0
                if high - low > 2:
                    middle = (low + high) // 2
                    ranges.extend(((low, middle + 1), (middle, high)))

    def _by_text(self, select: str, key: str) -> Iterator[tuple[Any, ...]]:
        """Read a table from both ends, up to an unreadable page."""
        for order in ("ASC", "DESC"):
            try:
                yield from self._damaged.execute(f"{select} ORDER BY {key} {order}")
            except sqlite3.Error as error:
                self.has_lost = True
                if not has_code(error, *_UNREADABLE):
                    return
            else:
                return


def check_schema(db: sqlite3.Connection, schema: Sequence[str]) -> None:
    """Raise an error of damage unless a database has these tables and indexes, and no views and triggers."""
    made = "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL"
    found = {_words(str(sql)) for (sql,) in db.execute(made)}
    acting = db.execute("SELECT count(*) FROM sqlite_master WHERE type IN ('view', 'trigger')").fetchone()
    if not {_words(statement) for statement in schema} <= found or acting != (0,):
        raise damage("these are other tables")


def _words(sql: str) -> str:
    return " ".join(sql.split())


def check_whole(db: sqlite3.Connection) -> None:
    """Raise an error of damage if pages or rows of a database are damaged."""
    (found,) = db.execute("PRAGMA quick_check(1)").fetchone()
    if found != "ok":
        raise damage(str(found))


def back_up(path: Path, target: Path, go_on: Callable[[], object]) -> None:
    """Copy a database that may be in use to a file that is whole when it appears.

    Args:
        path: The database.
        target: The copy.
        go_on: Called after each few megabytes. An exception cancels the copy.

    Raises:
        OSError: If the disk lacks the room or refuses to write.
        sqlite3.Error: As above, or if the database is damaged.
    """
    if shutil.disk_usage(target.parent).free < 2 * path.stat().st_size:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    temporary = temporary_name(target)
    try:
        with (
            contextlib.closing(connect(path, "mode=ro")) as db,
            contextlib.closing(connect(temporary, "mode=rwc")) as copy,
        ):
            db.execute("BEGIN")
            db.execute("SELECT count(*) FROM sqlite_master").fetchone()  # later changes do not restart it
            db.backup(copy, pages=_PAGES, progress=lambda *_left: go_on())
            copy.execute("PRAGMA journal_mode = DELETE")
            check_whole(copy)
        replace_whole(temporary, target)
    finally:
        for each in (temporary, *extra_files(temporary)):
            each.unlink(missing_ok=True)
