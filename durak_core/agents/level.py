"""The six opponents: agents with a name, from a beginner to the best player there is.

All but the last draw their action from preferences: a network's scores of the actions, or the rule book's
costs where no network was trained for the rules. The weaker one is, the less its preferences count. What no
person would do is left out before the draw, so that mistakes are those of people, and never absurd.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from durak_core.agents.base import ONLY, Agent, Decision, SeededAgent, legal_codes
from durak_core.agents.expert import reason_by_the_book
from durak_core.agents.guiding import AUTO
from durak_core.agents.learned import NetworkScores, shipped_network
from durak_core.agents.options import OPEN, AgentInfo, AgentOption, AgentValues
from durak_core.agents.searching import tree_agent
from durak_core.deadline import NEVER, Deadline
from durak_core.game.observation import Observation
from durak_core.kernel.position import Position
from durak_core.knowledge.visible import visible_position
from durak_core.rules import Rules
from durak_core.search.backend.backend import Backend, backend, backend_now
from durak_core.search.network.weights import Network
from durak_core.search.players.people import draw_by_preference
from durak_core.search.players.player import PERSON, UNTAUGHT_PERSON, Player, by_cost, by_value
from durak_core.search.policies.expert import write_costs
from durak_core.search.policies.policies import Choices


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
        "misha", "Misha", "°°", "oo", 1, "Learnt the rules yesterday and plays whatever comes to mind.", 625
    ),
    Opponent(
        "tanya", "Tanya", "◕◕", "^^", 2, "Plays for the company and looks at people more than at cards.", 780
    ),
    Opponent(
        "boris", "Boris", "••", "..", 3, "Misses no evening of cards, plays boldly and counts nothing.", 955
    ),
    Opponent("olga", "Olga", "◔◔", "''", 4, "Saves her trumps and forgives few mistakes.", 1095),
    Opponent(
        "viktor", "Viktor", "¬¬", "--", 5, "Has played all his life and feels what a card is worth.", 1230
    ),
    Opponent("nina", "Baba Nina", "◉◉", "@@", 6, "Has never been the fool in her yard.", 1400),
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

_IN_MATCHES: Final = 2000
"""Iterations of the best one's search."""


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

    def player(self, rules: Rules) -> tuple[Player, Network | None]:
        network = shipped_network(_TEACHER, rules)
        if network is None:
            return Player(UNTAUGHT_PERSON, manner=self._manner.noise), None
        return Player(PERSON, manner=self._manner.temperature), network

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
        position = visible_position(observation)
        values = self._preferences(observation, position, codes, find)
        room = [0] * len(codes)
        place = draw_by_preference(position, Choices(codes, len(codes)), values, room, [self._seed])
        return Decision(actions[place], reason_by_the_book(observation, actions[place]))

    def _preferences(
        self,
        observation: Observation,
        position: Position,
        codes: Sequence[int],
        find: Callable[[str], Backend],
    ) -> list[float]:
        """Return the logarithm of each action's odds, but for a common summand."""
        network = shipped_network(_TEACHER, observation.rules)
        if network is not None:
            scores = self._scores.of(network, find("network"), observation, codes)
            return [by_value(score, self._manner.temperature) for score in scores]
        costs = [0] * len(codes)
        write_costs(position, codes, len(codes), None, costs)
        return [by_cost(cost, self._manner.noise) for cost in costs]


class BestAgent:
    """Searches: for a second where people wait, and elsewhere so far that a game is the same every time."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.sees_all = False
        self._at_the_table = tree_agent(text, time=1000, net=AUTO, inference=True)
        self._in_matches = tree_agent(text, iterations=_IN_MATCHES, net=AUTO, inference=True)

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
