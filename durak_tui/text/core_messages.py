"""What the core says, in the language in force."""

from __future__ import annotations

import re
from collections.abc import Callable

from durak_core.errors import DurakError
from durak_core.messages import Message
from durak_tui.text.i18n import UNFIT, percent_sign, translate


def core_words(text: object, word: Callable[[object], object] = lambda value: value) -> str:
    """Say a message or an error of the core in the language in force; anything else keeps its words.

    ``word`` makes of a message's value what a player reads, such as a card's sign.
    """
    if isinstance(text, DurakError):
        text = text.message
    if not isinstance(text, Message):
        return str(text)
    try:
        return text.said(translate, lambda value: word(_figure(value)))
    except UNFIT:
        return str(text)


def _figure(value: object) -> object:
    """Write a share that stands for itself as the language in force does."""
    is_share = isinstance(value, str) and re.fullmatch(r"[\d.]+%", value)
    return percent_sign(str(value)[:-1]) if is_share else value
