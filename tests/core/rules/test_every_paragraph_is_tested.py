"""The law and its tests go together: each paragraph has a test named after it."""

from __future__ import annotations

import re
from pathlib import Path

from durak_core import PRESETS

TEST_NAME = re.compile(r"^def test_rule_(\d+(?:_\d+)+)_[a-z]", re.MULTILINE)
SECTION_NAME = re.compile(r"^def test_rule_(\d+)_[a-z]", re.MULTILINE)


def source() -> str:
    """The text of all tests of this folder."""
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted(Path(__file__).parent.glob("*.py")))


def test_every_paragraph_has_a_test(paragraphs: set[str]) -> None:
    """No paragraph of docs/rules.md is without a test that carries its number."""
    tested = {number.replace("_", ".") for number in TEST_NAME.findall(source())}
    assert {name for name in paragraphs if "." in name} - tested == set()


def test_no_test_names_a_paragraph_that_does_not_exist(paragraphs: set[str]) -> None:
    """When the law is renumbered its tests have to follow."""
    text = source()
    tested = {number.replace("_", ".") for number in TEST_NAME.findall(text)}
    tested |= set(SECTION_NAME.findall(text))
    assert tested - paragraphs == set()


def test_every_preset_has_a_test() -> None:
    """Each preset of section 12 has a test of its own."""
    text = source()
    for name in PRESETS:
        assert f"def test_rule_12_preset_{name.replace('-', '_')}_" in text


def test_paragraphs_stand_in_the_file_of_their_section() -> None:
    """A test of paragraph 5.3 is found in the file of section 5."""
    for path in Path(__file__).parent.glob("test_rules_*.py"):
        section = path.name.split("_")[2]
        found = re.findall(r"^def test_rule_(\d+)_", path.read_text(encoding="utf-8"), re.MULTILINE)
        assert found
        assert set(found) == {section}
