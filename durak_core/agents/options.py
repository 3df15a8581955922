"""What an agent text may say: the options of an agent, and what is known of each agent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias

from durak_core.agents.base import Agent
from durak_core.errors import AgentError
from durak_core.messages import Message, alternatives

AgentValue: TypeAlias = bool | int | float | str

AgentValues: TypeAlias = Mapping[str, Any]
"""Every option of an agent by name, each an `AgentValue` that its option has read."""


@dataclass(frozen=True, slots=True)
class AgentOption:
    """The valid values of one option of an agent.

    Attributes:
        name: The key.
        summary: One line for people.
        default: The value when the text does not name it.
        choices: The valid words; empty for a plain number. Off and on are False and True.
        low: Least number, where numbers are allowed.
        high: Greatest number.
        whole: Whether numbers must be whole.
        words: What a free text means, where any is valid; else empty. It names something on this machine,
            such as a file.
        visitors: Greatest number for visitors, where it is less than ``high``.
        leads: Whether its value stands alone, without the key, and is always written.
        late: Whether there are results of experiments from before it; what tells these apart does not name it
            at its default.
        aliases: Other words for some of the choices, which other programs use.
    """

    name: str
    summary: str
    default: AgentValue
    choices: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    whole: bool = True
    words: str = ""
    visitors: float | None = None
    leads: bool = False
    late: bool = False
    aliases: Mapping[str, str] = field(default_factory=dict)

    def for_visitors(self) -> AgentOption:
        """Return what may be said by those whose machine this is not: none of its files, no large numbers."""
        return replace(self, words="", high=self.high if self.visitors is None else self.visitors)

    @property
    def is_flag(self) -> bool:
        return isinstance(self.default, bool)

    @property
    def expected(self) -> Message | str:
        parts: list[Message | str] = [*self.choices, *([self.words] if self.words else [])]
        if self.low is not None and self.high is not None:
            ends = {"low": f"{self.low:g}", "high": f"{self.high:g}"}
            whole = Message("a whole number from {low} to {high}", **ends)
            parts.append(whole if self.whole else Message("a number from {low} to {high}", **ends))
        return alternatives(*parts)

    def read(self, text: str) -> AgentValue:
        """Turn a value's text into the value; if it may not stand for this option, `AgentError`."""
        word = self.aliases.get(text.strip(), text.strip())
        if word in self.choices:
            return word == "on" if self.is_flag else word
        if self.low is not None and self.high is not None:
            try:
                number = int(word) if self.whole else float(word)
            except ValueError:
                pass
            else:
                if self.low <= number <= self.high:
                    return number if self.whole else float(f"{number:g}")
        if self.words and word:
            return word
        raise AgentError(
            "{name}={value}: expected {expected}", name=self.name, value=text, expected=self.expected
        )

    def show(self, value: AgentValue) -> str:
        """Write a value in its canonical form."""
        if isinstance(value, bool):
            return "on" if value else "off"
        return f"{value:g}" if isinstance(value, float) else str(value)


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
        quick: Values of its leading option with which it does not.
    """

    name: str
    title: str
    summary: str
    style: str
    make: Callable[[str, AgentValues], Agent] = field(repr=False)
    options: tuple[AgentOption, ...] = ()
    thinks: bool = False
    quick: tuple[str, ...] = ()

    @property
    def leading(self) -> AgentOption | None:
        """The option whose value stands alone."""
        return next((option for option in self.options if option.leads), None)

    def for_visitors(self) -> AgentInfo:
        return replace(self, options=tuple([option.for_visitors() for option in self.options]))


def without_options(make: Callable[[], Agent]) -> Callable[[str, AgentValues], Agent]:
    """Return what makes an agent whose only option is `OPEN`, for `AgentInfo`."""
    return lambda _text, _values: make()


def switch(name: str, summary: str, *, default: bool = False) -> AgentOption:
    """Return an option that is off or on."""
    return AgentOption(name, summary, default, ("off", "on"))


OPEN: Final = switch("open", "whether it is given all cards (rules 9.3)")
"""The option of every agent to be a cheat for experiments: `Agent.sees_all`."""
