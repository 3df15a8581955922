"""The library's SQLite file: its errors, its tables and their migrations, and its rescue if it is damaged."""

from __future__ import annotations

import contextlib
import os
import re
import sqlite3
import stat
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Final

from durak_core.errors import DurakError, FileError, Message
from durak_core.files import MEGABYTE, make_private, sweep, temporary_name, why, writing
from durak_tui.library.model.entries import entry_of, insert, read_record
from durak_tui.storage.database import (
    DAMAGE,
    Rescue,
    back_up,
    check_schema,
    connect,
    damage,
    error_code,
    explain,
    has_code,
    is_there,
    locked_exclusively,
    salvaging,
    set_aside,
)

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


class LibraryError(DurakError):
    """The library failed. The text gives the reason."""


class GameError(LibraryError):
    """One game is damaged or missing. Other games are unaffected."""


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
    if not 0 <= version <= len(steps) + _MOST_LATER:
        raise damage("it has no version of a library")
    if version > len(steps):
        raise LibraryError(
            "it was written by a newer version of Durak (library version {version}; this program knows "
            "{known})",
            version=version,
            known=len(steps),
        )
    return version


def _statements(step: str) -> list[str]:
    return [statement for statement in step.split(";") if statement.strip()]


SCHEMA: Final = [statement for step in STEPS for statement in _statements(step)]

_MOST_LATER: Final = 1000

_TABLES: Final = ("games", "records", "seats", "judgements", "searched", "mistakes", "progress", "puzzles")
"""Tables to copy, referenced ones first."""

_MOST_REBUILT: Final = 500
"""Maximum number of games to rebuild from their records. Each is replayed, which takes milliseconds."""

_INCOMPLETE: Final = "seats <> (SELECT count(*) FROM seats WHERE game = id)"


def rescue(damaged: sqlite3.Connection, new: sqlite3.Connection) -> bool:
    """Copy all complete games and all progress that can be read; return whether anything was lost.

    A game that has lost other rows is rebuilt from its record. The names of imported files are copied only if
    nothing was lost: without them, lost games are imported again.

    Args:
        damaged: A damaged or foreign file, or a copy of the library, opened by `salvaging`.
        new: A library. What it has stays.

    Raises:
        sqlite3.Error: If the new file cannot be written. It is unchanged then.
    """
    new.execute("BEGIN IMMEDIATE")
    try:
        rescue = Rescue(damaged, new)
        lone_records = [row[1] for table in _TABLES for row in rescue.copy(table) if table == "records"]
        lone = f"SELECT record FROM games JOIN records ON game = id WHERE {_INCOMPLETE}"  # noqa: S608 - own words
        lone_records += [record for (record,) in new.execute(lone)]
        incomplete = f"DELETE FROM games WHERE {_INCOMPLETE} OR id NOT IN (SELECT game FROM records)"  # noqa: S608 - as above
        rescue.has_lost |= new.execute(incomplete).rowcount > 0
        for text in lone_records[:_MOST_REBUILT]:
            with suppress(DurakError):
                entry = entry_of(read_record(text))
                insert(new, entry if entry.has_people else replace(entry, source="imported"))
        if not rescue.has_lost:
            rescue.copy("files")
    except BaseException:
        new.execute("ROLLBACK")
        raise
    new.execute("COMMIT")
    return rescue.has_lost


FILE_NAME: Final = "library.sqlite3"
_COPIES: Final = "copies"
_PATIENCE: Final = 1.0
"""Seconds to wait for another program's write."""

_PROBE: Final = 1 << 16
"""Bytes that a disk has room for unless it is full."""
_EMPTY_FOR: Final = 10.0
"""Seconds for which a file is empty while another program creates it."""

