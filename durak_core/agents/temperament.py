"""The temperaments on a chair: `aggressive`, `cautious`, `moderate`, and any other point of their space."""

from __future__ import annotations

from durak_core.actions import decode
from durak_core.agents.base import Decision, legal_codes
from durak_core.agents.expert import reason_by_the_book
from durak_core.game.observation import Observation
from durak_core.kernel.random import CHANCE_STREAM, derive
from durak_core.knowledge.belief import belief_of
from durak_core.rules import Rules
from durak_core.search.policies.temperament import Temperament, tempered_policy


class TemperamentAgent:
    """Draws its actions by the odds of a temperament; see `durak_core.search.policies.temperament`.

    Args:
        text: The canonical agent text.
        temperament: The character.
    """

    def __init__(self, text: str, temperament: Temperament) -> None:
        self.text = text
        self.sees_all = False
        self._weights = temperament.table()
        self._noise = temperament.units
        self._rng = [derive(0, CHANCE_STREAM)]

    def begin(self, rules: Rules, seat: int, seed: int) -> None:
        """Take up a new seed; rules and seat do not matter."""
        del rules, seat
        self._rng = [derive(seed, CHANCE_STREAM)]

    def choose(self, observation: Observation) -> Decision:
        """Draw one of the legal actions."""
        codes = legal_codes(observation)
        position, _ = belief_of(observation)
        odds = [0] * len(codes)
        code = tempered_policy(position, codes, len(codes), self._weights, 0, self._noise, odds, self._rng)
        action = decode(code)
        return Decision(action, reason_by_the_book(observation, action))
