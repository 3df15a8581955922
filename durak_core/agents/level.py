"""The six opponents: agents with a name, from a beginner to the best player there is.

All but the last draw their action from preferences: a network's scores of the actions, or the rule book's
costs where no network was trained for the rules. The weaker one is, the less its preferences count. What no
person would do is left out before the draw, so that mistakes are those of people, and never absurd.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from durak_core.actions import Action, Attack, Defend, Take, Transfer
from durak_core.agents.base import ONLY, Agent, Decision, SeededAgent, legal_codes
from durak_core.agents.expert import reason_by_the_book
from durak_core.agents.learned import NetworkScores, shipped_network
from durak_core.agents.options import OPEN, AgentInfo, AgentOption, AgentValues
from durak_core.agents.searching import tree_agent
from durak_core.cards import Card, Rank
from durak_core.deadline import NEVER, Deadline
from durak_core.game.observation import Observation, Phase
from durak_core.kernel.random import derive, random_below
from durak_core.knowledge.belief import belief_of
from durak_core.rules import Rules
from durak_core.search.backend.backend import Backend, backend, backend_now
from durak_core.search.policies.expert import STEP, write_costs
from durak_core.statistics import logistic


@dataclass(frozen=True, slots=True)
class Opponent:
    """Somebody to play against.

    Attributes:
        key: What the agent's text calls it.
        name: The English name.
        face: Two cells.
        plain_face: The same in ASCII.
        stars: 1 to 6, the more the stronger.
        character: A sentence in English.
        rating: In Elo points, where the agent `greedy` has 1000; see docs/strength.md.
    """

    key: str
    name: str
    face: str
    plain_face: str
    stars: int
    character: str
    rating: int

    @property
    def text(self) -> str:
        return f"{_LEVEL}:{self.key}"


_LEVEL: Final = "level"

OPPONENTS: Final = (
    Opponent(
        "misha", "Misha", "°°", "oo", 1, "Learnt the rules yesterday and plays whatever comes to mind.", 630
    ),
    Opponent(
        "tanya", "Tanya", "◕◕", "^^", 2, "Plays for the company and looks at people more than at cards.", 770
    ),
    Opponent(
        "boris", "Boris", "••", "..", 3, "Misses no evening of cards, plays boldly and counts nothing.", 960
    ),
    Opponent("olga", "Olga", "◔◔", "''", 4, "Saves her trumps and forgives few mistakes.", 1090),
    Opponent(
        "viktor", "Viktor", "¬¬", "--", 5, "Has played all his life and feels what a card is worth.", 1235
    ),
    Opponent("nina", "Baba Nina", "◉◉", "@@", 6, "Has never been the fool in her yard.", 1365),
)
"""The weakest first."""

_BY_TEXT: Final = {one.text: one for one in OPPONENTS}


def opponent_of(text: str) -> Opponent | None:
    """Return the opponent that an agent's canonical text names."""
    return _BY_TEXT.get(text)


@dataclass(frozen=True, slots=True)
class _Manner:
    """How much preferences count.

    Attributes:
        temperature: The difference between two expected scores that makes an action e times as likely.
        noise: Ranks, by the rule book's costs, that make it twice as likely.
    """

    temperature: float
    noise: float


_MANNERS: Final = {
    "misha": _Manner(1, 16),
    "tanya": _Manner(0.3, 8),
    "boris": _Manner(0.1, 4),
    "olga": _Manner(0.035, 1),
    "viktor": _Manner(1e-6, 1e-6),
}

_TEACHER: Final = "dmc"
"""Whose network values the actions."""

_IN_MATCHES: Final = "2000"
"""Iterations of the best one's search."""

_CHANCES: Final = 1 << 30
"""The parts into which a draw divides its probabilities."""

_SOON_EMPTY: Final = 6
"""With so few cards left to draw, a person begins to spend trumps."""


