"""The game as people and programs see it: immutable states, observations, events, notation and records."""

from durak_core.game.observation import Observation, Phase, Role, TablePair
from durak_core.game.refusals import WhyNot
from durak_core.game.state import State, next_first_attacker

__all__ = ["Observation", "Phase", "Role", "State", "TablePair", "WhyNot", "next_first_attacker"]