_COPY: Final = re.compile(r"library-(\d{4}-\d\d-\d\d)\.sqlite3")
_MOST_COPIES: Final = 3
_MOST_COPIED: Final = 1024 * MEGABYTE
"""Bytes of all copies. A larger library is not copied."""


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
        self._copied_on = ""
        self._db = self._open()

    def open_again(self) -> None:
        with self._guard:
            if self.problem:
                self._db.close()
                self.problem = ""
                self._db = self._open()

    def wait_no_more(self) -> None:
        """Let writes fail at once while another program writes."""
        with self._guard, suppress(sqlite3.Error):
            self._db.execute("PRAGMA busy_timeout = 0")

    def close(self) -> None:
        """Close the file. Purges deleted games unless another program may still restore them."""
        with self._guard:
            self._db.close()
            if not self.problem:
                with suppress(OSError, sqlite3.Error, DurakError), locked_exclusively(self.path) as db:
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
                if self.problem or not has_code(error, *DAMAGE, *([] if change else [sqlite3.SQLITE_TOOBIG])):
                    why = self._explain(error) if has_code(error, sqlite3.SQLITE_IOERR) else explain(error)
                    raise LibraryError("{what}: {why}.", what=what, why=why) from error
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
        with suppress(OSError):
            if os.path.samestat(self.path.stat(), self._opened):
                return
        self._db.close()  # SQLite leaves the extra files of another database alone
        self._db = self._open()
        self.notices.append(
            Message("The library was deleted while Durak was running; {path} is used now.", path=self.path)
        )

    def _undo_changes(self) -> None:
        with suppress(sqlite3.Error):
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")

    def _open(self) -> sqlite3.Connection:
        try:
            with writing(self.path):
                make_private(self.path.parent)
                if is_there(self.path) and _is_emptied(self.path.stat()):
                    return self._replace_damaged()
                return self._open_writable()
        except sqlite3.Error as error:
            if has_code(error, *DAMAGE):
                return self._replace_damaged()
            return self._open_read_only(self._explain(error))
        except FileError as error:
            return self._open_read_only(error.why)
        except DurakError as error:
            return self._open_in_memory(self._unusable(error))

    def _explain(self, error: sqlite3.Error) -> Message | str:
        """Explain an error, if possible by the folder: SQLite calls a read-only or full disk broken."""
        probe = temporary_name(self.path)
        try:
            with writing(self.path):
                try:
                    probe.write_bytes(bytes(_PROBE))
                finally:
                    probe.unlink(missing_ok=True)
        except FileError as found:
            return found.why
        return explain(error)

    def _open_writable(self) -> sqlite3.Connection:
        """Open and migrate the file, which may be damaged or from a newer version."""
        try:
            return self._open_migrated("WAL")
        except sqlite3.OperationalError as error:
            if error_code(error) not in _UNSHARED:
                raise
        # A single program needs no shared memory, and can return to a rollback journal.
        with locked_exclusively(self.path) as db:
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
        with suppress(OSError):
            self._opened = self.path.stat()
        try:
            if _set_journal_mode(db, journal) == "wal":
                db.execute("PRAGMA synchronous = NORMAL")
        except BaseException:
            db.close()
            raise
        return db

    def _open_checked(self, way: str, patience: float = _PATIENCE) -> sqlite3.Connection:
        db = connect(self.path, way, patience)
        try:
            bring_up_to_date(db)
            check_schema(db, SCHEMA)
        except BaseException as error:
            db.close()
            if isinstance(error, sqlite3.OperationalError) and has_code(error, sqlite3.SQLITE_ERROR):
                raise damage("its tables do not match its version") from error
            raise
        return db

    def _open_read_only(self, reason: Message | str) -> sqlite3.Connection:
        # Without locks and shared memory, another program is unlikely to be writing.
        for way in ("mode=ro", "mode=ro&immutable=1"):
            with suppress(OSError, sqlite3.Error, DurakError):
                db = self._open_checked(way, 0.0)
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
        """Set the damaged file aside, and copy what can be read of it and the rest from the newest copy."""
        try:
            aside = set_aside(self.path)
            db = self._open_writable()
        except (OSError, sqlite3.Error) as error:
            reason = why(error) if isinstance(error, OSError) else explain(error)
            return self._open_in_memory(
                Message("{path} is damaged and cannot be put aside ({why})", path=self.path, why=reason)
            )
        told = Message(
            "The library was damaged; its file is kept as {aside}. "
            "A new one has the games that could be read.",
            aside=aside,
        )
        has_lost = _has_lost(aside, db)
        for day, copy in reversed(self._copies()):
            if has_lost and not (has_lost := _has_lost(copy, db)):
                told = Message(
                    "The library was damaged; its file is kept as {aside}. A new one has the games that "
                    "could be read, and those of the copy of {day}.",
                    aside=aside,
                    day=day,
                )
        self.notices.append(told)
        return db

    def _copies(self) -> list[tuple[str, Path]]:
        """Return the copies and their dates, oldest first."""
        try:
            paths = sorted((self.path.parent / _COPIES).iterdir())
        except OSError:
            return []
        return [(found[1], path) for path in paths if (found := _COPY.fullmatch(path.name))]

    def copy_daily(self, go_on: Callable[[], object]) -> None:
        """Copy the library if it has games and was not copied today; keep the newest copies within bounds.

        `go_on` is called often; an exception cancels the copy. Other failures are left to the next day's.
        """
        today = datetime.now().astimezone().date().isoformat()
        copies = self._copies()
        if self.problem or self._copied_on == today:
            return
        self._copied_on = today
        if copies and copies[-1][0] >= today:
            return
        with suppress(OSError, sqlite3.Error):
            size = self.path.stat().st_size
            with self.using(Message("The library cannot be read")) as db:
                if size > _MOST_COPIED or not db.execute("SELECT 1 FROM games LIMIT 1").fetchone():
                    return
            folder = self.path.parent / _COPIES
            folder.mkdir(mode=0o700, exist_ok=True)
            sweep(folder)
            back_up(self.path, folder / f"library-{today}.sqlite3", go_on)
            kept = 0
            for number, (_, copy) in enumerate(reversed(self._copies())):
                kept += copy.stat().st_size
                if number and (number >= _MOST_COPIES or kept > _MOST_COPIED):
                    copy.unlink()


def _is_emptied(found: os.stat_result) -> bool:
    return not found.st_size and stat.S_ISREG(found.st_mode) and time.time() - found.st_mtime > _EMPTY_FOR


def _has_lost(path: Path, db: sqlite3.Connection) -> bool:
    """Copy to the new library what can be read of a file; return whether anything of it was lost."""
    with suppress(sqlite3.Error, DurakError, OSError), salvaging(path, SCHEMA) as damaged:
        return rescue(damaged, db)
    return True


def _set_journal_mode(db: sqlite3.Connection, journal: str) -> str:
    try:
        return str(db.execute(f"PRAGMA journal_mode = {journal}").fetchone()[0])
    except sqlite3.OperationalError as error:
        if has_code(error, sqlite3.SQLITE_BUSY):  # another program requests the same
            return ""
        raise
