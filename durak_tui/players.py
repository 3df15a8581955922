"""The players: which agents may play, the six opponents, their names, and what they say.

Fast agents choose in the app. Searching agents run in an engine process (`durak_tui.play.bots`), so that the
screen does not freeze.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from importlib.machinery import PathFinder
from typing import Final, Literal, TypeAlias

from durak_core import Record, Rules
from durak_core.agents.base import Agent, AgentInfo
from durak_core.agents.personas import OPPONENTS, Opponent, opponent_of
from durak_core.agents.registry import AGENTS, agent_text, agent_values, make_agent
from durak_core.errors import AgentError, printable, shortened
from durak_tui.sandbox import is_confined
from durak_tui.text.i18n import gettext, in_every_language, mark, pgettext, translate

FRIEND: Final = "friend"
"""The spec of another person at a table of friends."""

MOST_STARS: Final = max(opponent.stars for opponent in OPPONENTS)

_FRIEND: Final = mark("A friend")

_OWN: Final = re.compile(
    r'(?:(?:"[^"]+\.py"|[^"]+?\.py)(?=[:,]|$)|(?P<module>[^\W\d]\w*)[\w.]*(?=:[^\W\d])):?(?P<name>[\w.]*).*',
    re.DOTALL,
)
"""The spec of a player's own agent: ``FILE.py:CLASS`` or ``MODULE:CLASS``, with options after a comma."""

EARLIER: Final = {
    "ismcts:iterations=8": mark("An earlier beginner"),
    "ismcts:iterations=80": mark("An earlier club player"),
    "ismcts:iterations=500": mark("An earlier master"),
    "ismcts:time=1000": mark("An earlier grandmaster"),
    "ismcts:time=1000,net=auto": mark("An earlier grandmaster"),
}
"""Opponents of earlier versions' levels, whose specs occur in old games."""


def opponent_named(word: str) -> str:
    """Return the spec of the opponent with this name in any language; empty if there is none."""
    wanted = word.strip().casefold()
    for opponent in OPPONENTS:
        if wanted in map(str.casefold, in_every_language("", opponent.name)):
            return opponent.text
    return ""


def name_of(opponent: Opponent) -> str:
    return translate(opponent.name)


def character_of(opponent: Opponent) -> str:
    return translate(opponent.character)


def face_of(opponent: Opponent, *, ascii_only: bool = False) -> str:
    return opponent.plain_face if ascii_only else opponent.face


def stars_text(stars: int, *, ascii_only: bool = False, width: int = MOST_STARS) -> str:
    """Draw filled and empty stars, or write their number if they do not fit."""
    full, empty = "*." if ascii_only else "★☆"
    return f"{stars}{full}" if width < MOST_STARS else full * stars + empty * (MOST_STARS - stars)


def stars_at(players: Sequence[str], seat: int) -> int:
    """Return the stars of a seat's player; 0 if it is no opponent."""
    opponent = opponent_of(players[seat]) if players else None
    return 0 if opponent is None else opponent.stars


def key_at(players: Sequence[str], seat: int) -> str:
    """Return the key of a seat's player; empty if it is no opponent."""
    opponent = opponent_of(players[seat]) if players else None
    return "" if opponent is None else opponent.key


def called(text: str) -> str:
    """Return an agent's translated name. Other texts are unchanged."""
    title = title_of(text)
    return translate(title) if title else text


def own_name(text: str) -> str:
    """Return the class that an own agent's spec names, of a file or a module; empty for other texts."""
    found = _OWN.fullmatch(text)
    if found is None or text.partition(":")[0] in AGENTS:
        return ""
    is_there = found["module"] is None or PathFinder.find_spec(found["module"], ["", *sys.path])
    return found["name"] or text if is_there else ""


def title_of(text: str) -> str:
    """Return an agent's English name, or an own agent's class; empty for other texts."""
    opponent = opponent_of(text)
    if opponent is not None:
        return opponent.name
    if text == FRIEND:
        return _FRIEND
    info = AGENTS.get(text.partition(":")[0])
    return EARLIER.get(text) or (info.title if info else own_name(text))


Occasion: TypeAlias = Literal["takes", "gave", "beaten_off", "out", "fool"]

_REMARKS: Final[Mapping[str, Mapping[Occasion, tuple[str, ...]]]] = {
    "misha": {
        "takes": (mark("More cards is better, right?"), mark("I'll take them. I like the pictures.")),
        "gave": (mark("Did that work? It worked!"), mark("Oh! Sorry. I think.")),
        "beaten_off": (mark("I beat them all! Did you see?"), mark("Wait, was that my turn?")),
        "out": (mark("I'm out? I'm out! What does that mean?"),),
        "fool": (mark("Can we play again? I nearly had it."),),
    },
    "tanya": {
        "takes": (mark("Fine, I'll keep them company."), mark("I wasn't looking. Was that mine?")),
        "gave": (mark("Don't pull such a face!"), mark("A little present from me.")),
        "beaten_off": (mark("Tea, anyone?"), mark("See? I do pay attention. Sometimes.")),
        "out": (mark("I'll put the kettle on."),),
        "fool": (mark("Oh well. It was a nice evening."),),
    },
    "boris": {
        "takes": (mark("A big hand is a rich hand!"), mark("Pile it on, I have pockets.")),
        "gave": (mark("Eat up, don't be shy!"), mark("That's how it's done on Thursdays.")),
        "beaten_off": (mark("Is that all you've got?"), mark("Next, please!")),
        "out": (mark("Ha! Who's dealing next?"),),
        "fool": (mark("The cards were marked. Again!"),),
    },
    "olga": {
        "takes": (mark("I'll need these later."), mark("A small investment.")),
        "gave": (mark("Trumps are for saving, dear."), mark("I did wonder about that.")),
        "beaten_off": (mark("Neatly done, I believe."), mark("Let's go on.")),
        "out": (mark("Thank you, that will do."),),
        "fool": (mark("I won't forget this."),),
    },
    "viktor": {
        "takes": (mark("Hm. I have a plan for these."), mark("Taking is a move, too.")),
        "gave": (mark("I thought so."), mark("I was counting on that.")),
        "beaten_off": (mark("In my day we attacked harder."), mark("As expected.")),
        "out": (mark("Forty years of practice."),),
        "fool": (mark("Well played. It won't happen twice."),),
    },
    "nina": {
        "takes": (mark("Come to granny, my dears."), mark("Never mind, I've carried heavier bags.")),
        "gave": (mark("Eat, child, you're thin."), mark("Take them, take them. Granny has more.")),
        "beaten_off": (mark("And you hoped to surprise an old woman!"), mark("I've seen better, dear.")),
        "out": (mark("Now I can get on with my knitting."),),
        "fool": (mark("You're not from my street, are you?"),),
    },
}


