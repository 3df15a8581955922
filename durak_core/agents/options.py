"""Descriptions of agents and their options."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, TypeAlias

from durak_core.agents.base import Agent
from durak_core.errors import AgentError
from durak_core.messages import Message, alternatives

AgentValue: TypeAlias = bool | int | float | str

AgentValues: TypeAlias = Mapping[str, Any]
"""The parsed values of all of an agent's options, by name."""

_CHOICE: Final = re.compile(r"[a-z][a-z0-9-]{0,30}")
"""A text that may be meant as a choice; other texts are paths."""


@dataclass(frozen=True, slots=True)
class AgentOption:
    """One option of an agent and its valid values.

    Attributes:
        name: The key.
        summary: One line for help.
        default: The value if the spec leaves it out.
        choices: The valid words; empty for plain numbers. Off and on mean False and True.
        low: Smallest number, if numbers are valid.
        high: Largest number.
        whole: Whether numbers must be whole.
        words: The meaning of free text, if valid; it names something on this machine, such as a file.
        is_file: Whether free text is the path of a file that decides how the agent plays.
        visitors: Largest number for web visitors, if less than ``high``.
        leads: Whether the value is written without the key, always.
        omit_default_from_key: Whether keys of experiment results leave out the default, because older results
            lack the option.
        aliases: Other programs' words for some choices.
    """

    name: str
    summary: str
    default: AgentValue
    choices: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    whole: bool = True
    words: str = ""
    is_file: bool = False
    visitors: float | None = None
    leads: bool = False
    omit_default_from_key: bool = False
    aliases: Mapping[str, str] = field(default_factory=dict)

    def for_visitors(self) -> AgentOption:
        """Return the option as restricted for web visitors: no files, no large numbers."""
        return replace(self, words="", high=self.high if self.visitors is None else self.visitors)

    @property
    def is_flag(self) -> bool:
        return isinstance(self.default, bool)

    @property
    def expected(self) -> Message | str:
        parts: list[Message | str] = [*self.choices, *([self.words] if self.words else [])]
        if self.low is not None and self.high is not None:
            ends = {"low": f"{self.low:,.12g}", "high": f"{self.high:,.12g}"}
            whole = Message("a whole number from {low} to {high}", **ends)
            parts.append(whole if self.whole else Message("a number from {low} to {high}", **ends))
        return alternatives(*parts)

    def read(self, text: str) -> AgentValue:
        """Parse a value, or raise `AgentError`."""
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
        raise self._refused(text)

    def check_file(self, value: AgentValue) -> None:
        """Raise `AgentError` for a misspelt choice: a word that is neither one of the choices nor a file."""
        text = str(value)
        may_be_choice = self.is_file and self.choices and _CHOICE.fullmatch(text)
        if may_be_choice and text not in self.choices and not Path(text).exists():
            raise self._refused(text)

    def _refused(self, text: str) -> AgentError:
        return AgentError(
            "{name}={value}: expected {expected}", name=self.name, value=text, expected=self.expected
        )

    def is_default(self, value: AgentValue) -> bool:
        return value is self.default or value == self.default

    def show(self, value: AgentValue) -> str:
        """Format a value in its canonical form."""
        if isinstance(value, bool):
            return "on" if value else "off"
        return f"{value:g}" if isinstance(value, float) else str(value)


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


def without_options(make: Callable[[str], Agent]) -> Callable[[str, AgentValues], Agent]:
    """Return a factory for `AgentInfo` whose only option is `OPEN`."""
    return lambda text, _values: make(text)


def switch(name: str, summary: str, *, default: bool = False) -> AgentOption:
    return AgentOption(name, summary, default, ("off", "on"))


OPEN: Final = switch("open", "see all cards (rules 9.3)")
"""Every agent's option to see all cards in experiments: `Agent.sees_all`."""
