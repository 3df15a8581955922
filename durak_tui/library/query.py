"""Which games are asked for, and the SQL that finds them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from durak_tui.library.vocabulary import stored_words

COLUMNS: Final = {
    "date": "date",
    "rules": "rules",
    "players": "players COLLATE NOCASE",
    "result": "outcome COLLATE NOCASE",
    "bouts": "bouts",
    "moves": "plies",
    "help": "hints + undos",
}
"""Columns that games can be sorted by, with their SQL."""


@dataclass(frozen=True, slots=True)
class Query:
    """What is looked for; an empty text or None asks for everything.

    Attributes:
        text: Words that must all stand somewhere in the game's line, rules, players or date, in English or
            in the language in force.
        preset: The rules' preset.
        opponent: The text of a player that takes part.
        result: ``won``, ``lost``, ``draw`` or ``open``; ``ended`` for games of others that had a fool.
        seats: How many play.
        with_me: Whether a person plays.
        column: One of `COLUMNS`.
        descending: Whether the greatest comes first.
    """

    text: str = ""
    preset: str = ""
    opponent: str = ""
    result: str = ""
    seats: int | None = None
    with_me: bool | None = None
    column: str = "date"
    descending: bool = True

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(self.text.casefold().split())

    def sql(self) -> tuple[str, list[str | int]]:
        """Return the statement that lists the games' numbers in order, and its arguments."""
        conditions, arguments = self._conditions()
        where = " AND ".join(["deleted = 0", *conditions])
        way = "DESC" if self.descending else "ASC"
        order = f"{COLUMNS[self.column]} {way}, date {way}, id {way}"
        return f"SELECT id FROM games WHERE {where} ORDER BY {order}", arguments  # noqa: S608 - own words

    def _conditions(self) -> tuple[list[str], list[str | int]]:
        conditions: list[str] = []
        arguments: list[str | int] = []
        for word in self.words:
            wanted = stored_words(word)
            conditions.append(f"({' OR '.join(['instr(search, ?) > 0'] * len(wanted))})")
            arguments.extend(wanted)
        if self.preset:
            conditions.append("preset = ?")
            arguments.append(self.preset)
        if self.seats is not None:
            conditions.append("seats = ?")
            arguments.append(self.seats)
        if self.opponent:
            conditions.append("id IN (SELECT game FROM seats WHERE player = ?)")
            arguments.append(self.opponent)
        if self.result == "ended":
            conditions.append("outcome LIKE 'fool %'")
        elif self.result:
            conditions.append("outcome = ?")
            arguments.append(self.result)
        if self.with_me is not None:
            conditions.append(f"human IS {'NOT ' if self.with_me else ''}NULL")
        return conditions, arguments
