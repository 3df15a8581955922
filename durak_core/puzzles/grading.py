"""Puzzle ratings from the results of agents."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from durak_core.actions import Action
from durak_core.agents.base import Agent
from durak_core.agents.personas import OPPONENTS
from durak_core.agents.registry import make_agent
from durak_core.game.observation import Observation
from durak_core.kernel.position import derive
from durak_core.puzzles.puzzle import Puzzle
from durak_core.puzzles.solution import Attempt, Solutions
from durak_core.statistics import score_of_elo


@dataclass(frozen=True, slots=True)
class Grader:
    """An agent that solves puzzles, with its rating (docs/strength.md) and its number of tries."""

    text: str
    rating: int
    tries: int


_RATING: Final = {one.key: one.rating for one in OPPONENTS}

GRADERS: Final = (
    Grader("random", 550, 4),
    Grader("level:misha", _RATING["misha"], 4),
    Grader("level:tanya", _RATING["tanya"], 4),
    Grader("level:boris", _RATING["boris"], 4),
    Grader("greedy", 1000, 1),
    Grader("smart", 1030, 1),
    Grader("level:olga", _RATING["olga"], 4),
    Grader("expert", 1135, 1),
    Grader("level:viktor", _RATING["viktor"], 1),
    Grader("ismcts:iterations=100,solver=off", 1100, 2),
    Grader("ismcts:iterations=1000,solver=off", 1310, 2),
)
"""Graders, without endgame solvers, which would solve everything."""

_FIRST_TRIES: Final = (1000.0, 2, 1)
"""Prior: rating, tries and solutions of a fictitious player."""

_STEPS: Final = 20


def grade(puzzle: Puzzle, solutions: Solutions, seed: int) -> int:
    """Return the rating of a puzzle, ignoring its own; raises `DurakError` if it cannot be proved."""
    results = []
    for grader, agent, seeds in _tries(seed):
        solved = sum(solves(agent, puzzle, solutions, one) for one in seeds)
        results.append((float(grader.rating), grader.tries, solved))
    return rating_of([_FIRST_TRIES, *results])


def choices(observation: Observation, seed: int) -> dict[Grader, tuple[Action, ...]]:
    """Return the actions of each grader, one per try."""
    return {
        grader: tuple([choice(agent, observation, one) for one in seeds])
        for grader, agent, seeds in _tries(seed)
    }


def grade_by(chosen: Mapping[Grader, Sequence[Action]], right: Collection[Action]) -> int:
    """Return the rating of a position, given its right actions."""
    results = [
        (float(grader.rating), len(actions), sum(action in right for action in actions))
        for grader, actions in chosen.items()
    ]
    return rating_of([_FIRST_TRIES, *results])


def _tries(seed: int) -> Iterator[tuple[Grader, Agent, list[int]]]:
    """Yield each grader, its agent and the seeds of its tries."""
    for number, grader in enumerate(GRADERS):
        seeds = [derive(derive(seed, number), one) for one in range(grader.tries)]
        yield grader, make_agent(grader.text), seeds


def choice(agent: Agent, observation: Observation, seed: int) -> Action:
    """Begin a game with an agent at this observation and return its action."""
    agent.begin(observation.rules, observation.seat, seed)
    return agent.choose(observation).action


def solves(agent: Agent, puzzle: Puzzle, solutions: Solutions, seed: int) -> bool:
    """Return whether an agent finds every move of the solution."""
    attempt = Attempt(puzzle, solutions)
    if attempt.seat is None:
        return False
    agent.begin(attempt.state.rules, attempt.seat, seed)
    while not attempt.is_over:
        if not attempt.play(agent.choose(attempt.state.observation(attempt.seat)).action):
            return False
    return True


def rating_of(results: Sequence[tuple[float, int, int]]) -> int:
    """Return the rating, 0 to 4000, at which the Elo curve expects the observed number of solutions.

    Results are the rating, tries and solutions of each solver.
    """
    solved = sum(successes for _, _, successes in results)
    low, high = 0.0, 4000.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        expected = sum(tries * score_of_elo(rating - middle) for rating, tries, _ in results)
        low, high = (middle, high) if expected > solved else (low, middle)
    return round(low)
