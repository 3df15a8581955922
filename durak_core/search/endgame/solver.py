"""Exact values of endgames without hidden cards, found in small steps, in either backend."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from durak_core.actions import Action, decode, encode
from durak_core.game.observation import Observation
from durak_core.kernel.legal import legal
from durak_core.kernel.position import MAX_ACTIONS, OVER, Position, copy_position
from durak_core.kernel.transition import apply
from durak_core.knowledge.visible import visible_position
from durak_core.search.backend.backend import Backend, backend
from durak_core.search.depth_first import LEVELS, LINE, DepthFirst
from durak_core.search.endgame.alpha_beta import UNKNOWN, EndgameMemory, outcome, solvable
from durak_core.search.endgame.foresight import promise
from durak_core.search.findings import SCORE, Finding, Findings

HORIZON: Final = 16
"""Bouts that are looked ahead, this one included, where only a search up to some bout ends for sure."""

_TABLE_SIZE: Final = 1 << 18
_AT_A_TIME: Final = 20_000
_LINE_NODES: Final = 3_000
"""Nodes that may be searched for the continuation of one action."""
_LENGTH_NODES: Final = 3_000
"""Nodes that may be searched for the length of the game after one action."""


def known_to_the_end(observation: Observation) -> bool:
    """Tell whether nothing is hidden from this seat and the rest can be solved."""
    position = visible_position(observation)
    sizes = [hand.bit_count() for hand in position.hands[: position.seats]]
    return sizes == list(observation.hand_sizes) and solvable(position)


class PositionSolver:
    """The value of one position for one of two seats, looked for in steps of any size.

    Without transfers one search goes to the end of the game. With transfers, where cards may go to and
    fro, it looks one bout ahead, then two, until the game is decided. Neither the runner nor the size of the
    steps changes what is found.

    Args:
        table: Two arrays for the transposition table, of a length that is a power of two.

    Attributes:
        value: 1 won, 0 drawn, -1 lost by force; None while it is not known.
        bouts: Bouts, this one included, in which a won or lost game is over with best play; None
            while that is not known.
        ahead: Bouts that the running search looks ahead; 0 for all.
        depth: How many decisions the searches have looked ahead at most.
        is_hopeless: Whether all searches have ended without a value.
    """

    def __init__(self, position: Position, seat: int, runner: Backend, table: tuple[Any, Any]) -> None:
        self._position = position
        self._seat = seat
        self._runner = runner
        self._table = table
        self._memory: EndgameMemory | None = None
        self._plan = iter(self._searches())
        self._search = (0, 0)
        self.value: int | None = None
        self.bouts: int | None = None
        self.ahead = 0
        self.spent = 0
        self.depth = 0
        self.is_hopeless = False
        self._bounds = [-1, 1]
        if position.phase == OVER:
            self.value = outcome(position, seat)
            self.bouts = 0
        else:
            self._next()

    @property
    def best(self) -> Action | None:
        """An action that keeps the value, for the seat to act, once the value is known."""
        if self._memory is None:
            return None
        search = self._memory.search[0]
        return decode(int(search.forced) - 1 if search.forced else int(search.best_code[0]))

    def work(self, nodes: int) -> None:
        """Search so many nodes more, or fewer until the running search has ended."""
        if self.value is not None or self.is_hopeless:
            return
        before = self.spent
        found = self._run(nodes)
        if found != UNKNOWN:
            self._judge(found)
        elif self.spent == before or self._prepared().search[0].level == 0:
            self.is_hopeless = True

    def measure(self, nodes: int) -> None:
        """Look for the length of a solved game with at most so many nodes; `bouts` tells it."""
        if not self.value or self.bouts is not None:
            return
        limit = self.spent + nodes
        for ahead in range(1, HORIZON + 1):
            self._search, self._memory = (ahead, 0), None
            found = self._run(limit - self.spent)
            if found == self.value:
                self.bouts = ahead
                return
            if found == UNKNOWN:
                return

    def _searches(self) -> Iterator[tuple[int, int]]:
        """Yield how many bouts to look ahead, and the value of a game that goes on after them."""
        if not self._position.transfer:
            yield 0, 0
            return
        for ahead in range(1, HORIZON + 1):
            yield ahead, 0
            if self._position.draws:
                yield ahead, 1
                yield ahead, -1

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

    def _judge(self, found: int) -> None:
        """Take in a search's value: that of the game if it is the same whatever happens after it."""
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
        """Begin or continue the running search with so many nodes more and return what `solve` says."""
        memory = self._prepared()
        search = memory.search[0]
        before = int(search.nodes)
        search.node_limit = before + nodes
        found = int(self._runner.functions["solve"](memory, -1, 1))
        self.spent += int(search.nodes) - before
        self.depth = max(self.depth, int(search.deepest))
        return found

    def _prepared(self) -> EndgameMemory:
        if self._memory is None:
            ahead, cut = self._search
            last = self._position.bout + ahead - 1 if ahead else 0
            search = DepthFirst(seat=self._seat, slots=len(self._table[0]), last_bout=last, cut=cut)
            self._memory = EndgameMemory(
                self._runner.records(self._position, LEVELS), self._runner.records(search, 1), *self._table
            )
        return self._memory


