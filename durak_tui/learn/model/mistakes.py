"""The person's own mistakes, and when each is asked about: again after some days, as long as it is solved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from durak_core.messages import Message
from durak_tui.library.model.store import Library

INTERVALS: Final = (1, 3, 10, 30)
"""Days until a mistake comes back that was solved once, twice and so on in a row; after that it is known."""

_KNOWN: Final = len(INTERVALS) + 1
_LONGEST: Final = 100_000
"""Letters of what was found about a position."""
_ASKED: Final = "deleted = 0 AND solved < ? AND (due <= ? OR due > ?)"
"""Which mistakes are asked about: one that is put off for longer than can be met a clock that was wrong."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """A move that gave much away.

    Attributes:
        game: The game's number in the library.
        ply: The move's number, from 1.
        lines: What was found about the position, in the caller's form.
        solved: How often in a row it was solved.
        due: The day from which it is asked about, as ``2026-11-22``; empty if it never was.
    """

    game: int
    ply: int
    lines: str
    solved: int = 0
    due: str = ""


def unsearched_games(library: Library) -> list[int]:
    """Return the person's games with a judgement not yet searched for mistakes, the newest first."""
    statement = (
        "SELECT id FROM judgements JOIN games ON id = game WHERE deleted = 0 AND human IS NOT NULL "
        "AND id NOT IN (SELECT game FROM searched) ORDER BY date DESC, id DESC"
    )
    return [number for (number,) in library.read(statement)]


def keep_mistakes(library: Library, game: int, judgement: str, found: Mapping[int, str]) -> None:
    """Remember a judgement's mistakes, unless there is another judgement by now.

    `found` has the lines of each judged move's position; empty if the move is no mistake.
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
    """Return the mistakes to ask about, those that come back first; of one game alone by its `game_key`."""
    which, values = (f"{_ASKED} AND key = ?", (*_asked(now), key)) if key else (_ASKED, _asked(now))
    statement = (
        f"SELECT game, ply, lines, solved, due FROM mistakes JOIN games ON id = game WHERE {which} "  # noqa: S608
        f"AND length(lines) < {_LONGEST} ORDER BY due = '', due, date DESC, game DESC, ply"
    )
    return [Mistake(*row) for row in library.read(statement, values, (int, int, str, int, str))]


def count_mistakes(library: Library, now: datetime) -> tuple[int, int]:
    """Return how many mistakes are to be asked about, and how many are not known yet."""
    statement = (
        f"SELECT count(*), coalesce(sum({_ASKED}), 0) FROM mistakes JOIN games ON id = game "  # noqa: S608
        "WHERE deleted = 0 AND solved < ?"
    )
    ((unknown, asked),) = library.read(statement, (*_asked(now), _KNOWN))
    return int(asked), int(unknown)


def settle(
    library: Library, mistake: Mistake, now: datetime, *, is_solved: bool, with_hint: bool = False
) -> int | None:
    """Remember whether a mistake's first answer was right, unless another window has done so.

    Solved with a hint it counts as solved for the first time. `now` is in the person's time zone.

    Returns:
        The days until it comes back; None once it is known.
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
