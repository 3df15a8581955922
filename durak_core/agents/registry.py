"""All agents, parsed from specs and built.

A spec is a name, then options after a colon: ``greedy``, ``random:uniform``, ``name:key=value,key=value``. A
key with the values ``off`` and ``on`` alone means ``on``. A leading option's value comes first and without
its key, as in ``level:misha``. Values with a comma or an initial quote need double quotes, in which a
backslash escapes quotes and backslashes. The canonical spec has the options that differ from their defaults,
in the agent's order, quoted only if needed.

>>> make_agent("random:uniform").text
'random:uniform'
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from durak_core.agents.base import OPEN, Agent, AgentInfo, AgentOption, AgentValue, AgentValues
from durak_core.agents.classic import CLASSIC
from durak_core.agents.learned import LEARNED
from durak_core.agents.personas import LEVEL
from durak_core.agents.searching import SEARCHING, SOLVER
from durak_core.agents.simple import ADAPTIVE, EXPERT, GREEDY, KRIPKE, RANDOM, SMART, TEMPERAMENTS
from durak_core.errors import AgentError, Message, unknown
from durak_core.rules import LONGEST_TEXT

AGENTS: Final[Mapping[str, AgentInfo]] = {
    info.name: info
    for infos in (
        (LEVEL,),
        (RANDOM, GREEDY, SMART, EXPERT, KRIPKE),
        TEMPERAMENTS,
        (ADAPTIVE,),
        CLASSIC,
        (SOLVER, *SEARCHING),
        LEARNED,
    )
    for info in infos
}
"""Agents by name, in display order."""


_QUOTED: Final = re.compile(r'\s*"((?:[^"\\]|\\.)*)"\s*', re.DOTALL)
_SETTING: Final = re.compile(rf'([^,=]*)(?:=(?:{_QUOTED.pattern}|(?!\s*")([^,]*)))?(?:,|\Z)', re.DOTALL)
_NEEDS_QUOTES: Final = re.compile(r'[,"\\=\s]|^$')
_ESCAPED: Final = re.compile(r'\\(["\\])')


@dataclass(frozen=True, slots=True)
class NamedAgent:
    """What an agent spec names, read once.

    Attributes:
        text: The canonical spec.
        values: Every option of the agent, defaults included, by name.
    """

    info: AgentInfo
    text: str
    values: AgentValues

    @property
    def thinks(self) -> bool:
        """Whether it computes for long."""
        info = self.info
        return info.thinks and (info.leading is None or self.values[info.leading.name] not in info.quick)

    def build(self) -> Agent:
        for option in self.info.options:
            option.check_file(self.values[option.name])
        agent = self.info.make(self.text, self.values)
        agent.sees_all = self.values.get(OPEN.name) is True
        return agent


def make_agent(text: str, known: Mapping[str, AgentInfo] = AGENTS) -> Agent:
    """Build the agent of a spec such as ``greedy`` or ``random:uniform``.

    Raises:
        AgentError: If the agent or an option is unknown, or a value is invalid.
    """
    return read_agent(text, known).build()


def agent_text(text: str, known: Mapping[str, AgentInfo] = AGENTS) -> str:
    """Return the canonical agent spec without building the agent; errors as for `make_agent`."""
    return read_agent(text, known).text


def agent_values(text: str, known: Mapping[str, AgentInfo] = AGENTS) -> AgentValues:
    """Return all option values of a text's agent by name, defaults included."""
    return read_agent(text, known).values


def non_default_values(named: NamedAgent) -> dict[str, str]:
    """Return the options that identify an agent's results: all but defaults left out of keys."""
    return {
        option.name: option.show(named.values[option.name])
        for option in named.info.options
        if not option.omit_default_from_key or not option.is_default(named.values[option.name])
    }


def thinks(text: str) -> bool:
    """Return whether an agent's decisions take long, so that the app needs a separate process."""
    info = AGENTS.get(text.strip().partition(":")[0])
    return info is not None and info.thinks and read_agent(text).thinks


