"""Players that are programs: the protocol, the simple ones, and the agent texts that name them all."""

from durak_core.agents.base import Agent, Decision, ForeignAgent
from durak_core.agents.catalogue import AGENTS
from durak_core.agents.options import AgentInfo, AgentOption
from durak_core.agents.registry import agent_text, make_agent

__all__ = [
    "AGENTS",
    "Agent",
    "AgentInfo",
    "AgentOption",
    "Decision",
    "ForeignAgent",
    "agent_text",
    "make_agent",
]
