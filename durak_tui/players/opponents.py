"""What people read of the six opponents, and of the agents of research beside them."""

from __future__ import annotations

from typing import Final

from durak_core.agents.catalogue import AGENTS
from durak_core.agents.level import OPPONENTS, Opponent, opponent_of
from durak_tui.text.i18n import translate

_MOST_STARS: Final = max(opponent.stars for opponent in OPPONENTS)


def name_of(opponent: Opponent) -> str:
    return translate(opponent.name)


def character_of(opponent: Opponent) -> str:
    return translate(opponent.character)


def face_of(opponent: Opponent, *, ascii_only: bool = False) -> str:
    return opponent.plain_face if ascii_only else opponent.face


def stars_of(opponent: Opponent, *, ascii_only: bool = False) -> str:
    full, empty = "*-" if ascii_only else "★☆"
    return full * opponent.stars + empty * (_MOST_STARS - opponent.stars)


def called(text: str) -> str:
    """Return what the player of an agent's text is called: an opponent's name, or an agent's title."""
    opponent = opponent_of(text)
    if opponent is not None:
        return name_of(opponent)
    info = AGENTS.get(text.partition(":")[0])
    return text if info is None else translate(info.title)
