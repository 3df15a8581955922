"""Each team's win probability in a watched game, computed in the background.

An engine evaluates the decision shown first, then the others from newest to oldest. Without teams, each
player is a team.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import ClassVar, Final

from durak_core import State
from durak_core.engine.search import Search
from durak_core.errors import EngineError
from durak_tui.engine.background import BackgroundSearch, Request
from durak_tui.engine.processes import Engine

_MILLISECONDS: Final = 150


def interpolated(known: Mapping[int, float], length: int) -> list[float | None]:
    """Interpolate linearly between known indices; other values are None."""
    values: list[float | None] = [None] * length
    points = sorted(known.items())
    for (start, low), (end, high) in pairwise(points):
        for index in range(start, end):
            values[index] = low + (high - low) * (index - start) / (end - start)
    if points:
        last, value = points[-1]
        values[last] = value
    return values


class Chances(BackgroundSearch):
    """Evaluates the decisions of a running game."""

    NAME: ClassVar[str] = "durak-chances"
    LINES: ClassVar[int] = 1

    def __init__(self, engine: Engine, changed: Callable[[], None]) -> None:
        super().__init__(engine, changed, _MILLISECONDS)
        self._states: Sequence[State] = ()
        self._ply = 0
        self._found: dict[int, float] = {}

    def follow(self, states: Sequence[State], ply: int) -> None:
        """Evaluate a game, shown at a ply; the same list of positions means the same game, now longer."""
        if self._states is not states:
            self._found = {}
        self._states, self._ply = states, ply
        self._wake.set()

    def curve(self, team: int) -> list[float | None]:
        """Return a team's win probability after each number of moves.

        Evaluations are at the team's own decisions, from its player's point of view. Values between them are
        interpolated, later ones constant, earlier ones None. A team that is out has won.
        """
        states = self._states
        members = states[0].rules.members(team) if states else ()
        known = {ply: value for ply, value in self._found.items() if states[ply].turn in members}
        won = next((ply for ply, state in enumerate(states) if {*members} <= {*state.places}), None)
        if won is not None:
            known[won] = 1.0
        if states and states[-1].is_over:
            fool = states[-1].fool
            known[len(states) - 1] = 0.5 if fool is None else float(fool != team)
        values = interpolated(known, len(states))
        if known:
            last = max(known)
            values[last:] = [known[last]] * (len(states) - last)
        return values

    def _wanted(self) -> Request | None:
        """Return the next decision to evaluate: the one shown, otherwise the newest."""
        for ply in (self._ply, *range(len(self._states) - 1, -1, -1)):
            state = self._states[ply] if ply < len(self._states) else None
            is_open = state is not None and state.turn is not None and ply not in self._found
            if state is not None and is_open and len(state.legal_actions) > 1:
                take = partial(self._take, self._states, ply)
                return state.observation(state.turn or 0), self.milliseconds, take
        return None

    def _take(self, states: Sequence[State], ply: int, search: Search) -> bool:
        if not search.lines:
            raise EngineError("the engine did not evaluate the position")
        if states is not self._states:
            return False
        self._found[ply] = search.lines[min(search.lines)].score
        return True
