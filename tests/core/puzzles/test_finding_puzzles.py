"""Puzzles out of games, and how hard they are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from brute_force import is_only_action
from puzzling import FOUND

from durak_core import DurakError, Rules, make_agent
from durak_core.agents.personas import OPPONENTS
from durak_core.puzzles.finding import find_puzzles, puzzle_of_game
from durak_core.puzzles.grading import GRADERS, Glicko, rating_of, solves
from durak_core.puzzles.puzzle import Puzzle, read_puzzle, write_puzzle
from durak_core.puzzles.solution import Solutions
from durak_core.search.backend.backend import backend
from durak_core.statistics import score_of_elo

RULES = Rules()
WITH_ONE = 13
WITHOUT = 4


@pytest.fixture(scope="module")
def found() -> Puzzle:
    puzzle = puzzle_of_game(RULES, WITH_ONE)
    assert puzzle is not None
    return puzzle


def test_a_game_gives_a_puzzle_that_depends_on_its_seed_alone(found: Puzzle) -> None:
    """It has a choice of three, one right answer by a second proof, and the same rating every time."""
    assert len(found.state.legal_actions) >= 3
    assert is_only_action(found.state, found.action, found.value)
    assert read_puzzle(write_puzzle(found)) == found
    assert puzzle_of_game(RULES, WITH_ONE) == found


def test_no_puzzle_is_found_twice(found: Puzzle) -> None:
    """One like a puzzle that is known already does not count, be it of this search or of one before."""
    seeds = [WITH_ONE, WITHOUT, WITH_ONE]
    assert list(find_puzzles(RULES, seeds, [])) == [found, None, None]
    assert list(find_puzzles(RULES, seeds, [found])) == [None, None, None]


def test_puzzles_are_for_two(found: Puzzle) -> None:
    with pytest.raises(DurakError, match="expected seats=2, got 3"):
        next(find_puzzles(Rules(seats=3), [1], []))


def test_who_knows_the_end_solves_what_who_does_not_fails() -> None:
    """Greedy falls for the first of the five; the solver of endgames plays its line to the end."""
    puzzle, solutions = read_puzzle(FOUND["the ten forces a trump"]), Solutions(backend("search"))
    assert not solves(make_agent("greedy"), puzzle, solutions, 1)
    assert solves(make_agent("solver"), puzzle, solutions, 1)


def test_ratings_follow_who_solves_a_puzzle() -> None:
    """The expected number of solutions is the number found, so that each solver more makes it easier."""
    assert rating_of([(1000, 2, 1)]) == 1000
    assert rating_of([(1400, 4, 3)]) == 1400 - 191  # Elo's difference for three of four
    tries = [(1000.0, 2, 1), *[(float(grader.rating), grader.tries, 0) for grader in GRADERS]]
    ratings = [rating_of(tries)]
    for place in range(1, len(tries)):
        tries[place] = (tries[place][0], tries[place][1], tries[place][1])
        ratings.append(rating_of(tries))
    assert ratings == sorted(ratings, reverse=True)
    assert len(set(ratings)) == len(ratings)


def test_graders_are_rated_as_they_were_measured() -> None:
    """The app's opponents have their own ratings; the page of agents has the others' scores."""
    page = (Path(__file__).parents[3] / "docs" / "strength.md").read_text(encoding="utf-8")
    table = page.partition("\n## Agents\n")[2].partition("\n## ")[0]
    scores = {
        agent: float(score)
        for agents, score in re.findall(r"^\| (`.*`) \| (0\.\d\d) \|$", table, re.MULTILINE)
        for agent in re.findall("`(.*?)`", agents)
    }
    own = {opponent.text: opponent.rating for opponent in OPPONENTS}
    measured = 0
    for grader in GRADERS:
        assert grader.rating == own.get(grader.text, grader.rating)
        agent = grader.text.removesuffix(",solver=off")
        if agent in scores:
            assert score_of_elo(grader.rating - 1000) == pytest.approx(scores[agent], abs=0.05)
            measured += 1
    assert measured >= 4


def test_glickos_own_example() -> None:
    """The figures of the paper's worked example."""
    player = Glicko(1500, 200, 0.06)
    results = [(Glicko(1400, 30), 1.0), (Glicko(1550, 100), 0.0), (Glicko(1700, 300), 0.0)]
    after = player.after(results)
    assert after.rating == pytest.approx(1464.06, abs=0.01)
    assert after.deviation == pytest.approx(151.52, abs=0.01)
    assert after.volatility == pytest.approx(0.05999, abs=0.00001)


def test_who_solves_nothing_is_less_and_less_known() -> None:
    """Step 6 of the paper for somebody who did not compete; surprises make volatile."""
    assert Glicko(1500, 200, 0.06).after([]) == Glicko(1500, pytest.approx(200.2714, abs=0.001), 0.06)
    surprised = Glicko(1500, 50, 0.06).after([(Glicko(2200, 30), 1.0)] * 5)
    assert surprised.volatility > 0.06
    assert surprised.rating > 1500
