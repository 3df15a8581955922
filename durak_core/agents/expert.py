"""The agent `expert`: the rule book of `durak_core.search.policies.expert` on a chair."""

from __future__ import annotations

from typing import Final

from durak_core.actions import Action, Attack, Defend, Pass, ShowTrump, Take, Transfer, decode
from durak_core.agents.base import ONLY, Decision, SteadyAgent, legal_codes
from durak_core.agents.options import OPEN, AgentInfo, without_options
from durak_core.game.observation import Observation, Phase
from durak_core.knowledge.belief import belief_of
from durak_core.messages import Message
from durak_core.search.policies.expert import expert_policy


class ExpertAgent(SteadyAgent):
    """Plays the cheapest action by a rule book that was tuned by measurement; see `expert_policy`."""

    text = "expert"

    def choose(self, observation: Observation) -> Decision:
        codes = legal_codes(observation)
        position, _ = belief_of(observation)
        action = decode(expert_policy(position, codes, len(codes), None, 0))
        return Decision(action, reason_by_the_book(observation, action))


def reason_by_the_book(observation: Observation, action: Action) -> Message:
    """Return why a player does this who goes by the costs of a rule book."""
    match action:
        case Pass():
            return _why_pass(observation)
        case Take():
            return _why_take(observation)
        case ShowTrump():
            return Message("passes the attack on and keeps the trump")
        case Attack(card) | Defend(card, _) | Transfer(card):
            if len(observation.legal_actions) == 1:
                return ONLY
            plain = card.suit != observation.trump_suit
            if isinstance(action, Attack):
                return _ATTACK_REASONS[observation.phase][plain]
            return _ANSWER_REASONS[type(action)][plain]


def _why_pass(observation: Observation) -> Message:
    if len(observation.legal_actions) == 1:
        return Message("has nothing to add")
    if observation.phase == Phase.PILE_ON:
        return Message("makes no present of good cards")
    return Message("keeps its good cards for later")


def _why_take(observation: Observation) -> Message:
    if len(observation.legal_actions) == 1:
        return Message("cannot beat the attack")
    if observation.trump_suit is not None and observation.table_cards.mask & observation.trump_suit.mask:
        return Message("takes on purpose: the trumps on the table are worth it")
    return Message("takes on purpose: beating it would cost more")


_ATTACK_REASONS: Final = {
    Phase.OPENING: (
        Message("opens with a trump, for it does the most"),
        Message("the card it can spare best"),
    ),
    Phase.VOLLEY: (Message("adds a trump to the volley"), Message("adds a card it can spare")),
    Phase.THROW_IN: (
        Message("throws in a trump, for the hand must get shorter"),
        Message("throws in a card it can spare"),
    ),
    Phase.PILE_ON: (
        Message("gives a trump away to get rid of a card"),
        Message("gives away a card it can spare"),
    ),
}
"""Why a trump is attacked with, and why a plain card, by the phase."""

_ANSWER_REASONS: Final = {
    Defend: (Message("a trump is worth less than what it saves"), Message("beats it at the least cost")),
    Transfer: (
        Message("passes the attack on with a trump, which is cheaper than taking"),
        Message("passes the attack on"),
    ),
}
"""Why a trump answers, and why a plain card, by the kind of action."""


EXPERT: Final = AgentInfo(
    "expert",
    "Expert",
    "Plays by a rule book: spends no trump too early and would rather take than waste one.",
    "seasoned",
    without_options(ExpertAgent),
    (OPEN,),
)
