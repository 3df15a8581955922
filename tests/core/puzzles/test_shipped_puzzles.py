"""The puzzles of this package."""

from __future__ import annotations

from collections import Counter

import pytest
from brute_force import is_only_action

from durak_core import NotationError
from durak_core.puzzles.puzzle import SHIPPED, THEMES, Puzzle, likeness, read_collection, themes_of

PARTS = 10


@pytest.fixture(scope="module")
def shipped() -> tuple[Puzzle, ...]:
    faults: list[NotationError] = []
    found = tuple([puzzle for _, puzzle in read_collection().sound(faults)])
    assert faults == []
    return found


def test_there_are_a_thousand_in_a_small_file(shipped: tuple[Puzzle, ...]) -> None:
    assert Counter(puzzle.state.rules.text for puzzle in shipped) == {"podkidnoy": 707, "perevodnoy": 368}
    assert SHIPPED.stat().st_size < 300_000


def test_no_two_are_alike(shipped: tuple[Puzzle, ...]) -> None:
    """Whatever suits and seats are called."""
    assert len({likeness(puzzle.state) for puzzle in shipped}) == len(shipped)


def test_all_have_a_choice_and_their_themes(shipped: tuple[Puzzle, ...]) -> None:
    """Every theme has some, and so have the easy ones and the hard ones."""
    assert min(len(puzzle.state.legal_actions) for puzzle in shipped) >= 3
    assert all(puzzle.themes == themes_of(puzzle.state, puzzle.action) for puzzle in shipped)
    assert {key for puzzle in shipped for key in puzzle.themes} == set(THEMES)
    assert sum(puzzle.rating < 1000 for puzzle in shipped) >= 100
    assert sum(puzzle.rating > 1300 for puzzle in shipped) >= 100


def test_ten_are_proved_again(shipped: tuple[Puzzle, ...]) -> None:
    """By a search that shares nothing with the solver; small ones, for it goes through every line."""
    small = [puzzle for puzzle in shipped if sum(puzzle.state.hand_sizes) <= 6]
    for puzzle in small[:: len(small) // 10][:10]:
        assert is_only_action(puzzle.state, puzzle.action, puzzle.value), puzzle.position


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_all_are_proved_again(shipped: tuple[Puzzle, ...], part: int) -> None:
    """The same for every puzzle."""
    for puzzle in shipped[part::PARTS]:
        assert is_only_action(puzzle.state, puzzle.action, puzzle.value), puzzle.position
