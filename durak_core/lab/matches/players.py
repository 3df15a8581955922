"""Players of matches: built-in agents, saved equilibria, external engines and your own agents.

>>> player_text("engine:time=100")
'engine:time=100'
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final

from durak_core.agents.base import Agent, AgentInfo, AgentOption, AgentValues, ExternalAgent
from durak_core.agents.classic import CLASSIC
from durak_core.agents.learned import AUTO, LEARNED, NO_NETWORK
from durak_core.agents.personas import LEVEL
from durak_core.agents.registry import AGENTS, NamedAgent, non_default_values, read_agent
from durak_core.agents.simple import ADAPTIVE
from durak_core.errors import AgentError, Message, unknown
from durak_core.lab.equilibrium.saved import EQUILIBRIUM
from durak_core.lab.own_agents.adapter import attribute_of, said_of
from durak_core.lab.own_agents.reading import (
    Entrant,
    OwnAgent,
    Recipe,
    agent_of_object,
    installed_names,
    origin_of,
    own_agent,
)
from durak_core.rules import LONGEST_TEXT
from durak_core.search.backend.backend import backend, backend_if_it_pays
from durak_core.search.opponents.model import READING

_IN_QUOTES: Final = r'"(?:[^"\\]|\\.)*"'
_PART: Final = re.compile(rf"(?:{_IN_QUOTES}|[^+])+", re.DOTALL)
_QUOTED_OR_PLUS: Final = re.compile(rf'{_IN_QUOTES}|(?<==)[^",]*\+[^",]*', re.DOTALL)

_OWN: Final = "durak engine"
"""Command of the built-in engine, which also runs if the script is not installed."""


def _engine(text: str, values: AgentValues) -> Agent:
    from durak_core.engine.agent import EngineAgent  # noqa: PLC0415 - imports asyncio
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
    return EngineAgent(text, command, budget, grace_period=values["patience"] / 1000)


ENGINE: Final = AgentInfo(
    "engine",
    "Engine",
    "Lets another program choose.",
    "foreign",
    _engine,
    (
        AgentOption(
            "cmd", "command that starts the engine, once for each agent", _OWN, words="a command line"
        ),
        AgentOption("iterations", "maximum iterations per decision, 0 for no limit", 0, low=0, high=10**9),
        AgentOption("time", "wall time per decision in ms, 0 for no limit", 0, low=0, high=3_600_000),
        AgentOption(
            "patience",
            "grace period in ms: overtime or silence after which it has failed",
            30_000,
            low=1,
            high=3_600_000,
        ),
    ),
    thinks=True,
    method="An external program that speaks the engine protocol (docs/protocol.md).",
)

IN_PROCESS: Final[Mapping[str, AgentInfo]] = {**AGENTS, EQUILIBRIUM.name: EQUILIBRIUM}
"""All players by name that are no external programs: the registered agents and ``equilibrium``."""

PLAYERS: Final[Mapping[str, AgentInfo]] = {**IN_PROCESS, ENGINE.name: ENGINE}
"""All players by name: the above and ``engine``."""


def read_player(entrant: Entrant) -> NamedAgent:
    """Read a player; arguments and errors are as for `make_player`."""
    if isinstance(entrant, NamedAgent):
        return entrant
    if not isinstance(entrant, str):
        return agent_of_object(entrant)
    name = entrant.strip().partition(":")[0]
    if len(entrant) > LONGEST_TEXT or name in PLAYERS:
        return read_agent(entrant, PLAYERS)
    own = own_agent(entrant)
    if own is None:
        what = Message("there is no agent {name}", name=repr(name))
        known = unknown(what, name, (*PLAYERS, *installed_names()))
        raise AgentError("{known}; your own agents are path.py:Class or module:Class", known=known)
    return own


def read_local_player(entrant: Entrant) -> NamedAgent:
    """Read a player like `read_player`, but refuse external engines."""
    named = read_player(entrant)
    if named.info is ENGINE:
        raise AgentError("{text} is another program: expected an agent of Durak or your own", text=named.text)
    return named


def recipe_of(named: NamedAgent) -> Recipe:
    """Return how another process reads a player again: a function and its arguments."""
    return named.recipe if isinstance(named, OwnAgent) else (read_player, (named.text,))


def make_player(entrant: Entrant) -> Agent:
    """Build a player: a registered agent, an engine (``engine:cmd="COMMAND",time=MS``) or your own agent.

    Args:
        entrant: An agent spec, or a class, function or object as in `durak_core.lab.own_agents`.

    Raises:
        AgentError: If there is no such agent, or it or one of its options cannot be read.
    """
    return read_player(entrant).build()


def player_text(entrant: Entrant) -> str:
    """Return the canonical spec of a player; arguments and errors are as for `make_player`."""
    return read_player(entrant).text


def identity_of(named: NamedAgent) -> dict[str, Any]:
    """Return what identifies a player's results besides its spec: its options, and its origin if any."""
    origin = origin_of(named)
    return {**non_default_values(named), **({"origin": origin.as_json()} if origin else {})}


