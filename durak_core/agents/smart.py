"""The agent `smart`: greedy with an eye on what the others can hold.

Source: the smart player of the Charles University thesis (rules 12, `zarlykov`); the weakness rules
are Bonnet's, see `durak_core.knowledge.weakness`.
"""

from __future__ import annotations

from collections.abc import Sequence

from durak_core.actions import Action, Attack, Defend, encode
from durak_core.agents.base import Decision, legal_codes
from durak_core.agents.simple import greedy_action, greedy_decision
from durak_core.game.observation import Observation, Phase, Role
from durak_core.kernel.bits import rank_mates
from durak_core.knowledge.certain import opponent_hand, possible_cards
from durak_core.knowledge.weakness import badly_covered, rank_set, weak_ranks
from durak_core.rules import Rules

__all__ = ["SmartAgent"]


class SmartAgent:
    """Plays like greedy, but closes ranks when it defends and saves its weakness when it attacks.

    Defending, it prefers cards of ranks that the attackers cannot hold, so that they cannot go on in
    them; a trump of such a rank comes before a plain card of another. Against a single opponent whose
    hand is certain and without trumps it opens bouts by Bonnet's weakness rules: with one weak rank
    it plays every other rank first; with more, but not more than half of its ranks, it opens with a
    badly covered weakness. In closed games that is the endgame; with ``visibility`` open it may come
    earlier. Everywhere else it does what greedy does.
    """

    text = "smart"
    sees_all = False

    def begin(self, rules: Rules, seat: int, seed: int) -> None:
        """Do nothing: all that this agent uses is in the observation, and it draws nothing."""

    def choose(self, observation: Observation) -> Decision:
        """Choose a legal action."""
        legal_codes(observation)
        special = None
        if observation.phase == Phase.DEFENCE:
            special = _defence(observation)
        elif observation.phase == Phase.OPENING:
            special = _opening(observation)
        return special or greedy_decision(observation)


def _defence(observation: Observation) -> Decision | None:
    """Return a defence with a rank that no attacker can hold, where greedy would open another."""
    greedy = greedy_decision(observation).action
    if not isinstance(greedy, Defend):
        return None
    possible = 0
    for seat, role in enumerate(observation.roles):
        if role in (Role.ATTACKER, Role.HELPER):
            possible |= possible_cards(observation, seat).mask
    held = rank_mates(possible)
    if not held >> greedy.card.number & 1:
        return None
    closing = [
        action
        for action in observation.legal_actions
        if isinstance(action, Defend) and not held >> action.card.number & 1
    ]
    return _cheapest(observation, closing, "beats it with a rank that the attackers cannot hold")


def _opening(observation: Observation) -> Decision | None:
    """Return an opening by the weakness rules, where they apply."""
    other = opponent_hand(observation)
    if other is None or (observation.trump_suit is not None and other.mask & observation.trump_suit.mask):
        return None
    hand = observation.hand.mask
    weak = weak_ranks(hand, other.mask)
    if weak.bit_count() == 1:
        strong = [action for action in _attacks(observation) if not weak >> action.card.rank & 1]
        return _cheapest(observation, strong, "keeps the weak rank for the end")
    if weak.bit_count() * 2 <= rank_set(hand).bit_count():
        bad = badly_covered(hand, other.mask)
        badly = [action for action in _attacks(observation) if bad >> action.card.number & 1]
        return _cheapest(observation, badly, "a weakness whose answer opens a rank held here")
    return None


def _attacks(observation: Observation) -> list[Attack]:
    return [action for action in observation.legal_actions if isinstance(action, Attack)]


def _cheapest(observation: Observation, actions: Sequence[Action], reason: str) -> Decision | None:
    """Decide for what greedy would play if these were the only actions; None if there are none."""
    if not actions:
        return None
    return Decision(greedy_action(observation, [encode(action) for action in actions]), reason)