def split_texts(text: str, names: Container[str]) -> list[str]:
    """Split a list of agent specs at commas.

    A piece begins a spec if its name is known or a colon precedes any ``=``; other pieces are options.
    """
    texts: list[list[str]] = []
    for piece in map(str.strip, text.split(",")):
        begins = piece.partition(":")[0] in names or ":" in piece.partition("=")[0]
        if texts and ":" in texts[-1][0] and not begins:
            texts[-1].append(piece)
        else:
            texts.append([piece])
    return [",".join(pieces) for pieces in texts]


def read_agent(text: str, known: Mapping[str, AgentInfo] = AGENTS) -> NamedAgent:
    """Read an agent spec without building the agent.

    Raises:
        AgentError: As for `make_agent`.
    """
    if len(text) > LONGEST_TEXT:
        raise AgentError(
            "an agent spec of {count} characters: expected at most {most}", count=len(text), most=LONGEST_TEXT
        )
    name, _, rest = text.strip().partition(":")
    info = known.get(name)
    if info is None:
        raise AgentError(unknown(Message("there is no agent {name}", name=repr(name)), name, known))
    text, values = read_options(info, rest)
    return NamedAgent(info, text, values)


def read_options(info: AgentInfo, rest: str) -> tuple[str, dict[str, AgentValue]]:
    """Read the options of a spec, ``key=value,key``; return the canonical spec and all option values.

    Raises:
        AgentError: If an option is unknown or a value is invalid.
    """
    name = info.name
    options = {option.name: option for option in info.options}
    values: dict[str, AgentValue] = {option.name: option.default for option in info.options}
    leading = info.leading
    for key, value in _settings(name + info.separator, rest):
        if value is None and leading is not None and key in leading.choices:
            values[leading.name] = key
            continue
        option = options.get(key)
        if option is None:
            choices = () if leading is None else leading.choices
            what = Message("there is no option of {agent} {name}", agent=name, name=repr(key))
            known = [*choices, *options]
            raise AgentError(
                unknown(what, key, known) if known else Message("{what}: it has none", what=what)
            )
        if value is None and not option.is_flag:
            raise AgentError(
                "{where}: expected {option}=value, where the value is {expected}",
                where=name + info.separator + key,
                option=key,
                expected=option.expected,
            )
        values[option.name] = option.read("on" if value is None else value)
    return write_spec(info, values), values


def _settings(head: str, text: str) -> Iterator[tuple[str, str | None]]:
    """Yield keys and values of ``key=value,key``; the value of a lone key is None."""
    start = 0
    while start < len(text):
        setting = _SETTING.match(text, start)
        if setting is None:
            raise _misquoted(head, text[start:])
        key, in_quotes, plain = setting.group(1, 2, 3)
        value = plain if in_quotes is None else _ESCAPED.sub(r"\1", in_quotes)
        if key.strip() or value is not None:
            yield key.strip(), value
        start = setting.end()


def _misquoted(head: str, text: str) -> AgentError:
    """Return the error in the quoting of a text that begins with ``key="``."""
    key, _, value = text.partition("=")
    where = head + key.strip()
    quoted = _QUOTED.match(value)
    if quoted is None:
        return AgentError(
            '{where}={value}: the quote is not closed: expected another "', where=where, value=value.strip()
        )
    return AgentError(
        "{where}={value}: expected a comma or the end after it, found {found!r}",
        where=where,
        value=quoted[0].strip(),
        found=value[quoted.end() :],
    )


def write_spec(info: AgentInfo, values: AgentValues) -> str:
    """Return the canonical spec of an agent with these values of all its options."""
    named = [option for option in info.options if option.leads or not option.is_default(values[option.name])]
    parts = [_setting(option, option.show(values[option.name])) for option in named]
    return info.separator.join([info.name, ",".join(parts)] if parts else [info.name])


def _setting(option: AgentOption, value: str) -> str:
    if option.leads:
        return value
    return option.name if option.is_flag and value == "on" else f"{option.name}={quoted(value)}"


def quoted(value: str) -> str:
    """Return a value as written in an agent spec, quoted if needed."""
    if not _NEEDS_QUOTES.search(value):
        return value
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
