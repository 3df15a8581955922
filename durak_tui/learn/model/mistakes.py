"""Storage and spaced repetition of the player's mistakes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from durak_core.messages import Message
from durak_tui.library.model.store import Library

INTERVALS: Final = (1, 3, 10, 30)
"""Days until a mistake is repeated after one, two, ... solutions in a row. After the last it is known."""

_KNOWN: Final = len(INTERVALS) + 1
_LONGEST: Final = 100_000
"""Maximum characters of a stored analysis."""
_ASKED: Final = "deleted = 0 AND solved < ? AND (due <= ? OR due > ?)"
"""SQL condition for due mistakes. A date beyond the longest interval comes from a wrong clock and counts as
due.
"""


@dataclass(frozen=True, slots=True)
class Mistake:
    """A costly move.

    Attributes:
        game: The game's number in the library.
        ply: The move's number, from 1.
        lines: The position's analysis, in the caller's format.
        solved: Consecutive solutions.
        due: The day of the next repetition, as ``2026-11-22``; empty for a new mistake.
    """

    game: int
    ply: int
    lines: str
    solved: int = 0
    due: str = ""


def unsearched_games(library: Library) -> list[int]:
    """Return the player's reviewed games not yet searched for mistakes, newest first."""
    statement = (
        "SELECT id FROM judgements JOIN games ON id = game WHERE deleted = 0 AND human IS NOT NULL "
        "AND id NOT IN (SELECT game FROM searched) ORDER BY date DESC, id DESC"
    )
    return [number for (number,) in library.read(statement)]


def keep_mistakes(library: Library, game: int, judgement: str, found: Mapping[int, str]) -> None:
    """Store a review's mistakes, unless the review has been replaced.

    `found` maps each evaluated move to its lines, or to an empty string if it is no mistake.
    """
    with library.using(Message("What you have learnt cannot be stored"), change=True) as db:
        mark = "INSERT OR IGNORE INTO searched SELECT game FROM judgements WHERE game = ? AND lines = ?"
        if not db.execute(mark, (game, judgement)).rowcount:
            return
        db.executemany(
            "INSERT INTO mistakes (game, ply, lines) VALUES (?, ?, ?) "
            "ON CONFLICT (game, ply) DO UPDATE SET lines = excluded.lines",
            [(game, ply, lines) for ply, lines in found.items() if lines],
        )
        none = [(game, ply) for ply, lines in found.items() if not lines]
        db.executemany("DELETE FROM mistakes WHERE game = ? AND ply = ?", none)


def due_mistakes(library: Library, now: datetime, key: str = "") -> list[Mistake]:
    """Return the due mistakes, repetitions first; only those of one game if its `game_key` is given."""
    which, values = (f"{_ASKED} AND key = ?", (*_asked(now), key)) if key else (_ASKED, _asked(now))
    statement = (
        f"SELECT game, ply, lines, solved, due FROM mistakes JOIN games ON id = game WHERE {which} "  # noqa: S608
        f"AND length(lines) < {_LONGEST} ORDER BY due = '', due, date DESC, game DESC, ply"
    )
    return [Mistake(*row) for row in library.read(statement, values, (int, int, str, int, str))]


def count_mistakes(library: Library, now: datetime) -> tuple[int, int]:
    """Return the numbers of due mistakes and of mistakes not yet known."""
    statement = (
        f"SELECT count(*), coalesce(sum({_ASKED}), 0) FROM mistakes JOIN games ON id = game "  # noqa: S608
        "WHERE deleted = 0 AND solved < ?"
    )
    ((unknown, asked),) = library.read(statement, (*_asked(now), _KNOWN))
    return int(asked), int(unknown)


def settle(
    library: Library, mistake: Mistake, now: datetime, *, is_solved: bool, with_hint: bool = False
) -> int | None:
    """Record whether a mistake's first answer was right, unless another window has recorded one.

    With a hint, a solution counts as the first. `now` has the player's time zone.

    Returns:
        Days until the next repetition, or None once the mistake is known.
    """
    solved = (1 if with_hint else mistake.solved + 1) if is_solved else 0
    days = INTERVALS[min(max(solved, 1), len(INTERVALS)) - 1]
    due = (now.date() + timedelta(days=days)).isoformat()
    when = now.astimezone(UTC).isoformat(timespec="seconds")
    with library.using(Message("What you have learnt cannot be stored"), change=True) as db:
        db.execute(
            "UPDATE mistakes SET solved = ?, due = ?, tried = ? "
            "WHERE game = ? AND ply = ? AND solved = ? AND due = ?",
            (solved, due, when, mistake.game, mistake.ply, mistake.solved, mistake.due),
        )
    return days if solved < _KNOWN else None


def _asked(now: datetime) -> tuple[int | str, ...]:
    today = now.date()
    return _KNOWN, today.isoformat(), (today + timedelta(days=INTERVALS[-1])).isoformat()
