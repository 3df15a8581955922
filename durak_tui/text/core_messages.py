"""Translation of the library's messages."""

from __future__ import annotations

import re
from collections.abc import Callable

from durak_core.errors import DurakError
from durak_core.messages import Message
from durak_tui.text.i18n import UNFIT, percent_sign, translate


def core_words(text: object, word: Callable[[object], object] = lambda value: value) -> str:
    """Translate a message or error of the library. Other objects are converted with `str`.

    ``word`` converts a message's values for display, such as a card to its sign.
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
    """Format a percentage in the active language. Other values are unchanged."""
    is_share = isinstance(value, str) and re.fullmatch(r"[\d.]+%", value)
    return percent_sign(str(value)[:-1]) if is_share else value
