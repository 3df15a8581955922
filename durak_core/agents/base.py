"""What an agent is: something that chooses an action from an observation.

Agents never see a `State`, only what their seat may know (rules 9).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Protocol, runtime_checkable

from durak_core.actions import Action, encode
from durak_core.deadline import Deadline
from durak_core.errors import AgentError, ForfeitError
from durak_core.game.observation import Observation
from durak_core.game.refusals import no_turn
from durak_core.kernel.random import AGENTS_STREAM, CHANCE_STREAM, derive
from durak_core.messages import Message
from durak_core.rules import Rules
from durak_core.search.findings import Findings
from durak_core.search.network.weights import Network
from durak_core.search.players.player import Player


@dataclass(frozen=True, slots=True)
class Decision:
    """What an agent chose, and why.

    Attributes:
        action: One of the observation's legal actions.
        reason: One clause in words, for logs and for people who watch; a plain text is the same in every
            language.
        findings: Returns what a search has found out, where there was one; it keeps the search's memory.
    """

    action: Action
    reason: Message | str
    findings: Callable[[], Findings] | None = field(default=None, compare=False, repr=False)


ONLY: Final = Message("nothing else is allowed")
"""Why an agent does what it has to do."""


class Agent(Protocol):
    """A player that is a program.

    An agent plays one seat of one game at a time. The same agent text with the same seed makes the
    same choices for equal observations in equal order.

    Attributes:
        sees_all: Whether it is given observations with all cards (rules 9.3), a cheat for experiments.
    """

    sees_all: bool

    @property
    def text(self) -> str:
        """The canonical agent text; `durak_core.make_agent` reads it back."""

    def begin(self, rules: Rules, seat: int, seed: int) -> None:
        """Get ready for a new game and forget the last one.

        Args:
            rules: Its rules.
            seat: Where this agent sits, 0 to ``rules.seats - 1``.
            seed: Seed of the agent's own chance, 0 to 2^63 - 1.

        Raises:
            AgentError: If this agent cannot play by these rules.
        """

    def choose(self, observation: Observation) -> Decision:
        """Choose among the observation's legal actions.

        Raises:
            AgentError: If there are none: it is another seat's turn, or the game is over.
        """


@runtime_checkable
class PunctualAgent(Protocol):
    """What an `Agent` has besides when it can hurry."""

    def choose_by(self, observation: Observation, deadline: Deadline) -> Decision:
        """Choose as `choose` does, and end by the deadline if nothing else ends it before."""


@runtime_checkable
class SimpleAgent(Protocol):
    """What an `Agent` has besides when machine code can play whole games for it, and chooses the same."""

    def player(self, rules: Rules) -> tuple[Player, Network | None]:
        """Return the same player as machine code knows it, and its network if it has one.

        Raises:
            AgentError: If this agent cannot play by these rules.
        """


@runtime_checkable
class ForeignAgent(Protocol):
    """What an `Agent` has besides when it is another program, which may fail and has to be ended."""

    @property
    def name(self) -> str:
        """What the program calls itself, once it has begun a game."""

    def computed(self) -> float:
        """Return the processor time in seconds of the program that runs, or has failed; nan where unknown."""

    def finish(self, observation: Observation, result: str) -> None:
        """Tell the program that the game is over, what its seat saw last, and the result."""

    def failure(self, what: Message) -> ForfeitError:
        """Return the error that says what the program did wrong, and what it wrote last."""

    def close(self) -> None:
        """End the program; the next game starts it again."""


class SteadyAgent:
    """What agents have in common that remember nothing and draw nothing: the observation is all they use."""

    sees_all = False

    def begin(self, rules: Rules, seat: int, seed: int) -> None:
        """Do nothing."""


class SeededAgent:
    """What agents have in common that draw by chance, from a generator or with a seed for every decision."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.sees_all = False
        self._take_up(0)

    def begin(self, rules: Rules, seat: int, seed: int) -> None:
        """Take up a new seed; rules and seat do not matter."""
        del rules, seat
        self._take_up(seed)

    def _take_up(self, seed: int) -> None:
        self._seed = seed
        self._decisions = 0
        self._rng = [derive(seed, CHANCE_STREAM)]

    def next_seed(self) -> int:
        self._decisions += 1
        return derive(self._seed, self._decisions)


def legal_codes(observation: Observation) -> list[int]:
    """Return the codes of the legal actions in their order.

    Raises:
        AgentError: If there are none.
    """
    codes = [encode(action) for action in observation.legal_actions]
    if not codes:
        raise AgentError(
            "seat {seat} is asked to act, but {why}", seat=observation.seat, why=no_turn(observation.turn)
        )
    return codes


def agent_seed(seed: int, seat: int) -> int:
    """Return the seed with which `play_game` lets the agent of a seat begin; the game's is 0 to 2^63 - 1."""
    return derive(derive(seed, AGENTS_STREAM), seat)
