"""Lesson texts in the active language."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from durak_core import Card
from durak_core.lessons.lesson import Lesson, Saying
from durak_tui.text.i18n import gettext, language
from durak_tui.text.phrases import card_text


def said(saying: Saying, *, ascii_only: bool = False) -> str:
    def word(value: object) -> object:
        return card_text(value, ascii=ascii_only) if isinstance(value, Card) else value

    return saying.said(language()).said(str, word)


def dots(lessons: Collection[Lesson], done: Collection[str], *, ascii_only: bool = False) -> str:
    """Draw one dot per lesson, filled if completed."""
    full, empty = "*." if ascii_only else "●○"
    return "".join([full if lesson.key in done else empty for lesson in lessons])


def lessons_line(lessons: Sequence[Lesson], done: Collection[str], *, ascii_only: bool = False) -> str:
    drawn = dots(lessons, done, ascii_only=ascii_only)
    following = next(((at, one) for at, one in enumerate(lessons, 1) if one.key not in done), None)
    if following is None:
        return gettext("{dots}  all done", dots=drawn)
    number, lesson = following
    title = said(lesson.title, ascii_only=ascii_only)
    return gettext("{dots}  next: {number} {title}", dots=drawn, number=number, title=title)