def remark_of(key: str, occasion: Occasion, number: int) -> str:
    """Return an opponent's remark on an occasion; the number picks one of several."""
    remarks = _REMARKS[key][occasion]
    return translate(remarks[number % len(remarks)])


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
_OWN_TIME: Final = 30_000
"""Most milliseconds per move of an own agent, which knows of no time."""

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
    token = _owners_bots.set(frozenset([*words, *(agent_text(word) for word in words if not own_name(word))]))
    try:
        yield
    finally:
        _owners_bots.reset(token)


def _known(word: str) -> Mapping[str, AgentInfo]:
    if not is_confined() or word in _owners_bots.get():
        return AGENTS
    return _FOR_VISITORS


def check_bot(word: str, rules: Rules | None = None, *, own: bool = False) -> str:
    """Return the canonical spec of an opponent or agent, if it is allowed at the table.

    Checks every player from a form, a file or the command line. With `own`, for a spec from the player and
    not from a game's file, it can be an own agent, whose code runs in the engine process alone.

    Raises:
        AgentError: If there is no such agent, it sees all cards, it is not allowed to visitors in the
            browser, or it does not support the rules.
    """
    word = resolve_opponent(word)
    if own and own_name(word) and (not is_confined() or word in _owners_bots.get()):
        return word
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
    return _OWN_TIME if own_name(text) else _time(text) or _USUAL_TIME


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


_MOST_PEOPLE: Final = 6
_LONGEST: Final = 40
"""Maximum characters of a name from a file. Names chosen in the app are shorter."""
_NUMBERED: Final = re.compile(r"(.+?)( [2-6])?")

TEAM_MARKS: Final = {False: "●■▼", True: "@&="}
"""Team signs; under True in ASCII."""


def fit_names(names: Iterable[str]) -> tuple[str, ...]:
    """Return displayable names. Empty names become seat numbers."""
    return tuple(
        shortened(printable(name).strip(), _LONGEST) or gettext("Seat {seat}", seat=seat)
        for seat, name in enumerate(names)
    )


def bot_names(bots: Iterable[str], taken: Container[str]) -> Iterator[str]:
    """Return names for bot specs. Repeated names are numbered."""
    given: list[str] = []
    for bot in bots:
        name = called(bot)
        numbered = (name, *(f"{name} {number}" for number in range(2, 2 * _MOST_PEOPLE)))
        given.append(next(one for one in numbered if one not in taken and one not in given))
        yield given[-1]


def team_names(names: Sequence[str], rules: Rules) -> tuple[str, ...]:
    return tuple(
        [" + ".join(names[seat] for seat in rules.members(team)) for team in range(rules.team_count)]
    )


def team_mark(rules: Rules, seat: int, *, ascii_only: bool = False) -> str:
    """Return the team sign shown before a player's name; empty without teams."""
    return "" if rules.teams is None else f"{TEAM_MARKS[ascii_only][rules.team_of(seat)]} "


def team_labels(
    names: Sequence[str], rules: Rules, *, ascii_only: bool = False
) -> tuple[tuple[str, str], ...]:
    """Return each team's legend: sign and names, and the sign alone.

    Without teams, the sign is empty.
    """
    marks = [team_mark(rules, team, ascii_only=ascii_only) for team in range(rules.team_count)]
    named = zip(marks, team_names(names, rules), strict=True)
    return tuple([(f"{mark}{name}", mark.rstrip()) for mark, name in named])


def shown_names(names: Iterable[str], players: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the seats' names, with names given by the app translated into the active language.

    If the players are unknown, only "You" and names that are agent specs are translated.
    """
    nameless = in_every_language("name", "You")
    return tuple(
        pgettext("name", "You")
        if name in nameless and not (players and players[seat] == FRIEND)
        else _said(name, players[seat] if players else "")
        for seat, name in enumerate(names)
    )


def _said(name: str, player: str) -> str:
    if player == HUMAN:
        for number in range(1, _MOST_PEOPLE + 1):
            if name in {text.format(number=number) for text in in_every_language("", "Player {number}")}:
                return gettext("Player {number}", number=number)
        return name
    if player == FRIEND:
        return name
    numbered = _NUMBERED.fullmatch(name)
    title = title_of(player)
    if title and numbered and numbered[1] in in_every_language("", title):
        return translate(title) + (numbered[2] or "")
    return called(name)
