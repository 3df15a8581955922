"""The exact value of every action of an endgame, found in small steps."""

from __future__ import annotations

from typing import Any, Final

from durak_core.actions import Action, decode, encode
from durak_core.game.observation import Observation
from durak_core.kernel.legal import legal
from durak_core.kernel.position import MAX_ACTIONS, OVER, Position, copy_position
from durak_core.kernel.transition import apply
from durak_core.knowledge.belief import belief_of
from durak_core.search.backend import Backend
from durak_core.search.endgame import LEVELS, UNKNOWN, Solver, outcome, solvable
from durak_core.search.searcher import read_field

__all__ = ["ActionSolver", "known_to_the_end"]

_TABLE_BITS: Final = 18
_LINE_NODES: Final = 3_000
"""Nodes that may be searched for the continuation of one action."""


def known_to_the_end(observation: Observation) -> bool:
    """Tell whether nothing is hidden from this seat and the rest can be solved."""
    position, belief = belief_of(observation)
    return belief.n_pool == 0 and solvable(position)


class ActionSolver:
    """Solves the position after each action, one action after the other.

    Args:
        observation: Of the seat to act; `known_to_the_end` has to be true of it.
        runner: Where to run. How the nodes are cut into steps, and where they are searched, changes
            nothing of what is found.
    """

    def __init__(self, observation: Observation, runner: Backend) -> None:
        self._runner = runner
        self._seat = observation.seat
        self._root = belief_of(observation)[0]
        self._table = (runner.integers(1 << _TABLE_BITS), runner.integers(1 << _TABLE_BITS))
        self._actions = observation.legal_actions
        self._running: tuple[Any, Any] | None = None
        self.values: dict[Action, int] = {}
        """Of each action that is solved: 1 won, 0 drawn, -1 lost by force."""
        self.spent = 0
        """Nodes searched so far."""
        self.hopeless = False
        """Whether a line was too long to be solved at all."""

    @property
    def is_done(self) -> bool:
        """Whether every action has its value."""
        return len(self.values) == len(self._actions)

    def work(self, nodes: int) -> None:
        """Search so many nodes more, or fewer if everything is solved."""
        limit = self.spent + nodes
        while not self.is_done and not self.hopeless and self.spent < limit:
            action = self._actions[len(self.values)]
            position = _after(self._root, encode(action))
            if position.phase == OVER:
                self.values[action] = outcome(position, self._seat)
                continue
            if self._running is None:
                self._running = self._prepared(position)
            value = self._search(self._running, limit - self.spent)
            if value != UNKNOWN:
                self.values[action] = value
                self._running = None

    def continuation(self, action: Action, length: int) -> tuple[Action, ...]:
        """Return actions after this one that keep its value, as far as they are quickly found."""
        value = self.values[action]
        position = _after(self._root, encode(action))
        found: list[Action] = []
        limit = self.spent + _LINE_NODES
        while len(found) < length and position.phase != OVER:
            code = self._keeping(position, value, limit)
            if code is None:
                break
            found.append(decode(code))
            position = _after(position, code)
        return tuple(found)

    def _keeping(self, position: Position, value: int, limit: int) -> int | None:
        """Return the code of an action that keeps the value, or None where the nodes do not suffice."""
        codes = [0] * MAX_ACTIONS
        n = legal(position, codes)
        if n == 1:
            return codes[0]
        for code in codes[:n]:
            after = _after(position, code)
            if after.phase == OVER:
                reached = outcome(after, self._seat)
            elif self.spent >= limit:
                return None
            else:
                reached = self._search(self._prepared(after), limit - self.spent)
            if reached == value:
                return code
        return None

    def _prepared(self, position: Position) -> tuple[Any, Any]:
        solver = self._runner.records(Solver(seat=self._seat, slots=1 << _TABLE_BITS), 1)
        return self._runner.records(position, LEVELS), solver

    def _search(self, memory: tuple[Any, Any], nodes: int) -> int:
        """Begin or continue a search with so many nodes more."""
        stack, solver = memory
        before = int(read_field(solver[0], "nodes"))
        _write_field(solver[0], "budget", before + nodes)
        value = int(self._runner.functions["solve"](stack, solver[0], *self._table, -1, 1))
        self.spent += int(read_field(solver[0], "nodes")) - before
        if value == UNKNOWN and int(read_field(solver[0], "level")) == 0:
            self.hopeless = True
        return value


def _after(position: Position, code: int) -> Position:
    """Return a position after an action; the one before it is left as it was."""
    copy = copy_position(position)
    apply(copy, code)
    return copy


def _write_field(record: Any, name: str, value: int) -> None:  # noqa: ANN401 - a record of either backend
    if hasattr(record, "__slots__"):
        setattr(record, name, value)
    else:
        record[name] = value
