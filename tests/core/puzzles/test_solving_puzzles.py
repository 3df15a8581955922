"""Solving a puzzle move by move."""

from __future__ import annotations

from functools import cache

import pytest
from brute_force import can_have, is_only_action
from puzzling import FOUND

from durak_core import TAKE, DurakError, IllegalActionError, Rules, State, parse_action, read_position
from durak_core.puzzles.puzzle import Puzzle, read_puzzle
from durak_core.puzzles.solution import Attempt, Solutions, only_action
from durak_core.search.backend.backend import backend

PUZZLES = {name: read_puzzle(line) for name, line in FOUND.items()}


@pytest.fixture(scope="module")
def solutions() -> Solutions:
    return Solutions(backend("search"))


@pytest.mark.parametrize("puzzle", PUZZLES.values(), ids=PUZZLES)
def test_the_solver_and_a_search_without_it_find_the_same_action(puzzle: Puzzle) -> None:
    """The second one goes through every line of play and shares nothing with the first."""
    assert only_action(puzzle.state, backend("search"), 20_000) == (puzzle.action, puzzle.value)
    assert is_only_action(puzzle.state, puzzle.action, puzzle.value)


def test_draws_that_are_found_first_do_not_hide_the_only_win() -> None:
    state = State.setup(Rules(), ["7s8s9s8hKhTd", "6sTsAh9d9cQc"], trump="Kd")
    assert only_action(state, backend("search"), 1 << 20) == (parse_action("Kh"), 1)


@pytest.mark.parametrize("puzzle", PUZZLES.values(), ids=PUZZLES)
def test_right_moves_lead_to_the_end_and_wrong_ones_nowhere(puzzle: Puzzle, solutions: Solutions) -> None:
    """Every other action of the first position lets the game slip; the last state has what was promised."""
    attempt = Attempt(puzzle, solutions)
    assert attempt.answers == (puzzle.action,)
    for action in attempt.state.legal_actions:
        if action != puzzle.action:
            assert not attempt.play(action)
    assert (attempt.mistakes, attempt.moves) == (len(puzzle.state.legal_actions) - 1, [])
    while not attempt.is_over:
        assert attempt.state.turn == attempt.seat
        assert attempt.play(attempt.answers[-1])
    assert attempt.state.returns[attempt.seat] == puzzle.value
    assert len(attempt.states) == len(attempt.moves) + 1
    assert attempt.answers == ()


def test_every_answer_that_also_wins_is_right(solutions: Solutions) -> None:
    """Later in the line there may be several, the slower ones among them."""
    attempt = Attempt(PUZZLES["the ten forces a trump"], solutions)
    several = 0
    while not attempt.is_over:
        for action in attempt.state.legal_actions:
            wins = can_have(attempt.state.apply(action), attempt.seat, 1)
            assert (action in attempt.answers) == wins
        several += len(attempt.answers) > 1
        attempt.play(attempt.answers[-1])
    assert several


@cache
def longest(state: State, seat: int) -> int:
    """Return after which bout the game is won by a seat at the latest, if it hurries and the other delays."""
    if state.is_over:
        return state.bout if state.returns[seat] == 1 else 99
    choose = min if state.turn == seat else max
    return choose(longest(state.apply(action), seat) for action in state.legal_actions)


def test_the_defence_is_the_longest(solutions: Solutions) -> None:
    """Whenever the other side has a choice, no action of it puts the end off to a later bout."""
    puzzle = PUZZLES["the ten forces a trump"]
    seen = 0
    stack = [puzzle.state.apply(puzzle.action)]
    while stack:
        state = stack.pop()
        solution = solutions.of(state)
        assert solution is not None
        if solution.value == -1 and len(state.legal_actions) > 1:
            last = {action: longest(state.apply(action), 1 - state.turn) for action in state.legal_actions}
            assert last[solution.longest] == max(last.values())
            seen += len(set(last.values())) > 1
        stack += [after for action in state.legal_actions if not (after := state.apply(action)).is_over]
    assert seen


def test_an_open_card_may_be_answered_out_of_turn(solutions: Solutions) -> None:
    """With two cards open, the list of legal actions answers the oldest; the other may be beaten first."""
    state = read_position(
        "rules=perevodnoy bout=9 attacker=1 defender=0 limit=4 phase=defence turn=0 hands=9h9dKcAc/QcQs "
        "table=8h,8d trump=6s"
    )
    listed, other = parse_action("9hx8h"), parse_action("9dx8d")
    assert state.legal_actions == (listed, TAKE)
    assert [solutions.keeps(state, action) for action in (listed, other, TAKE)] == [True, True, False]


def test_what_the_rules_forbid_is_no_mistake(solutions: Solutions) -> None:
    attempt = Attempt(PUZZLES["only the trump draws"], solutions)
    with pytest.raises(IllegalActionError):
        attempt.play(parse_action("8dx7s"))
    assert attempt.mistakes == 0


def test_a_puzzle_that_is_none_is_refused(solutions: Solutions) -> None:
    """Its action has to be the only one, and to keep what the puzzle says."""
    lines = FOUND["only the trump draws"]
    for wrong in (lines.replace("8dx7h", "Ahx7h"), lines.replace("goal=draw", "goal=win")):
        with pytest.raises(DurakError, match="is not the only action that keeps the game"):
            Attempt(read_puzzle(wrong), solutions)
