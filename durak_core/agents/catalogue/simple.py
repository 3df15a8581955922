"""The agents that answer at once: random, greedy, smart, expert."""

from __future__ import annotations

from typing import Final

from durak_core.agents.base import Agent
from durak_core.agents.expert import ExpertAgent
from durak_core.agents.options import OPEN, AgentInfo, AgentOption, AgentValues, without_options
from durak_core.agents.simple import GreedyAgent, RandomAgent
from durak_core.agents.smart import SmartAgent
from durak_core.search.policies.policies import random_policy, uniform_policy


def _random(_text: str, values: AgentValues) -> Agent:
    if values["uniform"] == "on":
        return RandomAgent("random:uniform", uniform_policy)
    return RandomAgent("random", random_policy)


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
        without_options(GreedyAgent),
        (OPEN,),
    ),
    AgentInfo(
        "smart",
        "Smart",
        "Plays like Greedy, but shuts ranks you could throw in and knows how to finish an endgame.",
        "watchful",
        without_options(SmartAgent),
        (OPEN,),
    ),
    AgentInfo(
        "expert",
        "Expert",
        "Plays by a rule book: spends no trump too early and would rather take than waste one.",
        "seasoned",
        without_options(ExpertAgent),
        (OPEN,),
    ),
)
