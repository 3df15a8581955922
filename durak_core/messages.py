"""Translatable texts: an English template and its values.

>>> print(Message("best in {votes} of {deals} deals", votes=2, deals=3))
best in 2 of 3 deals
"""

from __future__ import annotations

import codecs
import difflib
import unicodedata
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from pathlib import PurePath
from typing import Final

LONGEST: Final = 500
"""Longest text, in characters."""

_LONGEST_VALUE: Final = 160
_LONGEST_LIST: Final = 300
_CUT: Final = "..."


def printable(text: str) -> str:
    """Return a text as one line that every terminal and file can hold.

    Whitespace becomes spaces. Control characters, bidirectional marks and lone surrogates become ``?``.
    """
    if text.isprintable():
        return text
    return "".join([sign if sign.isprintable() else " " if sign.isspace() else "?" for sign in text])


_SUBSTITUTES: Final = str.maketrans(
    "♠♥♦♣◆◇·→←\u00d7\u2014\u2013\u2212\u00ab\u00bb\u201c\u201d\u201e\u2018\u2019\u2026",
    'shdc*o.><x---"""""\'\'.',
) | {ord("±"): "+-", ord("≠"): "!=", ord("∞"): "inf", ord("§"): "par. "}
"""ASCII for signs that old encodings lack; suits as in `Card.parse`."""


def substitute(error: UnicodeError) -> tuple[str, int]:
    """Replace what an encoding lacks by ASCII, if possible as wide; the error handler ``substitute``."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end].translate(_SUBSTITUTES)
    return "".join([sign if sign.isascii() else "?" * _width(sign) for sign in text]), error.end


def _width(sign: str) -> int:
    return 0 if unicodedata.combining(sign) else 2 if unicodedata.east_asian_width(sign) in "WF" else 1


codecs.register_error("substitute", substitute)


def shortened(text: str, most: int) -> str:
    """Return a text of at most ``most`` characters, with dots for the middle."""
    if len(text) <= most:
        return text
    tail = most // 3
    return text[: most - tail - len(_CUT)] + _CUT + text[-tail:]


def fit(value: object, most: int = LONGEST) -> object:
    """Return a value ready to be filled in; texts and paths are printable and at most ``most`` characters."""
    return shortened(printable(str(value)), most) if isinstance(value, str | PurePath) else value


@dataclass(frozen=True, slots=True, init=False)
class Message:
    """A template of `str.format` and its values; ``str`` returns the English text.

    The template is a literal and the key of translations. External text is always a value: it is made
    printable and shortened. A value can be a message or a `durak_core.errors.DurakError`, which is translated
    too, or a tuple of names, which is cut to fit.
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
        """Return the translated text, at most `LONGEST` characters.

        ``word`` converts a value, such as a card to its sign.
        """
        values = {
            name: value.said(translate, word) if isinstance(value, Message) else word(value)
            for name, value in self.values
        }
        text = translate(self.template).format(**values)
        return text if len(text) <= LONGEST else text[: LONGEST - len(_CUT)] + _CUT


def _kept(value: object) -> object:
    if isinstance(value, BaseException):
        message = getattr(value, "message", None)
        value = message if isinstance(message, Message) else str(value)
    return _listed(value) if isinstance(value, tuple) else fit(value, _LONGEST_VALUE)


def _listed(names: tuple[object, ...]) -> str:
    text = printable(", ".join(map(str, names)))
    if len(text) <= _LONGEST_LIST:
        return text
    room = text[:_LONGEST_LIST]
    return f"{room.rpartition(', ')[0] or room}, {_CUT}"


def by_rule(paragraph: str, what: Message) -> Message:
    """Add the paragraph of docs/rules.md to a text, such as ``"5.3"``."""
    return Message("{what} (rules {paragraph})", what=what, paragraph=paragraph)


def alternatives(*expected: Message | str) -> Message | str:
    """Join the expected values by "or"; a plain string is notation and not translated."""
    text = expected[0]
    for other in expected[1:]:
        text = Message("{one} or {other}", one=text, other=other)
    return text


def nearest(name: str, known: Collection[str]) -> str:
    """Return the most similar known name, or ""."""
    if len(name) > 2 * max(map(len, known), default=0):
        return ""  # the comparison takes quadratic time
    return next(iter(difflib.get_close_matches(name, known, n=1)), "")


def unknown(what: Message, name: str, known: Iterable[str]) -> Message:
    """Add the nearest known name, and all known ones, to the text of an unknown name's error."""
    names = tuple(known)
    close = nearest(name, names)
    if not close:
        return Message("{what}; there are: {known}", what=what, known=names)
    return Message("{what}; did you mean {close}? There are: {known}", what=what, close=close, known=names)
