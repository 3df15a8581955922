"""The exceptions of `durak_core`, and their translatable messages: an English template and its values.

>>> print(Message("best in {votes} of {deals} deals", votes=2, deals=3))
best in 2 of 3 deals

The tree of exceptions::

    DurakError
    ├── RulesError            unplayable rules, unknown options and presets
    ├── DealError             a deck or deal that does not fit the rules
    ├── ActionError           an invalid action
    │   └── IllegalActionError    an action that the rules forbid here (rules 10.1)
    ├── NotationError         text that does not parse; has its position
    │   └── RecordError           a game that parses but is illegal
    │       └── BrokenGameError       a damaged game; keeps the readable part
    │                                 (durak_core.game.record)
    ├── KnowledgeError        a contradiction, an unknown subject, or a computation beyond the limits
    ├── FileError             a file that cannot be read or written, or is too large
    ├── AgentError            unknown agents, unknown or invalid parameters, illegal choices
    │   └── ForfeitError          an external agent failed in its game
    ├── ClusterError          a cluster that does not respond, has no workers, or runs other sources
    └── EngineError           an engine that does not start, breaks the protocol, hangs or crashes

All are also ``ValueError``.
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
    printable and shortened. A value can be a message or a `DurakError`, which is translated
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


class DurakError(ValueError):
    """Base class; its text can be shown to users.

    Args:
        template: The template of a `Message`, or a finished `Message`.
        rule: The paragraph of docs/rules.md to cite, such as ``"5.3"``.
    """

    def __init__(self, template: str | Message, /, rule: str = "", **values: object) -> None:
        message = template if isinstance(template, Message) else Message(template, **values)
        super().__init__(by_rule(rule, message) if rule else message)

    @property
    def message(self) -> Message:
        message: Message = self.args[0]
        return message


class RulesError(DurakError):
    """Unplayable rules, or an unknown or invalid option, value or preset."""


class DealError(DurakError):
    """A deck or a deal that does not fit the rules."""


class ActionError(DurakError):
    """An invalid action text or code."""


class IllegalActionError(ActionError):
    """An action that the rules forbid in this state (rules 10.1).

    Attributes:
        paragraph: The forbidding paragraph of docs/rules.md, such as ``"5.3"``.
        reason: The reason, one clause.
        legal: The texts of the legal actions.
    """

    def __init__(self, action: str, paragraph: str, reason: Message, legal: tuple[str, ...]) -> None:
        self.action = action
        self.paragraph = paragraph
        self.reason = reason
        self.legal = legal
        message = Message(
            "{action} is not allowed here: {why}; legal: {legal}",
            action=action,
            why=by_rule(paragraph, reason),
            legal=legal or Message("none, the game is over"),
        )
        super().__init__(message)

    def __reduce__(self) -> tuple[type[IllegalActionError], tuple[object, ...]]:
        """Support pickling, which would pass the message only."""
        return type(self), (self.action, self.paragraph, self.reason, self.legal)


class NotationError(DurakError):
    """Text that does not follow the notation; ``position`` is the offending index, or None."""

    def __init__(
        self, template: str | Message, /, position: int | None = None, rule: str = "", **values: object
    ) -> None:
        self.position = position
        super().__init__(template, rule, **values)
        if position is not None:
            where = Message("{what} (at character {number})", what=self.message, number=position + 1)
            self.args = (where,)


class RecordError(NotationError):
    """An illegal recorded game; ``ply`` is the number of the offending action, from 1, or None."""

    def __init__(
        self, template: str | Message, /, ply: int | None = None, rule: str = "", **values: object
    ) -> None:
        self.ply = ply
        super().__init__(template, None, rule, **values)
        if ply is not None:
            self.args = (Message("ply {ply}: {what}", ply=ply, what=self.message),)


class KnowledgeError(DurakError):
    """An event or announcement that contradicts what is known, or a query without an answer."""


class FileError(DurakError):
    """A file that cannot be read or written, or has the wrong type; ``why`` does not name it."""

    def __init__(
        self,
        template: str | Message,
        /,
        why: Message | str = "",
        *,
        is_missing: bool = False,
        **values: object,
    ) -> None:
        self.why = why
        self.is_missing = is_missing
        super().__init__(template, "", why=why, **values)


class AgentError(DurakError):
    """An unknown agent or option, or an invalid value."""


class ForfeitError(AgentError):
    """An external agent crashed, hung, or chose an illegal action, and forfeits its game."""


class ClusterError(DurakError):
    """A cluster that does not respond, has no workers, or runs other sources."""


class EngineError(DurakError):
    """An engine that does not start, violates the protocol, hangs or crashes.

    ``requirement`` names the violated conformance requirement of docs/protocol.md, if any.
    """

    def __init__(self, template: str | Message, /, requirement: str = "", **values: object) -> None:
        self.requirement = requirement
        super().__init__(template, "", **values)
