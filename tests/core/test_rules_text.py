"""The text of the rules that the program carries along."""

from __future__ import annotations

from pathlib import Path

import pytest

from durak_core import OPTIONS, RulesError, paragraph, rules_text

LAW = Path(__file__).parents[2] / "docs" / "rules.md"


def test_the_text_is_the_law() -> None:
    """In a checkout it is docs/rules.md itself."""
    assert rules_text() == LAW.read_text(encoding="utf-8")


def test_paragraphs_and_sections_can_be_read_alone() -> None:
    """By their numbers."""
    assert paragraph("7.3").startswith("7.3 `transfer_first_bout`")
    assert paragraph("7").startswith("## 7. Transfer\n\n`transfer`")
    assert paragraph("7.4") in paragraph("7")
    assert paragraph(" 5.3 ") == paragraph("5.3")


def test_every_option_has_its_paragraph() -> None:
    """The paragraph that an option names speaks of it."""
    for name, option in OPTIONS.items():
        assert f"`{name}`" in paragraph(option.paragraph)


def test_a_paragraph_that_does_not_exist_is_refused() -> None:
    """With a hint of how numbers look."""
    with pytest.raises(RulesError, match="no paragraph '42'"):
        paragraph("42")
