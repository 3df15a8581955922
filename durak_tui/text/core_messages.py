"""What the core says, in the language in force."""

from __future__ import annotations

from collections.abc import Callable

from durak_core.errors import DurakError
from durak_core.messages import Message
from durak_tui.text.i18n import UNFIT, translate


def core_words(text: object, word: Callable[[object], object] = lambda value: value) -> str:
    """Say a message or an error of the core in the language in force; anything else keeps its words.

    ``word`` makes of a message's value what a player reads, such as a card's sign.
    """
    if isinstance(text, DurakError):
        text = text.message
    if not isinstance(text, Message):
        return str(text)
    try:
        return text.said(translate, word)
    except UNFIT:
        return str(text)
