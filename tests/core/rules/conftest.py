"""The paragraphs of docs/rules.md, for the tests that are named after them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

RULES_TEXT = Path(__file__).parents[3] / "docs" / "rules.md"


@pytest.fixture(scope="session")
def rules_text() -> str:
    """The text of docs/rules.md."""
    return RULES_TEXT.read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def paragraphs(rules_text: str) -> set[str]:
    """The numbers of all paragraphs, such as 5.3 and 2.2.1, and of the sections, such as 7."""
    numbers = re.findall(r"^(\d+(?:\.\d+)+) ", rules_text, re.MULTILINE)
    sections = re.findall(r"^## (\d+)\. ", rules_text, re.MULTILINE)
    assert len(numbers) > 30
    return {*numbers, *sections}
