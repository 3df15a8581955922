"""The temperaments on a chair: `aggressive`, `cautious`, `moderate`, and any other point of their space."""

from __future__ import annotations

from durak_core.actions import decode
from durak_core.agents.base import Decision, SeededAgent, legal_codes
from durak_core.agents.expert import reason_by_the_book
from durak_core.game.observation import Observation
from durak_core.knowledge.belief import belief_of
from durak_core.search.policies.temperament import Temperament, tempered_policy


class TemperamentAgent(SeededAgent):
    """Draws its actions by the odds of a temperament; see `durak_core.search.policies.temperament`.

    Args:
        text: The canonical agent text.
        temperament: The character.
    """

    def __init__(self, text: str, temperament: Temperament) -> None:
        super().__init__(text)
        self._weights = temperament.table()
        self._noise = temperament.units

    def choose(self, observation: Observation) -> Decision:
        """Draw one of the legal actions."""
        codes = legal_codes(observation)
        position, _ = belief_of(observation)
        odds = [0] * len(codes)
        code = tempered_policy(position, codes, len(codes), self._weights, 0, self._noise, odds, self._rng)
        action = decode(code)
        return Decision(action, reason_by_the_book(observation, action))
