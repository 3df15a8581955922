"""The agents that search the tree of what they cannot see, and those that solve."""

from __future__ import annotations

from typing import Final

from durak_core.agents.base import Agent
from durak_core.agents.expert import ExpertAgent
from durak_core.agents.guiding import AUTO, NO_NETWORK, SHIPPED, Guides
from durak_core.agents.options import OPEN, AgentInfo, AgentOption, AgentValues
from durak_core.agents.searching import Budget, HybridAgent, SolverAgent, TreeAgent
from durak_core.agents.smart import SmartAgent
from durak_core.search.backend.batch import POLICIES
from durak_core.search.ismcts.tree_search import SearchSettings


def _solver(text: str, values: AgentValues) -> Agent:
    return SolverAgent(text, SmartAgent(), int(values["nodes"]))


def _guides(values: AgentValues) -> Guides:
    names = {"c": "exploration", "mix": "mix", "net_temperature": "temperature", "net_playouts": "playouts"}
    settings = {names[key]: float(values[key]) for key in names if values[key] != "auto"}
    return Guides(values["net"], **settings)


def _ismcts(text: str, values: AgentValues) -> Agent:
    solves = values["solver"] == "on"
    time = int(values["time"])
    automatic = _MOST if time else 10_000 if values["net"] == NO_NETWORK else 1_000
    budget = Budget(
        iterations=automatic if values["iterations"] == "auto" else int(values["iterations"]),
        seconds=time / 1000,
        solver=int(values["nodes"]) if solves else 0,
    )
    usual = SearchSettings()
    settings = SearchSettings(
        exploration=usual.exploration if values["c"] == "auto" else float(values["c"]),
        epsilon=float(values["epsilon"]),
        mix=usual.mix if values["mix"] == "auto" else float(values["mix"]),
        leaf_cards=int(values["leaf"]) if solves else 0,
        end_cards=int(values["end"]) if solves else 0,
        simulation=POLICIES[values["simulation"]],
        opponent=POLICIES[values["opponent"]],
        memory=float(values["memory"]),
        threads=int(values["threads"]),
    )
    return TreeAgent(text, budget, settings, _guides(values), infers=values["inference"] == "on")


def _hybrid(text: str, values: AgentValues) -> Agent:
    return HybridAgent(text, ExpertAgent(), _ismcts(text, values), int(values["threshold"]))


_MOST: Final = 1_000_000_000

_NODES: Final = AgentOption("nodes", "positions searched for an endgame", "500000", low=1, high=100_000_000)

_ITERATIONS: Final = (
    "at most so many for a decision; auto: any if there is a time, else 10000, or 1000 with a network"
)

_POLICIES: Final = ("random", "greedy", "expert")

_TREE: Final = (
    AgentOption("iterations", _ITERATIONS, "auto", ("auto",), low=1, high=1e9),
    AgentOption("time", "at most so many ms of computing, 0 for any", "0", low=0, high=3_600_000),
    AgentOption(
        "c",
        "weight of exploring; auto: 0.7, or with a network what suits it",
        "auto",
        ("auto",),
        low=0,
        high=10,
        whole=False,
    ),
    AgentOption("epsilon", "share of random actions in playouts", "0.15", low=0, high=1, whole=False),
    AgentOption(
        "mix",
        "share of replies taken from a policy; auto: 0.5, or 0 with a network",
        "auto",
        ("auto",),
        low=0,
        high=1,
        whole=False,
    ),
    AgentOption("simulation", "who plays on at a leaf", "expert", _POLICIES),
    AgentOption("opponent", "whose the replies are", "greedy", _POLICIES),
    AgentOption("solver", "whether endgames are solved", "on", ("off", "on")),
    AgentOption("leaf", "cards in two hands solved at a leaf", "8", low=0, high=20),
    AgentOption("end", "cards in two hands solved in a playout", "0", low=0, high=20),
    _NODES,
    AgentOption("memory", "megabytes for the tree", "64", low=0.001, high=16_384, whole=False),
    AgentOption("inference", "whether hands are weighed by what was chosen", "off", ("off", "on")),
    AgentOption("threads", "trees grown at the same time", "1", low=1, high=64),
    AgentOption(
        "net",
        "a network instead of playouts and policies; auto: where the search gains by it",
        NO_NETWORK,
        (NO_NETWORK, *SHIPPED, AUTO),
        words="the path of a .npz file",
    ),
    AgentOption(
        "net_temperature",
        "of its outputs as priors; auto: what suits it",
        "auto",
        ("auto",),
        low=0.001,
        high=10,
        whole=False,
    ),
    AgentOption(
        "net_playouts", "share of a leaf's worth that a playout decides", "0", low=0, high=1, whole=False
    ),
    OPEN,
)

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
        _TREE,
        thinks=True,
    ),
    AgentInfo(
        "hybrid",
        "Hybrid",
        "Plays by the book while the talon lasts, then counts, and makes no mistake with the last cards.",
        "late",
        _hybrid,
        (AgentOption("threshold", "cards in the talon from which it searches", "4", low=0, high=52), *_TREE),
        thinks=True,
    ),
)
