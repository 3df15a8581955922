"""The agent `kripke`: attacks with cards that are certainly unbeatable, otherwise plays its lowest card.

Source: the Groningen multi-agent project with Kripke models (rules 12, `groningen`), whose players reason
about possible worlds: a card that the defender cannot beat in any of them must be taken. Under rules 5.8 and
5.10, passes, takes and played cards also prove what a hand lacks.
"""

from __future__ import annotations

from typing import Final

from durak_core.actions import Action, Attack, encode
from durak_core.agents.base import Decision, SteadyAgent, legal_codes
from durak_core.agents.options import OPEN, AgentInfo, without_options
from durak_core.agents.simple import greedy_action, greedy_decision
from durak_core.game.observation import Observation, Phase
from durak_core.kernel.bits import beating
from durak_core.knowledge.certain import possible_cards
from durak_core.knowledge.locations.seat_locations import SeatLocations
from durak_core.messages import Message

_SURE: Final = Message("knows that the defender cannot beat it")


class KripkeAgent(SteadyAgent):
    """Plays like greedy, but attacks first with the lowest card that is unbeatable in every possible world.

    This applies to leads and throw-ins before the defender takes; trumps only without non-trumps.
    """

    def choose(self, observation: Observation) -> Decision:
        legal_codes(observation)
        decision = greedy_decision(observation)
        if not isinstance(decision.action, Attack) or observation.phase == Phase.PILE_ON:
            return decision
        lowest = decision.action.card
        trumps = observation.trump_mask
        is_trump = trumps >> lowest.number & 1
        sure = [action for action in _unbeatable(observation) if trumps >> action.card.number & 1 == is_trump]
        if not sure:
            return decision
        action: Action = greedy_action(observation, [encode(one) for one in sure])
        return Decision(action, _SURE)


def _unbeatable(observation: Observation) -> list[Attack]:
    """Return the attacks that the defender cannot beat with any possible hand."""
    rules, defender = observation.rules, observation.defender
    if rules.forced_play or rules.lowest_card != "any":
        possible = SeatLocations.from_observation(observation).possible(defender).mask
    else:
        possible = possible_cards(observation, defender).mask
    return [
        action
        for action in observation.legal_actions
        if isinstance(action, Attack) and not possible & beating(action.card.number, observation.trump_mask)
    ]


KRIPKE: Final = AgentInfo(
    "kripke",
    "Kripke",
    "Attacks with a card you cannot beat in any possible world, otherwise with its lowest.",
    "logical",
    without_options(KripkeAgent),
    (OPEN,),
    method="Plays as greedy, but attacks first with cards that no possible hand of the defender beats.",
)
