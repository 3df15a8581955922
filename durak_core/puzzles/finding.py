"""Puzzles out of games between agents: at most one of a game, no two alike."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import closing
from dataclasses import replace
from typing import Final

from durak_core.agents.registry import make_agent
from durak_core.arena.matches.game import play_game
from durak_core.arena.matches.players import make_ready
from durak_core.arena.workers.pool import Jobs, run_in_order
from durak_core.errors import DurakError
from durak_core.game.notation.position_text import write_position
from durak_core.game.state import State
from durak_core.puzzles.attempt import Attempt
from durak_core.puzzles.grading import GRADERS, grade
from durak_core.puzzles.puzzle import GOALS, Puzzle, likeness
from durak_core.puzzles.solution import Solutions, only_action
from durak_core.puzzles.themes import themes_of
from durak_core.rules import Rules
from durak_core.search.backend.backend import backend
from durak_core.search.endgame.alpha_beta import solvable

PLAYERS: Final = ("expert", "level:viktor")
"""Whose games are looked through: they play well and differently, so that many positions are close."""

_CHOICES: Final = 3
"""Actions that a puzzle has at least."""

_DECISIONS: Final = 2
"""Moves of a puzzle's line, its first one counted, at which the game can still be spoilt."""

_CARDS: Final = 10
"""Cards in play that a puzzle has at most: more is too much for a person, and for a second proof."""

_NODES: Final = 20_000
"""Positions that may be searched for the solution of one."""


def find_puzzles(
    rules: Rules, seeds: Iterable[int], known: Iterable[Puzzle], jobs: Jobs
) -> Generator[Puzzle | None, None, None]:
    """Play the games of some seeds and yield the puzzle found in each, or None where there is no new one.

    Args:
        rules: For two seats.
        seeds: All chance comes from them, game by game.
        known: Puzzles that no other shall be like.
        jobs: How many processes, 0 for one each core; it changes nothing.

    Raises:
        DurakError: If the rules are for more than two.
    """
    if rules.seats != len(PLAYERS):
        raise DurakError("puzzles are for two players: expected seats=2, got {seats}", seats=rules.seats)
    make_ready((*PLAYERS, *[grader.text for grader in GRADERS]))
    seen = {likeness(puzzle.state) for puzzle in known}
    with closing(run_in_order(puzzle_of_game, ((rules, seed) for seed in seeds), jobs)) as found:
        for puzzle in found:
            alike = None if puzzle is None else likeness(puzzle.state)
            if alike is None or alike in seen:
                yield None
            else:
                seen.add(alike)
                yield puzzle


def puzzle_of_game(rules: Rules, seed: int) -> Puzzle | None:
    """Play the game of a seed and return its earliest puzzle, graded, or None where it has none."""
    players = [make_agent(text) for text in (PLAYERS if seed % 2 == 0 else PLAYERS[::-1])]
    states: list[State] = []
    play_game(rules, players, seed, on_decision=lambda state, _: states.append(state))
    found = (puzzle_at(state, seed) for state in states)
    return next((puzzle for puzzle in found if puzzle is not None), None)


def puzzle_at(state: State, seed: int) -> Puzzle | None:
    """Return the puzzle of a position, graded with a seed; None where it is none, or cannot be proved."""
    if len(state.legal_actions) < _CHOICES or not solvable(state.to_position()) or _cards(state) > _CARDS:
        return None
    runner = backend("search")
    found = only_action(state, runner, _NODES)
    if found is None:
        return None
    action, value = found
    goal = next(goal for goal, worth in GOALS.items() if worth == value)
    puzzle = Puzzle(write_position(state), action, goal, themes_of(state, action), 0)
    solutions = Solutions(runner, _NODES)
    try:
        if _decisions(puzzle, solutions) < _DECISIONS:
            return None
        return replace(puzzle, rating=grade(puzzle, solutions, seed))
    except DurakError:
        return None  # somewhere in its line it cannot be proved


def _cards(state: State) -> int:
    return state.rules.deck_size - len(state.discards)


def _decisions(puzzle: Puzzle, solutions: Solutions) -> int:
    """Count the moves of a puzzle's line at which not everything keeps the game."""
    attempt = Attempt(puzzle, solutions)
    count = 0
    while not attempt.is_over:
        count += len(attempt.answers) < len(attempt.state.legal_actions)
        attempt.play(attempt.answers[0])
    return count
