"""What the core says, in the language in force."""

from __future__ import annotations

from durak_core.errors import DurakError
from durak_core.messages import Message
from durak_tui.text.i18n import translate


def core_words(text: object) -> str:
    """Say a message or an error in the language in force; its template is the key of the translation.

    Args:
        text: What the core says; anything but its messages and errors has words of its own, and keeps them.
    """
    if isinstance(text, DurakError):
        text = text.message
    if not isinstance(text, Message):
        return str(text)
    values = {name: _spoken(value) for name, value in text.values}
    return translate(text.template).format(**values)


def _spoken(value: object) -> object:
    return core_words(value) if isinstance(value, (Message, DurakError)) else value
