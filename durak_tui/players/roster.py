"""The players allowed at the table: people, the six opponents, and agents that do not see all cards.

Fast agents choose in the app. Searching agents run in an engine process (`durak_tui.play.bots`), so that the
screen does not freeze.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from durak_core import Record, Rules
from durak_core.agents.base import Agent
from durak_core.agents.catalogue import AGENTS
from durak_core.agents.options import AgentInfo
from durak_core.agents.personas import OPPONENTS, opponent_of
from durak_core.agents.registry import agent_text, agent_values, make_agent
from durak_core.errors import AgentError
from durak_tui.players.opponents import FRIEND, character_of
from durak_tui.sandbox import is_confined
from durak_tui.text.i18n import pgettext, translate

HUMAN: Final = "human"
"""The spec of a person."""

PEOPLE: Final = frozenset({HUMAN, FRIEND})

OPPONENT_WORDS: Final[Mapping[str, str]] = {
    **{opponent.key: opponent.text for opponent in OPPONENTS},
    "beginner": "level:misha",
    "club": "level:boris",
    "master": "level:viktor",
    "grandmaster": "level:nina",
}
"""Opponents' names in settings and on the command line. The last four are from earlier versions."""

TIMES: Final[Mapping[str, int]] = {"0.1 s": 100, "0.3 s": 300, "1 s": 1000, "3 s": 3000}
"""Choices of thinking time in milliseconds per move, by label."""

_USUAL_TIME: Final = 1000
"""Milliseconds per move for an agent whose spec sets no time."""

_FOR_VISITORS: Final[Mapping[str, AgentInfo]] = {name: info.for_visitors() for name, info in AGENTS.items()}
_owners_bots: ContextVar[frozenset[str]] = ContextVar("owners_bots", default=frozenset())


def recorded_players(record: Record, usual: Sequence[str] = ("",) * 6) -> tuple[str, ...]:
    """Return the players from the tags ``Player0`` and so on, or the default player of a seat."""
    return tuple(record.tags.get(f"Player{seat}", usual[seat]) for seat in range(record.rules.seats))


def resolve_opponent(word: str) -> str:
    """Return an opponent's spec, or the word itself."""
    name = word.strip()
    return OPPONENT_WORDS.get(name, name)


@contextmanager
def allowing(bots: Iterable[str]) -> Iterator[None]:
    """Allow visitors the bots chosen by the server's owner, whatever their options.

    Applies inside the block, and in tasks and threads started there.

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
    if not is_confined() or word in _owners_bots.get():
        return AGENTS
    return _FOR_VISITORS


def check_bot(word: str, rules: Rules | None = None) -> str:
    """Return the canonical spec of an opponent or agent, if it is allowed at the table.

    Checks every player from a form, a file or the command line.

    Raises:
        AgentError: If there is no such agent, it sees all cards, it is not allowed to visitors in the
            browser, or it does not support the rules.
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
    if rules is not None and opponent_of(text) is None:  # the opponents play by all rules
        agent.begin(rules, 0, 0)
    return text


def make_bot(word: str) -> Agent:
    return make_agent(check_bot(word))


def describe(text: str) -> str:
    opponent = opponent_of(text)
    if opponent is not None:
        return character_of(opponent)
    info = AGENTS.get(text.partition(":")[0])
    return "" if info is None else f"{translate(info.summary)} ({manner(text)})"


def manner(text: str) -> str:
    info = AGENTS.get(text.partition(":")[0])
    return "" if info is None else f"{translate(info.title)}, {pgettext('style', info.style)}"


def short_name(word: str) -> str:
    """Return an agent's name if its spec sets only one of `TIMES`, else the spec."""
    name = word.partition(":")[0]
    if name in AGENTS and word in (with_time(name, time) for time in TIMES.values()):
        return name
    return word


def thinking_time(text: str) -> int:
    """Return an agent's wall-clock milliseconds per move."""
    return _time(text) or _USUAL_TIME


def time_label(text: str) -> str:
    """Return the label of an agent's thinking time; empty if it is none of `TIMES`."""
    return next((label for label, milliseconds in TIMES.items() if milliseconds == _time(text)), "")


def _time(text: str) -> int:
    return int(agent_values(text).get("time", 0))


def with_time(text: str, milliseconds: int) -> str | None:
    """Return a spec with another thinking time, or None if the agent has no such option.

    The limit on iterations is raised to its maximum, so that it does not stop the search early.
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
