"""The words that find games: what is stored in English is found by the words of the language in force."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from durak_core import PRESETS
from durak_core.agents.catalogue import AGENTS
from durak_tui.library.entries import SOURCES
from durak_tui.players.names import BOT_NAMES
from durak_tui.players.roster import LEVELS, player_word
from durak_tui.text.i18n import in_every_language, mark, say, say_as, say_count, translate
from durak_tui.text.phrases import preset_text

RESULTS: Final = {
    "won": mark("I won"),
    "lost": mark("I lost"),
    "draw": mark("draw"),
    "open": mark("unfinished"),
    "ended": mark("others had a fool"),
}
"""What a `Query` may ask for as a result, with what it reads in English."""

OUTCOMES: Final = {
    "won": mark("won"),
    "lost": mark("lost"),
    "draw": mark("draw"),
    "open": mark("broken off"),
}
"""How a game ended, as an `Entry` says it, with what it reads in English."""


def stored_words(word: str) -> tuple[str, ...]:
    """Return the texts of which one must stand in a game's words: the word itself, and what it means.

    Args:
        word: A word of a search, or its beginning, case folded.
    """
    meant = {stored.casefold() for stored, said in _sayings() if _begins(said, word)}
    return (word, *sorted(meant - {word}))


def _begins(said: str, word: str) -> bool:
    return any(part.startswith(word) for part in re.split(r"\W+", said.casefold()))


def _sayings() -> Iterator[tuple[str, str]]:
    """Yield what is stored, with what people read of it in the language in force."""
    for preset in PRESETS:
        yield preset, preset_text(preset)
    for texts in (OUTCOMES, RESULTS):
        for outcome, text in texts.items():
            yield "fool" if outcome == "ended" else outcome, translate(text)
    yield "fool", say("fool {names}", names="")
    for source in SOURCES:
        yield source, say_as("source", source)
    yield "assisted", say("assisted: {how}", how="")
    for seats in range(2, 7):
        yield "seats", say_count("{count} seat", "{count} seats", seats)
    for name, level in LEVELS.items():
        yield level.text, player_word(name)
    for name in AGENTS:
        yield name, player_word(name)
    for name in BOT_NAMES:
        for anywhere in in_every_language("", name):
            yield anywhere, translate(name)
