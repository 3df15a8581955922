"""Ratings of puzzles, from the results of agents, and Glicko-2 ratings of puzzle solvers.

Source: M. E. Glickman, "Example of the Glicko-2 system" (2013), whose symbols name the variables.
"""

from __future__ import annotations

import math
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


_SCALE: Final = 173.7178
_MIDDLE: Final = 1500.0
_TAU: Final = 0.5
"""System constant, which limits changes of volatility; the paper recommends 0.3 to 1.2."""
_CLOSE: Final = 1e-6


@dataclass(frozen=True, slots=True)
class Glicko:
    """A rating in Elo points.

    Attributes:
        deviation: Its standard deviation; 350 for a new player.
        volatility: Expected fluctuation of the strength.
    """

    rating: float = 1500.0
    deviation: float = 350.0
    volatility: float = 0.06

    def after(self, results: Sequence[tuple[Glicko, float]]) -> Glicko:
        """Return the rating after a period with these opponents and scores, 0 to 1."""
        mu, phi = (self.rating - _MIDDLE) / _SCALE, self.deviation / _SCALE
        information = gain = 0.0
        for other, score in results:
            g = 1 / math.sqrt(1 + 3 * (other.deviation / _SCALE / math.pi) ** 2)
            expected = 1 / (1 + math.exp(-g * (mu - (other.rating - _MIDDLE) / _SCALE)))
            information += g * g * expected * (1 - expected)
            gain += g * (score - expected)
        if not information:
            return Glicko(self.rating, _SCALE * math.hypot(phi, self.volatility), self.volatility)
        sigma = _volatility(self.volatility, phi, 1 / information, gain / information)
        phi = 1 / math.sqrt(1 / (phi**2 + sigma**2) + information)
        return Glicko(_MIDDLE + _SCALE * (mu + phi * phi * gain), _SCALE * phi, sigma)


def _volatility(sigma: float, phi: float, v: float, delta: float) -> float:
    """Return the new volatility by the Illinois algorithm (step 5 of the paper)."""
    a = math.log(sigma * sigma)

    def f(x: float) -> float:
        grown = phi * phi + v + math.exp(x)
        return math.exp(x) * (delta * delta - grown) / (2 * grown * grown) - (x - a) / (_TAU * _TAU)

    low, step = a, 1
    if delta * delta > phi * phi + v:
        high = math.log(delta * delta - phi * phi - v)
    else:
        while f(a - step * _TAU) < 0:
            step += 1
        high = a - step * _TAU
    f_low, f_high = f(low), f(high)
    while abs(high - low) > _CLOSE:
        middle = low + (low - high) * f_low / (f_high - f_low)
        f_middle = f(middle)
        if f_middle * f_high <= 0:
            low, f_low = high, f_high
        else:
            f_low /= 2
        high, f_high = middle, f_middle
    return math.exp(low / 2)
