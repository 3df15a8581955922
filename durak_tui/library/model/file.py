"""The library's SQLite file, shared between programs, set aside and rescued if damaged."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any, Final

from durak_core.errors import DurakError, FileError
from durak_core.files import temporary_name, why, writing
from durak_core.messages import Message
from durak_tui.library.model.entries import LONGEST, entry_of, insert, read_record
from durak_tui.library.model.schema import (
    LibraryError,
    bring_up_to_date,
    check_tables,
    explain,
    is_busy,
    is_damage,
    is_too_big,
    is_unreadable,
    is_unshared,
)
from durak_tui.storage.paths import keep_aside

_TABLES: Final = ("games", "records", "seats", "judgements", "searched", "mistakes", "progress", "puzzles")
"""Tables to copy, referenced ones first."""

_MOST_NUMBER: Final = 2**63 - 1
_MOST_READINGS: Final = 20_000
"""Maximum number of queries for a table. An unreadable page takes a few for each of its rows."""

_STEPS: Final = 10_000
_MOST_STEPS: Final = 20_000_000
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
    damaged.set_progress_handler(lambda: next(called) * _STEPS > _MOST_STEPS, _STEPS)
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
                    if not is_unreadable(error):
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
                if not is_unreadable(error):
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
                if self.problem or not (is_damage(error) or (is_too_big(error) and not change)):
                    raise LibraryError("{what}: {why}.", what=what, why=explain(error)) from error
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
                self.path.parent.mkdir(parents=True, exist_ok=True)
            return self._open_writable()
        except sqlite3.Error as error:
            if is_damage(error):
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
        return explain(error)

    def _connect(self, way: str, patience: float = _PATIENCE, path: Path | None = None) -> sqlite3.Connection:
        """Open the file with URI parameters. Raises `LibraryError` if it is not a regular file."""
        path = path or self.path
        for each in (path, *self._extra_files(path)):
            if each.exists() and not each.is_file():
                raise LibraryError("{name} is not a regular file", name=each.name)
        name = f"{path.absolute().as_uri()}?{way}"
        db = sqlite3.connect(name, patience, uri=True, isolation_level=None, check_same_thread=False)
        db.text_factory = _text
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
            if not is_unshared(error):
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
            reason = why(error) if isinstance(error, OSError) else explain(error)
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
                if is_busy(error):
                    raise
            aside = keep_aside(self.path)
        for path, beside in zip(self._extra_files(self.path), self._extra_files(aside), strict=True):
            if path.exists():
                path.replace(beside)
        return aside


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _set_journal_mode(db: sqlite3.Connection, journal: str) -> str:
    try:
        return str(db.execute(f"PRAGMA journal_mode = {journal}").fetchone()[0])
    except sqlite3.OperationalError as error:
        if is_busy(error):  # another program requests the same
            return ""
        raise
