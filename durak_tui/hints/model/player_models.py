"""Each seat's estimate of the others' characters, position by position.

Every seat has an `OpponentModel` with that seat's observations alone. Reading a whole game takes dozens of
milliseconds, so `read` works for a while and returns whether it is done.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from durak_core import PLAYER_TYPES, OpponentModel, Rules, State
from durak_tui.play.setup import GameSetup

Posteriors: TypeAlias = Mapping[int, Mapping[str, float]]
"""For each other seat, how likely each type of player is to sit there."""

NO_MODELS: Final[Posteriors] = {}

_SEED: Final = 1
"""Seed of the hands that readers try: the same game is always read the same way."""
_LONGEST_MEMORY: Final = 10
"""How many earlier games of a series are read as well."""


@dataclass(slots=True)
class _Track:
    """How far a seat has read: the positions, and what was thought of the others in each of them."""

    reader: OpponentModel
    states: list[State] = field(default_factory=list)
    found: list[Posteriors] = field(default_factory=list)


class PlayerModels:
    """Models of the players of one game, from the point of view of any seat.

    Args:
        rules: The game's.
        states: Its positions, the deal first; the list may grow, or shrink when moves are taken back.
        before: The models of these players' previous game, if any.
        moved: How many seats everybody has moved on since then.
    """

    def __init__(
        self, rules: Rules, states: Sequence[State], before: PlayerModels | None = None, moved: int = 0
    ) -> None:
        self.rules = rules
        self._states = states
        self._before = before
        self._moved = moved
        self._tracks: dict[int, _Track] = {}
        self.forget(_LONGEST_MEMORY)

    def forget(self, games: int) -> None:
        """Drop everything that is more than this many games back."""
        if games == 0:
            self._before = None
        elif self._before is not None:
            self._before.forget(games - 1)

    def at(self, seat: int, ply: int) -> Posteriors:
        """Return a seat's estimates after this many moves; `NO_MODELS` until they are made."""
        track = self._tracks.get(seat)
        if track is None or ply >= len(track.states) or not self._has(track.states[: ply + 1]):
            return NO_MODELS
        return track.found[ply]

    def read(self, seat: int, ply: int, seconds: float) -> bool:
        """Read on for one seat up to a ply, for about this many seconds; return whether it is reached."""
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
        """Return how far a seat has read, from the deal after a takeback; None before it can begin."""
        track = self._tracks.get(seat)
        if track is not None and self._has(track.states):
            return track
        reader = self._begun(seat, deadline)
        if reader is None:
            return None
        self._tracks[seat] = _Track(reader)
        return self._tracks[seat]

    def _has(self, read: Sequence[State]) -> bool:
        """Tell whether these positions still are the game's first ones."""
        last = len(read) - 1
        return last < 0 or (last < len(self._states) and read[last] is self._states[last])

    def _begun(self, seat: int, deadline: float) -> OpponentModel | None:
        """Return a reader for the game's beginning; None while the games before are not read."""
        if self._before is None:
            return OpponentModel(self.rules, seat, PLAYER_TYPES, seed=_SEED)
        chair = (seat - self._moved) % self.rules.seats
        reader = self._before.at_the_end(chair, deadline - time.perf_counter())
        if reader is not None:
            reader.next_game(seat, self.rules)
        return reader

    def at_the_end(self, seat: int, seconds: float) -> OpponentModel | None:
        """Return a seat's reader at the end of this game; None if there was not enough time."""
        if not self.read(seat, len(self._states) - 1, seconds):
            return None
        reader = self._tracks[seat].reader
        reader.next_game(seat)  # the game is over: what only it needs is not copied
        return copy.deepcopy(reader)


class PlayerModelMemory:
    """Carries what was learned about players over to the next game of their series."""

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
    """Return how many seats everybody moves on for the next game; None if it is not of the series."""
    if before.rules != after.rules:
        return None
    score = before.series.after(fool, before.rules.team_count)
    chairs = list(zip(before.players, before.names, strict=True))
    now = list(zip(after.players, after.names, strict=True))
    if now == chairs and after.series == score:
        return 0
    return 1 if now == chairs[-1:] + chairs[:-1] and after.series == score.turned() else None
