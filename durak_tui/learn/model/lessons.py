"""The shipped lessons and the player's progress."""

from __future__ import annotations

from functools import cache
from typing import Final

from durak_core.errors import DurakError
from durak_core.lessons.lesson import Lesson
from durak_core.lessons.reading import load_lesson, shipped_lessons
from durak_tui.library.model.store import Library

DONE: Final = "lesson"
"""The kind under which completed lessons are remembered, by key."""
_DECLINED: Final = "no lesson"
"""Remembered if the player declines the first lesson."""


@cache
def lessons() -> tuple[tuple[Lesson, ...], tuple[DurakError, ...]]:
    """Return the lessons in order, and the errors of unreadable ones."""
    found: list[Lesson] = []
    problems: list[DurakError] = []
    for path in shipped_lessons():
        try:
            found.append(load_lesson(path))
        except DurakError as error:
            problems.append(error)
    return tuple(found), tuple(problems)


def decline(library: Library) -> None:
    library.remember(_DECLINED, "")


def offers_lesson(library: Library) -> bool:
    """Return whether to offer the first lesson: no games, no completed lesson, not declined."""
    return not (library.count() or library.remembered(DONE) or library.remembered(_DECLINED))
