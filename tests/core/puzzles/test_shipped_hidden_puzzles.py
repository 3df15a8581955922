"""The puzzles of this package with hidden cards."""

from __future__ import annotations

from collections import Counter

import pytest

from durak_core import NotationError, Rules
from durak_core.agents.learned import AUTO, NetworkSelector
from durak_core.puzzles.finding import hidden_puzzle_of_game
from durak_core.puzzles.puzzle import (
    SHIPPED,
    SHIPPED_HIDDEN,
    HiddenPuzzle,
    hidden_likeness,
    read_hidden_collection,
    themes_of,
)
from durak_core.search.analysis import analyse
from durak_core.search.backend.backend import backend
from durak_core.search.endgame.solver import known_to_the_end
from durak_core.search.ismcts.tree_search import SearchSettings

PARTS = 4
OTHER_SEED = 20_261_122
ITERATIONS = 50_000


@pytest.fixture(scope="module")
def shipped() -> tuple[HiddenPuzzle, ...]:
    faults: list[NotationError] = []
    found = tuple([puzzle for _, puzzle in read_hidden_collection().sound(faults)])
    assert faults == []
    return found


def test_there_are_hundreds_of_both_games_in_a_small_file(shipped: tuple[HiddenPuzzle, ...]) -> None:
    assert len(shipped) >= 200
    assert min(Counter(puzzle.observation.rules.text for puzzle in shipped).values()) >= 50
    assert SHIPPED.stat().st_size + SHIPPED_HIDDEN.stat().st_size < 300_000


def test_no_two_are_alike(shipped: tuple[HiddenPuzzle, ...]) -> None:
    assert len({hidden_likeness(puzzle) for puzzle in shipped}) == len(shipped)


def test_all_have_a_choice_and_a_reason(shipped: tuple[HiddenPuzzle, ...]) -> None:
    """Cards are hidden, three actions or more are legal, and one is 12 points above all others."""
    for puzzle in shipped:
        assert not known_to_the_end(puzzle.observation)
        assert len(puzzle.lines) >= 3
        assert puzzle.cost(puzzle.lines[1].action) >= 0.12
        assert puzzle.is_explained
        assert puzzle.themes == themes_of(puzzle.observation, puzzle.action)


def is_best_again(puzzle: HiddenPuzzle, iterations: int) -> bool:
    """Tell whether another analysis finds the same action, at least half as far above the others."""
    settings = NetworkSelector(AUTO).fit(SearchSettings(), puzzle.observation.rules)
    runner = backend(settings.group)
    found = analyse(
        puzzle.observation, runner, seed=OTHER_SEED, iterations=iterations, settings=settings
    ).lines()
    return found[0].action == puzzle.action and found[0].score - max(one.score for one in found[1:]) >= 0.06


def test_three_are_analysed_again(shipped: tuple[HiddenPuzzle, ...]) -> None:
    """By another seed, and in a tenth of the iterations."""
    clear = [puzzle for puzzle in shipped if puzzle.cost(puzzle.lines[1].action) >= 0.2]
    for puzzle in clear[:: len(clear) // 3][:3]:
        assert is_best_again(puzzle, ITERATIONS // 5), puzzle.position


@pytest.mark.slow
def test_the_first_is_found_again_in_its_game(shipped: tuple[HiddenPuzzle, ...]) -> None:
    assert hidden_puzzle_of_game(Rules(), 9) == shipped[0]


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_all_are_analysed_again(shipped: tuple[HiddenPuzzle, ...], part: int) -> None:
    """By another seed, and in half the iterations."""
    for puzzle in shipped[part::PARTS]:
        assert is_best_again(puzzle, ITERATIONS), puzzle.position
