"""The agent `smart`: greedy with an eye on what the others can hold.

Source: the smart player of the Charles University thesis (rules 12, `zarlykov`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from durak_core.agents.base import Decision, SteadyAgent, legal_codes
from durak_core.agents.options import OPEN, AgentInfo, without_options
from durak_core.agents.simple import greedy_action, greedy_decision
from durak_core.game.observation import Observation, Phase
from durak_core.knowledge.visible import visible_position
from durak_core.messages import Message
from durak_core.rules import Rules
from durak_core.search.players import player as kinds
from durak_core.search.players.player import Player
from durak_core.search.policies.smart import smart_codes


class SmartAgent(SteadyAgent):
    """Plays like greedy, but closes ranks when it defends and saves its weakness when it attacks.

    Defending, it prefers cards of ranks that the attackers cannot hold, so that they cannot go on in
    them; a trump of such a rank comes before a plain card of another. Against a single opponent whose
    hand is certain and without trumps it opens bouts by Bonnet's weakness rules: with one weak rank
    it plays every other rank first; with more, but not more than half of its ranks, it opens with a
    badly covered weakness. In closed games that is the endgame; with ``visibility`` open it may come
    earlier. Everywhere else it does what greedy does. `durak_core.search.policies.smart` is its text.
    """

    text = "smart"

    def player(self, rules: Rules) -> tuple[Player, None]:
        del rules
        return Player(kinds.SMART), None

    def choose(self, observation: Observation) -> Decision:
        codes = legal_codes(observation)
        position = visible_position(observation)
        hands = observation.known if observation.hands is None else observation.hands
        known = [hand.mask for hand in hands]
        kept = [0] * len(codes)
        count = smart_codes(position, codes, len(codes), known, observation.hand_sizes, kept)
        if not count:
            return greedy_decision(observation)
        return Decision(greedy_action(observation, kept[:count]), _reason(observation, kept[:count]))


def _reason(observation: Observation, kept: Sequence[int]) -> Message:
    if observation.phase == Phase.DEFENCE:
        return Message("beats it with a rank nobody can throw in")
    ranks = {card.rank for card in observation.hand}
    if len({code & 15 for code in kept}) == len(ranks) - 1:
        return Message("saves the weakest cards for the end")
    return Message("plays low: whatever beats it, there is more to throw in")


SMART: Final = AgentInfo(
    "smart",
    "Smart",
    "Plays like Greedy, but shuts ranks you could throw in and knows how to finish an endgame.",
    "watchful",
    without_options(SmartAgent),
    (OPEN,),
)
