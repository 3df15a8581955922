"""The agent `adaptive`: models the opponents and plays its book's best reply to them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from durak_core.actions import decode
from durak_core.agents.base import (
    OPEN,
    AgentInfo,
    AgentOption,
    Decision,
    ThinkingAgent,
    legal_codes,
    switch,
)
from durak_core.agents.simple import reason_by_the_book
from durak_core.deadline import Deadline
from durak_core.game.observation import Observation
from durak_core.kernel.position import CHANCE_STREAM, derive
from durak_core.knowledge.certain import opponents, visible_position
from durak_core.rules import Rules
from durak_core.search.backend.backend import backend
from durak_core.search.opponents.model import PLAYER_TYPES, READING, OpponentModel
from durak_core.search.policies.expert import Temperament, expert_policy

REPLIES: Final[Mapping[str, Temperament]] = {
    "against aggressive": Temperament(
        aggression=3, spite=2, thrift=-2, daring=1, defiance=-1, secrecy=1, noise=0
    ),
    "against cautious": Temperament(thrift=5, daring=8, defiance=1, noise=0),
    "against moderate": Temperament(spite=-2, thrift=-2, defiance=-4, noise=0),
    "the rule book": Temperament(noise=0),
}
"""Strategies by name: the best replies found to the temperaments, and the rule book for greedy.

Source: ``python3 -m benchmarks.adaptive --tune --games 40000 --seed 777``.
"""

PAYOFFS: Final[Mapping[str, Mapping[str, float]]] = {
    "against aggressive": {
        "aggressive": 0.669,
        "cautious": 0.635,
        "moderate": 0.510,
        "greedy": 0.656,
        "smart": 0.638,
        "random": 0.989,
    },
    "against cautious": {
        "aggressive": 0.660,
        "cautious": 0.646,
        "moderate": 0.509,
        "greedy": 0.648,
        "smart": 0.639,
        "random": 0.989,
    },
    "against moderate": {
        "aggressive": 0.668,
        "cautious": 0.640,
        "moderate": 0.516,
        "greedy": 0.654,
        "smart": 0.646,
        "random": 0.989,
    },
    "the rule book": {
        "aggressive": 0.666,
        "cautious": 0.636,
        "moderate": 0.514,
        "greedy": 0.655,
        "smart": 0.646,
        "random": 0.989,
    },
}
"""Scores of each strategy against each type of player, for two seats and default rules.

Source: ``python3 -m benchmarks.adaptive --payoffs --games 40000 --seed 4242``.
"""


class AdaptiveAgent(ThinkingAgent):
    """Plays the best reply to its posterior over the opponents' types, with ``samples`` particles per type.

    ``remembers`` keeps the posterior between games, assuming the same order around the table.
    """

    def __init__(self, text: str, samples: int, *, remembers: bool) -> None:
        super().__init__(text)
        self.reader: OpponentModel | None = None
        self._samples = samples
        self._remembers = remembers
        self._weights = {name: reply.table() for name, reply in REPLIES.items()}

    def begin(self, rules: Rules, seat: int, seed: int) -> None:
        if self._remembers and self.reader is not None and self.reader.rules.seats == rules.seats:
            self.reader.next_game(seat, rules)
        else:
            chance = derive(seed, CHANCE_STREAM)
            self.reader = OpponentModel(rules, seat, PLAYER_TYPES, samples=self._samples, seed=chance)

    def choose_by(self, observation: Observation, deadline: Deadline) -> Decision:
        """Choose as `choose` does, interpreted unless compiled code is ready."""
        codes = legal_codes(observation)
        if not deadline.is_set:
            backend(READING)
        reader = self.reader or OpponentModel(observation.rules, observation.seat, PLAYER_TYPES)
        reader.follow(observation)
        weights = self._weights[best_reply(reader, observation)]
        position = visible_position(observation)
        action = decode(expert_policy(position, codes, len(codes), weights))
        return Decision(action, reason_by_the_book(observation, action))


def best_reply(reader: OpponentModel, observation: Observation) -> str:
    """Return the book's name of the best expected reply to the seats that are still in."""
    scores = dict.fromkeys(REPLIES, 0.0)
    for seat in opponents(observation):
        posterior = reader.posterior(seat)
        for name, payoffs in PAYOFFS.items():
            scores[name] += sum([posterior[kind] * payoffs[kind] for kind in posterior])
    return max(scores, key=lambda name: scores[name])


ADAPTIVE: Final = AgentInfo(
    "adaptive",
    "Adaptive",
    "Watches what you choose, guesses what sort of player you are, and plays what beats that sort.",
    "attentive",
    lambda text, values: AdaptiveAgent(text, values["samples"], remembers=values["memory"]),
    (
        AgentOption(
            "samples", "particles (sampled hands) for each player type", 64, low=1, high=10_000, visitors=100
        ),
        switch("memory", "keep the model of the opponents from game to game"),
        OPEN,
    ),
    method="Models each opponent by a particle filter over player types, and plays the rule book's best "
    "reply to the posterior.",
)
