"""What the players of a game are called, in the language in force."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from typing import Final

from durak_core import Rules
from durak_core.messages import printable, shortened
from durak_tui.players.opponents import called, title_of
from durak_tui.players.roster import HUMAN
from durak_tui.text.i18n import in_every_language, say, say_as, translate

_MOST_PEOPLE: Final = 6
_LONGEST: Final = 40
"""Letters of a name of a file; those that are chosen in the app are shorter."""
_NUMBERED: Final = re.compile(r"(.+?)( [2-6])?")

TEAM_MARKS: Final = {False: "●■▼", True: "@&="}
"""The signs of the teams; those of ASCII by True."""


def fit_names(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names of seats as they may stand on a screen; whoever has none is called by the seat."""
    return tuple(
        shortened(printable(name).strip(), _LONGEST) or say("Seat {seat}", seat=seat)
        for seat, name in enumerate(names)
    )


def bot_names(bots: Iterable[str], taken: Container[str]) -> Iterator[str]:
    """Name bots by their texts; whoever would be called like somebody before gets a number."""
    given: list[str] = []
    for bot in bots:
        name = called(bot)
        numbered = (name, *(f"{name} {number}" for number in range(2, 2 * _MOST_PEOPLE)))
        given.append(next(one for one in numbered if one not in taken and one not in given))
        yield given[-1]


def team_names(names: Sequence[str], rules: Rules) -> tuple[str, ...]:
    """Name the teams by their members; without teams each player is one."""
    return tuple(
        [" + ".join(names[seat] for seat in rules.members(team)) for team in range(rules.team_count)]
    )


def team_mark(rules: Rules, seat: int, *, ascii_only: bool = False) -> str:
    """Return what stands before a player's name, the sign of the team; nothing without teams."""
    return "" if rules.teams is None else f"{TEAM_MARKS[ascii_only][rules.team_of(seat)]} "


def team_labels(
    names: Sequence[str], rules: Rules, *, ascii_only: bool = False
) -> tuple[tuple[str, str], ...]:
    """Return what a legend calls each team: its names behind its sign, and the sign alone.

    Without teams a player's name, for which there is nothing shorter.
    """
    marks = [team_mark(rules, team, ascii_only=ascii_only) for team in range(rules.team_count)]
    named = zip(marks, team_names(names, rules), strict=True)
    return tuple([(f"{mark}{name}", mark.rstrip()) for mark, name in named])


def shown_names(names: Iterable[str], players: Sequence[str] = ()) -> tuple[str, ...]:
    """Name the seats: what the app has called them is said in the language in force, whatever it was then.

    Where the players' texts are not known, only "You" and names that are texts change their language.
    """
    nameless = in_every_language("name", "You")
    return tuple(
        say_as("name", "You") if name in nameless else _said(name, players[seat] if players else "")
        for seat, name in enumerate(names)
    )


def _said(name: str, player: str) -> str:
    """Say a name that the app gives, to a bot or to a person without a name; any other stays."""
    if player == HUMAN:
        for number in range(1, _MOST_PEOPLE + 1):
            if name in {text.format(number=number) for text in in_every_language("", "Player {number}")}:
                return say("Player {number}", number=number)
        return name
    numbered = _NUMBERED.fullmatch(name)
    title = title_of(player)
    if title and numbered and numbered[1] in in_every_language("", title):
        return translate(title) + (numbered[2] or "")
    return called(name)
