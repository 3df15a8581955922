"""The agents that have learnt from games."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from durak_core.agents.base import Agent
from durak_core.agents.learned import NetworkAgent, load_network, shipped_networks
from durak_core.agents.options import OPEN, AgentInfo, AgentOption, AgentValues

__all__ = ["LEARNED"]

_OWN: Final = "shipped"


def _dmc(text: str, values: AgentValues) -> Agent:
    own = values["weights"] == _OWN
    return NetworkAgent(text, shipped_networks("dmc") if own else (load_network(Path(values["weights"])),))


LEARNED: Final = (
    AgentInfo(
        "dmc",
        "Pupil",
        "Has played millions of games against itself and knows by feel what a card is worth.",
        "learned",
        _dmc,
        (
            AgentOption("weights", "the network's file", _OWN, (_OWN,), words="the path of a .npz file"),
            OPEN,
        ),
        thinks=True,
    ),
)
