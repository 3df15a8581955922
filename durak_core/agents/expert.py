"""The agent `expert`, a wrapper of `durak_core.search.policies.expert`."""

from __future__ import annotations

from typing import Final

from durak_core.actions import Action, Attack, Defend, Exchange, Pass, ShowTrump, Take, Transfer, decode
from durak_core.agents.base import FREE_REASONS, ONLY, Decision, SteadyAgent, legal_codes
from durak_core.agents.options import OPEN, AgentInfo, without_options
from durak_core.game.observation import Observation, Phase
from durak_core.knowledge.visible import visible_position
from durak_core.messages import Message
from durak_core.rules import Rules
from durak_core.search.players.player import Player
from durak_core.search.policies import playouts
from durak_core.search.policies.expert import expert_policy


class ExpertAgent(SteadyAgent):
    """Plays the cheapest action by a tuned rule book; see `expert_policy`."""

    def player(self, rules: Rules) -> tuple[Player, None]:
        del rules
        return Player(playouts.EXPERT), None

    def choose(self, observation: Observation) -> Decision:
        codes = legal_codes(observation)
        position = visible_position(observation)
        action = decode(expert_policy(position, codes, len(codes), None))
        return Decision(action, reason_by_the_book(observation, action))


def reason_by_the_book(observation: Observation, action: Action) -> Message:
    """Return the reason for an action chosen by a rule book's costs."""
    match action:
        case Pass():
            return _why_pass(observation)
        case Take():
            return _why_take(observation)
        case ShowTrump() | Exchange():
            return FREE_REASONS[type(action)]
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
        return Message("does not give good cards away")
    return Message("saves good cards for later")


def _why_take(observation: Observation) -> Message:
    if len(observation.legal_actions) == 1:
        return Message("cannot beat the attack")
    if observation.table_cards.mask & observation.trump_mask:
        return Message("takes on purpose: there are trumps to be had")
    return Message("takes on purpose: beating it would cost more")


_ATTACK_REASONS: Final = {
    Phase.OPENING: (
        Message("leads a trump: nothing else would hurt more"),
        Message("leads the card of least use"),
    ),
    Phase.VOLLEY: (Message("adds a trump as well"), Message("adds a spare card")),
    Phase.THROW_IN: (
        Message("throws in a trump: time to shed cards"),
        Message("throws in a spare card"),
    ),
    Phase.PILE_ON: (
        Message("piles on a trump to be rid of a card"),
        Message("piles on a spare card"),
    ),
}
"""Reasons to attack with a trump and with a non-trump, by phase."""

_ANSWER_REASONS: Final = {
    Defend: (Message("spends a trump: taking would cost more"), Message("beats it as cheaply as possible")),
    Transfer: (
        Message("transfers with a trump: cheaper than taking"),
        Message("lets the next player deal with it"),
    ),
}
"""Reasons to answer with a trump and with a non-trump, by kind of action."""


EXPERT: Final = AgentInfo(
    "expert",
    "Expert",
    "Plays by a rule book: spends no trump too early and would rather take than waste one.",
    "seasoned",
    without_options(ExpertAgent),
    (OPEN,),
    method="Plays the cheapest action by a hand-written cost function, the rule book.",
)
