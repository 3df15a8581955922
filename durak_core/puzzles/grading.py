"""How hard a puzzle is: which agents solve it, and the rating that follows from that."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from durak_core.actions import Action
from durak_core.agents.base import Agent
from durak_core.agents.level import OPPONENTS
from durak_core.agents.registry import make_agent
from durak_core.game.observation import Observation
from durak_core.kernel.random import derive
from durak_core.puzzles.attempt import Attempt
from durak_core.puzzles.puzzle import Puzzle
from durak_core.puzzles.solution import Solutions
from durak_core.statistics import score_of_elo


@dataclass(frozen=True, slots=True)
class Grader:
    """An agent that is asked to solve puzzles.

    Attributes:
        text: The agent's text.
        rating: How well it plays, in the points of docs/strength.md.
        tries: How often it is asked; who chooses by chance, more than once.
    """

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
"""Who grades puzzles: agents that solve no endgame, for those would find everything."""

_FIRST_TRIES: Final = (1000.0, 2, 1)
"""What a puzzle's rating begins with: as if a player of this rating had solved it once in two tries."""

_STEPS: Final = 20


def grade(puzzle: Puzzle, solutions: Solutions, seed: int) -> int:
    """Return the rating of a puzzle; its own does not matter.

    Raises:
        DurakError: If the puzzle is none, or its line cannot be solved to the end.
    """
    results = []
    for grader, agent, seeds in _tries(seed):
        solved = sum(solves(agent, puzzle, solutions, one) for one in seeds)
        results.append((float(grader.rating), grader.tries, solved))
    return rating_of([_FIRST_TRIES, *results])


def choices(observation: Observation, seed: int) -> dict[Grader, tuple[Action, ...]]:
    """Return what everybody who grades does in a position, as often as it is asked."""
    return {
        grader: tuple([choice(agent, observation, one) for one in seeds])
        for grader, agent, seeds in _tries(seed)
    }


def grade_by(chosen: Mapping[Grader, Sequence[Action]], right: Collection[Action]) -> int:
    """Return the rating of a position in which some actions are right."""
    results = [
        (float(grader.rating), len(actions), sum(action in right for action in actions))
        for grader, actions in chosen.items()
    ]
    return rating_of([_FIRST_TRIES, *results])


def _tries(seed: int) -> Iterator[tuple[Grader, Agent, list[int]]]:
    """Yield everybody who grades with the seeds of all its tries."""
    for number, grader in enumerate(GRADERS):
        seeds = [derive(derive(seed, number), one) for one in range(grader.tries)]
        yield grader, make_agent(grader.text), seeds


def choice(agent: Agent, observation: Observation, seed: int) -> Action:
    """Return what an agent does in a position that it sees for the first time."""
    agent.begin(observation.rules, observation.seat, seed)
    return agent.choose(observation).action


def solves(agent: Agent, puzzle: Puzzle, solutions: Solutions, seed: int) -> bool:
    """Tell whether an agent finds every move of a puzzle's line."""
    attempt = Attempt(puzzle, solutions)
    if attempt.seat is None:
        return False
    agent.begin(attempt.state.rules, attempt.seat, seed)
    while not attempt.is_over:
        if not attempt.play(agent.choose(attempt.state.observation(attempt.seat)).action):
            return False
    return True


def rating_of(results: Sequence[tuple[float, int, int]]) -> int:
    """Return the rating at which as many tries succeed as did, by the curve of Elo.

    Args:
        results: Each solver's rating, how often it tried, and how often it succeeded; some tries of
            all have to succeed, and some not.
    """
    solved = sum(successes for _, _, successes in results)
    low, high = 0.0, 4000.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        expected = sum(tries * score_of_elo(rating - middle) for rating, tries, _ in results)
        low, high = (middle, high) if expected > solved else (low, middle)
    return round(low)
