"""The lessons that the app teaches, and what is remembered of them."""

from __future__ import annotations

from functools import cache
from typing import Final

from durak_core.errors import DurakError
from durak_core.lessons.lesson import Lesson
from durak_core.lessons.reading import load_lesson, shipped_lessons
from durak_tui.library.model.store import Library

DONE: Final = "lesson"
"""What a done lesson is remembered as, under its key."""
_DECLINED: Final = "no lesson"
"""Remembered if the person wants no first lesson."""


@cache
def lessons() -> tuple[tuple[Lesson, ...], tuple[DurakError, ...]]:
    """Return the lessons in their order, and what is wrong with those that cannot be told."""
    found: list[Lesson] = []
    problems: list[DurakError] = []
    for path in shipped_lessons():
        try:
            found.append(load_lesson(path))
        except DurakError as error:
            problems.append(error)
    return tuple(found), tuple(problems)


def decline(library: Library) -> None:
    """Remember for good that the first lesson is not to be offered."""
    library.remember(_DECLINED, "")


def offers_lesson(library: Library) -> bool:
    """Tell whether to offer the first lesson: to those who have no game, no lesson, and declined nothing."""
    return not (library.count() or library.remembered(DONE) or library.remembered(_DECLINED))
