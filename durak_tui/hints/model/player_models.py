"""Each seat's model of the other players, for every position of a game.

Each seat has an `OpponentModel` that sees only its own observations. A whole game takes dozens of
milliseconds, so `PlayerModels.read` works in slices.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol, TypeAlias

from durak_core import PLAYER_TYPES, Observation, OpponentModel, Rules, State
from durak_tui.play.setup import GameSetup

Posteriors: TypeAlias = Mapping[int, Mapping[str, float]]
"""Posterior probability of each player type, by seat."""

NO_MODELS: Final[Posteriors] = {}

_SEED: Final = 1
"""A fixed seed for sampling hands, so that results are reproducible."""
_LONGEST_MEMORY: Final = 10
"""Number of earlier games of a series that the models include."""


class Viewed(Protocol):
    """A position that seats look at, such as a `State`."""

    def observation(self, seat: int, /) -> Observation: ...


@dataclass(slots=True)
class _Track:
    """A seat's model, and the posteriors after each position processed so far."""

    reader: OpponentModel
    states: list[Viewed] = field(default_factory=list)
    found: list[Posteriors] = field(default_factory=list)


class PlayerModels:
    """Models of the players of one game, from the point of view of any seat.

    Args:
        states: The game's positions from the deal on; the list may grow, or shrink after a takeback.
        before: The models from these players' previous game, if any.
        moved: How many seats all players have moved since then.
    """

    def __init__(
        self, rules: Rules, states: Sequence[Viewed], before: PlayerModels | None = None, moved: int = 0
    ) -> None:
        self.rules = rules
        self._states = states
        self._before = before
        self._moved = moved
        self._tracks: dict[int, _Track] = {}
        self.forget(_LONGEST_MEMORY)

    def forget(self, games: int) -> None:
        """Drop the models from more than this many games ago."""
        if games == 0:
            self._before = None
        elif self._before is not None:
            self._before.forget(games - 1)

    def at(self, seat: int, ply: int) -> Posteriors:
        """Return a seat's posteriors at a ply; `NO_MODELS` until they are computed."""
        track = self._tracks.get(seat)
        if track is None or ply >= len(track.states) or not self._has(track.states[: ply + 1]):
            return NO_MODELS
        return track.found[ply]

    def read(self, seat: int, ply: int, seconds: float) -> bool:
        """Update a seat's model up to a ply, for a limited time in seconds; return whether it is done."""
        deadline = time.perf_counter() + seconds
        track = self._track(seat, deadline)
        if track is None:
            return False
        while len(track.states) <= min(ply, len(self._states) - 1):
            if time.perf_counter() >= deadline:
                return False
            state = self._states[len(track.states)]
            track.reader.follow(state.observation(seat))
            track.states.append(state)
            others = (other for other in range(self.rules.seats) if other != seat)
            track.found.append({other: track.reader.posterior(other) for other in others})
        return True

    def _track(self, seat: int, deadline: float) -> _Track | None:
        """Return a seat's progress, restarted after a takeback; None until it can start."""
        track = self._tracks.get(seat)
        if track is not None and self._has(track.states):
            return track
        reader = self._begun(seat, deadline)
        if reader is None:
            return None
        self._tracks[seat] = _Track(reader)
        return self._tracks[seat]

    def _has(self, read: Sequence[Viewed]) -> bool:
        last = len(read) - 1
        return last < 0 or (last < len(self._states) and read[last] is self._states[last])

    def _begun(self, seat: int, deadline: float) -> OpponentModel | None:
        """Return a model for the start of the game; None until the previous games are processed."""
        if self._before is None:
            return OpponentModel(self.rules, seat, PLAYER_TYPES, seed=_SEED)
        chair = (seat - self._moved) % self.rules.seats
        reader = self._before.at_the_end(chair, deadline - time.perf_counter())
        if reader is not None:
            reader.next_game(seat, self.rules)
        return reader

    def at_the_end(self, seat: int, seconds: float) -> OpponentModel | None:
        """Return a copy of a seat's model after the game; None if time ran out."""
        if not self.read(seat, len(self._states) - 1, seconds):
            return None
        reader = self._tracks[seat].reader
        reader.next_game(seat)  # drops data of this game before the copy
        return copy.deepcopy(reader)


class PlayerModelMemory:
    """Carries player models over to the next game of a series."""

    def __init__(self) -> None:
        self._last: tuple[GameSetup, Sequence[State], PlayerModels] | None = None

    def of(self, setup: GameSetup, states: Sequence[State]) -> PlayerModels:
        before, moved = None, None
        if self._last is not None:
            last, played, models = self._last
            if states is played:
                return models
            if played[-1].is_over:
                moved = _moved_on(last, played[-1].fool, setup)
            before = models if moved is not None else None
        made = PlayerModels(setup.rules, states, before, moved or 0)
        self._last = setup, states, made
        return made


def _moved_on(before: GameSetup, fool: int | None, after: GameSetup) -> int | None:
    """Return how many seats all players move for the next game; None if it is not in the series."""
    if before.rules != after.rules:
        return None
    score = before.series.after(fool, before.rules.team_count)
    chairs = list(zip(before.players, before.names, strict=True))
    now = list(zip(after.players, after.names, strict=True))
    if now == chairs and after.series == score:
        return 0
    return 1 if now == chairs[-1:] + chairs[:-1] and after.series == score.turned() else None
