"""Which agents may sit at the table: those that answer at once.

Agents that think for long need a process of their own, or the screen would stand still meanwhile.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from durak_core.agents import AGENTS, Agent, AgentInfo, make_agent
from durak_core.errors import AgentError

__all__ = ["BOTS", "make_bot"]

BOTS: Final[Mapping[str, AgentInfo]] = {name: info for name, info in AGENTS.items() if not info.thinks}
"""The agents that can be chosen, by name."""


def make_bot(text: str) -> Agent:
    """Build the agent that a text names, for a seat at the table.

    Raises:
        AgentError: As for `make_agent`, and for agents that think for long.
    """
    name = text.strip().partition(":")[0]
    if name in AGENTS and name not in BOTS:
        raise AgentError(
            f"{name} thinks too long to sit at the table; there are: {', '.join(BOTS)} "
            f"(durak match plays {name})"
        )
    return make_agent(text)
