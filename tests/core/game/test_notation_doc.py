"""The page docs/notation.md says what the program does."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

from durak_core import (
    MOVE_MARKS,
    Phase,
    read_games,
    read_json_lines,
    read_observation,
    read_position,
    write_games,
    write_json_line,
    write_observation,
    write_position,
)
from durak_core.game import record
from durak_core.game.json_form import FORMAT
from durak_core.game.notation import position_text
from durak_core.game.notation.position_fields import KEYS
from durak_core.game.record import RESERVED_TAGS

PAGE = Path(__file__).parents[3] / "docs" / "notation.md"


def blocks(language: str) -> list[str]:
    """Return the page's fenced blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)


def test_the_python_examples_run() -> None:
    """Every prompt of the page gives what stands below it."""
    result = doctest.testfile(str(PAGE), module_relative=False)
    assert result.failed == 0
    assert result.attempted > 10


@pytest.mark.parametrize("module", [record, position_text], ids=lambda module: module.__name__)
def test_the_modules_examples_run(module) -> None:
    """Every prompt of a docstring gives what stands below it."""
    result = doctest.testmod(module)
    assert result.failed == 0
    assert result.attempted > 3


@pytest.mark.parametrize("line", "".join(blocks("position")).splitlines())
def test_the_positions_are_as_the_program_writes_them(line) -> None:
    """An example of a position is canonical."""
    assert write_position(read_position(line)) == line


@pytest.mark.parametrize("line", "".join(blocks("observation")).splitlines())
def test_the_observations_are_as_the_program_writes_them(line) -> None:
    """An example of an observation is canonical."""
    assert write_observation(read_observation(line)) == line


def test_the_game_is_as_the_program_writes_it() -> None:
    """The example of a game is canonical."""
    (text,) = blocks("durak")
    assert write_games(read_games(text)) == text


def test_the_json_is_as_the_program_writes_it() -> None:
    """The example of a line is canonical."""
    (text,) = blocks("json")
    assert "".join(map(write_json_line, read_json_lines(text))) == text
    assert FORMAT in text


def test_all_keys_tags_phases_and_marks_are_explained() -> None:
    """Nothing that may be written is missing from the page."""
    page = PAGE.read_text("utf-8")
    for key in KEYS:
        assert f"| `{key}` |" in page
    for tag in RESERVED_TAGS - {f"Seat{seat}" for seat in range(1, 5)}:
        assert f"`{tag}`" in page
    for phase in Phase:
        assert f"`{phase.name.lower()}`" in page
    for mark in MOVE_MARKS[1:]:
        assert f'"{mark}"' in page
