"""The agents that answer at once: random, greedy, smart, expert."""

from __future__ import annotations

from typing import Final

from durak_core.agents.base import Agent
from durak_core.agents.expert import ExpertAgent
from durak_core.agents.options import OPEN, AgentInfo, AgentOption, AgentValues
from durak_core.agents.simple import GreedyAgent, random_agent, uniform_agent
from durak_core.agents.smart import SmartAgent


def _random(text: str, values: AgentValues) -> Agent:
    del text
    return uniform_agent() if values["uniform"] == "on" else random_agent()


def _greedy(text: str, values: AgentValues) -> Agent:
    del text, values
    return GreedyAgent()


def _smart(text: str, values: AgentValues) -> Agent:
    del text, values
    return SmartAgent()


def _expert(text: str, values: AgentValues) -> Agent:
    del text, values
    return ExpertAgent()


SIMPLE: Final = (
    AgentInfo(
        "random",
        "Random",
        "Plays whatever comes to hand and passes or takes one time in five.",
        "careless",
        _random,
        (AgentOption("uniform", "every allowed action is equally likely", "off", ("off", "on")), OPEN),
    ),
    AgentInfo(
        "greedy",
        "Greedy",
        "Plays its lowest card, saves its trumps and never looks ahead.",
        "thrifty",
        _greedy,
        (OPEN,),
    ),
    AgentInfo(
        "smart",
        "Smart",
        "Plays like Greedy, but shuts ranks you could throw in and knows how to finish an endgame.",
        "watchful",
        _smart,
        (OPEN,),
    ),
    AgentInfo(
        "expert",
        "Expert",
        "Plays by a rule book: spends no trump too early and would rather take than waste one.",
        "seasoned",
        _expert,
        (OPEN,),
    ),
)
