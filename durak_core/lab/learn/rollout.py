"""Self-play that turns finished games into training samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Final, Protocol, TypeAlias, runtime_checkable

import numpy as np

from durak_core.lab.learn.arrays import Arrays, Float32s, Float64s, Int16s, Int64s
from durak_core.lab.learn.vector import VectorGames

LEARNER: Final = 0
"""Cast number of the network in training; only its decisions are kept."""
PAST: Final = 1
"""Cast number of a past checkpoint."""
FROZEN: Final = 2
"""Cast number of the first frozen agent; the others follow."""

_LONGEST: Final = 160
"""Decisions kept per game; later ones are dropped."""


Memory: TypeAlias = tuple[Int64s, Int64s, Float32s]
"""Random generator state, (1,); the chosen actions' places among the legal ones, (n,); their values, (n,)."""


class Chooser(Protocol):
    """Chooses actions in many games at once."""

    def choose(self, chosen: Int64s, games: VectorGames, epsilon: float, memory: Memory) -> None:
        """Choose in the games of k slots with exploration rate ``epsilon``, 0 to 1.

        ``chosen`` are the slot numbers; int64, (k,). ``memory`` is updated for these games. A value is the
        logit of the expected outcome, or nan.
        """
        ...


@runtime_checkable
class Watcher(Protocol):
    """A `Chooser` that follows the games it plays in."""

    def watch(self, games: VectorGames, choices: Int64s) -> None:
        """Called before `VectorGames.step_places` with the same choices."""
        ...


@dataclass(frozen=True, slots=True)
class Teacher:
    """A fixed policy of `durak_core.search.policies.playouts` in the learner's place."""

    policy: int

    def choose(self, chosen: Int64s, games: VectorGames, epsilon: float, memory: Memory) -> None:
        games.choose_by_policy(chosen, self.policy, epsilon, memory[:2])
        memory[2][chosen] = np.nan


@dataclass(frozen=True, slots=True)
class Samples:
    """k decisions of finished games.

    Attributes:
        inputs: Active input numbers, padded with 0; int16, (k, `active_width`).
        lengths: Active inputs per row; int64, (k,).
        actions: Indices in the fixed action space; int16, (k,).
        outcomes: The deciding seat's result: 1 win, 0.5 draw, 0 loss; float32, (k,).
        fools: Loser without teams, clockwise from the deciding seat; -1 for a draw; int64, (k,).
        values: Logit of the expected outcome, or nan; float32, (k,).
        owners: Common to one seat's decisions in one game, which are in order; int64, (k,).
        notes: Extra arrays, see `Rollout`; one row per decision.
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
        """Group decisions by owner; also return each owner's number of decisions, int64, (owners,)."""
        order = np.argsort(self.owners, kind="stable")
        counts: Int64s = np.unique(self.owners, return_counts=True)[1]
        notes = {name: array[order] for name, array in self.notes.items()}
        columns: dict[str, Any] = {
            field.name: getattr(self, field.name)[order] for field in fields(self) if field.name != "notes"
        }
        return Samples(**columns, notes=notes), counts


def together(parts: Sequence[Samples]) -> Samples:
    """Return the decisions of several harvests in order, one or more."""
    owners, first = [], 0
    for part in parts:
        owners.append(part.owners + first)
        first += int(part.owners.max(initial=-1)) + 1
    notes = {name: np.concatenate([part.notes[name] for part in parts]) for name in parts[0].notes}
    columns: dict[str, Any] = {
        one.name: np.concatenate([getattr(part, one.name) for part in parts])
        for one in fields(Samples)
        if one.name not in {"notes", "owners"}
    }
    return Samples(**columns, owners=np.concatenate(owners), notes=notes)


def outcome(returns: Float64s) -> Float32s:
    """Convert returns (rules 8.4) to 1 for a win, 0.5 for a draw and 0 for a loss; any shape."""
    result: Float32s = ((np.sign(returns) + 1) / 2).astype(np.float32)
    return result


def expected(values: Float32s) -> Float32s:
    """Apply the logistic function; any shape."""
    result: Float32s = (1 / (1 + np.exp(-np.maximum(values, -50)))).astype(np.float32)
    return result


def traced(
    outcomes: Float32s, values: Float32s, owners: Int64s, trace: float, discount: float = 1.0
) -> Float32s:
    """Compute TD(lambda) returns, in [0, 1]; all arrays are (k,).

    A seat's last decision keeps its outcome. An earlier one gets ``trace`` (lambda, 0 to 1) times the next
    return plus ``1 - trace`` times the next value, times ``discount``. A nan value passes the next return on.
    Decisions of different ``owners`` may interleave; ``values`` are logits.

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
    """Plays games, which skip forced actions, and collects the learner's decisions.

    ``cast`` holds each seat's chooser: `LEARNER`, `PAST`, or `FROZEN` and up. Game ``number`` uses row
    ``number % len(cast)``. ``seed``, 1 to 2^61, drives exploration. ``notes`` are extra arrays to record,
    one row per game, read after all choosers have chosen.
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
        self._seen: Arrays = {"inputs": games.active, "lengths": games.lengths, "seats": games.turns}
        self._seen |= {"values": self._greatest}
        self._seen |= {f"noted_{name}": array for name, array in self._notes.items()}
        self._kept: Arrays = {
            name: np.zeros((n, _LONGEST, *array.shape[1:]), array.dtype)
            for name, array in {**self._seen, "actions": games.actions[:, 0]}.items()
        }

    def step(self, choosers: Sequence[Chooser], epsilon: float) -> Int64s:
        """Play one decision in every game, with ``choosers`` indexed by cast number.

        Only the learner explores, at rate ``epsilon``. Return the slots of finished games; int64, (ended,).
        """
        games = self.games
        who = self._cast[games.numbers % len(self._cast), games.turns]
        for number, chooser in enumerate(choosers):
            chosen = np.flatnonzero(who == number)
            if len(chosen):
                rate = epsilon if number == LEARNER else 0.0
                chooser.choose(chosen, games, rate, (self._rng, self._choices, self._greatest))
        kept = np.flatnonzero((who == LEARNER) & (self._counts < _LONGEST))
        now: Arrays = {name: array[kept] for name, array in self._seen.items()}
        now["actions"] = games.actions[kept, self._choices[kept]]
        for name, array in now.items():
            self._kept[name][kept, self._counts[kept]] = array
        self._counts[kept] += 1
        for chooser in choosers:
            if isinstance(chooser, Watcher):
                chooser.watch(games, self._choices)
        games.step_places(self._choices)
        return np.flatnonzero(games.ended >= 0)

    def harvest(self, slots: Int64s) -> Samples:
        """Return and clear the decisions of games that have just ended in ``slots``."""
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
        """Return all mutable state; of the kept decisions those in use, (decisions, ...), slot by slot."""
        used = self._used()
        kept = {name: array[used] for name, array in self._kept.items()}
        return {name: array.copy() for name, array in self._others().items()} | kept

    def restore(self, state: Arrays) -> None:
        """Restore a state; older ones have all rooms of kept decisions, (n, `_LONGEST`, ...)."""
        others = self._others()
        for name, array in others.items():
            array[...] = state[name]
        used = self._used()
        for name, room in self._kept.items():
            room[used] = state[name] if state[name].ndim < room.ndim else state[name][used]

    def _others(self) -> Arrays:
        others: Arrays = {"rng": self._rng, "choices": self._choices, "kept": self._counts}
        return {**others, "greatest": self._greatest}

    def _used(self) -> Any:  # noqa: ANN401 - a mask
        return np.arange(_LONGEST) < self._counts[:, np.newaxis]
