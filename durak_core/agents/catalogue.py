"""The list of all agents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from durak_core.agents.adaptive import ADAPTIVE
from durak_core.agents.classic import CLASSIC
from durak_core.agents.expert import EXPERT
from durak_core.agents.kripke import KRIPKE
from durak_core.agents.learned import LEARNED
from durak_core.agents.options import AgentInfo
from durak_core.agents.personas import LEVEL
from durak_core.agents.searching import SEARCHING
from durak_core.agents.simple import GREEDY, RANDOM, SMART
from durak_core.agents.solver import SOLVER
from durak_core.agents.temperament import TEMPERAMENTS

AGENTS: Final[Mapping[str, AgentInfo]] = {
    info.name: info
    for infos in (
        (LEVEL,),
        (RANDOM, GREEDY, SMART, EXPERT, KRIPKE),
        TEMPERAMENTS,
        (ADAPTIVE,),
        CLASSIC,
        (SOLVER, *SEARCHING),
        LEARNED,
    )
    for info in infos
}
"""Agents by name, in display order."""
