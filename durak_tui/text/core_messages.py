"""Translation of the library's messages, and of the rules' text."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Final

from durak_core.errors import DurakError, Message
from durak_core.rules_text import paragraph, rules_text
from durak_tui.text.i18n import UNFIT, gettext, language, percent_sign, translate


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


_PARAGRAPH: Final = re.compile(r"(\d+(?:\.\d+)+) ")
_HEADING: Final = re.compile(r"## (\d+)\. ")


@cache
def translated_rules(code: str) -> str:
    """Return the translated rules in Markdown, from the package or from a checkout's docs.

    Returns an empty string if there is no translation.
    """
    package = Path(__file__).resolve().parents[1]
    for file in (package / "locale" / code / "rules.md", package.parent / "docs" / f"rules.{code}.md"):
        if file.is_file():
            return file.read_text(encoding="utf-8")
    return ""


def rules_in_force() -> str:
    """Return all rules, or the English ones after a sentence about the missing translation."""
    if language() == "en":
        return rules_text()
    return translated_rules(language()) or f"{gettext('The rules are written in English.')}\n\n{rules_text()}"


@cache
def _openings(code: str) -> dict[str, str]:
    """Map paragraph numbers to their text, and section numbers to their first paragraph."""
    found: dict[str, str] = {}
    section = ""
    for block in translated_rules(code).strip().split("\n\n"):
        text = block.strip()
        if heading := _HEADING.match(text):
            section = heading[1]
        elif section:
            found.setdefault(section, text)
            if number := _PARAGRAPH.match(text):
                found[number[1]] = text
    return found


def rule(number: str) -> str:
    """Return a paragraph such as ``"5.3"``, or the first one of a section such as ``"7"``."""
    if language() != "en" and number in _openings(language()):
        return _openings(language())[number]
    text = paragraph(number)
    return text.split("\n\n")[1] if text.startswith("#") else text
