"""The agent protocols and the descriptions of agents. Agents see observations, never a `State` (rules 9)."""

from __future__ import annotations

import hashlib
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Final, Protocol, TypeAlias, runtime_checkable

from durak_core.actions import Action, Exchange, ShowTrump, encode
from durak_core.deadline import NEVER, Deadline
from durak_core.errors import AgentError, DurakError, ForfeitError, Message
from durak_core.game.observation import Observation
from durak_core.game.state_view import no_turn
from durak_core.kernel.position import AGENTS_STREAM, CHANCE_STREAM, derive
from durak_core.options import OFF_ON, Option
from durak_core.rules import Rules
from durak_core.search.network.weights import Network
from durak_core.search.players import Player
from durak_core.search.search_result import SearchResult


@dataclass(frozen=True, slots=True)
class Decision:
    """An agent's choice and its reason.

    Attributes:
        action: One of the observation's legal actions.
        reason: One clause for logs and spectators, or empty; a plain string is not translated.
        search_info: Returns the search info, if any; it keeps the search's memory alive.
    """

    action: Action
    reason: Message | str = ""
    search_info: Callable[[], SearchResult] | None = field(default=None, compare=False, repr=False)


ONLY: Final = Message("only legal move")
FREE_REASONS: Final = {
    ShowTrump: Message("transfers by showing a trump, and keeps it"),
    Exchange: Message("gets a higher trump for the lowest"),
}
"""Reasons for actions that spend no card."""


class Agent(Protocol):
    """A program that plays one seat of one game at a time.

    With the same agent spec and seed, equal observations in equal order give the same choices.

    Attributes:
        sees_all: Whether it gets observations with all cards (rules 9.3), for experiments.
    """

    sees_all: bool

    @property
    def text(self) -> str:
        """The canonical agent spec; `durak_core.make_agent` reads it."""

    def begin(self, rules: Rules, seat: int, seed: int) -> None:
        """Start a new game and forget the last one.

        Args:
            rules: The game's rules.
            seat: The agent's seat, 0 to ``rules.seats - 1``.
            seed: Seed of the agent's randomness, 0 to 2^63 - 1.

        Raises:
            AgentError: If the agent does not support these rules.
        """

    def choose(self, observation: Observation) -> Decision:
        """Choose one of the observation's legal actions.

        Raises:
            AgentError: If there are none: it is another seat's turn, or the game is over.
        """


@runtime_checkable
class TimedAgent(Protocol):
    """An `Agent` that can choose by a deadline."""

    def choose_by(self, observation: Observation, deadline: Deadline) -> Decision:
        """Choose as `choose` does, but finish by the deadline."""


@runtime_checkable
class SimpleAgent(Protocol):
    """An `Agent` with a compiled counterpart that makes the same choices in whole games."""

    def player(self, rules: Rules) -> tuple[Player, Network | None]:
        """Return the compiled counterpart and its network, if any; `AgentError` for unsupported rules."""


@runtime_checkable
class MixedAgent(Protocol):
    """An `Agent` that knows its probabilities, which makes exact evaluation possible without sampling."""

    def probabilities(self, observation: Observation) -> Sequence[float]:
        """Return the probability of each of the observation's legal actions, in order."""


@runtime_checkable
class ExternalAgent(Protocol):
    """An `Agent` that is an external program, which can fail and must be closed."""

    @property
    def name(self) -> str:
        """The program's own name, known after its first `begin`."""

    def computed(self) -> float:
        """Return the CPU time in seconds of the present or failed process; nan if unknown."""

    def finish(self, observation: Observation, result: str) -> None:
        """Send the program the end of the game: its seat's last observation and the result."""

    def failure(self, what: Message) -> ForfeitError:
        """Return the error for a failure, with the program's last output."""

    def close(self) -> None:
        """End the program; the next game restarts it."""


class BaseAgent:
    """Base of agents.

    Attributes:
        is_deterministic: Whether it only uses the observation: no memory, no randomness.
    """

    is_deterministic = True

    def __init__(self, text: str) -> None:
        self.text = text
        self.sees_all = False

    def begin(self, rules: Rules, seat: int, seed: int) -> None:
        """Start a game, which changes nothing for a deterministic agent."""


class SeededAgent(BaseAgent):
    """Base of agents that use randomness, from a generator or a seed per decision."""

    is_deterministic = False

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._take_up(0)

    def begin(self, rules: Rules, seat: int, seed: int) -> None:
        del rules, seat
        self._take_up(seed)

    def _take_up(self, seed: int) -> None:
        self._seed = seed
        self._decisions = 0
        self._rng = [derive(seed, CHANCE_STREAM)]

    def next_seed(self) -> int:
        self._decisions += 1
        return derive(self._seed, self._decisions)


class ThinkingAgent(SeededAgent, ABC):
    """Base of agents that can choose by a deadline; without one they take the time they need."""

    def choose(self, observation: Observation) -> Decision:
        return self.choose_by(observation, NEVER)

    @abstractmethod
    def choose_by(self, observation: Observation, deadline: Deadline) -> Decision:
        """Choose, and finish by the deadline."""


