"""The players allowed at the table: people, the six opponents, and every agent that does not see all cards.

Agents that answer at once choose in the app; those that think do so in the engine's process
(`durak_tui.play.bots`), or the screen would freeze.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from durak_core import Record, Rules
from durak_core.agents.base import Agent
from durak_core.agents.catalogue import AGENTS
from durak_core.agents.level import OPPONENTS, opponent_of
from durak_core.agents.options import AgentInfo
from durak_core.agents.registry import agent_text, agent_values, make_agent
from durak_core.errors import AgentError
from durak_tui.confinement import is_confined
from durak_tui.players.opponents import character_of
from durak_tui.text.i18n import say_as, translate

HUMAN: Final = "human"
"""The text of a player who is a person."""

OPPONENT_WORDS: Final[Mapping[str, str]] = {
    **{opponent.key: opponent.text for opponent in OPPONENTS},
    "beginner": "level:misha",
    "club": "level:boris",
    "master": "level:viktor",
    "grandmaster": "level:nina",
}
"""Words for an opponent in settings and on the command line; the last four are from earlier versions."""

TIMES: Final[Mapping[str, int]] = {"0.1 s": 100, "0.3 s": 300, "1 s": 1000, "3 s": 3000}
"""The choices of thinking time: label to milliseconds a move."""

_USUAL_TIME: Final = 1000
"""Milliseconds a move of an agent whose text sets no time."""

_FOR_VISITORS: Final[Mapping[str, AgentInfo]] = {name: info.for_visitors() for name, info in AGENTS.items()}
_owners_bots: ContextVar[frozenset[str]] = ContextVar("owners_bots", default=frozenset())


def recorded_players(record: Record, usual: Sequence[str] = ("",) * 6) -> tuple[str, ...]:
    """Return the players by this app's tags ``Player0`` and so on, or else the usual player of a seat."""
    return tuple(record.tags.get(f"Player{seat}", usual[seat]) for seat in range(record.rules.seats))


def resolve_opponent(word: str) -> str:
    """Return the agent text of an opponent's word, or the word itself."""
    name = word.strip()
    return OPPONENT_WORDS.get(name, name)


@contextmanager
def allowing(bots: Iterable[str]) -> Iterator[None]:
    """Allow visitors the bots that the owner of the machine has named, whatever their options.

    It holds inside the block and in tasks and threads that are started there.

    Raises:
        AgentError: As for `check_bot`.
    """
    words = [resolve_opponent(bot) for bot in bots if bot != HUMAN]
    token = _owners_bots.set(frozenset([*words, *map(agent_text, words)]))
    try:
        yield
    finally:
        _owners_bots.reset(token)


def _known(word: str) -> Mapping[str, AgentInfo]:
    """Return the agents and options that are allowed in a text."""
    if not is_confined() or word in _owners_bots.get():
        return AGENTS
    return _FOR_VISITORS


def check_bot(word: str, rules: Rules | None = None) -> str:
    """Return the canonical agent text of an opponent or an agent, if it is allowed at the table.

    Every player from a form, a file or the command line is checked here.

    Raises:
        AgentError: If there is no such agent, it sees all cards, it is not allowed to visitors in the
            browser, or cannot play by these rules.
    """
    word = resolve_opponent(word)
    try:
        text = agent_text(word, _known(word))
    except AgentError as error:
        opponents = ", ".join([opponent.key for opponent in OPPONENTS])
        raise AgentError("{problem}; opponents: {opponents}", problem=error, opponents=opponents) from None
    agent = make_agent(text)
    if agent.sees_all:
        raise AgentError(
            "{agent} sees all cards and may not sit at the table (rules {paragraph}); durak match plays it "
            "for experiments",
            agent=text,
            paragraph="9.3",
        )
    if rules is not None:
        agent.begin(rules, 0, 0)
    return text


def make_bot(word: str) -> Agent:
    """Build the agent of a text that passes `check_bot`."""
    return make_agent(check_bot(word))


def describe(text: str) -> str:
    """Describe an opponent or an agent in a sentence; empty if there is none."""
    opponent = opponent_of(text)
    if opponent is not None:
        return character_of(opponent)
    info = AGENTS.get(text.partition(":")[0])
    return "" if info is None else f"{translate(info.summary)} ({manner(text)})"


def manner(text: str) -> str:
    """Return an agent's title and style; empty if there is none."""
    info = AGENTS.get(text.partition(":")[0])
    return "" if info is None else f"{translate(info.title)}, {say_as('style', info.style)}"


def short_name(word: str) -> str:
    """Return the name of an agent whose text sets nothing but one of `TIMES`, or else the text."""
    name = word.partition(":")[0]
    if name in AGENTS and word in (with_time(name, time) for time in TIMES.values()):
        return name
    return word


def thinking_time(text: str) -> int:
    """Return an agent's milliseconds a move at the table, by the wall clock."""
    return _time(text) or _USUAL_TIME


def time_label(text: str) -> str:
    """Return the label of an agent's time a move; empty if it is none of `TIMES`."""
    return next((label for label, milliseconds in TIMES.items() if milliseconds == _time(text)), "")


def _time(text: str) -> int:
    return int(agent_values(text).get("time", 0))


def with_time(text: str, milliseconds: int) -> str | None:
    """Return the text of an agent with another time a move, or None if it has no such option.

    Its limit on iterations is lifted, or it could stop early.
    """
    text = agent_text(text)
    options = {option.name: option for option in AGENTS[text.partition(":")[0]].options}
    if "time" not in options:
        return None
    settings = f"time={milliseconds}"
    most = options["iterations"].high if "iterations" in options else None
    if most is not None:
        settings += f",iterations={most:.0f}"
    return agent_text(f"{text}{',' if ':' in text else ':'}{settings}")
