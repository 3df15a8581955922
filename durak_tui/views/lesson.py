"""What the screens of lessons say, in the language in force."""

from __future__ import annotations

from collections.abc import Collection

from durak_core import Card
from durak_core.lessons.lesson import Lesson, Saying
from durak_tui.text.i18n import language
from durak_tui.text.phrases import card_text


def said(saying: Saying, *, ascii_only: bool = False) -> str:
    """Say what a lesson says, with its cards as people are used to them."""

    def word(value: object) -> object:
        return card_text(value, ascii=ascii_only) if isinstance(value, Card) else value

    return saying.said(language()).said(str, word)


def dots(lessons: Collection[Lesson], done: Collection[str], *, ascii_only: bool = False) -> str:
    """Draw which lessons are done."""
    full, empty = "*." if ascii_only else "●○"
    return "".join([full if lesson.key in done else empty for lesson in lessons])
