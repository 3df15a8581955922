"""The puzzles of this package."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator

import pytest
from brute_force import can_have, is_only_action

from durak_core import NotationError, Phase, Rank, State, read_position, write_position
from durak_core.puzzles.finding import proved_themes
from durak_core.puzzles.puzzle import SHIPPED, THEMES, Puzzle, likeness, read_collection, themes_of
from durak_core.puzzles.solution import Attempt, Solutions
from durak_core.search.backend.backend import backend

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
    for puzzle in shipped:
        seen = tuple([key for key in puzzle.themes if THEMES[key].holds])
        assert seen == themes_of(puzzle.state, puzzle.action)
    assert {key for puzzle in shipped for key in puzzle.themes} == set(THEMES)
    assert sum(puzzle.rating < 1000 for puzzle in shipped) >= 100
    assert sum(puzzle.rating > 1300 for puzzle in shipped) >= 100


def test_ten_are_proved_again(shipped: tuple[Puzzle, ...]) -> None:
    """By a search that shares nothing with the solver; small ones, for it goes through every line."""
    small = [puzzle for puzzle in shipped if sum(puzzle.state.hand_sizes) <= 6]
    for puzzle in small[:: len(small) // 10][:10]:
        assert is_only_action(puzzle.state, puzzle.action, puzzle.value), puzzle.position


def with_the_ace(puzzle: Puzzle) -> Iterator[State]:
    """The position with the discarded trump ace in place of each plain card of the solver."""
    state, hands = puzzle.state, puzzle.position.partition("hands=")[2].split()[0]
    ace = next(card for card in state.discards if (card.rank, card.suit) == (Rank.ACE, state.trump_suit))
    for card in state.hands[state.turn or 0]:
        if card.suit != state.trump_suit:
            yield read_position(puzzle.position.replace(hands, hands.replace(str(card), str(ace))))


def with_the_attack(puzzle: Puzzle) -> Iterator[State]:
    """The positions of the solution in which the opponent leads, with the solver's lead instead."""
    attempt = Attempt(puzzle, Solutions(backend("search")))
    while not attempt.is_over:
        attempt.play(attempt.answers[0])
    for state in attempt.states:
        other = state.turn
        if other is not None and other != attempt.seat and state.phase == Phase.OPENING:
            limit = min(6, state.hand_sizes[other])
            who = f"attacker={attempt.seat} defender={other} limit={limit} phase=opening turn={attempt.seat}"
            seats = r"attacker=. defender=. limit=. phase=opening turn=."
            yield read_position(re.sub(seats, who, write_position(state)))


@pytest.mark.parametrize(("theme", "others"), [("ace", with_the_ace), ("zugzwang", with_the_attack)])
def test_a_theme_that_is_proved_is_proved_again(
    shipped: tuple[Puzzle, ...], theme: str, others: Callable[[Puzzle], Iterator[State]]
) -> None:
    """What the solver would be worse off with does not hold the result, by the search of the brute force."""
    small = sorted((one for one in shipped if theme in one.themes), key=lambda one: sum(one.state.hand_sizes))
    for puzzle in small[:3]:
        held = [can_have(state, puzzle.state.turn or 0, puzzle.value) for state in others(puzzle)]
        assert False in held, puzzle.position
        assert theme in proved_themes(puzzle, Solutions(backend("search")))


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_all_are_proved_again(shipped: tuple[Puzzle, ...], part: int) -> None:
    """The same for every puzzle."""
    for puzzle in shipped[part::PARTS]:
        assert is_only_action(puzzle.state, puzzle.action, puzzle.value), puzzle.position