def legal_codes(observation: Observation) -> list[int]:
    """Return the legal actions' codes in order, or raise `AgentError` if there are none."""
    codes = [encode(action) for action in observation.legal_actions]
    if not codes:
        raise AgentError(
            "seat {seat} is asked to act, but {why}", seat=observation.seat, why=no_turn(observation.turn)
        )
    return codes


def agent_seed(seed: int, seat: int) -> int:
    """Return the seed that `play_game` passes to a seat's agent, to your own classes through `one_way`.

    The game's seed is 0 to 2^63 - 1.
    """
    return derive(derive(seed, AGENTS_STREAM), seat)


def one_way(seed: int) -> int:
    """Hash a seed of `derive`, which could be inverted to find the deal, for agents from outside.

    The result is 1 to 2^61.
    """
    digest = hashlib.blake2b(seed.to_bytes(8, "big"), digest_size=8).digest()
    return (int.from_bytes(digest, "big") >> 3) + 1


AgentValue: TypeAlias = bool | int | float | str

AgentValues: TypeAlias = Mapping[str, Any]
"""The parsed values of all of an agent's options, by name."""

_CHOICE: Final = re.compile(r"[a-z][a-z0-9-]{0,30}")
"""A text that may be meant as a choice; other texts are paths."""


@dataclass(frozen=True)
class AgentOption(Option):
    """One option of an agent; ``values`` also has other programs' words for some choices.

    Attributes:
        whole: Whether numbers must be whole.
        words: The meaning of free text, if valid; it names something on this machine, such as a file.
        is_file: Whether free text is the path of a file that decides how the agent plays.
        visitors: Largest number for web visitors, if less than ``high``.
        leads: Whether the value is written without the key, always.
        omit_default_from_key: Whether keys of experiment results leave out the default, because older results
            lack the option.
    """

    whole: bool = True
    words: str = ""
    is_file: bool = False
    visitors: float | None = None
    leads: bool = False
    omit_default_from_key: bool = False

    REFUSAL: ClassVar[type[DurakError]] = AgentError

    def for_visitors(self) -> AgentOption:
        """Return the option as restricted for web visitors: no files, no large numbers."""
        return replace(self, words="", high=self.high if self.visitors is None else self.visitors)

    def beside_choices(self) -> list[Message | str]:
        found: list[Message | str] = [self.words] if self.words else []
        if self.low is not None and self.high is not None:
            ends = {"low": f"{self.low:,.12g}", "high": f"{self.high:,.12g}"}
            whole = Message("a whole number from {low} to {high}", **ends)
            found.append(whole if self.whole else Message("a number from {low} to {high}", **ends))
        return found

    def parse(self, word: str) -> AgentValue | None:
        if self.low is not None and self.high is not None and word.isascii():
            with suppress(ValueError):
                number = int(word) if self.whole else float(word)
                if self.low <= number <= self.high:
                    return number if self.whole else float(f"{number:g}")
        return word if self.words and word else None

    def check_file(self, value: AgentValue) -> None:
        """Raise `AgentError` for a misspelt choice: a word that is neither one of the choices nor a file."""
        text = str(value)
        may_be_choice = self.is_file and self.choices and _CHOICE.fullmatch(text)
        if may_be_choice and text not in self.choices and not Path(text).exists():
            raise self.refused(text)


@dataclass(frozen=True, slots=True)
class AgentInfo:
    """The description of an agent in help and in the app's list of players.

    Attributes:
        name: The name in agent specs.
        title: The display name.
        summary: One sentence in the app's voice.
        method: The algorithm, for help and reference.
        style: One word for its style of play.
        make: Builds one from its canonical spec and all its option values.
        options: Its options, in canonical order.
        thinks: Whether its decisions take long, so that the app needs a separate process.
        quick: Values of its leading option with quick decisions.
    """

    name: str
    title: str
    summary: str
    style: str
    make: Callable[[str, AgentValues], Agent] = field(repr=False)
    options: tuple[AgentOption, ...] = ()
    thinks: bool = False
    quick: tuple[str, ...] = ()
    method: str = ""

    @property
    def leading(self) -> AgentOption | None:
        """The option written without a key."""
        return next((option for option in self.options if option.leads), None)

    @property
    def separator(self) -> str:
        """What precedes the options in a spec: a comma if the name has a colon, as in ``file.py:Class``."""
        return "," if ":" in self.name else ":"

    def for_visitors(self) -> AgentInfo:
        return replace(self, options=tuple([option.for_visitors() for option in self.options]))


def switch(name: str, summary: str, *, default: bool = False) -> AgentOption:
    return AgentOption(name, summary, default, tuple(OFF_ON), values=OFF_ON)


OPEN: Final = switch("open", "see all cards (rules 9.3)")
"""Every agent's option to see all cards in experiments: `Agent.sees_all`."""
