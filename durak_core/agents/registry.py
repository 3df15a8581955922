"""Agent texts and the agents they name.

A text is a name, then options after a colon: ``greedy``, ``random:uniform``, ``name:key=value,key=value``.
A key whose values are ``off`` and ``on`` may stand alone for ``on``. The canonical text names the
options that differ from their defaults, in the order in which the agent lists them.

>>> make_agent("random:uniform").text
'random:uniform'
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from durak_core.agents.base import Agent
from durak_core.agents.catalogue import AGENTS
from durak_core.agents.options import OPEN, AgentInfo, AgentValues
from durak_core.errors import AgentError

__all__ = ["agent_text", "make_agent"]


def make_agent(text: str) -> Agent:
    """Build the agent that a text names.

    Args:
        text: Such as ``greedy`` or ``random:uniform``.

    Raises:
        AgentError: If there is no such agent or option, or a value may not stand.
    """
    info, values = _read(text)
    agent = info.make(_write(info, values), values)
    agent.sees_all = values.get(OPEN.name) == "on"
    return agent


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