@contextmanager
def seated_agents(entrants: Sequence[Entrant]) -> Iterator[list[Agent]]:
    """Context manager of players by seat: complete agents as they are, others built and closed on exit."""
    given: object = entrants
    if not isinstance(given, Sequence) or isinstance(given, str):
        raise AgentError(
            "agents {given}: expected a list with one agent for each seat, such as ['greedy', 'random']",
            given=said_of(given),
        )
    players = [entrant if _is_complete(entrant) else read_player(entrant).build() for entrant in entrants]
    try:
        yield players
    finally:
        for player, entrant in zip(players, entrants, strict=True):
            if player is not entrant and isinstance(player, ExternalAgent):
                player.close()


def _is_complete(entrant: Entrant) -> bool:
    has_all = all(attribute_of(entrant, name) is not None for name in ("text", "sees_all", "begin", "choose"))
    return has_all and not isinstance(entrant, type)


def read_team(text: str) -> tuple[NamedAgent, ...]:
    """Parse a team spec such as ``expert+greedy``; values containing a plus must be quoted."""
    return tuple(map(read_player, _parts(text)))


def team_members(text: str) -> tuple[str, ...]:
    """Return the canonical specs of a team's players.

    >>> team_members('greedy+engine:cmd="./a+b"')
    ('greedy', 'engine:cmd=./a+b')
    """
    return tuple([member.text for member in read_team(text)])


def team_text(members: Iterable[str]) -> str:
    """Return the team spec of canonical player specs.

    >>> team_text(["greedy", "engine:cmd=./a+b"])
    'greedy+engine:cmd="./a+b"'
    """
    return "+".join([_QUOTED_OR_PLUS.sub(_quoted, member) for member in members])


def team_size(text: str) -> int:
    """Return the number of players in a spec; 1 if it parses as a single player."""
    size = len(_parts(text))
    if size > 1:
        with suppress(AgentError):
            read_player(text)
            return 1
    return size


def read_lone_player(text: Entrant) -> NamedAgent:
    """Read a player like `read_player`, with a specific error for a team spec."""
    if not isinstance(text, str):
        return read_player(text)
    size = team_size(text)
    if size > 1:
        read_team(text)  # reports an invalid member first
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
    """Split a spec at each unquoted plus."""
    if len(text) > LONGEST_TEXT:
        return [text]  # too long for any player
    return _PART.findall(text) or [text]


def _quoted(found: re.Match[str]) -> str:
    return found[0] if found[0].startswith('"') else f'"{found[0]}"'


def is_external(text: str) -> bool:
    """Return whether a canonical spec names an external engine."""
    return text.partition(":")[0] == ENGINE.name


def load_compiled(players: Iterable[Entrant]) -> None:
    """Load the compiled code that players need, compiling it if it is not cached: a network's if it pays."""
    named = map(read_player, players)
    own = [player for player in named if player.info is not ENGINE and not isinstance(player, OwnAgent)]
    searching = [player for player in own if player.thinks and player.info not in (*CLASSIC, *LEARNED)]
    nets = {player.values.get("net", NO_NETWORK) for player in searching}
    has_best = any(player.info is LEVEL for player in searching)
    if nets & {NO_NETWORK, AUTO}:  # no network may cover the rules
        backend("search")
    if has_best or nets - {NO_NETWORK}:
        backend("guided")
    if has_best or any(player.info is ADAPTIVE or player.values.get("inference") for player in own):
        backend(READING)
    for group, agents in (("classic", CLASSIC), ("network", (*LEARNED, LEVEL)), ("solve", (EQUILIBRIUM,))):
        if any(player.info in agents for player in own):
            (backend_if_it_pays if group == "network" else backend)(group)
