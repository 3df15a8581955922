"""Perfect endgame play: the agent `solver` and a function for other agents."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Final

from durak_core.actions import Action
from durak_core.agents.base import Agent, Decision
from durak_core.agents.options import OPEN, AgentInfo, AgentOption, AgentValues
from durak_core.agents.simple import SmartAgent
from durak_core.deadline import NEVER, Deadline
from durak_core.game.observation import Observation
from durak_core.messages import Message
from durak_core.rules import Rules
from durak_core.search.backend.backend import Backend, backend
from durak_core.search.endgame.solver import ActionSolver, known_to_the_end

_NODES_A_STEP: Final = {"plain": 500, "compiled": 20_000}
"""Nodes between two checks for a solution, by backend."""


class SolverAgent:
    """Plays solvable endgames perfectly, and otherwise like another agent."""

    def __init__(self, text: str, other: Agent, nodes: int) -> None:
        self.text = text
        self.sees_all = False
        self._other = other
        self._nodes = nodes

    def begin(self, rules: Rules, seat: int, seed: int) -> None:
        self._other.begin(rules, seat, seed)

    def choose(self, observation: Observation) -> Decision:
        return self.choose_by(observation, NEVER)

    def choose_by(self, observation: Observation, deadline: Deadline) -> Decision:
        decision = self._other.choose(observation)
        best = best_in_endgame(observation, backend("search"), self._nodes, deadline)
        if best is None:
            return decision
        if decision.action in best.actions:
            return best.decision(decision.action, decision.reason)
        return best.decision(best.actions[0])


@dataclass(frozen=True, slots=True)
class Endgame:
    """The solver's result."""

    value: int  # 1 won, 0 drawn, -1 lost by force
    actions: tuple[Action, ...]  # at least one winning action, otherwise all that keep the value
    solver: ActionSolver = field(compare=False, repr=False)

    def decision(self, action: Action, reason: Message | str = "") -> Decision:
        """Return the decision for one of the actions, with the endgame's reason by default."""
        return Decision(action, reason or self.reason, partial(self.solver.search_info, action))

    @property
    def reason(self) -> Message:
        return _FORCED[self.value]


_FORCED: Final = {
    1: Message("wins by force"),
    0: Message("draws by force"),
    -1: Message("loses whatever it does, if nobody errs"),
}


def best_in_endgame(
    observation: Observation, runner: Backend, nodes: int, deadline: Deadline = NEVER
) -> Endgame | None:
    """Solve the actions of an endgame until one wins; None if cards are hidden or a budget runs out."""
    if not nodes or len(observation.legal_actions) < 2 or not known_to_the_end(observation):
        return None
    solver = ActionSolver(observation, runner)
    slices = deadline.slices()
    while not solver.is_done and 1 not in solver.values.values():
        step = int(next(slices, 0) * _NODES_A_STEP[runner.name])
        if not step or solver.hopeless or solver.spent >= nodes:
            return None
        solver.work(min(step, nodes - solver.spent))
    best = max(solver.values.values())
    return Endgame(best, tuple([action for action, value in solver.values.items() if value == best]), solver)


def _solver(text: str, values: AgentValues) -> Agent:
    return SolverAgent(text, SmartAgent(text), values["nodes"])


NODES: Final = AgentOption(
    "nodes", "node limit of the endgame solver", 500_000, low=1, high=100_000_000, visitors=500_000
)

SOLVER: Final = AgentInfo(
    "solver",
    "Solver",
    "Plays like Smart until the last cards lie open, and the rest without a mistake.",
    "exact",
    _solver,
    (NODES, OPEN),
    thinks=True,
    method="Solves endgames without hidden cards by alpha-beta search, and otherwise plays as smart.",
)
