"""Display texts of the six opponents and of other agents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from durak_core.agents.catalogue import AGENTS
from durak_core.agents.personas import OPPONENTS, Opponent, opponent_of
from durak_tui.text.i18n import in_every_language, mark, translate

FRIEND: Final = "friend"
"""The spec of another person at a table of friends."""

MOST_STARS: Final = max(opponent.stars for opponent in OPPONENTS)

_FRIEND: Final = mark("A friend")

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


def title_of(text: str) -> str:
    """Return an agent's English name; empty for other texts."""
    opponent = opponent_of(text)
    if opponent is not None:
        return opponent.name
    if text == FRIEND:
        return _FRIEND
    info = AGENTS.get(text.partition(":")[0])
    return EARLIER.get(text) or (info.title if info else "")
