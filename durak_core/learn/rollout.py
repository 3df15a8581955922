"""Self-play that keeps what was decided until it is known what came of it.

A `Rollout` lets networks choose in a `VectorGames` and hands out samples: the active inputs of a
decision with those of the chosen action, and what the game brought its seat.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt

from durak_core.learn.vector import VectorGames

__all__ = ["LEARNER", "PAST", "Rollout", "Samples", "Teacher", "outcome"]

LEARNER: Final = 0
"""In a cast: the network that learns, whose decisions are kept."""
PAST: Final = 1
"""In a cast: an earlier one."""

_LONGEST: Final = 160
"""Decisions kept of a game; of the few that go on for longer, only the first are learnt from."""


Memory = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]


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
            memory: The state of a random generator, and for each game room for the place of the
                chosen action.
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
        games.choose_by_policy(chosen, self.policy, epsilon, memory)


@dataclass(frozen=True, slots=True)
class Samples:
    """Decisions of finished games.

    Attributes:
        inputs: Numbers of the active inputs; the rest of a row is 0.
        lengths: How many there are in each row.
        actions: The chosen actions' indices.
        outcomes: What the game brought the seat that decided: 1 won, 0.5 drawn, 0 the fool.
        owners: The same number for the decisions that one seat took in one game, in that order.
        notes: What else was kept of them, see `Rollout`.
    """

    inputs: npt.NDArray[np.int16]
    lengths: npt.NDArray[np.int64]
    actions: npt.NDArray[np.int16]
    outcomes: npt.NDArray[np.float32]
    owners: npt.NDArray[np.int64]
    notes: Mapping[str, npt.NDArray[Any]]

    def by_owner(self) -> tuple[Samples, npt.NDArray[np.int64]]:
        """Put the decisions that one seat took in one game one after the other.

        Returns:
            All decisions, and how many each owner has.
        """
        order = np.argsort(self.owners, kind="stable")
        notes = {name: array[order] for name, array in self.notes.items()}
        counts: npt.NDArray[np.int64] = np.unique(self.owners, return_counts=True)[1]
        ordered = Samples(
            self.inputs[order],
            self.lengths[order],
            self.actions[order],
            self.outcomes[order],
            self.owners[order],
            notes,
        )
        return ordered, counts


def outcome(returns: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
    """Turn returns (rules 8.4) into 1 for a win, 0.5 for a draw and 0 for the fool."""
    result: npt.NDArray[np.float32] = ((np.sign(returns) + 1) / 2).astype(np.float32)
    return result


class Rollout:
    """Plays games and collects the learner's decisions.

    Args:
        games: Where to play; it skips decisions without a choice.
        cast: Who chooses where the games ask outside: row ``number % len(cast)`` of game ``number``
            holds `LEARNER` or `PAST` for each seat.
        seed: State of the generator that draws exploring actions, 1 to 2^61.
        notes: What else is kept of a decision: arrays with a row for each game, read when all games'
            decisions have been taken and before they are played.
    """

    def __init__(
        self,
        games: VectorGames,
        cast: Sequence[Sequence[int]],
        seed: int,
        notes: Mapping[str, npt.NDArray[Any]] | None = None,
    ) -> None:
        self.games = games
        self._cast = np.array(cast, np.int64)
        n = games.games
        self._rng = np.array([seed], np.int64)
        self._choices = np.zeros(n, np.int64)
        self._all = np.arange(n)
        width = games.active.shape[1]
        self._kept = np.zeros(n, np.int64)
        self._inputs = np.zeros((n, _LONGEST, width), np.int16)
        self._lengths = np.zeros((n, _LONGEST), np.int64)
        self._actions = np.zeros((n, _LONGEST), np.int16)
        self._seats = np.zeros((n, _LONGEST), np.int64)
        self._notes = dict(notes or {})
        self._noted = {
            name: np.zeros((n, _LONGEST, *array.shape[1:]), array.dtype)
            for name, array in self._notes.items()
        }

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
                chooser.choose(chosen, games, rate, (self._rng, self._choices))
        self._keep(np.flatnonzero((who == LEARNER) & (self._kept < _LONGEST)))
        games.step(self._choices)
        return np.flatnonzero(games.ended >= 0)

    def harvest(self, slots: npt.NDArray[np.int64]) -> Samples:
        """Return the decisions of the games that have just ended in some slots, and forget them."""
        kept = self._kept[slots]
        places = np.repeat(slots, kept)
        steps = np.arange(int(kept.sum())) - np.repeat(np.cumsum(kept) - kept, kept)
        seats = self._seats[places, steps]
        samples = Samples(
            self._inputs[places, steps],
            self._lengths[places, steps],
            self._actions[places, steps],
            outcome(self.games.rewards[places, seats]),
            np.repeat(np.arange(len(slots)), kept) * self._cast.shape[1] + seats,
            {name: array[places, steps] for name, array in self._noted.items()},
        )
        self._kept[slots] = 0
        return samples

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """Return everything that changes, as arrays."""
        names = ("rng", "choices", "kept", "inputs", "lengths", "actions", "seats")
        noted = {f"noted_{name}": array for name, array in self._noted.items()}
        return {**{name: getattr(self, f"_{name}") for name in names}, **noted}

    def restore(self, state: dict[str, npt.NDArray[Any]]) -> None:
        """Take up what `state` returned."""
        mine = self.state()
        for name, array in state.items():
            mine[name][...] = array

    def _keep(self, chosen: npt.NDArray[np.int64]) -> None:
        games = self.games
        steps = self._kept[chosen]
        self._inputs[chosen, steps] = games.active[chosen]
        self._lengths[chosen, steps] = games.lengths[chosen]
        self._actions[chosen, steps] = games.actions[chosen, self._choices[chosen]]
        self._seats[chosen, steps] = games.turns[chosen]
        for name, array in self._notes.items():
            self._noted[name][chosen, steps] = array[chosen]
        self._kept[chosen] += 1
