"""The six opponents: named agents from beginner to strongest.

All but the strongest draw an action from preferences: a network's scores or, if no network covers the rules,
the rule book's costs. Weaker opponents draw at a higher temperature. Inhuman actions are removed before the
draw, so that mistakes look human.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from durak_core.agents.base import (
    ONLY,
    OPEN,
    AgentInfo,
    AgentOption,
    Decision,
    ThinkingAgent,
    legal_codes,
)
from durak_core.agents.learned import AUTO, NetworkScores, shares_by_preference, shipped_network
from durak_core.agents.searching import ALL, tree_agent
from durak_core.agents.simple import reason_by_the_book
from durak_core.deadline import NEVER, Deadline
from durak_core.game.observation import Observation
from durak_core.kernel.position import Position
from durak_core.knowledge.certain import visible_position
from durak_core.rules import Rules
from durak_core.search.backend.backend import backend_if_it_pays, backend_now
from durak_core.search.network.weights import Network
from durak_core.search.players import (
    PERSON,
    UNTAUGHT_PERSON,
    Player,
    by_cost,
    by_value,
    draw_by_preference,
)
from durak_core.search.policies.expert import write_costs
from durak_core.search.policies.policies import LegalCodes


@dataclass(frozen=True, slots=True)
class Opponent:
    """A computer opponent."""

    key: str  # value in the agent spec
    name: str  # in English
    face: str  # two cells
    plain_face: str  # the same in ASCII
    stars: int  # 1 to 6
    character: str  # a sentence in English
    rating: int  # Elo points with `greedy` at 1000; see docs/strength.md
    accuracy: int  # average in reviews; see docs/review.md

    @property
    def text(self) -> str:
        return f"{_LEVEL}:{self.key}"


_LEVEL: Final = "level"

OPPONENTS: Final = (
    Opponent(
        "misha", "Misha", "°°", "oo", 1, "Learnt the rules yesterday. Plays whatever comes to mind.", 635, 58
    ),
    Opponent("tanya", "Tanya", "◕◕", "^^", 2, "Here for the company. Watches faces, not cards.", 785, 64),
    Opponent("boris", "Boris", "••", "..", 3, "Never misses a card night. Bold, and never counts.", 960, 70),
    Opponent("olga", "Olga", "◔◔", "''", 4, "Saves her trumps. Forgives few mistakes.", 1100, 85),
    Opponent(
        "viktor", "Viktor", "¬¬", "--", 5, "Has played all his life. Has a feel for every card.", 1240, 92
    ),
    Opponent("nina", "Baba Nina", "◉◉", "@@", 6, "Nobody on her street has ever beaten her.", 1505, 97),
)

_BY_TEXT: Final = {one.text: one for one in OPPONENTS}


def opponent_of(text: str) -> Opponent | None:
    return _BY_TEXT.get(text)


@dataclass(frozen=True, slots=True)
class _Manner:
    """How preferences become odds."""

    temperature: float  # value difference that makes an action e times as likely
    noise: float  # cost difference in ranks that makes it twice as likely


_MANNERS: Final = {
    "misha": _Manner(1, 16),
    "tanya": _Manner(0.3, 8),
    "boris": _Manner(0.1, 4),
    "olga": _Manner(0.035, 1),
    "viktor": _Manner(1e-6, 1e-6),
}

_TEACHER: Final = "dmc"

_IN_MATCHES: Final = 2000
"""Search iterations of the strongest opponent in matches."""


class PersonaAgent(ThinkingAgent):
    """Draws its actions from preferences."""

    def __init__(self, text: str, manner: _Manner) -> None:
        super().__init__(text)
        self._manner = manner
        self._scores = NetworkScores()

    def begin(self, rules: Rules, seat: int, seed: int) -> None:
        """Start a game; loads the network now, so that the first move does not wait for it."""
        super().begin(rules, seat, seed)
        shipped_network(_TEACHER, rules)

    def player(self, rules: Rules) -> tuple[Player, Network | None]:
        network = shipped_network(_TEACHER, rules)
        if network is None:
            return Player(UNTAUGHT_PERSON, manner=self._manner.noise), None
        return Player(PERSON, manner=self._manner.temperature), network

    def probabilities(self, observation: Observation) -> list[float]:
        """Return the probability of each legal action, in order."""
        codes = legal_codes(observation)
        values = self._preferences(observation, visible_position(observation), codes, NEVER)
        return shares_by_preference(observation, codes, values)

    def choose_by(self, observation: Observation, deadline: Deadline) -> Decision:
        """Choose; with a deadline interpreted unless compiled code is ready."""
        codes = legal_codes(observation)
        actions = observation.legal_actions
        if len(codes) == 1:
            return Decision(actions[0], ONLY)
        position = visible_position(observation)
        values = self._preferences(observation, position, codes, deadline)
        room = [0] * len(codes)
        place = draw_by_preference(position, LegalCodes(codes, len(codes)), values, room, [self._seed])
        return Decision(actions[place], reason_by_the_book(observation, actions[place]))

    def _preferences(
        self, observation: Observation, position: Position, codes: Sequence[int], deadline: Deadline
    ) -> list[float]:
        """Return the log-odds of each action, up to a constant."""
        network = shipped_network(_TEACHER, observation.rules)
        if network is not None:
            runner = (backend_now if deadline.is_set else backend_if_it_pays)("network")
            scores = self._scores.of(network, runner, observation, codes)
            return [by_value(score, self._manner.temperature) for score in scores]
        costs = [0] * len(codes)
        write_costs(position, codes, len(codes), None, costs)
        return [by_cost(cost, self._manner.noise) for cost in costs]


class BestAgent(ThinkingAgent):
    """Searches for a second in interactive games, otherwise a fixed number of iterations (reproducible)."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._at_the_table = tree_agent(text, time=1000, net=AUTO, inference=True, follow=ALL)
        self._in_matches = tree_agent(text, iterations=_IN_MATCHES, net=AUTO, inference=True, follow=ALL)

    def begin(self, rules: Rules, seat: int, seed: int) -> None:
        self._at_the_table.begin(rules, seat, seed)
        self._in_matches.begin(rules, seat, seed)

    def choose_by(self, observation: Observation, deadline: Deadline) -> Decision:
        searcher = self._at_the_table if deadline.is_set else self._in_matches
        return searcher.choose_by(observation, deadline)


_WHO: Final = AgentOption(
    "who", "the opponent", OPPONENTS[0].key, tuple([one.key for one in OPPONENTS]), leads=True
)

LEVEL: Final = AgentInfo(
    _LEVEL,
    "Opponent",
    "One of the six opponents, from a beginner to the strongest.",
    "varied",
    lambda text, values: (
        PersonaAgent(text, _MANNERS[values["who"]]) if values["who"] in _MANNERS else BestAgent(text)
    ),
    (_WHO, OPEN),
    thinks=True,
    quick=tuple(_MANNERS),
    method="Draws from a softmax over the action values of the dmc network (the rule book's costs if none "
    "covers the rules), at a temperature for each opponent; nina is a guided ismcts with inference.",
)
