"""The agents that have learnt from games."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from durak_core.agents.base import Agent
from durak_core.agents.learned import NetworkAgent, load_network, shipped_networks
from durak_core.agents.options import OPEN, AgentInfo, AgentOption, AgentValues

_OWN: Final = "shipped"


def _learned(name: str, title: str, summary: str) -> AgentInfo:
    def make(text: str, values: AgentValues) -> Agent:
        own = values["weights"] == _OWN
        networks = shipped_networks(name) if own else (load_network(Path(values["weights"])),)
        return NetworkAgent(text, networks)

    weights = AgentOption("weights", "the network's file", _OWN, (_OWN,), words="the path of a .npz file")
    return AgentInfo(name, title, summary, "learned", make, (weights, OPEN), thinks=True)


LEARNED: Final = (
    _learned(
        "dmc",
        "Pupil",
        "Has played millions of games against itself and knows by feel what a card is worth.",
    ),
    _learned(
        "dqn",
        "Student",
        "Has gone over its old games again and again, and judges a move by what it hopes for next.",
    ),
    _learned(
        "ppo",
        "Apprentice",
        "Began with no idea of the game and kept to whatever turned out better than expected.",
    ),
)