def solve_actions(observation: Observation, nodes: int = 500_000) -> dict[Action, int] | None:
    """Return the value of every legal action: 1 won, 0 drawn, -1 lost by force.

    Returns:
        The values; None where cards are hidden, more than two seats are left, there is more to draw than
        the open trump, or so many nodes do not suffice.
    """
    if not observation.legal_actions or not known_to_the_end(observation):
        return None
    solver = ActionSolver(observation, backend("search"))
    while not solver.is_done and not solver.hopeless and solver.spent < nodes:
        solver.work(min(_AT_A_TIME, nodes - solver.spent))
    return solver.values if solver.is_done else None


class ActionSolver:
    """Solves the position after each action, one after the other, the most promising first.

    Args:
        observation: Of the seat to act; `known_to_the_end` has to be true of it.
        runner: Where to run. How the nodes are cut into steps, and where they are searched, changes
            nothing of what is found.
    """

    def __init__(self, observation: Observation, runner: Backend) -> None:
        self._runner = runner
        self._seat = observation.seat
        self._root = visible_position(observation)
        self._table = (runner.integers(_TABLE_SIZE), runner.integers(_TABLE_SIZE))
        codes = sorted(map(encode, observation.legal_actions), key=lambda code: promise(self._root, code))
        self._solvers = {
            decode(code): PositionSolver(_after(self._root, code), self._seat, runner, self._table)
            for code in codes
        }
        self._extra = 0

    @property
    def values(self) -> dict[Action, int]:
        """Of each action that is solved: 1 won, 0 drawn, -1 lost by force."""
        return {action: solver.value for action, solver in self._solvers.items() if solver.value is not None}

    @property
    def spent(self) -> int:
        return self._extra + sum([solver.spent for solver in self._solvers.values()])

    @property
    def depth(self) -> int:
        """How many decisions have been looked ahead at most, the first one included."""
        return 1 + max([solver.depth for solver in self._solvers.values()])

    @property
    def is_done(self) -> bool:
        return all(solver.value is not None for solver in self._solvers.values())

    @property
    def hopeless(self) -> bool:
        """Whether no action without a value will get one."""
        return not self.is_done and self._next() is None

    def work(self, nodes: int) -> None:
        """Search so many nodes more, or fewer if nothing is left to find."""
        limit = self.spent + nodes
        while self.spent < limit and (solver := self._next()) is not None:
            solver.work(limit - self.spent)

    def bouts(self, action: Action) -> int | None:
        """Return in how many bouts, this one included, the game is over after an action, with best play.

        The winner hurries and the loser delays. None where the game is drawn or that is not quickly found.
        """
        solver = self._solvers[action]
        solver.measure(_LENGTH_NODES)
        if solver.bouts == 0:
            return 1
        passed = _after(self._root, encode(action)).bout - self._root.bout
        return None if solver.bouts is None else solver.bouts + passed

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

    def findings(self, chosen: Action) -> Findings:
        """Return what is known of the solved actions, of which one was chosen."""
        nodes, values = self.spent, self.values
        order = sorted(values, key=lambda action: (action != chosen, -values[action]))
        lines = [Finding(one, 0.5 + 0.5 * values[one], 0, self.continuation(one, LINE)) for one in order]
        return Findings(SCORE, nodes, self.depth, 1, tuple(lines))

    def _next(self) -> PositionSolver | None:
        """Return the solver to work on: of those without a value one that looks least far ahead."""
        pending = [
            solver for solver in self._solvers.values() if solver.value is None and not solver.is_hopeless
        ]
        return min(pending, key=lambda solver: solver.ahead, default=None)

    def _keeping(self, position: Position, value: int, limit: int) -> int | None:
        """Return the code of an action that keeps the value, or None where the nodes do not suffice."""
        codes = [0] * MAX_ACTIONS
        n = legal(position, codes)
        if n == 1:
            return codes[0]
        for code in codes[:n]:
            solver = PositionSolver(_after(position, code), self._seat, self._runner, self._table)
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
    """Return a position after an action; the one before it is left as it was."""
    copy = copy_position(position)
    apply(copy, code)
    return copy
