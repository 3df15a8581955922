"""Self-play that keeps what was decided until it is known what came of it.

A `Rollout` lets networks choose in a `VectorGames` and hands out samples: the active inputs of a
decision with those of the chosen action, and what the game brought its seat.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Final, Protocol, TypeAlias, runtime_checkable

import numpy as np

from durak_core.lab.learn.arrays import Arrays, Float32s, Float64s, Int16s, Int64s
from durak_core.lab.learn.vector import VectorGames

LEARNER: Final = 0
"""In a cast: the network that learns, whose decisions are kept."""
PAST: Final = 1
"""In a cast: an earlier one."""
FROZEN: Final = 2
"""In a cast: the first of the agents that stay as they are; the others have the next numbers."""

_LONGEST: Final = 160
"""Decisions kept of a game; of the few that go on for longer, only the first are learnt from."""


Memory: TypeAlias = tuple[Int64s, Int64s, Float32s]
"""State of a random generator, (1,); for each of n games the place of the chosen action among the legal ones,
and the decision's value, (n,)."""


class Chooser(Protocol):
    """Chooses actions in many games at once."""

    def choose(self, chosen: Int64s, games: VectorGames, epsilon: float, memory: Memory) -> None:
        """Choose in some games.

        Args:
            chosen: Numbers of slots; int64, (k,).
            games: All n games.
            epsilon: How often any action is tried, 0 to 1.
            memory: Read and written for these games; the value is what the chooser expects, as the best
                action's or the observation's, before the logistic function, or nan where it expects nothing.
        """
        ...


@runtime_checkable
class Watcher(Protocol):
    """What a `Chooser` has besides when it follows the games that it plays in."""

    def watch(self, games: VectorGames, choices: Int64s) -> None:
        """See what is about to be played in every game, as `VectorGames.step` is told it."""
        ...


@dataclass(frozen=True, slots=True)
class Teacher:
    """Chooses by a policy of `durak_core.search.policies.playouts`, so that its decisions are learnt from."""

    policy: int

    def choose(self, chosen: Int64s, games: VectorGames, epsilon: float, memory: Memory) -> None:
        games.choose_by_policy(chosen, self.policy, epsilon, memory[:2])
        memory[2][chosen] = np.nan


@dataclass(frozen=True, slots=True)
class Samples:
    """Decisions of finished games.

    Attributes:
        inputs: Numbers of the active inputs, the rest of a row is 0; int16, (k, `active_width`).
        lengths: How many there are in each row; int64, (k,).
        actions: The chosen actions' indices in the fixed space; int16, (k,).
        outcomes: What the game brought the seat that decided: 1 won, 0.5 drawn, 0 the fool; float32, (k,).
        fools: Who was the fool, without teams: 0 for that seat itself, 1 for the next one clockwise; -1
            in a draw; int64, (k,).
        values: The outcome expected at the decision, as a logit, or nan for none; float32, (k,).
        owners: The same number for the decisions that one seat took in one game, in that order; int64, (k,).
        notes: What else was kept of them, see `Rollout`; a row for each decision.
    """

    inputs: Int16s
    lengths: Int64s
    actions: Int16s
    outcomes: Float32s
    fools: Int64s
    values: Float32s
    owners: Int64s
    notes: Arrays

    def by_owner(self) -> tuple[Samples, Int64s]:
        """Put the decisions that one seat took in one game one after the other.

        Returns:
            All decisions, and how many each owner has; int64, (owners,).
        """
        order = np.argsort(self.owners, kind="stable")
        counts: Int64s = np.unique(self.owners, return_counts=True)[1]
        notes = {name: array[order] for name, array in self.notes.items()}
        columns: dict[str, Any] = {
            field.name: getattr(self, field.name)[order] for field in fields(self) if field.name != "notes"
        }
        return Samples(**columns, notes=notes), counts


def outcome(returns: Float64s) -> Float32s:
    """Turn returns (rules 8.4) into 1 for a win, 0.5 for a draw and 0 for the fool; any shape."""
    result: Float32s = ((np.sign(returns) + 1) / 2).astype(np.float32)
    return result


def expected(values: Float32s) -> Float32s:
    """Return the outcomes that logits stand for, 0 to 1, by the logistic function; any shape."""
    result: Float32s = (1 / (1 + np.exp(-np.maximum(values, -50)))).astype(np.float32)
    return result


