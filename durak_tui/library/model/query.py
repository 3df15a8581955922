"""Library searches and their SQL.

Texts stored in English are also found by their translations into the active language.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from durak_core import PRESETS
from durak_core.agents.catalogue import AGENTS
from durak_core.agents.personas import OPPONENTS
from durak_tui.library.model.entries import SOURCES
from durak_tui.players.opponents import EARLIER, called
from durak_tui.text.i18n import gettext, mark, ngettext, pgettext, translate
from durak_tui.text.phrases import preset_text

RESULTS: Final = {
    "won": mark("I won"),
    "lost": mark("I lost"),
    "draw": mark("draw"),
    "open": mark("unfinished"),
    "ended": mark("another player was the fool"),
}
"""Results to search for, with their English names."""

OUTCOMES: Final = {"won": mark("won"), "lost": mark("lost"), "draw": mark("draw"), "open": mark("broken off")}
"""Values of `Entry.outcome`, with their English names."""

COLUMNS: Final = {
    "date": "date",
    "rules": "rules",
    "players": "players COLLATE NOCASE",
    "result": "outcome COLLATE NOCASE",
    "bouts": "bouts",
    "moves": "plies",
    "help": "hints + undos",
}
"""Sortable columns and their SQL."""


_MOST_WORDS: Final = 20
"""SQLite accepts some hundreds of conditions."""


@dataclass(frozen=True, slots=True)
class Query:
    """A search. Empty texts and None match every game.

    Attributes:
        text: Words that must all occur in the game's line, rules, players or date, in English or the active
            language. Only the first twenty are used.
        opponent: Specs, one of which must take part.
        result: One of `RESULTS`.
        with_me: Whether a person plays.
        column: One of `COLUMNS`.
    """

    text: str = ""
    preset: str = ""
    opponent: tuple[str, ...] = ()
    result: str = ""
    seats: int | None = None
    with_me: bool | None = None
    column: str = "date"
    descending: bool = True

    @property
    def words(self) -> tuple[str, ...]:
        text = self.text.encode("utf-8", "replace").decode()  # lone surrogates occur in no game
        return tuple(dict.fromkeys(text.casefold().split()))[:_MOST_WORDS]

    def sql(self) -> tuple[str, list[str | int]]:
        conditions = ["deleted = 0"]
        arguments: list[str | int] = []
        for word in self.words:
            wanted = stored_words(word)
            conditions.append(f"({' OR '.join(['instr(search, ?) > 0'] * len(wanted))})")
            arguments += wanted
        if self.opponent:
            marks = ", ".join("?" * len(self.opponent))
            conditions.append(f"id IN (SELECT game FROM seats WHERE player IN ({marks}))")  # noqa: S608
            arguments += self.opponent
        for column, value in (("preset", self.preset), ("seats", self.seats), ("outcome", self.result)):
            if column == "outcome" and value == "ended":
                conditions.append("over = 1 AND draw = 0 AND human IS NULL")
            elif value:
                conditions.append(f"{column} = ?")
                arguments.append(value)
        if self.with_me is not None:
            conditions.append(f"human IS {'NOT ' if self.with_me else ''}NULL")
        way = "DESC" if self.descending else "ASC"
        order = f"{COLUMNS[self.column]} {way}, date {way}, id {way}"
        return f"SELECT id FROM games WHERE {' AND '.join(conditions)} ORDER BY {order}", arguments  # noqa: S608


def stored_words(word: str) -> tuple[str, ...]:
    """Return the stored texts that match a word: the case-folded word and its English originals."""
    meant = {stored.casefold() for stored, said in _sayings() if _begins(said, word)}
    return (word, *sorted(meant - {word}))


def _begins(said: str, word: str) -> bool:
    return any(part.startswith(word) for part in re.split(r"\W+", said.casefold()))


def _sayings() -> Iterator[tuple[str, str]]:
    """Yield stored texts with their translations into the active language."""
    for preset in PRESETS:
        yield preset, preset_text(preset)
    for texts in (OUTCOMES, RESULTS):
        for outcome, text in texts.items():
            yield "fool" if outcome == "ended" else outcome, translate(text)
    yield "fool", gettext("fool {names}", names="")
    for source in SOURCES:
        yield source, pgettext("source", source)
    yield "assisted", gettext("with help: {how}", how="")
    for seats in range(2, 7):
        yield "seats", ngettext("{count} player", "{count} players", seats)
    for text in (*[opponent.text for opponent in OPPONENTS], *EARLIER, *AGENTS):
        yield text, called(text)
