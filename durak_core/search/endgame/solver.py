"""Incremental endgame solvers on either backend."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple, Self

from durak_core.actions import Action, decode, encode
from durak_core.game.observation import Observation
from durak_core.kernel.legal import legal
from durak_core.kernel.position import MAX_ACTIONS, OVER, Position, copy_position
from durak_core.kernel.transition import apply
from durak_core.knowledge.certain import visible_position
from durak_core.search.backend.backend import Backend, backend
from durak_core.search.endgame.alpha_beta import (
    LEVELS,
    LINE,
    UNKNOWN,
    DepthFirst,
    EndgameMemory,
    move_score,
    outcome,
    solvable,
)
from durak_core.search.search_result import SCORE, SearchedAction, SearchResult

HORIZON: Final = 16
"""Maximum bouts to look ahead, this one included, if positions could repeat."""

TABLE_SIZE: Final = 1 << 18
"""Entries of the transposition table."""

_AT_A_TIME: Final = 20_000
_LINE_NODES: Final = 3_000
"""Node limit for an action's continuation."""
_LENGTH_NODES: Final = 3_000
"""Node limit for the length of the game after an action."""


def known_to_the_end(observation: Observation) -> bool:
    """Return whether nothing is hidden from this seat and the endgame is solvable."""
    position = visible_position(observation)
    sizes = [hand.bit_count() for hand in position.hands[: position.seats]]
    return sizes == list(observation.hand_sizes) and solvable(position)


def can_be_drawn(position: Position) -> bool:
    """Return whether an endgame can be drawn within `HORIZON`.

    Cards leave the game in pairs, so no last bout ends with both hands empty if their number is odd (8.3).
    """
    held = sum([hand.bit_count() for hand in position.hands[: position.seats]])
    cards = held + position.table.bit_count() + position.deck_size - position.drawn
    return bool(position.draws) and (cards % 2 == 0 or position.stall + HORIZON >= position.stall_limit)


def _searches(position: Position) -> Iterator[tuple[int, int]]:
    """Yield the bouts to look ahead and the value of a game that continues after them.

    No method of the solver: its generator would keep it, and its tables, until a collection of cycles.
    """
    if not position.transfer:
        yield 0, 0
        return
    for ahead in range(1, HORIZON + 1):
        yield ahead, 0
        if can_be_drawn(position):
            yield ahead, 1
            yield ahead, -1


class SeatTable(NamedTuple):
    """A transposition table of one seat, whose values are of no use to the other one."""

    seat: int
    keys: Any
    values: Any

    @classmethod
    def of(cls, seat: int, runner: Backend, size: int = TABLE_SIZE) -> Self:
        """Return an empty table; ``size`` is a power of two."""
        return cls(seat, runner.integers(size), runner.integers(size))


class PositionSolver:
    """Solves one position for a table's seat; results do not depend on the runner or step sizes.

    Without transfers one search goes to the end of the game. With transfers it looks ahead one bout, then
    two, until the game is decided. Solvers of the same seat can share ``table``.

    Attributes:
        value: 1 won, 0 drawn, -1 lost by force; None if unknown.
        bouts: Bouts until a decided game ends with best play, this one included; None if unknown.
        ahead: Bouts that the running search looks ahead; 0 for all.
        depth: Maximum depth of all searches in decisions.
        is_hopeless: Whether all searches have ended without a value.
    """

    def __init__(self, position: Position, runner: Backend, table: SeatTable) -> None:
        self._position = position
        self._seat = table.seat
        self._runner = runner
        self._table = table
        self._memory: EndgameMemory | None = None
        self._plan = _searches(position)
        self._search = (0, 0)
        self.value: int | None = None
        self.bouts: int | None = None
        self.ahead = 0
        self.spent = 0
        self.depth = 0
        self.is_hopeless = False
        self._bounds = [-1, 1]
        self._window = (-1, 1)
        if position.phase == OVER:
            self.value = outcome(position, table.seat)
            self.bouts = 0
        else:
            self._next()

    @property
    def best(self) -> Action | None:
        """An action that keeps the value, for the seat to act; None before the value is known."""
        if self._memory is None:
            return None
        search = self._memory.search[0]
        return decode(int(search.forced) - 1 if search.forced else int(search.best_code[0]))

    def work(self, nodes: int) -> None:
        """Search up to that many more nodes, until the running search ends."""
        if self.value is not None or self.is_hopeless:
            return
        before = self.spent
        found = self._run(nodes)
        if found != UNKNOWN:
            self._evaluate(found)
        elif self.spent == before or self._prepared().search[0].level == 0:
            self.is_hopeless = True

    def measure(self, nodes: int) -> None:
        """Compute `bouts` of a solved game within a node limit."""
        if not self.value or self.bouts is not None:
            return
        limit = self.spent + nodes
        self._window = (min(self.value, 0), max(self.value, 0))  # the other side of a draw cannot be reached
        for ahead in range(1, HORIZON + 1):
            self._search, self._memory = (ahead, 0), None
            found = self._run(limit - self.spent)
            if found == self.value:
                self.bouts = ahead
                return
            if found == UNKNOWN:
                return

    def _next(self) -> None:
        self._memory = None
        following = next(self._plan, None)
        if following is None:
            self.is_hopeless = True
            return
        if following[0] != self.ahead:
            self._bounds = [-1, 1]
        self._search = following
        self.ahead = following[0]

    def _evaluate(self, found: int) -> None:
        """Set `value` if a search's result does not depend on what follows the last bout."""
        ahead, cut = self._search
        if ahead == 0 or found * (1 - cut * cut) != 0:
            self.value = found
            self.bouts = ahead or None
            return
        if cut > 0:
            self._bounds[1] = found
        elif cut < 0:
            self._bounds[0] = found
        if self._bounds == [0, 0]:
            self.value = 0
        else:
            self._next()

    def _run(self, nodes: int) -> int:
        """Start or continue the running search with more nodes and return the result of `solve`."""
        memory = self._prepared()
        search = memory.search[0]
        before = int(search.nodes)
        search.node_limit = before + nodes
        found = int(self._runner.functions["solve"](memory, *self._window))
        self.spent += int(search.nodes) - before
        self.depth = max(self.depth, int(search.deepest))
        return found

    def _prepared(self) -> EndgameMemory:
        if self._memory is None:
            ahead, cut = self._search
            last = self._position.bout + ahead - 1 if ahead else 0
            search = DepthFirst(seat=self._seat, slots=len(self._table.keys), last_bout=last, cut=cut)
            self._memory = EndgameMemory(
                self._runner.records(self._position, LEVELS),
                self._runner.records(search, 1),
                self._table.keys,
                self._table.values,
            )
        return self._memory


