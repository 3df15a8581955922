"""Searches and updates of the library, and their SQL.

Texts stored in English are also found by their translations into the active language.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from types import UnionType
from typing import Any, Final, TypeAlias

from durak_core import PRESETS, Record
from durak_core.agents.personas import OPPONENTS
from durak_core.agents.registry import AGENTS
from durak_core.errors import Message, NotationError, printable
from durak_tui.library.model.entries import (
    LISTED,
    SOURCES,
    Entry,
    SeatEntry,
    game_key,
    insert,
    read_record,
    team_count,
)
from durak_tui.library.model.file import GameError, LibraryFile
from durak_tui.library.model.statistics import (
    Played,
    RatedGame,
    Standing,
    rated_games,
    ratings_around,
    standing_of,
)
from durak_tui.players import EARLIER, HUMAN, called
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
    meant = {
        stored.casefold()
        for stored, said in _sayings()
        if any(part.startswith(word) for part in re.split(r"\W+", said.casefold()))
    }
    return (word, *sorted(meant - {word}))


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


_SHOWN: Final = 500
"""Maximum characters of a listed text."""
_ROWS: Final = (
    "SELECT {} FROM games WHERE ifnull(human, 0) BETWEEN 0 AND 5 AND typeof(seats) = 'integer'".format(  # noqa: S608 - own words
        ", ".join(f"substr({name}, 1, {_SHOWN})" if kind is str else name for name, kind in LISTED.items())
    )
)
_PLAYED: Final = (int, int, str, str, str, int, int, int, int, int, int, float | None)
_DAY_GIVEN_UP: Final = "deal given up"
_MOST_PARAMETERS: Final = 500
_SEATS: Final = range(2, 7)

_Kind: TypeAlias = type | UnionType
"""An argument of `isinstance` for a value's type."""


