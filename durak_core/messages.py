"""Texts that carry their values, so that whoever shows one can say it in another language.

>>> print(Message("best in {votes} of {deals} deals", votes=2, deals=3))
best in 2 of 3 deals
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, init=False)
class Message:
    """A template as for `str.format`, and its values; ``str`` gives the English text.

    The template is a literal of the program, and the key of translations. Whatever comes from outside is
    a value. A value may be a message or a `durak_core.errors.DurakError`, which is translated in its turn.
    """

    template: str
    values: tuple[tuple[str, object], ...]

    def __init__(self, template: str, /, **values: object) -> None:
        object.__setattr__(self, "template", template)
        object.__setattr__(self, "values", tuple(values.items()))

    def __str__(self) -> str:
        return self.template.format(**dict(self.values))


def by_rule(paragraph: str, what: Message) -> Message:
    """Add to a text the paragraph of docs/rules.md behind it, such as ``"5.3"``."""
    return Message("{what} (rules {paragraph})", what=what, paragraph=paragraph)


def alternatives(*expected: Message | str) -> Message | str:
    """Join what may stand somewhere by "or"; a plain text is a word of the notation, in any language."""
    text = expected[0]
    for other in expected[1:]:
        text = Message("{one} or {other}", one=text, other=other)
    return text


def unknown(what: Message, name: str, known: Iterable[str]) -> Message:
    """Add to a text that there is nothing of this name the nearest name that there is, and all of them."""
    names = list(known)
    close, listed = difflib.get_close_matches(name, names, n=1), ", ".join(names)
    if not close:
        return Message("{what}; there are: {known}", what=what, known=listed)
    return Message(
        "{what}; did you mean {close}? There are: {known}", what=what, close=close[0], known=listed
    )
