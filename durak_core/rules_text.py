"""The packaged text of docs/rules.md, whole and by paragraph."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Final

from durak_core.errors import RulesError

_PARAGRAPH: Final = re.compile(r"\d+(?:\.\d+)+ ")
_HEADING: Final = re.compile(r"## (\d+)\. ")


@cache
def rules_text() -> str:
    """Return the rules in Markdown, from the package or the checkout; raise `RulesError` if missing."""
    package = Path(__file__).resolve().parent
    for file in (package / "data" / "rules.md", package.parent / "docs" / "rules.md"):
        if file.is_file():
            return file.read_text(encoding="utf-8")
    raise RulesError("this installation has lost durak_core/data/rules.md")


@cache
def _paragraphs() -> dict[str, str]:
    found: dict[str, str] = {}
    section = ""
    for block in rules_text().strip().split("\n\n"):
        text = block.strip()
        if heading := _HEADING.match(text):
            section = heading[1]
            found[section] = text
        elif section:
            found[section] += "\n\n" + text
            if number := _PARAGRAPH.match(text):
                found[number[0].strip()] = text
    return found


def paragraph(number: str) -> str:
    """Return paragraph ``"5.3"`` or section ``"7"``, for example; raise `RulesError` if there is none."""
    try:
        return _paragraphs()[number.strip()]
    except KeyError:
        raise RulesError(
            "the rules have no paragraph {number!r}: expected a number such as 5.3", number=number
        ) from None
