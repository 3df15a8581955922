"""Conversion of a game's record to a library entry, and its rows."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import UnionType
from typing import Final

from durak_core import Record, Rules
from durak_core.errors import RulesError, printable
from durak_core.game.json_form import from_json_line, read_unplayed, write_json_line
from durak_core.game.record import REAL_TAG
from durak_tui.players import HUMAN, PEOPLE, recorded_players
from durak_tui.storage.database import LONGEST

SOURCES: Final = ("played", "watched", "imported", "real cards")
"""How a game can come into the library."""

FRIENDS_TAG: Final = "Friends"
"""The tag of a game played at a table of friends."""

_NEVER_TAGS: Final = frozenset(
    {"Hints", "Undos", *(f"{what}{seat}" for what in ("Player", "Accuracy") for seat in range(6))}
)


@dataclass(frozen=True, slots=True)
class SeatEntry:
    """A player and their result.

    Attributes:
        player: ``human``, ``friend`` or an agent spec.
        accuracy: 0 to 100, or None until the game is reviewed.
    """

    player: str
    name: str
    lost: bool
    accuracy: float | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """A game in the library, and its row in a list.

    Attributes:
        date: May be empty.
        human: The seat of the only person; None if there are several or none.
        hints: Number of decisions with a hint.
        undos: Number of decisions taken back.
        source: One of `SOURCES`.
        id: Its number in the library; 0 before it is stored.
        key: See `game_key`; empty in lists, as the two others.
        record: One line of JSON.
        tags: Tags without a field.
    """

    date: str
    rules: str
    preset: str
    seats: tuple[SeatEntry, ...]
    human: int | None
    draw: bool
    over: bool
    bouts: int
    plies: int
    hints: int = 0
    undos: int = 0
    source: str = "played"
    id: int = 0
    key: str = ""
    record: str = ""
    tags: Mapping[str, str] = field(default_factory=dict)

    @property
    def has_people(self) -> bool:
        return any(seat.player in PEOPLE for seat in self.seats)

    @property
    def outcome(self) -> str:
        """``won``, ``lost``, ``draw`` or ``open``, or ``fool`` and the loser."""
        if not self.over:
            return "open"
        if self.draw:
            return "draw"
        if self.human is not None:  # the seat may be lost in a damaged file
            return "lost" if any(seat.lost for seat in self.seats[self.human : self.human + 1]) else "won"
        texts = [seat.player for seat in self.seats]
        return "fool " + ", ".join(
            seat.player if texts.count(seat.player) == 1 else seat.name for seat in self.seats if seat.lost
        )

    @property
    def players(self) -> str:
        """Names of people and specs of agents."""
        return ", ".join(seat.name if seat.player in PEOPLE else seat.player for seat in self.seats)

    @property
    def names(self) -> str:
        return ", ".join(
            seat.name if seat.player in {*PEOPLE, seat.name} else f"{seat.name} ({seat.player})"
            for seat in self.seats
        )

    @property
    def search(self) -> str:
        """All case-folded words that find the game."""
        words = (
            self.date,
            self.rules,
            self.names,
            self.outcome,
            self.source,
            f"{len(self.seats)} seats",
            "assisted" if self.hints or self.undos else "",
            *self.tags.values(),
        )
        return "\n".join(filter(None, words)).casefold()


LISTED: Final[Mapping[str, type | UnionType]] = {
    "id": int,
    "date": str,
    "rules": str,
    "preset": str,
    "human": int | None,
    "draw": int,
    "over": int,
    "bouts": int,
    "plies": int,
    "hints": int,
    "undos": int,
    "source": str,
}
"""The columns of `Entry` that lists show, and their types."""


@lru_cache
def rules_of(text: str) -> Rules | None:
    """Parse rules from any source. Returns None if they are unsupported."""
    try:
        return Rules.parse(text)
    except RulesError:
        return None


def team_count(text: str, seats: int) -> int:
    """Return the number of teams under rules from any source; without teams, the number of seats."""
    rules = rules_of(text)
    if rules is None or rules.teams is None or rules.seats != seats:
        return seats
    return rules.team_count


def game_key(record: Record) -> str:
    """Return a digest of rules, deal, moves and players, but not of names, dates and tags.

    The players count, because agents may play equal moves on the same deal in a match with swapped seats.
    """
    deal = " ".join(map(str, record.deck))
    players = "\n".join(recorded_players(record, record.players))
    text = "\n".join((record.rules.text, str(record.first_attacker), deal, record.moves_text, players))
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).hexdigest()


def entry_of(record: Record, source: str = "played") -> Entry:
    """Create a library entry from a record.

    Players come from the tags ``Player0`` and so on, otherwise from the names. Help comes from ``Hints`` and
    ``Undos``, and accuracies from ``Accuracy0`` and so on. The game is replayed unless its end is known. The
    source of a played game with real cards is ``real cards``.

    Raises:
        DealError: If the deal is impossible.
        RecordError: If a move is illegal.
    """
    end, result = record.end, record.result
    tags = record.tags
    fools = () if result is None else result.fools
    players = recorded_players(record, record.players)
    seats = tuple(
        SeatEntry(player, name, seat in fools, _accuracy(tags.get(f"Accuracy{seat}", "")))
        for seat, (player, name) in enumerate(zip(players, record.players, strict=True))
    )
    people = [number for number, seat in enumerate(seats) if seat.player == HUMAN]
    return Entry(
        key=game_key(record),
        record=write_json_line(record).rstrip("\n"),
        date=record.date,
        rules=record.rules.text,
        preset=record.rules.base,
        seats=seats,
        human=people[0] if len(people) == 1 else None,
        draw=result is not None and result.draw,
        over=result is not None,
        bouts=end.bout,
        plies=end.plies,
        hints=_count(tags.get("Hints", "")),
        undos=_count(tags.get("Undos", "")),
        source="real cards" if source == "played" and REAL_TAG in tags else source,
        tags={name: value for name, value in tags.items() if name not in _NEVER_TAGS},
    )


def read_record(text: object) -> Record:
    """Read a stored record. Raises `NotationError` if it is damaged."""
    return from_json_line(str(text), LONGEST, with_end=True)


def is_as_stored(text: str, key: str) -> bool:
    """Return whether a stored record still has the game of its key."""
    try:
        return game_key(read_unplayed(text, LONGEST)) == key
    except (AttributeError, TypeError, ValueError):
        return False


def insert(db: sqlite3.Connection, entry: Entry) -> bool:
    """Store a game unless it is there. A deleted one is restored."""
    found = db.execute("SELECT id, deleted FROM games WHERE key = ?", (entry.key,)).fetchone()
    if found is not None:
        if found[1]:
            db.execute("UPDATE games SET deleted = 0 WHERE id = ?", (found[0],))
        return bool(found[1])
    columns: dict[str, str | int | None] = {
        **{name: getattr(entry, name) for name in LISTED},
        **{name: printable(getattr(entry, name)) for name in ("date", "players", "names", "outcome")},
        "id": None,
        "key": entry.key,
        "seats": len(entry.seats),
        "tags": json.dumps(dict(entry.tags)),
        "search": "\n".join(map(printable, entry.search.split("\n"))),
    }
    marks = ", ".join(f":{name}" for name in columns)
    insert = f"INSERT INTO games ({', '.join(columns)}) VALUES ({marks})"  # noqa: S608 - own words
    number = db.execute(insert, columns).lastrowid
    db.execute("INSERT INTO records VALUES (?, ?)", (number, entry.record))
    db.executemany(
        "INSERT INTO seats VALUES (?, ?, ?, ?, ?, ?)",
        [
            (number, seat, printable(who.player), printable(who.name), who.lost, who.accuracy)
            for seat, who in enumerate(entry.seats)
        ],
    )
    return True


def _count(text: str) -> int:
    return min(int(text[:9]), 10**6) if text.isascii() and text.isdecimal() else 0


def _accuracy(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 <= value <= 100 else None
