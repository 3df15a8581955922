"""What the players of a game are called, in the language in force."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from durak_core.messages import printable, shortened
from durak_tui.players.roster import HUMAN
from durak_tui.text.i18n import in_every_language, mark, say, say_as, translate

BOT_NAMES: Final = (mark("Masha"), mark("Boris"), mark("Olga"), mark("Ivan"), mark("Vera"), mark("Pavel"))
"""What bots are called in English, in the order of the seats."""
_MOST_PEOPLE: Final = 6
_LONGEST: Final = 40
"""Letters of a name of a file; those that are chosen in the app are shorter."""


def fit_names(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names of seats as they may stand on a screen; whoever has none is called by the seat."""
    return tuple(
        shortened(printable(name).strip(), _LONGEST) or say("Seat {seat}", seat=seat)
        for seat, name in enumerate(names)
    )


def shown_names(names: Iterable[str], players: Sequence[str] = ()) -> tuple[str, ...]:
    """Name the seats: what the app has called them is said in the language in force, whatever it was then.

    Where the players' texts are not known, only "You" changes its language.
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
    elif player:
        return next((translate(given) for given in BOT_NAMES if name in in_every_language("", given)), name)
    return name
