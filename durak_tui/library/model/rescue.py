"""Copying what can still be read of a damaged library into a new one."""

from __future__ import annotations

import sqlite3
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import count
from typing import Any, Final

from durak_core.errors import DurakError
from durak_tui.library.model.entries import entry_of, insert, read_record
from durak_tui.library.model.errors import is_unreadable

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
