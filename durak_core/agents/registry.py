"""Agent texts and the agents they name.

A text is a name, then options after a colon: ``greedy``, ``random:uniform``, ``name:key=value,key=value``.
A key whose values are ``off`` and ``on`` may stand alone for ``on``. The canonical text names the
options that differ from their defaults, in the order in which the agent lists them.

>>> make_agent("random:uniform").text
'random:uniform'
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from durak_core.agents.base import Agent
from durak_core.agents.searching import Budget, SolverAgent, TreeAgent
from durak_core.agents.simple import GreedyAgent, random_agent, uniform_agent
from durak_core.agents.smart import SmartAgent
from durak_core.errors import AgentError
from durak_core.search.searcher import SearchSettings

__all__ = ["AGENTS", "AgentInfo", "AgentOption", "AgentValues", "agent_text", "make_agent"]

AgentValues: TypeAlias = Mapping[str, str]
"""Every option of an agent by name, as checked text."""


@dataclass(frozen=True, slots=True)
class AgentOption:
    """What may stand for one option of an agent.

    Attributes:
        name: The key.
        summary: One line for people.
        default: The value when the text does not name it.
        choices: The words that may stand for it; empty for a plain number.
        low: Least number, where numbers are allowed.
        high: Greatest number.
        whole: Whether numbers must be whole.
    """

    name: str
    summary: str
    default: str
    choices: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    whole: bool = True

    @property
    def is_flag(self) -> bool:
        """Whether the key may stand alone."""
        return self.choices == ("off", "on")

    @property
    def expected(self) -> str:
        """What may stand here, in words."""
        parts = list(self.choices)
        if self.low is not None and self.high is not None:
            parts.append(f"a {'whole ' if self.whole else ''}number from {self.low:g} to {self.high:g}")
        return " or ".join(parts)

    def check(self, text: str) -> str:
        """Return a value's text in its canonical form.

        Raises:
            AgentError: If it may not stand for this option.
        """
        word = text.strip()
        if word in self.choices:
            return word
        if self.low is not None and self.high is not None:
            try:
                number = int(word) if self.whole else float(word)
            except ValueError:
                pass
            else:
                if self.low <= number <= self.high:
                    return f"{number}" if self.whole else f"{number:g}"
        raise AgentError(f"{self.name}={text}: expected {self.expected}")


@dataclass(frozen=True, slots=True)
class AgentInfo:
    """What help pages and the app's list of players say about an agent.

    Attributes:
        name: The name in agent texts.
        title: The name for people.
        summary: One sentence.
        style: One word for its manner.
        make: Builds one from its canonical text and all its options' values.
        options: Its options, in the order of the canonical text.
        thinks: Whether it computes for long, so that it needs a process of its own beside a screen.
    """

    name: str
    title: str
    summary: str
    style: str
    make: Callable[[str, AgentValues], Agent] = field(repr=False)
    options: tuple[AgentOption, ...] = ()
    thinks: bool = False


def _random(text: str, values: AgentValues) -> Agent:
    del text
    return uniform_agent() if values["uniform"] == "on" else random_agent()


def _greedy(text: str, values: AgentValues) -> Agent:
    del text, values
    return GreedyAgent()


def _smart(text: str, values: AgentValues) -> Agent:
    del text, values
    return SmartAgent()


def _solver(text: str, values: AgentValues) -> Agent:
    return SolverAgent(text, SmartAgent(), int(values["nodes"]))


def _ismcts(text: str, values: AgentValues) -> Agent:
    solves = values["solver"] == "on"
    budget = Budget(
        iterations=int(values["iterations"]),
        seconds=int(values["time"]) / 1000,
        solver=int(values["nodes"]) if solves else 0,
    )
    settings = SearchSettings(
        exploration=float(values["c"]),
        epsilon=float(values["epsilon"]),
        mix=float(values["mix"]),
        leaf_cards=int(values["leaf"]) if solves else 0,
        memory=float(values["memory"]),
    )
    return TreeAgent(text, budget, settings)


_NODES: Final = AgentOption("nodes", "positions searched for an endgame", "500000", low=1, high=100_000_000)

AGENTS: Final[Mapping[str, AgentInfo]] = {
    info.name: info
    for info in (
        AgentInfo(
            "random",
            "Random",
            "Plays whatever comes to hand and passes or takes one time in five.",
            "careless",
            _random,
            (AgentOption("uniform", "every allowed action is equally likely", "off", ("off", "on")),),
        ),
        AgentInfo(
            "greedy",
            "Greedy",
            "Plays its lowest card, saves its trumps and never looks ahead.",
            "thrifty",
            _greedy,
        ),
        AgentInfo(
            "smart",
            "Smart",
            "Plays like Greedy, but shuts ranks you could throw in and knows how to finish an endgame.",
            "watchful",
            _smart,
        ),
        AgentInfo(
            "solver",
            "Solver",
            "Plays like Smart until the last cards lie open, and the rest without a mistake.",
            "exact",
            _solver,
            (_NODES,),
            thinks=True,
        ),
        AgentInfo(
            "ismcts",
            "Searcher",
            "Deals your hidden cards a thousand ways, plays each of them out, and takes what works best.",
            "patient",
            _ismcts,
            (
                AgentOption("iterations", "at most so many for a decision", "10000", low=1, high=1e9),
                AgentOption("time", "at most so many milliseconds, 0 for any", "0", low=0, high=3_600_000),
                AgentOption("c", "weight of exploring", "0.7", low=0, high=10, whole=False),
                AgentOption(
                    "epsilon", "share of random actions in playouts", "0.15", low=0, high=1, whole=False
                ),
                AgentOption("mix", "share of greedy replies in the tree", "0", low=0, high=1, whole=False),
                AgentOption("solver", "whether endgames are solved", "on", ("off", "on")),
                AgentOption("leaf", "cards in two hands solved at a leaf", "8", low=0, high=20),
                _NODES,
                AgentOption("memory", "megabytes for the tree", "64", low=0.001, high=16_384, whole=False),
            ),
            thinks=True,
        ),
    )
}


def make_agent(text: str) -> Agent:
    """Build the agent that a text names.

    Args:
        text: Such as ``greedy`` or ``random:uniform``.

    Raises:
        AgentError: If there is no such agent or option, or a value may not stand.
    """
    info, values = _read(text)
    return info.make(_write(info, values), values)


def agent_text(text: str) -> str:
    """Return the canonical form of an agent text without building the agent.

    Raises:
        AgentError: As for `make_agent`.
    """
    return _write(*_read(text))


def _read(text: str) -> tuple[AgentInfo, dict[str, str]]:
    name, _, rest = text.strip().partition(":")
    info = AGENTS.get(name)
    if info is None:
        raise AgentError(_unknown("agent", name, AGENTS))
    options = {option.name: option for option in info.options}
    values = {option.name: option.default for option in info.options}
    for setting in filter(None, map(str.strip, rest.split(","))):
        key, equals, value = setting.partition("=")
        option = options.get(key.strip())
        if option is None:
            raise AgentError(_unknown(f"option of {name}", key.strip(), options))
        if not equals and not option.is_flag:
            raise AgentError(f"{name}:{key}: expected {key}=value, where the value is {option.expected}")
        values[option.name] = option.check(value if equals else "on")
    return info, values


def _write(info: AgentInfo, values: AgentValues) -> str:
    named = [option for option in info.options if values[option.name] != option.default]
    parts = [
        option.name
        if option.is_flag and values[option.name] == "on"
        else f"{option.name}={values[option.name]}"
        for option in named
    ]
    return info.name + (":" + ",".join(parts) if parts else "")


def _unknown(kind: str, name: str, known: Iterable[str]) -> str:
    names = list(known)
    if not names:
        return f"there is no {kind} {name!r}: it has none"
    close = difflib.get_close_matches(name, names, n=1)
    hint = f"; did you mean {close[0]}? There are: " if close else "; there are: "
    return f"there is no {kind} {name!r}{hint}{', '.join(names)}"