def traced(
    outcomes: Float32s, values: Float32s, owners: Int64s, trace: float, discount: float = 1.0
) -> Float32s:
    """Blend outcomes with what was expected on the way: the returns of TD(lambda).

    The last decision of a seat in a game keeps its outcome. An earlier one gets ``trace`` times the next
    one's return and, for the rest, what was expected there, both discounted.

    Args:
        outcomes: Of each decision, those of a game and seat in their order; (k,).
        values: The outcomes expected, as logits; nan hands the next return on; (k,).
        owners: A number for each game and seat, so that decisions of others can stand in between; (k,).
        trace: Lambda, 0 to 1; 1 leaves the outcomes as they are, but for the discount.
        discount: What an outcome one decision later is worth.

    Returns:
        The targets of the decisions, 0 to 1; (k,).

    Source: R. S. Sutton and A. G. Barto, "Reinforcement Learning", 2nd ed., 2018, chapter 12.
    """
    order = np.argsort(owners, kind="stable")
    counts = np.unique(owners, return_counts=True)[1]
    last = np.cumsum(counts) - 1
    returns, hopes = outcomes[order], expected(values[order]).astype(np.float64)
    for back in range(1, int(counts.max(initial=0))):
        here = last[counts > back] - back
        later, hope = returns[here + 1].astype(np.float64), hopes[here + 1]
        returns[here] = discount * np.where(np.isnan(hope), later, trace * later + (1 - trace) * hope)
    targets = np.empty_like(returns)
    targets[order] = returns
    return targets


class Rollout:
    """Plays games and collects the learner's decisions.

    Args:
        games: Where to play; it skips decisions without a choice.
        cast: Who chooses where the games ask outside: row ``number % len(cast)`` of game ``number``
            holds `LEARNER`, `PAST`, or `FROZEN` or more, for each seat.
        seed: State of the generator that draws exploring actions, 1 to 2^61.
        notes: What else is kept of a decision: arrays with a row for each of the n games, read when all
            decisions have been taken and before they are played.
    """

    def __init__(
        self, games: VectorGames, cast: Sequence[Sequence[int]], seed: int, notes: Arrays | None = None
    ) -> None:
        self.games = games
        self._cast = np.array(cast, np.int64)
        n = games.games
        self._rng = np.array([seed], np.int64)
        self._choices = np.zeros(n, np.int64)
        self._greatest = np.full(n, np.nan, np.float32)
        self._counts = np.zeros(n, np.int64)
        self._notes = notes or {}
        like: Arrays = {"inputs": games.active, "lengths": games.lengths, "actions": games.actions[:, 0]}
        like |= {"seats": games.turns, "values": self._greatest}
        like |= {f"noted_{name}": array for name, array in self._notes.items()}
        self._kept: Arrays = {
            name: np.zeros((n, _LONGEST, *array.shape[1:]), array.dtype) for name, array in like.items()
        }

    def step(self, choosers: Sequence[Chooser], epsilon: float) -> Int64s:
        """Let every game's decision be taken by its chooser, by number in the cast.

        Only the learner tries any action, with the probability ``epsilon``.

        Returns:
            The slots whose game has ended with it; int64, (ended,).
        """
        games = self.games
        who = self._cast[games.numbers % len(self._cast), games.turns]
        for number, chooser in enumerate(choosers):
            chosen = np.flatnonzero(who == number)
            if len(chosen):
                rate = epsilon if number == LEARNER else 0.0
                chooser.choose(chosen, games, rate, (self._rng, self._choices, self._greatest))
        self._keep(np.flatnonzero((who == LEARNER) & (self._counts < _LONGEST)))
        for chooser in choosers:
            if isinstance(chooser, Watcher):
                chooser.watch(games, self._choices)
        games.step(self._choices)
        return np.flatnonzero(games.ended >= 0)

    def harvest(self, slots: Int64s) -> Samples:
        """Return the decisions of the games that have just ended in some slots, and forget them."""
        counts = self._counts[slots]
        places = np.repeat(slots, counts)
        steps = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
        kept = {name: array[places, steps] for name, array in self._kept.items()}
        seats = kept["seats"]
        rewards = self.games.rewards[places, : self._cast.shape[1]]
        fools = np.where(rewards.min(1) < 0, (rewards.argmin(1) - seats) % rewards.shape[1], -1)
        self._counts[slots] = 0
        return Samples(
            kept["inputs"],
            kept["lengths"],
            kept["actions"],
            outcome(self.games.rewards[places, seats]),
            fools,
            kept["values"],
            np.repeat(np.arange(len(slots)), counts) * self._cast.shape[1] + seats,
            {name: kept[f"noted_{name}"] for name in self._notes},
        )

    def state(self) -> Arrays:
        others: Arrays = {"rng": self._rng, "choices": self._choices, "kept": self._counts}
        return {**others, "greatest": self._greatest, **self._kept}

    def restore(self, state: Arrays) -> None:
        mine = self.state()
        for name, array in state.items():
            mine[name][...] = array

    def _keep(self, chosen: Int64s) -> None:
        games = self.games
        seen: Arrays = {
            "inputs": games.active[chosen],
            "lengths": games.lengths[chosen],
            "actions": games.actions[chosen, self._choices[chosen]],
            "seats": games.turns[chosen],
            "values": self._greatest[chosen],
            **{f"noted_{name}": array[chosen] for name, array in self._notes.items()},
        }
        for name, array in seen.items():
            self._kept[name][chosen, self._counts[chosen]] = array
        self._counts[chosen] += 1
