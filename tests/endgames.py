"""What the tests of endgames share: the value of a position, searched in one go."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from durak_core.search.endgame.alpha_beta import solvable
from durak_core.search.endgame.solver import PositionSolver, SeatTable

if TYPE_CHECKING:
    from durak_core import Action
    from durak_core.kernel.position import Position
    from durak_core.search.backend.backend import Backend


@dataclass(frozen=True)
class Solution:
    """What is known of an endgame; value and action are None when the nodes ran out."""

    value: int | None
    action: Action | None
    nodes: int


def solve_position(
    position: Position, seat: int, runner: Backend, nodes: int = 500_000, table_bits: int = 18
) -> Solution | None:
    """Solve an endgame for a seat; None where it is none."""
    if not solvable(position):
        return None
    solver = PositionSolver(position, runner, SeatTable.of(seat, runner, 1 << table_bits))
    while solver.value is None and not solver.is_hopeless and solver.spent < nodes:
        solver.work(nodes - solver.spent)
    if solver.value is None:
        return Solution(None, None, solver.spent)
    return Solution(solver.value, solver.best, solver.spent)
