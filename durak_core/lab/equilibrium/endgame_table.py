"""Optimal play once both seats know all cards, solved position by position."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from durak_core.errors import DurakError
from durak_core.kernel.deal import new_position
from durak_core.kernel.position import Position
from durak_core.lab.equilibrium.endgames import Endgames
from durak_core.lab.equilibrium.tree_builder import DEPTH, FULL, Growth
from durak_core.rules import Rules
from durak_core.search.backend.backend import Backend

MOST_POSITIONS: Final = 30_000_000
"""Maximum number of positions without hidden cards."""

MOVES: Final = 5
"""Capacity in moves per position, on average."""

FIRST_ROOM: Final = 10_000
"""Initial capacity in positions."""


def new_endgames(runner: Backend, positions: int) -> Endgames:
    """Return empty arrays for some positions."""
    moves, slots = MOVES * positions, 1 << (2 * positions).bit_length()
    whole = [positions] * 5 + [moves] * 2 + [slots] * 2
    parts = [positions] * 2 + [moves]
    return Endgames._make([*map(runner.integers, whole), *map(runner.floats, parts)])


class EndgameTable:
    """The positions met so far and all that can follow, with their values."""

    def __init__(self, rules: Rules, runner: Backend) -> None:
        self._runner = runner
        self._stack = runner.records(new_position(rules), DEPTH)
        self._make_room(FIRST_ROOM)

    def optimal(self, position: Position) -> Sequence[bool]:
        """Return for each legal action of a position, in order, whether it is optimal.

        The position has two seats that know all cards, and two or more legal actions.

        Raises:
            DurakError: If more than `MOST_POSITIONS` can follow.
        """
        roots = self._runner.records(position, 1)
        solve = self._runner.functions["solve_endgame"]
        while (root := int(solve(roots, self._stack, self._growth, self._endgames))) == FULL:
            if self._room == MOST_POSITIONS:
                raise DurakError(
                    "more than {most} positions can follow this endgame: expected fewer",
                    most=f"{MOST_POSITIONS:,}",
                )
            self._make_room(min(4 * self._room, MOST_POSITIONS))
        endgames = self._endgames
        first = int(endgames.firsts[root])
        moves = range(first, first + int(endgames.widths[root]))
        return [bool(endgames.values[endgames.nexts[move]] == endgames.values[root]) for move in moves]

    def _make_room(self, positions: int) -> None:
        self._room = positions
        growth = Growth(most_positions=positions, most_moves=MOVES * positions)
        self._growth = self._runner.records(growth, 1)
        self._endgames = new_endgames(self._runner, positions)
