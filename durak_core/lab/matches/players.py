"""Who can play in matches: the agents of this package, and other programs that speak its protocol.

>>> player_text("engine:time=100")
'engine:time=100'
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Final

from durak_core.agents.base import Agent
from durak_core.agents.catalogue import AGENTS
from durak_core.agents.classic import CLASSIC
from durak_core.agents.guiding import NO_NETWORK
from durak_core.agents.learned import LEARNED
from durak_core.agents.options import AgentInfo, AgentOption, AgentValues
from durak_core.agents.registry import NamedAgent, read_agent
from durak_core.errors import AgentError
from durak_core.rules import LONGEST_TEXT
from durak_core.search.backend.backend import backend

_IN_QUOTES: Final = r'"(?:[^"\\]|\\.)*"'
_PART: Final = re.compile(rf"(?:{_IN_QUOTES}|[^+])+", re.DOTALL)
_QUOTED_OR_PLUS: Final = re.compile(rf'{_IN_QUOTES}|(?<==)[^",]*\+[^",]*', re.DOTALL)

_OWN: Final = "durak engine"
"""The command of this package's own engine; it is started whether or not it is installed."""


def _engine(text: str, values: AgentValues) -> Agent:
    from durak_core.engine.agent import EngineAgent  # noqa: PLC0415 - asyncio, only where engines play
    from durak_core.engine.client import DURAK  # noqa: PLC0415 - as above
    from durak_core.engine.protocol import Budget  # noqa: PLC0415 - as above

    try:
        words = shlex.split(values["cmd"])
    except ValueError as error:
        raise AgentError(
            "{text}: cmd is no command line: {why}; expected words as in a shell", text=text, why=error
        ) from None
    command = DURAK if values["cmd"] == _OWN else tuple(words)
    budget = Budget(iterations=values["iterations"] or None, time=values["time"] or None)
    return EngineAgent(text, command, budget, patience=values["patience"] / 1000)


ENGINE: Final = AgentInfo(
    "engine",
    "Engine",
    "Asks another program that speaks the lines of docs/protocol.md.",
    "foreign",
    _engine,
    (
        AgentOption("cmd", "what is started, once for each agent", _OWN, words="a command line"),
        AgentOption("iterations", "at most so many for a decision, 0 for any", 0, low=0, high=10**9),
        AgentOption("time", "at most so many milliseconds by the clock, 0 for any", 0, low=0, high=3_600_000),
        AgentOption(
            "patience",
            "milliseconds beyond its time, or of silence, until it has failed",
            30_000,
            low=1,
            high=3_600_000,
        ),
    ),
    thinks=True,
)

PLAYERS: Final[Mapping[str, AgentInfo]] = {**AGENTS, ENGINE.name: ENGINE}
"""Everybody who can play in a match, by name."""


def read_player(text: str) -> NamedAgent:
    """Read the text of a player: an agent, or ``engine:cmd="COMMAND",time=MS``.

    Raises:
        AgentError: As for `durak_core.make_agent`.
    """
    return read_agent(text, PLAYERS)


def make_player(text: str) -> Agent:
    """Build the player that a text names; `AgentError` as for `read_player`."""
    return read_player(text).build()


def player_text(text: str) -> str:
    """Return the canonical form of a player's text; `AgentError` as for `read_player`."""
    return read_player(text).text


def read_team(text: str) -> tuple[NamedAgent, ...]:
    """Read the players of a team's text such as ``expert+greedy``; a value with a plus needs quotes there.

    Raises:
        AgentError: As for `read_player`.
    """
    return tuple(map(read_player, _parts(text)))


def team_members(text: str) -> tuple[str, ...]:
    """Return the canonical texts of a team's players; `AgentError` as for `read_team`.

    >>> team_members('greedy+engine:cmd="./a+b"')
    ('greedy', 'engine:cmd=./a+b')
    """
    return tuple([member.text for member in read_team(text)])


def team_text(members: Iterable[str]) -> str:
    """Return the text of a team, of its players' canonical texts.

    >>> team_text(["greedy", "engine:cmd=./a+b"])
    'greedy+engine:cmd="./a+b"'
    """
    return "+".join([_QUOTED_OR_PLUS.sub(_quoted, member) for member in members])


def team_size(text: str) -> int:
    """Return how many players a text names; what can be a single player's is one."""
    size = len(_parts(text))
    if size > 1:
        with suppress(AgentError):
            read_player(text)
            return 1
    return size


def read_lone_player(text: str) -> NamedAgent:
    """Do as `read_player` does, but say what teams need."""
    size = team_size(text)
    if size > 1:
        read_team(text)  # a member that is none is named first
        raise AgentError(
            "{text} is a team of {size}: expected one agent for each place, or rules with teams, "
            "such as teams={example}",
            rule="2.2",
            text=text,
            size=size,
            example="2x3" if size == 3 else "2x2",
        )
    return read_player(text)


def _parts(text: str) -> list[str]:
    """Cut a text at each plus that stands in no quotes."""
    if len(text) > LONGEST_TEXT:
        return [text]  # which no player's is
    return _PART.findall(text)


def _quoted(found: re.Match[str]) -> str:
    return found[0] if found[0].startswith('"') else f'"{found[0]}"'


def is_foreign(text: str) -> bool:
    """Return whether a player, by its canonical text, is another program."""
    return text.partition(":")[0] == ENGINE.name


def make_ready(players: Iterable[str]) -> None:
    """Do as `load_machine_code` does for players by their texts."""
    load_machine_code(map(read_player, players))


def load_machine_code(players: Iterable[NamedAgent]) -> None:
    """Load the machine code that players need, so that no move has to wait for it.

    It is compiled at most once a machine; other processes of the machine load it from the cache.
    """
    own = [player for player in players if player.info is not ENGINE]
    if any(player.thinks for player in own):
        backend("search")
    if any(player.values.get("net", NO_NETWORK) != NO_NETWORK for player in own):
        backend("guided")
    for group, agents in (("classic", CLASSIC), ("network", LEARNED)):
        if any(player.info in agents for player in own):
            backend(group)
