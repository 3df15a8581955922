"""The agents with a character, and those that find out what others have."""

from __future__ import annotations

from dataclasses import fields
from typing import Final

from durak_core.agents.adaptive import AdaptiveAgent
from durak_core.agents.base import Agent
from durak_core.agents.kripke import KripkeAgent
from durak_core.agents.options import OPEN, AgentInfo, AgentOption, AgentValues, without_options
from durak_core.agents.temperament import TemperamentAgent
from durak_core.search.policies.temperament import AGGRESSIVE, CAUTIOUS, MODERATE, Temperament

_NAMED: Final = {"aggressive": AGGRESSIVE, "cautious": CAUTIOUS, "moderate": MODERATE}

_WEIGHTS: Final = {
    "aggression": "ranks by which not throwing in is dearer than to the rule book",
    "spite": "the same for not piling on",
    "thrift": "the same for trumps, whatever they are played for",
    "daring": "ranks by which attacking with a trump is cheaper",
    "defiance": "ranks by which taking is dearer",
    "evasion": "ranks by which transferring is cheaper",
    "secrecy": "ranks by which a new rank on the table is dearer, for each unseen card of it",
}


def _weight(name: str, summary: str) -> AgentOption:
    return AgentOption(name, summary, "0", low=-100, high=100, whole=False)


def named_temperament(name: str, values: AgentValues) -> Temperament | None:
    """Return the temperament by which an agent plays, or None if it plays by none.

    Args:
        name: The agent's.
        values: All its options.
    """
    if name == "temperament":
        return Temperament(**{field.name: float(values[field.name]) for field in fields(Temperament)})
    return _NAMED.get(name)


def _tempered(text: str, values: AgentValues) -> Agent:
    name = text.partition(":")[0]
    return TemperamentAgent(text, named_temperament(name, values) or MODERATE)


def _adaptive(text: str, values: AgentValues) -> Agent:
    return AdaptiveAgent(text, int(values["samples"]), remembers=values["memory"] == "on")


CHARACTERS: Final = (
    AgentInfo(
        "kripke",
        "Kripke",
        "Attacks with what you cannot beat in any world it holds possible, and else with its lowest card.",
        "logical",
        without_options(KripkeAgent),
        (OPEN,),
    ),
    AgentInfo(
        "aggressive",
        "Aggressive",
        "Throws in whatever fits, beats whatever comes, and has no trump left in the end.",
        "hot",
        _tempered,
        (OPEN,),
    ),
    AgentInfo(
        "cautious",
        "Cautious",
        "Would rather take than spend a trump, and keeps to itself what it could throw in.",
        "anxious",
        _tempered,
        (OPEN,),
    ),
    AgentInfo(
        "moderate",
        "Moderate",
        "Plays by the rule book, but not always the same.",
        "calm",
        _tempered,
        (OPEN,),
    ),
    AgentInfo(
        "temperament",
        "Temperament",
        "Plays by the rule book with a character of your making.",
        "moody",
        _tempered,
        (
            *[_weight(name, summary) for name, summary in _WEIGHTS.items()],
            AgentOption(
                "noise", "ranks that make an action half as likely", "0.5", low=0, high=100, whole=False
            ),
            OPEN,
        ),
    ),
    AgentInfo(
        "adaptive",
        "Adaptive",
        "Watches what you choose, guesses what sort of player you are, and plays what beats that sort.",
        "attentive",
        _adaptive,
        (
            AgentOption("samples", "hands that are tried to read a choice", "16", low=1, high=10_000),
            AgentOption(
                "memory", "whether it knows its opponents again in the next game", "off", ("off", "on")
            ),
            OPEN,
        ),
    ),
)
