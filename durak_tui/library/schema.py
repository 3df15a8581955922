"""The tables, and how those of an older version become today's."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Final

from durak_tui.library.errors import LibraryError

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

_JUDGEMENTS: Final = """
CREATE TABLE judgements (
    game INTEGER PRIMARY KEY REFERENCES games ON DELETE CASCADE,
    engine TEXT NOT NULL,
    milliseconds INTEGER NOT NULL,
    lines TEXT NOT NULL
)
"""

STEPS: Final[tuple[str, ...]] = (_FIRST, _JUDGEMENTS)
"""What makes version 1 of an empty file, version 2 of version 1, and so on; never change a step."""


def bring_up_to_date(db: sqlite3.Connection, steps: Sequence[str] = STEPS) -> None:
    """Make an older version's tables today's, in one transaction.

    Raises:
        LibraryError: If the file was written by a newer version.
        sqlite3.Error: If it cannot be done; nothing has changed then.
    """
    version = db.execute("PRAGMA user_version").fetchone()[0]
    if version > len(steps):
        raise LibraryError(
            "it was written by a newer version of Durak (library version {version}; this program knows "
            "{known})",
            version=version,
            known=len(steps),
        )
    if version == len(steps):
        return
    db.execute("BEGIN IMMEDIATE")
    try:
        for step in steps[version:]:
            for statement in filter(str.strip, step.split(";")):
                db.execute(statement)
        db.execute(f"PRAGMA user_version = {len(steps)}")
    except BaseException:
        db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")