class Library(LibraryFile):
    """All games in one file. Thread-safe.

    If the file cannot be used, `problem` gives the reason and nothing is stored. Methods raise `LibraryError`
    if the file cannot be read or written, or does not have the game.
    """

    _rated: tuple[object, list[RatedGame]] | None = None

    # Changing

    def add(self, entry: Entry) -> bool:
        """Store a game; return False if it is already there."""
        return self.add_all((entry,)) == 1

    def add_all(self, entries: Iterable[Entry]) -> int:
        """Store games, all or none; return the number of new ones."""
        with self.using(Message("The game cannot be stored in the library"), change=True) as db:
            return sum([insert(db, entry) for entry in entries])

    def delete(self, ids: Iterable[int]) -> None:
        """Delete games. `restore` undoes it until the library is closed."""
        self._set_deleted(ids, 1)

    def restore(self, ids: Iterable[int]) -> None:
        self._set_deleted(ids, 0)

    def _set_deleted(self, ids: Iterable[int], value: int) -> None:
        with self.using(Message("The library cannot be changed"), change=True) as db:
            for each in ids:
                db.execute("UPDATE games SET deleted = ? WHERE id = ?", (value, each))

    def set_accuracy(self, record: Record, accuracy: Mapping[int, float]) -> bool:
        """Store each seat's accuracy, 0 to 100; return False if the game is not in the library."""
        with self.using(Message("The accuracy cannot be stored"), change=True) as db:
            found = db.execute("SELECT id FROM games WHERE key = ?", (game_key(record),)).fetchone()
            if found is None:
                return False
            db.executemany(
                "UPDATE seats SET accuracy = ? WHERE game = ? AND seat = ?",
                [(value, found[0], seat) for seat, value in accuracy.items()],
            )
            return True

    def set_evaluation(self, record: Record, engine: str, milliseconds: int, lines: str) -> bool:
        """Store a review in the caller's format; return False if the game is not in the library."""
        row = (printable(engine), milliseconds, lines, game_key(record))
        with self.using(Message("The analysis cannot be stored"), change=True) as db:
            statement = "INSERT OR REPLACE INTO judgements SELECT id, ?, ?, ? FROM games WHERE key = ?"
            return db.execute(statement, row).rowcount > 0

    def evaluation(self, record: Record) -> tuple[str, int, str] | None:
        """Return a game's last stored review: engine, milliseconds and lines."""
        statement = "SELECT engine, milliseconds, lines FROM judgements JOIN games ON id = game WHERE key = ?"
        for engine, milliseconds, lines in self.read(statement, (game_key(record),), (str, int, str)):
            return printable(engine), milliseconds, lines
        return None

    # Rating

    def standing(self, history: int = 0, told: Callable[[float], object] = lambda _share: None) -> Standing:
        """Return the player's standing; call ``told`` with the done share while games are rated."""
        return standing_of(self._rated_games(told), history)

    def ratings_around(self, record: Record) -> tuple[int, int] | None:
        """Return the rating before and after a game, or None if it is unrated."""
        return ratings_around(self._rated_games(), game_key(record))

    def _rated_games(self, told: Callable[[float], object] = lambda _share: None) -> list[RatedGame]:
        """Rate all games. Cached until any program changes the file."""
        with self.using(Message("The library cannot be read")) as db:
            version = (db, db.execute("PRAGMA data_version").fetchone(), db.total_changes)
            if self._rated is None or self._rated[0] != version:
                self._rated = version, rated_games(db, told)
            return self._rated[1]

    # Learning progress

    def remember(self, kind: str, name: str) -> None:
        """Store a permanent mark of a kind."""
        with self.using(Message("What you have learnt cannot be stored"), change=True) as db:
            db.execute("INSERT OR IGNORE INTO progress VALUES (?, ?)", (kind, name))

    def remembered(self, kind: str) -> frozenset[str]:
        return frozenset(
            str(name) for (name,) in self.read("SELECT name FROM progress WHERE kind = ?", (kind,))
        )

    def give_up_day(self, day: date) -> None:
        """Count a day's only attempt although its unfinished game is deleted."""
        self.remember(_DAY_GIVEN_UP, day.isoformat())

    def days_given_up(self) -> frozenset[date]:
        """Return the days whose unfinished game was deleted. It may have been restored since."""
        days = set()
        for text in self.remembered(_DAY_GIVEN_UP):
            with suppress(ValueError):  # imported progress may hold anything
                days.add(date.fromisoformat(text))
        return frozenset(days)

    # Imported files

    def new_files(self, names: Iterable[str]) -> list[str]:
        """Return the finished games' files that have not been imported."""
        known = {name for (name,) in self.read("SELECT name FROM files")}
        return [name for name in names if name not in known]

    def add_file(self, name: str, entry: Entry | None) -> None:
        """Import a file's game, if any, once. The file stays imported even if the game is deleted."""
        with self.using(Message("The game cannot be stored in the library"), change=True) as db:
            if db.execute("INSERT OR IGNORE INTO files VALUES (?)", (name,)).rowcount and entry is not None:
                insert(db, entry)

    # Queries

    def read(
        self, statement: str, arguments: Sequence[str | int] = (), kinds: Sequence[_Kind] = ()
    ) -> list[Any]:
        """Return the rows of a statement, without those whose values have other types."""
        with self.using(Message("The library cannot be read")) as db:
            rows = db.execute(statement, arguments).fetchall()
        return [row for row in rows if all(map(isinstance, row, kinds))] if kinds else rows

    def find(self, query: Query | None = None) -> list[int]:
        return [number for (number,) in self.read(*(query or Query()).sql())]

    def rows(self, ids: Iterable[int]) -> dict[int, Entry]:
        """Return list rows by game number, without missing or damaged games."""
        wanted = list(ids)
        found: dict[int, Entry] = {}
        for start in range(0, len(wanted), _MOST_PARAMETERS):
            part = wanted[start : start + _MOST_PARAMETERS]
            marks = ", ".join("?" * len(part))
            statement = f"{_ROWS} AND id IN ({marks})"
            sitting = self._sitting(part)
            for row in self.read(statement, part, tuple(LISTED.values())):
                values: list[Any] = [printable(value) if isinstance(value, str) else value for value in row]
                found[row[0]] = Entry(seats=tuple(sitting[row[0]]), **dict(zip(LISTED, values, strict=True)))
        return found

    def _sitting(self, games: Sequence[int]) -> defaultdict[int, list[SeatEntry]]:
        marks = ", ".join("?" * len(games))
        statement = (
            f"SELECT game, substr(player, 1, {_SHOWN}), substr(name, 1, {_SHOWN}), lost FROM seats "  # noqa: S608
            f"WHERE game IN ({marks}) ORDER BY game, seat"
        )
        sitting: defaultdict[int, list[SeatEntry]] = defaultdict(list)
        for game, player, name, lost in self.read(statement, games, (int, str, str)):
            sitting[game].append(SeatEntry(printable(player), printable(name), bool(lost)))
        return sitting

    def record(self, number: int) -> Record:
        """Return a game. Raises `GameError` if it is damaged or missing."""
        found = self.read("SELECT record FROM records WHERE game = ?", (number,))
        if not found:
            raise GameError("This game is not in the library any more.")
        try:
            return read_record(found[0][0])
        except NotationError as error:
            raise GameError("This game cannot be read: {why}.", why=error) from None

    def records(self, numbers: Sequence[int]) -> dict[int, tuple[str, str]]:
        """Return the stored texts of games, and their keys."""
        marks = ", ".join("?" * len(numbers))
        statement = f"SELECT id, record, key FROM games JOIN records ON game = id WHERE id IN ({marks})"  # noqa: S608
        rows = self.read(statement, numbers, (int, str, str))
        return {number: (record, key) for number, record, key in rows}

    def last_played(self) -> Entry | None:
        statement = (
            "SELECT id FROM games WHERE deleted = 0 AND over = 1 AND source IN ('played', 'real cards') "
            "AND id IN (SELECT game FROM seats WHERE player = ?) ORDER BY date DESC, id DESC LIMIT 1"
        )
        last = [number for (number,) in self.read(statement, (HUMAN,))]
        return next(iter(self.rows(last).values()), None)

    def tagged(self, tag: str, seat: int) -> dict[str, int]:
        """Return the first finished game for each value of a tag, with a person in the given seat."""
        statement = (
            "SELECT CASE json_valid(tags) WHEN 1 THEN json_extract(tags, ?) END AS value, id FROM games "
            "WHERE deleted = 0 AND over = 1 AND human = ? AND instr(tags, ?) > 0 ORDER BY date DESC, id DESC"
        )
        rows = self.read(statement, (f"$.{tag}", seat, tag))
        return {value: number for value, number in rows if isinstance(value, str)}

    def count(self) -> int:
        return int(self.read("SELECT count(*) FROM games WHERE deleted = 0")[0][0])

    def opponents(self) -> list[str]:
        """Return all agents, most frequent first."""
        statement = (
            "SELECT player FROM seats JOIN games ON id = game WHERE deleted = 0 AND player <> ? "
            "GROUP BY player ORDER BY count(*) DESC, player"
        )
        return [printable(player) for (player,) in self.read(statement, (HUMAN,), (str,))]

    def presets(self) -> list[str]:
        statement = "SELECT DISTINCT preset FROM games WHERE deleted = 0 ORDER BY preset"
        return [printable(preset) for (preset,) in self.read(statement, (), (str,))]

    def played_by(self, *players: str, told: Callable[[float], object] = lambda _share: None) -> list[Played]:
        """Return the results of ``human`` or of agents in all finished games, oldest first.

        An agent in two seats counts twice. Games of several people do not count for ``human``. ``told`` is
        called with the done share.
        """
        marks = ", ".join("?" * len(players))
        statement = (
            "SELECT s.game, s.seat, g.date, g.preset, g.rules, g.seats, s.lost, g.draw, g.bouts, g.plies, "  # noqa: S608
            "g.human IS NOT NULL AND g.hints + g.undos > 0, s.accuracy "
            "FROM seats s JOIN games g ON g.id = s.game "
            f"WHERE s.player IN ({marks}) AND (s.player <> ? OR g.human IS NOT NULL) "
            "AND g.deleted = 0 AND g.over = 1 ORDER BY g.date, g.id"
        )
        others = (
            "SELECT o.game, o.seat, o.player FROM seats o WHERE o.game IN "  # noqa: S608 - only marks
            f"(SELECT game FROM seats WHERE player IN ({marks}))"
        )
        rows = self.read(statement, (*players, HUMAN), _PLAYED)
        sat: defaultdict[int, list[tuple[int, str]]] = defaultdict(list)
        for game, seat, name in self.read(others, players, (int, int, str)):
            sat[game].append((seat, printable(name)))
        played: list[Played] = []
        for done, row in enumerate(rows, 1):
            told(done / len(rows))
            game, seat, date, preset, rules, seats, lost, draw, bouts, plies, assisted, accuracy = row
            if seats not in _SEATS or not (accuracy is None or 0 <= accuracy <= 100):
                continue
            teams = team_count(rules, seats)
            played.append(
                Played(
                    date=printable(date[:_SHOWN]),
                    preset=printable(preset[:_SHOWN]),
                    seats=seats,
                    teams=teams,
                    opponents=tuple(
                        sorted({name for other, name in sat[game] if other % teams != seat % teams})
                    ),
                    lost=bool(lost),
                    draw=bool(draw),
                    bouts=bouts,
                    plies=plies,
                    assisted=bool(assisted),
                    accuracy=accuracy,
                )
            )
        return played
