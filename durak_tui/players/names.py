"""Players' names in the active language."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from typing import Final

from durak_core import Rules
from durak_core.messages import printable, shortened
from durak_tui.players.opponents import FRIEND, called, title_of
from durak_tui.players.roster import HUMAN
from durak_tui.text.i18n import gettext, in_every_language, pgettext, translate

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