def solve_actions(observation: Observation, nodes: int = 500_000) -> dict[Action, int] | None:
    """Return every legal action's value: 1 won, 0 drawn, -1 lost by force.

    None if cards are hidden, more than two seats are left, more than the open trump can be drawn, or nodes
    run out.
    """
    if not observation.legal_actions or not known_to_the_end(observation):
        return None
    solver = ActionSolver(observation, backend("search"))
    while not solver.is_done and not solver.hopeless and solver.spent < nodes:
        solver.work(min(_AT_A_TIME, nodes - solver.spent))
    return solver.values if solver.is_done else None


class ActionSolver:
    """Solves an endgame's actions, the most promising first; independent of the runner and step sizes."""

    def __init__(self, observation: Observation, runner: Backend) -> None:
        self._runner = runner
        self._root = visible_position(observation)
        self._table = SeatTable.of(observation.seat, runner)
        codes = sorted(map(encode, observation.legal_actions), key=lambda code: move_score(self._root, code))
        self._solvers = {
            decode(code): PositionSolver(_after(self._root, code), runner, self._table) for code in codes
        }
        self._extra = 0

    @property
    def values(self) -> dict[Action, int]:
        """The values of the solved actions: 1 won, 0 drawn, -1 lost by force."""
        return {action: solver.value for action, solver in self._solvers.items() if solver.value is not None}

    @property
    def spent(self) -> int:
        return self._extra + sum([solver.spent for solver in self._solvers.values()])

    @property
    def depth(self) -> int:
        """The greatest depth in decisions, the first one included."""
        return 1 + max([solver.depth for solver in self._solvers.values()])

    @property
    def is_done(self) -> bool:
        return all(solver.value is not None for solver in self._solvers.values())

    @property
    def hopeless(self) -> bool:
        """Whether the remaining actions cannot be solved."""
        return not self.is_done and self._next() is None

    def work(self, nodes: int) -> None:
        """Search up to that many more nodes."""
        limit = self.spent + nodes
        while self.spent < limit and (solver := self._next()) is not None:
            solver.work(limit - self.spent)

    def bouts(self, action: Action) -> int | None:
        """Return the bouts until the end after an action, this one included; None if drawn or not found."""
        solver = self._solvers[action]
        solver.measure(_LENGTH_NODES)
        if solver.bouts == 0:
            return 1
        passed = _after(self._root, encode(action)).bout - self._root.bout
        return None if solver.bouts is None else solver.bouts + passed

    def continuation(self, action: Action, length: int) -> tuple[Action, ...]:
        """Return actions after this one that keep its value, as far as they are found quickly."""
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

    def search_info(self, chosen: Action) -> SearchResult:
        """Return the search info of the solved actions, with the chosen one first."""
        nodes, values = self.spent, self.values
        order = sorted(values, key=lambda action: (action != chosen, -values[action]))
        lines = [
            SearchedAction(one, 0.5 + 0.5 * values[one], 0, self.continuation(one, LINE)) for one in order
        ]
        return SearchResult(SCORE, nodes, self.depth, 1, tuple(lines))

    def _next(self) -> PositionSolver | None:
        """Return the unsolved solver with the shortest look-ahead."""
        pending = [
            solver for solver in self._solvers.values() if solver.value is None and not solver.is_hopeless
        ]
        return min(pending, key=lambda solver: solver.ahead, default=None)

    def _keeping(self, position: Position, value: int, limit: int) -> int | None:
        """Return the code of an action that keeps the value, or None if the nodes run out."""
        codes = [0] * MAX_ACTIONS
        n = legal(position, codes)
        if n == 1:
            return codes[0]
        for code in codes[:n]:
            solver = PositionSolver(_after(position, code), self._runner, self._table)
            while solver.value is None and not solver.is_hopeless and self.spent < limit:
                before = solver.spent
                solver.work(limit - self.spent)
                self._extra += solver.spent - before
            if solver.value is None:
                return None
            if solver.value == value:
                return code
        return None


def _after(position: Position, code: int) -> Position:
    copy = copy_position(position)
    apply(copy, code)
    return copy
