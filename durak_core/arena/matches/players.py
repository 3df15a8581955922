"""Who can play in matches: the agents of this package, and other programs that speak its protocol.

>>> player_text("engine:time=100")
'engine:time=100'
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from typing import Final

from durak_core.agents.base import Agent
from durak_core.agents.catalogue import AGENTS
from durak_core.agents.classic import CLASSIC
from durak_core.agents.guiding import NO_NETWORK
from durak_core.agents.learned import LEARNED
from durak_core.agents.options import AgentInfo, AgentOption, AgentValues
from durak_core.agents.registry import agent_text, agent_values, make_agent, thinks
from durak_core.errors import AgentError
from durak_core.search.backend.backend import backend

_OWN: Final = "durak engine"
"""The command of this package's own engine; it is started whether or not it is installed."""


def _engine(text: str, values: AgentValues) -> Agent:
    from durak_core.engine.agent import EngineAgent  # noqa: PLC0415 - asyncio, only where engines play
    from durak_core.engine.client import DURAK  # noqa: PLC0415 - likewise
    from durak_core.engine.protocol import Budget  # noqa: PLC0415 - likewise

    try:
        words = shlex.split(values["cmd"])
    except ValueError as error:
        raise AgentError(
            "{text}: cmd is no command line: {why}; expected words as in a shell", text=text, why=error
        ) from None
    command = DURAK if values["cmd"] == _OWN else tuple(words)
    budget = Budget(iterations=int(values["iterations"]) or None, time=int(values["time"]) or None)
    return EngineAgent(text, command, budget, patience=int(values["patience"]) / 1000)


ENGINE: Final = AgentInfo(
    "engine",
    "Engine",
    "Asks another program that speaks the lines of docs/protocol.md.",
    "foreign",
    _engine,
    (
        AgentOption("cmd", "what is started, once for each seat", _OWN, words="a command line"),
        AgentOption("iterations", "at most so many for a decision, 0 for any", "0", low=0, high=10**9),
        AgentOption("time", "at most so many milliseconds, 0 for any", "0", low=0, high=3_600_000),
        AgentOption(
            "patience", "milliseconds of silence until it has failed", "30000", low=1, high=3_600_000
        ),
    ),
    thinks=True,
)

PLAYERS: Final[Mapping[str, AgentInfo]] = {**AGENTS, ENGINE.name: ENGINE}
"""Everybody who can play in a match, by name."""


def make_player(text: str) -> Agent:
    """Build the player that a text names: an agent, or ``engine:cmd="COMMAND",time=MS``.

    Raises:
        AgentError: As for `durak_core.make_agent`.
    """
    return make_agent(text, PLAYERS)


def player_text(text: str) -> str:
    """Return the canonical form of a player's text without building the player.

    Raises:
        AgentError: As for `make_player`.
    """
    return agent_text(text, PLAYERS)


def is_foreign(text: str) -> bool:
    """Return whether a player, by its canonical text, is another program."""
    return text.partition(":")[0] == ENGINE.name


def _has_guide(text: str) -> bool:
    """Return whether a player, by its canonical text, searches with a network."""
    return agent_values(text, PLAYERS).get("net", NO_NETWORK) != NO_NETWORK


def make_ready(players: Iterable[str]) -> None:
    """Load the machine code that players, by their canonical texts, need, so that no move has to wait for it.

    It is compiled at most once a machine; other processes of the machine load it from the cache.
    """
    texts = tuple(players)
    if any(map(thinks, texts)):
        backend("search")
    if any(map(_has_guide, texts)):
        backend("guided")
    names = {text.partition(":")[0] for text in texts}
    for group, agents in (("classic", CLASSIC), ("network", LEARNED)):
        if names & {info.name for info in agents}:
            backend(group)
