"""Export and merging of learning progress, which travels with games.

Rows with the key ``game`` belong to that game. If two rows have the same key, the later ``tried`` wins. In
tables without that column the existing row stays.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from durak_core.messages import Message
from durak_tui.library.model.store import Library

KEY: Final = "progress"
"""The JSON key of progress in a game."""

_LONGEST: Final = 100_000
"""Maximum characters of a text."""
_PIECE: Final = 300_000
"""Characters of progress per game, far below the limit of a line."""

Progress = dict[str, list[dict[str, Any]]]
"""Rows by table; each row maps columns to values."""


@dataclass(frozen=True, slots=True)
class _Table:
    """A table of progress.

    Attributes:
        columns: Exported columns and their types. Game numbers are not exported.
        keys: The key columns.
    """

    name: str
    columns: Mapping[str, type]
    keys: tuple[str, ...]

    @property
    def of_games(self) -> bool:
        return "game" in self.keys

    def fits(self, row: object) -> bool:
        """Return whether an untrusted row has exactly the expected columns and types."""
        if not isinstance(row, dict) or not set(self.keys) - {"game"} <= row.keys() <= self.columns.keys():
            return False
        return all(_is_one(value, self.columns[column]) for column, value in row.items())

    def merge(self, db: sqlite3.Connection, row: Mapping[str, Any]) -> None:
        others = [column for column in row if column not in self.keys]
        better = ""
        if "tried" in others:
            better = ", ".join(f"{column} = excluded.{column}" for column in others)
            better = f"UPDATE SET {better} WHERE excluded.tried > {self.name}.tried"
        db.execute(
            f"INSERT INTO {self.name} ({', '.join(row)}) VALUES ({', '.join('?' * len(row))}) "  # noqa: S608 - own words
            f"ON CONFLICT ({', '.join(self.keys)}) DO {better or 'NOTHING'}",
            tuple(row.values()),
        )


def _is_one(value: object, kind: type) -> bool:
    if kind is str:
        is_text = isinstance(value, str) and len(value) <= _LONGEST
        return is_text and value == str(value).encode("utf-8", "replace").decode()  # no lone surrogates
    return type(value) is int and abs(value) < 2**62


_TABLES: Final = (
    _Table("progress", {"kind": str, "name": str}, ("kind", "name")),
    _Table(
        "mistakes",
        {"ply": int, "lines": str, "solved": int, "due": str, "tried": str},
        ("game", "ply"),
    ),
    _Table("puzzles", {"position": str, "place": int, "level": int, "solved": int}, ("position",)),
)


def game_progress(library: Library, game: int) -> Progress:
    tables = [table for table in _TABLES if table.of_games]
    found = {table.name: _rows(library, table, " WHERE game = ?", (game,)) for table in tables}
    return {name: rows for name, rows in found.items() if rows}


def general_progress(library: Library) -> Iterator[Progress]:
    """Yield the progress that belongs to no game, in pieces that fit next to a game."""
    piece: Progress = {}
    size = 0
    for table in _TABLES:
        if table.of_games:
            continue
        for row in _rows(library, table):
            letters = len(json.dumps(row))
            if piece and size + letters > _PIECE:
                yield piece
                piece, size = {}, 0
            size += letters
            piece.setdefault(table.name, []).append(row)
    if piece:
        yield piece


def _rows(
    library: Library, table: _Table, where: str = "", values: tuple[int, ...] = ()
) -> list[dict[str, Any]]:
    statement = f"SELECT {', '.join(table.columns)} FROM {table.name}{where}"  # noqa: S608 - own words
    rows = [dict(zip(table.columns, row, strict=True)) for row in library.read(statement, values)]
    return [row for row in rows if table.fits(row)]


def take_progress(library: Library, key: str, progress: object) -> int:
    """Merge untrusted progress of a game or in general; return the number of damaged entries.

    Existing rows are never deleted.
    """
    if not isinstance(progress, dict):
        return 1
    damaged = 0
    with library.using(Message("What you have learnt cannot be stored"), change=True) as db:
        game = db.execute("SELECT id FROM games WHERE key = ?", (key,)).fetchone()
        for name, rows in progress.items():
            table = next((one for one in _TABLES if one.name == name), None)
            if table is None or not isinstance(rows, list):
                damaged += 1
                continue
            for row in rows:
                try:
                    if not table.fits(row) or not game:
                        damaged += 1
                    else:
                        table.merge(db, {**row, "game": game[0]} if table.of_games else row)
                except sqlite3.IntegrityError:
                    damaged += 1
    return damaged
