"""Texts that carry their values, so that whoever shows one can say it in another language.

>>> print(Message("best in {votes} of {deals} deals", votes=2, deals=3))
best in 2 of 3 deals
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from pathlib import PurePath
from typing import Final

LONGEST: Final = 500
"""Characters that a whole text may have."""

_LONGEST_VALUE: Final = 160
_LONGEST_LIST: Final = 300
_CUT: Final = "..."


def printable(text: str) -> str:
    """Return a text that any terminal and any file can hold, on one line.

    All space becomes spaces, and what is not for reading, such as the control characters that a terminal
    obeys instead of showing them, marks that turn the direction of writing, or halves of surrogate pairs,
    becomes ``?``.
    """
    if text.isprintable():
        return text
    return "".join([sign if sign.isprintable() else " " if sign.isspace() else "?" for sign in text])


def shortened(text: str, most: int) -> str:
    """Return a text of at most so many characters, with dots for what is left out in its middle."""
    if len(text) <= most:
        return text
    tail = most // 3
    return text[: most - tail - len(_CUT)] + _CUT + text[-tail:]


def fit(value: object, most: int = LONGEST) -> object:
    """Return a value fit to be filled in: texts and paths printable and of at most so many characters."""
    return shortened(printable(str(value)), most) if isinstance(value, str | PurePath) else value


@dataclass(frozen=True, slots=True, init=False)
class Message:
    """A template as for `str.format`, and its values; ``str`` gives the English text.

    The template is a literal of the program, and the key of translations. Whatever comes from outside is
    a value: texts are made printable here, and shortened where they are long. A value may be a message or
    a `durak_core.errors.DurakError`, which is translated in its turn, or a tuple of texts, a list of the
    program's own of which as many are named as there is room for.
    """

    template: str
    values: tuple[tuple[str, object], ...]

    def __init__(self, template: str, /, **values: object) -> None:
        object.__setattr__(self, "template", template)
        object.__setattr__(self, "values", tuple([(name, _kept(value)) for name, value in values.items()]))

    def __str__(self) -> str:
        return self.said(str)

    def said(
        self, translate: Callable[[str], str], word: Callable[[object], object] = lambda value: value
    ) -> str:
        """Return the text, of at most `LONGEST` characters, with what becomes of its templates filled in.

        ``word`` makes of a value what stands in the text, such as a card's sign.
        """
        values = {
            name: value.said(translate, word) if isinstance(value, Message) else word(value)
            for name, value in self.values
        }
        text = translate(self.template).format(**values)
        return text if len(text) <= LONGEST else text[: LONGEST - len(_CUT)] + _CUT


def _kept(value: object) -> object:
    """Return a value as a message keeps it."""
    if isinstance(value, BaseException):
        message = getattr(value, "message", None)
        value = message if isinstance(message, Message) else str(value)
    return _listed(value) if isinstance(value, tuple) else fit(value, _LONGEST_VALUE)


def _listed(names: tuple[object, ...]) -> str:
    """Join texts by commas, as many as there is room for."""
    text = printable(", ".join(map(str, names)))
    if len(text) <= _LONGEST_LIST:
        return text
    room = text[:_LONGEST_LIST]
    return f"{room.rpartition(', ')[0] or room}, {_CUT}"


def by_rule(paragraph: str, what: Message) -> Message:
    """Add to a text the paragraph of docs/rules.md behind it, such as ``"5.3"``."""
    return Message("{what} (rules {paragraph})", what=what, paragraph=paragraph)


def alternatives(*expected: Message | str) -> Message | str:
    """Join what may stand somewhere by "or"; a plain text is a word of the notation, in any language."""
    text = expected[0]
    for other in expected[1:]:
        text = Message("{one} or {other}", one=text, other=other)
    return text


def nearest(name: str, known: Collection[str]) -> str:
    """Return the name among those known that a misspelt one is most like; "" where it is like none."""
    if len(name) > 2 * max(map(len, known), default=0):
        return ""  # the comparison would take a time that grows with the square of the length
    return next(iter(difflib.get_close_matches(name, known, n=1)), "")


def unknown(what: Message, name: str, known: Iterable[str]) -> Message:
    """Add to a text that there is nothing of this name the nearest name that there is, and all of them."""
    names = tuple(known)
    close = nearest(name, names)
    if not close:
        return Message("{what}; there are: {known}", what=what, known=names)
    return Message("{what}; did you mean {close}? There are: {known}", what=what, close=close, known=names)
