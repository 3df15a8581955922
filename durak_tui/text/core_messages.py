"""What the core says, in the language in force."""

from __future__ import annotations

from durak_core.errors import DurakError
from durak_core.messages import Message
from durak_tui.text.i18n import UNFIT, translate


def core_words(text: object) -> str:
    """Say a message or an error of the core in the language in force; anything else keeps its words."""
    if isinstance(text, DurakError):
        text = text.message
    if not isinstance(text, Message):
        return str(text)
    try:
        return text.said(translate)
    except UNFIT:
        return str(text)
