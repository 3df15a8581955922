"""Self-play that keeps what was decided until it is known what came of it.

A `Rollout` lets networks choose in a `VectorGames` and hands out samples: the active inputs of a
decision with those of the chosen action, and what the game brought its seat.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt

from durak_core.kernel.position import MAX_SEATS
from durak_core.learn.vector import VectorGames

__all__ = ["LEARNER", "PAST", "Memory", "Rollout", "Samples", "Teacher", "outcome", "traced"]

LEARNER: Final = 0
"""In a cast: the network that learns, whose decisions are kept."""
PAST: Final = 1
"""In a cast: an earlier one."""

_LONGEST: Final = 160
"""Decisions kept of a game; of the few that go on for longer, only the first are learnt from."""


Memory = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.float32]]
"""State of a random generator; for each game the place of the chosen action, and the value of the best."""


class Chooser(Protocol):
    """Chooses actions in many games at once."""

    def choose(
        self, chosen: npt.NDArray[np.int64], games: VectorGames, epsilon: float, memory: Memory
    ) -> None:
        """Choose in some games.

        Args:
            chosen: The games.
            games: All of them.
            epsilon: How often any action is tried, 0 to 1.
            memory: Read and written for these games; the value is the best action's by the chooser, before
                the logistic function, or nan where it has none.
        """
        ...


@dataclass(frozen=True, slots=True)
class Teacher:
    """Chooses by a policy, so that its decisions are learnt from.

    Attributes:
        policy: One of `durak_core.search.playouts`.
    """

    policy: int

    def choose(
        self, chosen: npt.NDArray[np.int64], games: VectorGames, epsilon: float, memory: Memory
    ) -> None:
        """Choose in some games, see `Chooser`."""
        games.choose_by_policy(chosen, self.policy, epsilon, memory[:2])
        memory[2][chosen] = np.nan


@dataclass(frozen=True, slots=True)
class Samples:
    """Decisions of finished games.

    Attributes:
        inputs: Numbers of the active inputs; the rest of a row is 0.
        lengths: How many there are in each row.
        actions: The chosen actions' indices.
        outcomes: What the game brought the seat that decided: 1 won, 0.5 drawn, 0 the fool; blended with what
            it expected later on, see `traced`.
    """

    inputs: npt.NDArray[np.int16]
    lengths: npt.NDArray[np.int64]
    actions: npt.NDArray[np.int16]
    outcomes: npt.NDArray[np.float32]


def outcome(returns: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
    """Turn returns (rules 8.4) into 1 for a win, 0.5 for a draw and 0 for the fool."""
    result: npt.NDArray[np.float32] = ((np.sign(returns) + 1) / 2).astype(np.float32)
    return result


def traced(
    outcomes: npt.NDArray[np.float32],
    values: npt.NDArray[np.float32],
    game_seats: npt.NDArray[np.int64],
    trace: float,
) -> npt.NDArray[np.float32]:
    """Blend outcomes with what was expected on the way: the returns of TD(lambda).

    The last decision of a seat in a game keeps its outcome. An earlier one gets ``trace`` times the next
    one's return and, for the rest, what was expected there.

    Args:
        outcomes: For each decision; those of a game and seat follow each other in time.
        values: The value of its best action, before the logistic function; nan passes the next return on.
        game_seats: A number for each game and seat, so that decisions of others can stand in between.
        trace: Lambda, 0 to 1; 1 leaves the outcomes as they are.

    Source: R. S. Sutton and A. G. Barto, "Reinforcement Learning", 2nd ed., 2018, chapter 12.
    """
    if trace == 1:
        return outcomes
    targets = outcomes.copy()
    expected = 1 / (1 + np.exp(-values))
    later: dict[int, tuple[float, float]] = {}
    for i in range(len(outcomes) - 1, -1, -1):
        who = int(game_seats[i])
        if who in later:
            target, value = later[who]
            targets[i] = target if np.isnan(value) else trace * target + (1 - trace) * value
        later[who] = (float(targets[i]), float(expected[i]))
    return targets


class Rollout:
    """Plays games and collects the learner's decisions.

    Args:
        games: Where to play; it skips decisions without a choice.
        cast: Who chooses where the games ask outside: row ``number % len(cast)`` of game ``number``
            holds `LEARNER` or `PAST` for each seat.
        seed: State of the generator that draws exploring actions, 1 to 2^61.
        trace: Of the outcomes that are handed out, see `traced`.
    """

    def __init__(
        self, games: VectorGames, cast: Sequence[Sequence[int]], seed: int, trace: float = 1.0
    ) -> None:
        self.games = games
        self._cast = np.array(cast, np.int64)
        n = games.games
        self._rng = np.array([seed], np.int64)
        self._choices = np.zeros(n, np.int64)
        self._greatest = np.full(n, np.nan, np.float32)
        self._trace = trace
        self._all = np.arange(n)
        width = games.active.shape[1]
        self._kept = np.zeros(n, np.int64)
        self._inputs = np.zeros((n, _LONGEST, width), np.int16)
        self._lengths = np.zeros((n, _LONGEST), np.int64)
        self._actions = np.zeros((n, _LONGEST), np.int16)
        self._seats = np.zeros((n, _LONGEST), np.int64)
        self._values = np.zeros((n, _LONGEST), np.float32)

    def step(self, choosers: Sequence[Chooser], epsilon: float) -> npt.NDArray[np.int64]:
        """Let every game's decision be taken.

        Args:
            choosers: By their numbers in the cast.
            epsilon: How often the learner tries any action; the others never do.

        Returns:
            The slots whose game has ended with it.
        """
        games = self.games
        who = self._cast[games.numbers % len(self._cast), games.turns]
        for number, chooser in enumerate(choosers):
            chosen = np.flatnonzero(who == number)
            if len(chosen):
                rate = epsilon if number == LEARNER else 0.0
                chooser.choose(chosen, games, rate, (self._rng, self._choices, self._greatest))
        self._keep(np.flatnonzero((who == LEARNER) & (self._kept < _LONGEST)))
        games.step(self._choices)
        return np.flatnonzero(games.ended >= 0)

    def harvest(self, slots: npt.NDArray[np.int64]) -> Samples:
        """Return the decisions of the games that have just ended in some slots, and forget them."""
        kept = self._kept[slots]
        places = np.repeat(slots, kept)
        steps = np.arange(int(kept.sum())) - np.repeat(np.cumsum(kept) - kept, kept)
        seats = self._seats[places, steps]
        outcomes = outcome(self.games.rewards[places, seats])
        samples = Samples(
            self._inputs[places, steps],
            self._lengths[places, steps],
            self._actions[places, steps],
            traced(outcomes, self._values[places, steps], places * MAX_SEATS + seats, self._trace),
        )
        self._kept[slots] = 0
        return samples

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """Return everything that changes, as arrays."""
        names = ("rng", "choices", "kept", "inputs", "lengths", "actions", "seats", "greatest", "values")
        return {name: getattr(self, f"_{name}") for name in names}

    def restore(self, state: dict[str, npt.NDArray[Any]]) -> None:
        """Take up what `state` returned."""
        for name, array in state.items():
            getattr(self, f"_{name}")[...] = array

    def _keep(self, chosen: npt.NDArray[np.int64]) -> None:
        games = self.games
        steps = self._kept[chosen]
        self._inputs[chosen, steps] = games.active[chosen]
        self._lengths[chosen, steps] = games.lengths[chosen]
        self._actions[chosen, steps] = games.actions[chosen, self._choices[chosen]]
        self._seats[chosen, steps] = games.turns[chosen]
        self._values[chosen, steps] = self._greatest[chosen]
        self._kept[chosen] += 1
