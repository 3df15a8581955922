"""Each team's win probability and the moves' marks in a watched game, computed in the background.

An engine evaluates the decision shown first, then the others from newest to oldest, and doubtful ones again.
Without teams, each player is a team.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import ClassVar, Final

from durak_core import State
from durak_core.engine.protocol import Line
from durak_core.engine.search import Search
from durak_core.errors import EngineError
from durak_core.game.events import ActionEvent, action_of
from durak_core.review import MoveEvaluation, Unevaluated, evaluate_move, question_of
from durak_tui.engine.background import BackgroundSearch, Request
from durak_tui.engine.processes import Engine, is_interpreted, ranked
from durak_tui.hints.model.adviser import half_width

_MILLISECONDS: Final = 150
_WIDEST: Final = 0.2
"""Half-width of an interval up to which a figure is part of a curve."""
_MOST_TRIES: Final = 3
"""Further searches of a doubtful decision, each twice as long as the one before."""


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

    def __init__(self, engine: Engine, changed: Callable[[], None]) -> None:
        super().__init__(engine, changed, _MILLISECONDS)
        self._states: Sequence[State] = ()
        self._ply = 0
        self._is_warm = False
        self._forget()

    def _forget(self) -> None:
        self._lines: dict[int, tuple[Line, ...]] = {}
        self._evaluations: dict[int, MoveEvaluation] = {}
        self._hasty: set[int] = set()
        self._tries: Counter[int] = Counter()

    def follow(self, states: Sequence[State], ply: int) -> None:
        """Evaluate a game, shown at a ply; the same list of positions means the same game, now longer."""
        if self._states is not states:
            self._forget()
        self._states, self._ply = states, ply
        self._wake.set()

    def curve(self, team: int) -> list[float | None]:
        """Return a team's win probability after each number of moves.

        Evaluations are at the team's own decisions, from its player's point of view; too uncertain ones are
        left out. Values between them are interpolated, later ones constant, earlier ones None. A team that is
        out has won.
        """
        states = self._states
        members = states[0].rules.members(team) if states else ()
        best = {ply: lines[0] for ply, lines in self._lines.items() if states[ply].turn in members}
        known = {ply: line.score for ply, line in best.items() if line.exact or half_width(line) <= _WIDEST}
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

    @property
    def evaluations(self) -> Mapping[int, MoveEvaluation]:
        """The evaluations of the moves so far, by their numbers, counted from 1."""
        states, done = self._states, self._evaluations
        missing = [ply for ply in self._lines if ply + 1 not in done and ply + 1 < len(states)]
        events = states[-1].events if missing else ()
        actions = [action_of(event) for event in events if isinstance(event, ActionEvent)]
        for ply in missing:
            stays = states[ply + 1].turn == states[ply].turn
            after = self._lines.get(ply + 1) if stays else None
            done[ply + 1] = evaluate_move(question_of(states[ply], actions[ply]), self._lines[ply], after)
        return done

    def _wanted(self) -> Request | None:
        """Return the next decision to evaluate: the one shown, the newest, or a doubtful one."""
        for ply in (self._ply, *range(len(self._states) - 1, -1, -1)):
            state = self._states[ply] if ply < len(self._states) else None
            is_open = state is not None and state.turn is not None and ply not in self._lines
            if state is not None and is_open and len(state.legal_actions) > 1:
                return self._request(ply, self.milliseconds)
        if self._is_warm and self._hasty:
            return self._request(max(self._hasty), self.milliseconds)
        doubtful = [ply - 1 for ply, one in self.evaluations.items() if one.is_doubtful or _is_unclear(one)]
        ply = max((ply for ply in doubtful if self._tries[ply] < _MOST_TRIES), default=None)
        if ply is None:
            return None
        self._tries[ply] += 1
        return self._request(ply, self.milliseconds << self._tries[ply])

    def _request(self, ply: int, milliseconds: int) -> Request:
        state = self._states[ply]
        return state.observation(state.turn or 0), milliseconds, partial(self._take, self._states, ply)

    def _take(self, states: Sequence[State], ply: int, search: Search) -> bool:
        if not search.lines:
            raise EngineError("the engine did not evaluate the position")
        if states is not self._states:
            return False
        self._lines[ply] = ranked(search)
        self._is_warm = not is_interpreted(search)
        self._hasty.discard(ply)
        if not self._is_warm and not all(line.exact for line in self._lines[ply]):
            self._hasty.add(ply)
        for number in (ply, ply + 1):  # the move before it may depend on it
            self._evaluations.pop(number, None)
        return True


def _is_unclear(evaluation: MoveEvaluation) -> bool:
    return evaluation.unevaluated is Unevaluated.TOO_LITTLE
