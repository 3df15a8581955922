"""The table server's SQLite file. It survives the sudden end of the program at any moment."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from durak_core.errors import FileError
from durak_core.files import why, writing
from durak_core.game.file_lock import FileLock
from durak_tui.friends.stored import StoredTable, write_table
from durak_tui.storage.paths import keep_aside

FILE_NAME: Final = "tables.sqlite3"
_LOCK_NAME: Final = "tables.lock"
_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS tables (code TEXT PRIMARY KEY, about BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS moves (
    code TEXT NOT NULL, ply INTEGER NOT NULL, action TEXT NOT NULL, PRIMARY KEY (code, ply)
) WITHOUT ROWID;
"""


@dataclass(slots=True)
class _Written:
    """What the file has of a table."""

    about: bytes = b""
    game: int = 0
    moves: int = 0


class TableStore:
    """Keeps tables in a folder that no other server uses.

    Args:
        folder: The folder, which is created if needed.
        report: Called with the problem when writing begins to fail. Everything unwritten is written with the
            next change.

    Raises:
        FileError: If another server uses the folder, or the file cannot be opened.
    """

    def __init__(self, folder: Path, report: Callable[[str], None] = lambda _text: None) -> None:
        self._report = report
        self._written: dict[str, _Written] = {}
        self._is_failing = False
        with writing(folder):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            lock = FileLock.acquire(folder / _LOCK_NAME)
        if lock is None:
            raise FileError("another program serves tables from {folder}", folder=folder)
        self._lock = lock
        try:
            self._db = self._open(folder / FILE_NAME)
        except BaseException:
            lock.release()
            raise

    def tables(self) -> Iterator[tuple[str, bytes, tuple[str, ...]]]:
        """Yield the code, the description and the actions of each table."""
        for code, about in self._db.execute("SELECT code, about FROM tables").fetchall():
            moves = self._db.execute("SELECT action FROM moves WHERE code = ? ORDER BY ply", (code,))
            yield str(code), bytes(about), tuple([str(action) for (action,) in moves])

    def keep(self, table: StoredTable, moves: Sequence[str]) -> None:
        """Write what has changed of a table and its game's actions, in one transaction."""
        written = self._written.get(table.code, _Written())
        about, game = write_table(table), 0 if table.game is None else table.game.number
        known = written.moves if written.game == game else 0
        with self._changing():
            if about != written.about:
                self._db.execute("INSERT OR REPLACE INTO tables VALUES (?, ?)", (table.code, about))
            if not known:
                self._db.execute("DELETE FROM moves WHERE code = ?", (table.code,))
            rows = [(table.code, ply, moves[ply]) for ply in range(known, len(moves))]
            self._db.executemany("INSERT INTO moves VALUES (?, ?, ?)", rows)
            self._db.execute("COMMIT")
            self._written[table.code] = _Written(about, game, len(moves))
            self._is_failing = False

    def drop(self, code: str) -> None:
        """Forget a table."""
        self._written.pop(code, None)
        with self._changing():
            self._db.execute("DELETE FROM tables WHERE code = ?", (code,))
            self._db.execute("DELETE FROM moves WHERE code = ?", (code,))
            self._db.execute("COMMIT")

    def close(self) -> None:
        self._db.close()
        self._lock.release()

    @contextlib.contextmanager
    def _changing(self) -> Iterator[None]:
        try:
            self._db.execute("BEGIN IMMEDIATE")
            yield
        except sqlite3.Error as error:
            with contextlib.suppress(sqlite3.Error):
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
            if not self._is_failing:
                self._is_failing = True
                self._report(f"Tables cannot be stored: {error}")

    def _open(self, path: Path) -> sqlite3.Connection:
        """Open the file. A damaged one is set aside."""
        try:
            return _connect(path)
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError):
                raise FileError("{path} cannot be opened: {why}", path=path, why=str(error)) from error
        try:
            aside = keep_aside(path)
            self._report(f"The file of tables was damaged. It is kept as {aside}.")
            return _connect(path)
        except (OSError, sqlite3.Error) as error:
            reason = why(error) if isinstance(error, OSError) else str(error)
            raise FileError("{path} cannot be opened: {why}", path=path, why=reason) from error


def _connect(path: Path) -> sqlite3.Connection:
    path.touch(mode=0o600)
    db = sqlite3.connect(path, isolation_level=None)
    try:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = NORMAL")
        db.executescript(_SCHEMA)
    except BaseException:
        db.close()
        raise
    return db
