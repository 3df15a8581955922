"""The set phrases of the table. A player sends a number, and each reads it in their own language."""

from __future__ import annotations

from typing import Final

from durak_tui.text.i18n import mark, translate

PHRASES: Final = (
    mark("Take it!"),
    mark("Beaten!"),
    mark("You cheat!"),
    mark("Well played!"),
    mark("Not so fast!"),
    mark("I knew it."),
    mark("Good luck!"),
    mark("Thanks, friend."),
    mark("Back in a minute."),
    mark("Wake up, it's your turn!"),
)
"""The phrases by number. New ones come last: old programs send the old numbers."""

NUDGE: Final = len(PHRASES) - 1
"""The phrase that also rings the bell of the player to act."""


def phrase_words(number: int) -> str:
    """Return a phrase; three dots for one of a later version."""
    return translate(PHRASES[number]) if number < len(PHRASES) else "..."
