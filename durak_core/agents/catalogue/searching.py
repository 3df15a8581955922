"""The agents that search the tree of what they cannot see, and those that solve."""

from __future__ import annotations

from typing import Final

from durak_core.agents.base import Agent
from durak_core.agents.options import OPEN, AgentInfo, AgentOption, AgentValues
from durak_core.agents.searching import Budget, SolverAgent, TreeAgent
from durak_core.agents.smart import SmartAgent
from durak_core.search.searcher import SearchSettings

__all__ = ["SEARCHING"]


def _solver(text: str, values: AgentValues) -> Agent:
    return SolverAgent(text, SmartAgent(), int(values["nodes"]))


def _ismcts(text: str, values: AgentValues) -> Agent:
    solves = values["solver"] == "on"
    budget = Budget(
        iterations=int(values["iterations"]),
        seconds=int(values["time"]) / 1000,
        solver=int(values["nodes"]) if solves else 0,
    )
    settings = SearchSettings(
        exploration=float(values["c"]),
        epsilon=float(values["epsilon"]),
        mix=float(values["mix"]),
        leaf_cards=int(values["leaf"]) if solves else 0,
        memory=float(values["memory"]),
    )
    return TreeAgent(text, budget, settings)


_NODES: Final = AgentOption("nodes", "positions searched for an endgame", "500000", low=1, high=100_000_000)

SEARCHING: Final = (
    AgentInfo(
        "solver",
        "Solver",
        "Plays like Smart until the last cards lie open, and the rest without a mistake.",
        "exact",
        _solver,
        (_NODES, OPEN),
        thinks=True,
    ),
    AgentInfo(
        "ismcts",
        "Searcher",
        "Deals your hidden cards a thousand ways, plays each of them out, and takes what works best.",
        "patient",
        _ismcts,
        (
            AgentOption("iterations", "at most so many for a decision", "10000", low=1, high=1e9),
            AgentOption("time", "at most so many milliseconds, 0 for any", "0", low=0, high=3_600_000),
            AgentOption("c", "weight of exploring", "0.7", low=0, high=10, whole=False),
            AgentOption("epsilon", "share of random actions in playouts", "0.15", low=0, high=1, whole=False),
            AgentOption("mix", "share of greedy replies in the tree", "0", low=0, high=1, whole=False),
            AgentOption("solver", "whether endgames are solved", "on", ("off", "on")),
            AgentOption("leaf", "cards in two hands solved at a leaf", "8", low=0, high=20),
            _NODES,
            AgentOption("memory", "megabytes for the tree", "64", low=0.001, high=16_384, whole=False),
            OPEN,
        ),
        thinks=True,
    ),
)
