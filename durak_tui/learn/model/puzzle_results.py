"""The player's puzzle results and rating. Only the first attempt at each puzzle counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from durak_core.messages import Message
from durak_core.puzzles.glicko import Glicko
from durak_tui.library.model.store import Library

_START: Final = Glicko(1000, 200)
"""A beginner's rating: seven of ten puzzles are harder. With Glicko's 350 one result would move it by 170."""
_DEVIATION: Final = 100.0
"""Rating deviation of a puzzle, which was rated by about ten agents."""


@dataclass(frozen=True, slots=True)
class PuzzleStanding:
    """The player's results over all puzzles.

    Attributes:
        change: Rating change of the last puzzle.
        streak: Puzzles solved in a row, up to the last.
        tried: By position, whether the first attempt solved it.
    """

    rating: int
    change: int
    streak: int
    tried: dict[str, bool]


def puzzle_standing(library: Library) -> PuzzleStanding:
    rows = library.read("SELECT position, level, solved FROM puzzles ORDER BY place, position")
    before = now = _START
    streak = 0
    for _position, level, solved in rows:
        before, now = now, now.after([(Glicko(level, _DEVIATION), solved)])
        streak = streak + 1 if solved else 0
    change = round(now.rating) - round(before.rating)
    return PuzzleStanding(round(now.rating), change, streak, {row[0]: bool(row[2]) for row in rows})


def keep_puzzle(library: Library, position: str, level: int, *, is_solved: bool) -> PuzzleStanding | None:
    """Store the result of a first attempt at a puzzle. Returns None for a later attempt."""
    with library.using(Message("What you have learnt cannot be stored"), change=True) as db:
        new = db.execute(
            "INSERT OR IGNORE INTO puzzles SELECT ?, coalesce(max(place), 0) + 1, ?, ? FROM puzzles",
            (position, level, is_solved),
        ).rowcount
    return puzzle_standing(library) if new else None
