"""The temperament agents: `aggressive`, `cautious`, `moderate`, and any other point of the space."""

from __future__ import annotations

from dataclasses import fields
from typing import Final

from durak_core.actions import decode
from durak_core.agents.base import Agent, Decision, SeededAgent, legal_codes
from durak_core.agents.expert import reason_by_the_book
from durak_core.agents.options import OPEN, AgentInfo, AgentOption, AgentValues
from durak_core.game.observation import Observation
from durak_core.knowledge.visible import visible_position
from durak_core.rules import Rules
from durak_core.search.players.player import TEMPERED, Player
from durak_core.search.policies.policies import Choices
from durak_core.search.policies.temperament import (
    AGGRESSIVE,
    CAUTIOUS,
    MODERATE,
    Character,
    Temperament,
    tempered_policy,
)


class TemperamentAgent(SeededAgent):
    """Draws its actions by a temperament's odds; see `durak_core.search.policies.temperament`."""

    def __init__(self, text: str, temperament: Temperament) -> None:
        super().__init__(text)
        self._character = Character(temperament.table(), temperament.units)

    def player(self, rules: Rules) -> tuple[Player, None]:
        del rules
        weights, noise = self._character
        return Player(TEMPERED, weights=list(weights), noise=noise), None

    def choose(self, observation: Observation) -> Decision:
        codes = legal_codes(observation)
        position = visible_position(observation)
        odds = [0] * len(codes)
        code = tempered_policy(position, Choices(codes, len(codes)), self._character, odds, self._rng)
        action = decode(code)
        return Decision(action, reason_by_the_book(observation, action))


_NAMED: Final = {"aggressive": AGGRESSIVE, "cautious": CAUTIOUS, "moderate": MODERATE}

_WEIGHTS: Final = {
    "aggression": "extra cost of not throwing in, in ranks",
    "spite": "extra cost of not piling on, in ranks",
    "thrift": "extra cost of playing a trump, in ranks",
    "daring": "discount on attacking with a trump, in ranks",
    "defiance": "extra cost of taking, in ranks",
    "evasion": "discount on transferring, in ranks",
    "secrecy": "extra cost of a new rank on the table, in ranks for each unseen card of it",
}


def _weight(name: str, summary: str) -> AgentOption:
    return AgentOption(name, summary, 0.0, low=-100, high=100, whole=False)


def named_temperament(name: str, values: AgentValues) -> Temperament | None:
    """Return the temperament of an agent's name and options; None for other agents."""
    if name == "temperament":
        return Temperament(**{field.name: values[field.name] for field in fields(Temperament)})
    return _NAMED.get(name)


def _tempered(text: str, values: AgentValues) -> Agent:
    name = text.partition(":")[0]
    return TemperamentAgent(text, named_temperament(name, values) or MODERATE)


_TOLD: Final = {
    "aggressive": ("Throws in whatever fits, beats whatever comes, and ends up without trumps.", "hot"),
    "cautious": (
        "Would rather take than spend a trump, and holds on to cards it could throw in.",
        "anxious",
    ),
    "moderate": ("Plays by the rule book, but not always the same.", "calm"),
}
"""Summary and style of each named temperament."""

TEMPERAMENTS: Final = (
    *[
        AgentInfo(name, name.title(), summary, style, _tempered, (OPEN,), method="A preset of temperament.")
        for name, (summary, style) in _TOLD.items()
    ],
    AgentInfo(
        "temperament",
        "Temperament",
        "Plays by the rule book with a character of your making.",
        "moody",
        _tempered,
        (
            *[_weight(name, summary) for name, summary in _WEIGHTS.items()],
            AgentOption(
                "noise",
                "cost in ranks that halves the probability of an action",
                0.5,
                low=0,
                high=100,
                whole=False,
            ),
            OPEN,
        ),
        method="Draws actions with probabilities that fall with the rule book's costs, changed by weights.",
    ),
)
