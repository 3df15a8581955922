"""The rules' text in the active language."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Final

from durak_core.rules_text import paragraph, rules_text
from durak_tui.text.i18n import gettext, language

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