class LevelAgent(SeededAgent):
    """Draws its actions from preferences."""

    def __init__(self, text: str, manner: _Manner) -> None:
        super().__init__(text)
        self._manner = manner
        self._scores = NetworkScores()

    def begin(self, rules: Rules, seat: int, seed: int) -> None:
        """Begin a game; the network is read now, so that nobody waits for it at the first move."""
        super().begin(rules, seat, seed)
        shipped_network(_TEACHER, rules)

    def choose(self, observation: Observation) -> Decision:
        return self._choose(observation, backend)

    def choose_by(self, observation: Observation, deadline: Deadline) -> Decision:
        """Choose as `choose` does; while somebody waits, in plain Python unless machine code is ready."""
        return self._choose(observation, backend_now if deadline.is_set else backend)

    def _choose(self, observation: Observation, find: Callable[[str], Backend]) -> Decision:
        codes = legal_codes(observation)
        actions = observation.legal_actions
        if len(codes) == 1:
            return Decision(actions[0], ONLY)
        values = self._preferences(observation, codes, find)
        best = max(range(len(codes)), key=values.__getitem__)
        odds = [
            round(_CHANCES * math.exp(value - values[best]))
            if place == best or is_human(observation, action)
            else 0
            for place, (action, value) in enumerate(zip(actions, values, strict=True))
        ]
        action = actions[self._drawn(odds, observation)]
        return Decision(action, reason_by_the_book(observation, action))

    def _preferences(
        self, observation: Observation, codes: Sequence[int], find: Callable[[str], Backend]
    ) -> list[float]:
        """Return the logarithm of each action's odds, but for a common summand."""
        network = shipped_network(_TEACHER, observation.rules)
        if network is not None:
            scores = self._scores.of(network, find("network"), observation, codes)
            return [logistic(score) / self._manner.temperature for score in scores]
        position, _ = belief_of(observation)
        costs = [0] * len(codes)
        write_costs(position, codes, len(codes), None, 0, costs)
        return [-cost / STEP / self._manner.noise * math.log(2) for cost in costs]

    def _drawn(self, odds: Sequence[int], observation: Observation) -> int:
        """Draw a place; the chance follows from the seed and from what is seen.

        So a game that is left and taken up again, or in which a move is taken back, goes on as it would have.
        """
        chance = derive(self._seed, observation.bout)
        for cards in (observation.hand, observation.table_cards, observation.gone):
            chance = derive(chance, cards.mask)
        drawn = random_below([chance], _CHANCES) * sum(odds) // _CHANCES
        return bisect_right(list(accumulate(odds)), drawn)


def is_human(observation: Observation, action: Action) -> bool:
    """Tell whether a person might do this: nobody throws good cards away while others do the same."""
    trump = observation.trump_suit
    if trump is None or observation.talon_size == 0:
        return True
    match action:
        case Attack(card) if card.suit == trump:
            return _attacks_wisely(observation, card)
        case Transfer(card) if card.suit == trump:
            return observation.talon_size <= _SOON_EMPTY and card.rank < Rank.KING
        case Defend(card, target) if card.suit == trump:
            return not any(_is_cheaper(observation, other, card) for other in _answers(observation, target))
        case Take():
            return not _can_spare_the_answer(observation)
        case _:
            return True


def _attacks_wisely(observation: Observation, trump: Card) -> bool:
    if observation.phase == Phase.OPENING:
        return all(held.suit == trump.suit for held in observation.hand)
    return observation.talon_size <= _SOON_EMPTY and trump.rank < Rank.JACK


def _answers(observation: Observation, target: Card) -> list[Card]:
    actions = observation.legal_actions
    return [one.card for one in actions if isinstance(one, Defend) and one.target == target]


def _is_cheaper(observation: Observation, other: Card, card: Card) -> bool:
    """Tell whether a card does as well as a trump: a plain one, or a lower trump than king or ace."""
    return other.suit != observation.trump_suit or (card.rank >= Rank.KING and other.rank < card.rank)


def _can_spare_the_answer(observation: Observation) -> bool:
    """Tell whether a single attack card is beaten by a plain card up to the jack."""
    if len(observation.table) != 1:
        return False
    answers = _answers(observation, observation.table[0].attack)
    return any(card.suit != observation.trump_suit and card.rank <= Rank.JACK for card in answers)


class BestAgent:
    """Searches: for a second where people wait, and elsewhere so far that a game is the same every time."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.sees_all = False
        self._at_the_table = tree_agent(text, time="1000", net="auto", inference="on")
        self._in_matches = tree_agent(text, iterations=_IN_MATCHES, net="auto", inference="on")

    def begin(self, rules: Rules, seat: int, seed: int) -> None:
        self._at_the_table.begin(rules, seat, seed)
        self._in_matches.begin(rules, seat, seed)

    def choose(self, observation: Observation) -> Decision:
        return self.choose_by(observation, NEVER)

    def choose_by(self, observation: Observation, deadline: Deadline) -> Decision:
        searcher = self._at_the_table if deadline.is_set else self._in_matches
        return searcher.choose_by(observation, deadline)


def _level(text: str, values: AgentValues) -> Agent:
    manner = _MANNERS.get(values[_WHO.name])
    return BestAgent(text) if manner is None else LevelAgent(text, manner)


_WHO: Final = AgentOption(
    "who", "which of them", OPPONENTS[0].key, tuple([one.key for one in OPPONENTS]), leads=True
)

LEVEL: Final = AgentInfo(
    _LEVEL,
    "Opponent",
    "One of six people, from a beginner to the best player there is.",
    "varied",
    _level,
    (_WHO, OPEN),
    thinks=True,
    quick=tuple(_MANNERS),
)
