"""The simple agents: random, lowest, greedy and smart."""

from __future__ import annotations

from collections.abc import Callable, MutableSequence, Sequence
from typing import Final, TypeAlias

from durak_core.actions import Action, Attack, Defend, Exchange, Pass, ShowTrump, Take, Transfer, decode
from durak_core.agents.base import FREE_REASONS, ONLY, Agent, Decision, SeededAgent, SteadyAgent, legal_codes
from durak_core.agents.options import OPEN, AgentInfo, AgentOption, AgentValues, switch, without_options
from durak_core.game.observation import Observation, Phase
from durak_core.kernel.codes import TAKE_CODE
from durak_core.knowledge.visible import visible_position
from durak_core.messages import Message
from durak_core.rules import Rules
from durak_core.search.players import player as kinds
from durak_core.search.players.player import Player
from durak_core.search.policies import playouts
from durak_core.search.policies.policies import (
    Choices,
    greedy_policy,
    lowest_policy,
    random_policy,
    uniform_policy,
)
from durak_core.search.policies.smart import smart_codes

RandomPolicy: TypeAlias = Callable[[Sequence[int], int, MutableSequence[int]], int]


class RandomAgent(SeededAgent):
    """Wraps a random policy; compiled code knows it by a number."""

    def __init__(self, text: str, policy: RandomPolicy, kind: int) -> None:
        super().__init__(text)
        self._policy = policy
        self._kind = kind

    def player(self, rules: Rules) -> tuple[Player, None]:
        del rules
        return Player(self._kind), None

    def choose(self, observation: Observation) -> Decision:
        codes = legal_codes(observation)
        n = len(codes)
        action = decode(self._policy(codes, n, self._rng))
        if n == 1:
            return Decision(action, ONLY)
        return Decision(action, Message("picks one of {count} moves at random", count=n))


class GreedyAgent(SteadyAgent):
    """Plays the cheapest card, non-trumps before trumps; see `greedy_policy`."""

    def player(self, rules: Rules) -> tuple[Player, None]:
        del rules
        return Player(playouts.GREEDY), None

    def choose(self, observation: Observation) -> Decision:
        return greedy_decision(observation)


class LowestAgent(SeededAgent):
    """Plays the lowest card, or ``hoards`` trumps; see `lowest_policy`."""

    def __init__(self, text: str, *, hoards: bool) -> None:
        super().__init__(text)
        self._hoards = hoards

    def player(self, rules: Rules) -> tuple[Player, None]:
        del rules
        return Player(kinds.HOARDING if self._hoards else kinds.LOWEST), None

    def choose(self, observation: Observation) -> Decision:
        codes = legal_codes(observation)
        hoarded = observation.talon_size if self._hoards else 0
        code = lowest_policy(codes, len(codes), observation.trump_mask, hoarded, self._rng)
        action = decode(code)
        if code <= TAKE_CODE and max(codes) > TAKE_CODE:
            return Decision(action, Message("saves its trumps for later"))
        return Decision(action, _greedy_reason(observation, action))


def greedy_action(observation: Observation, codes: Sequence[int]) -> Action:
    """Return the action of `greedy_policy` if restricted to some codes, at least one."""
    trumps, talon, phase = observation.trump_mask, observation.talon_size, int(observation.phase)
    return decode(greedy_policy(codes, len(codes), trumps, talon, phase))


def greedy_decision(observation: Observation) -> Decision:
    """Return the greedy agent's decision."""
    action = greedy_action(observation, legal_codes(observation))
    return Decision(action, _greedy_reason(observation, action))


def _greedy_reason(observation: Observation, action: Action) -> Message:
    match action:
        case Pass():
            kept = len(observation.legal_actions) > 1
            return Message("saves trumps while the talon lasts") if kept else Message("has nothing to add")
        case Take():
            return Message("cannot beat the attack")
        case ShowTrump() | Exchange():
            return FREE_REASONS[type(action)]
        case Attack(card) | Defend(card, _) | Transfer(card):
            plain = card.suit != observation.trump_suit
            return _CARD_REASONS[type(action)][plain]


_CARD_REASONS: Final = {
    Attack: (
        Message("plays the lowest trump: there is no plain card"),
        Message("plays the lowest plain card"),
    ),
    Defend: (
        Message("beats it with the lowest trump: no plain card does"),
        Message("beats it with the lowest plain card"),
    ),
    Transfer: (Message("transfers with a trump"), Message("lets the next player deal with it")),
}
"""Greedy's reasons to play a trump and a non-trump, by kind of action."""


def _random(text: str, values: AgentValues) -> Agent:
    if values["uniform"]:
        return RandomAgent(text, uniform_policy, playouts.UNIFORM)
    return RandomAgent(text, random_policy, playouts.RANDOM)


RANDOM: Final = AgentInfo(
    "random",
    "Random",
    "Plays whatever comes to hand and passes or takes one time in five.",
    "careless",
    _random,
    (switch("uniform", "draw all legal actions with equal probability"), OPEN),
    method="Plays a random action; passes or takes with probability 1/5 while it can play a card.",
)


def _greedy(text: str, values: AgentValues) -> Agent:
    trumps = values["trumps"]
    return GreedyAgent(text) if trumps == "save" else LowestAgent(text, hoards=trumps == "hoard")


GREEDY: Final = AgentInfo(
    "greedy",
    "Greedy",
    "Plays its lowest card, saves its trumps and never looks ahead.",
    "thrifty",
    _greedy,
    (
        AgentOption(
            "trumps",
            "use of trumps while the talon lasts: none thrown in, spent freely, or hoarded nine times in ten",
            "save",
            ("save", "spend", "hoard"),
            omit_default_from_key=True,
        ),
        OPEN,
    ),
    method="Plays the lowest card, trumps last.",
)


class SmartAgent(SteadyAgent):
    """Plays like greedy, but closes ranks as defender and protects its weak ranks as attacker.

    Defending, it prefers ranks that the attackers cannot hold, even as trumps, so that they cannot continue.
    Against a single opponent with a certain hand without trumps, it opens bouts by Bonnet's weakness rules:
    with one weak rank it leads every other rank first; with more, but at most half of its ranks, it leads a
    badly covered weak card. See `durak_core.search.policies.smart`.

    Source: the smart player of the Charles University thesis (rules 12, `zarlykov`).
    """

    def player(self, rules: Rules) -> tuple[Player, None]:
        del rules
        return Player(kinds.SMART), None

    def choose(self, observation: Observation) -> Decision:
        codes = legal_codes(observation)
        position = visible_position(observation)
        hands = observation.known if observation.hands is None else observation.hands
        known = [hand.mask for hand in hands]
        kept = [0] * len(codes)
        count = smart_codes(position, Choices(codes, len(codes)), known, observation.hand_sizes, kept)
        if not count:
            return greedy_decision(observation)
        return Decision(greedy_action(observation, kept[:count]), _smart_reason(observation, kept[:count]))


def _smart_reason(observation: Observation, kept: Sequence[int]) -> Message:
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
    method="Plays as greedy, but defends with ranks that the attackers cannot hold, and attacks by Bonnet's "
    "weakness rules if the defender's hand is known to hold no trump.",
)
