"""What a table server keeps of its tables, in a SQLite file. Tokens are kept as hashes only."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

import msgspec
from msgspec import Struct

from durak_core.errors import DurakError, FileError, NotationError
from durak_core.files import FileLock, make_private, why, writing
from durak_tui.storage.database import (
    DAMAGE,
    Rescue,
    check_schema,
    check_whole,
    connect,
    explain,
    has_code,
    is_there,
    salvaging,
    set_aside,
)


class StoredSeat(Struct, frozen=True):
    """A seat; ``name`` and ``token`` are empty if no person has it.

    Attributes:
        token: The hash of the person's token.
        plays: Whether the person plays in the current game.
    """

    name: str = ""
    token: str = ""
    plays: bool = False


class StoredGame(Struct, frozen=True):
    """The deal and the players of a game; see `durak_tui.friends.game.TableGame`."""

    number: int
    rules: str
    deck: str
    first_attacker: int
    by_lowest_trump: bool
    names: tuple[str, ...]
    players: tuple[str, ...]
    left: tuple[int, ...] = ()


class StoredTable(Struct, frozen=True):
    """A table and its current or last game; the game's actions are kept apart.

    Attributes:
        visitor: The visitor who opened it.
        players: For each seat an opponent's name, or empty for a person.
        spectators: Whether people with the code may watch.
        games: The number of games so far; 0 in files of older versions.
    """

    code: str
    visitor: str
    rules: str
    players: tuple[str, ...]
    clock: int
    host: int
    score: tuple[int, ...]
    seats: tuple[StoredSeat, ...]
    game: StoredGame | None = None
    spectators: bool = True
    games: int = 0


def write_table(table: StoredTable) -> bytes:
    return msgspec.json.encode(table)


def read_table(data: bytes) -> StoredTable:
    """Read a stored table; raise `NotationError` if it is damaged."""
    try:
        table = msgspec.json.decode(data, type=StoredTable)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise NotationError("this is not a stored table: {why}", why=str(error)) from None
    seats = len(table.players)
    lists = [table.score, table.seats]
    if table.game is not None:
        lists += [table.game.names, table.game.players]
    if any(len(one) != seats for one in lists) or not 0 <= table.host < seats:
        raise NotationError("this is not a stored table: {why}", why="its seats differ")
    return table


FILE_NAME: Final = "tables.sqlite3"
_LOCK_NAME: Final = "tables.lock"
_PATIENCE: Final = 1.0
"""Seconds to wait for another program's lock."""
_SCHEMA: Final = (
    "CREATE TABLE tables (code TEXT PRIMARY KEY, about BLOB NOT NULL) WITHOUT ROWID",
    """CREATE TABLE moves (
    code TEXT NOT NULL, ply INTEGER NOT NULL, action TEXT NOT NULL, PRIMARY KEY (code, ply)
) WITHOUT ROWID""",
)

_Change: TypeAlias = tuple[str, Sequence[tuple[Any, ...]]]
"""A statement and the rows for which it runs."""


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
            make_private(folder)
            lock = FileLock.acquire(folder / _LOCK_NAME)
        if lock is None:
            raise FileError("another program serves tables from {folder}", folder=folder)
        self._lock = lock
        try:
            self._db = self._open(folder / FILE_NAME)
        except BaseException:
            lock.release()
            raise

    def tables(self) -> list[tuple[str, bytes, tuple[str, ...]]]:
        """Return the code, the description and the actions of each table that can be read."""
        found: list[tuple[str, bytes, tuple[str, ...]]] = []
        select = "SELECT CAST(code AS TEXT), CAST(about AS BLOB) FROM tables"
        moves = "SELECT CAST(action AS TEXT) FROM moves WHERE code = ? ORDER BY ply"
        try:
            rows = self._db.execute(select).fetchall()
        except sqlite3.Error as error:
            self._report(f"Stored tables cannot be read: {explain(error)}")
            return found
        for code, about in rows:
            try:
                played = [action for (action,) in self._db.execute(moves, (code,))]
            except sqlite3.Error as error:
                self._report(f"The table {code} cannot be read: {explain(error)}")
            else:
                found.append((code, about, tuple(played)))
        return found

    def keep(self, table: StoredTable, moves: Sequence[str]) -> None:
        """Write what has changed of a table and its game's actions, in one transaction."""
        code, game = table.code, 0 if table.game is None else table.game.number
        written = self._written.get(code, _Written())
        about = write_table(table)
        # Moves only ever grow within a game, so an action costs one row and not the whole game again.
        known = written.moves if written.game == game else 0
        changes: list[_Change] = []
        if about != written.about:
            changes.append(("INSERT OR REPLACE INTO tables VALUES (?, ?)", [(code, about)]))
        # A new game's deal and the end of the old one's moves go into one transaction: moves of one game
        # after the deal of another would make the table unreadable. Old rows go before new ones come, whose
        # plies they share.
        if not known:
            changes.append(("DELETE FROM moves WHERE code = ?", [(code,)]))
        rows = [(code, ply, moves[ply]) for ply in range(known, len(moves))]
        changes.append(("INSERT INTO moves VALUES (?, ?, ?)", rows))
        # What a failed transaction left out is still missing here, and is written with the next change.
        if self._change(changes):
            self._written[code] = _Written(about, game, len(moves))

    def drop(self, code: str) -> None:
        self._written.pop(code, None)
        self._change([(f"DELETE FROM {name} WHERE code = ?", [(code,)]) for name in ("tables", "moves")])  # noqa: S608 - own words

    def close(self) -> None:
        self._db.close()
        self._lock.release()

    def _change(self, changes: Iterable[_Change]) -> bool:
        """Write in one transaction; return whether that succeeded."""
        try:
            self._db.execute("BEGIN IMMEDIATE")
            for statement, rows in changes:
                self._db.executemany(statement, rows)
            self._db.execute("COMMIT")
        except sqlite3.Error as error:
            with contextlib.suppress(sqlite3.Error):
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
            if not self._is_failing:
                self._report(f"Tables cannot be stored: {explain(error)}. The next change tries again.")
            self._is_failing = True
            return False
        self._is_failing = False
        return True

    def _open(self, path: Path) -> sqlite3.Connection:
        """Open the file. A damaged one is set aside, and what can be read of it is copied."""
        try:
            try:
                return _opened(path)
            except sqlite3.DatabaseError as error:
                if not has_code(error, *DAMAGE):
                    raise
            aside = set_aside(path)
            db = _opened(path)
        except (OSError, sqlite3.Error) as error:
            reason = why(error) if isinstance(error, OSError) else explain(error)
            raise FileError("{path} cannot be opened: {why}", path=path, why=reason) from error
        except DurakError as error:
            raise FileError("{path} cannot be opened: {why}", path=path, why=error.message) from error
        self._report(f"The file of tables was damaged. It is kept as {aside}; the readable tables go on.")
        with contextlib.suppress(OSError, sqlite3.Error, DurakError), salvaging(aside, _SCHEMA) as damaged:
            rescue = Rescue(damaged, db)
            for table in ("tables", "moves"):
                rescue.copy(table)
        return db


def _opened(path: Path) -> sqlite3.Connection:
    if not is_there(path):
        path.touch(mode=0o600)
    db = connect(path, "mode=rwc", _PATIENCE)
    try:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = NORMAL")
        for statement in _SCHEMA:
            db.execute(statement.replace("CREATE TABLE", "CREATE TABLE IF NOT EXISTS"))
        check_schema(db, _SCHEMA)
        check_whole(db)
    except BaseException:
        db.close()
        raise
    return db
