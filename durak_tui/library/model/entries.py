"""From a game's record to what the library stores of it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from durak_core import Record, Rules
from durak_core.errors import RulesError
from durak_core.game.json_form import write_json_line
from durak_tui.players.roster import HUMAN, recorded_players

SOURCES: Final = ("played", "watched", "imported")
"""How a game came into the library."""

_NEVER_TAGS: Final = frozenset(
    {"Hints", "Undos", *(f"{what}{seat}" for what in ("Player", "Accuracy") for seat in range(6))}
)


@dataclass(frozen=True, slots=True)
class SeatEntry:
    """A player and how the game went for them.

    Attributes:
        player: ``human`` or an agent's text.
        accuracy: 0 to 100, or None until the game is reviewed.
    """

    player: str
    name: str
    lost: bool
    accuracy: float | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """A game as the library stores it.

    Attributes:
        key: See `game_key`.
        record: One line of JSON.
        date: May be empty.
        human: The seat of the only person; None if several played at one keyboard, or none.
        hints: How often the person asked for advice.
        undos: How often they took moves back.
        source: One of `SOURCES`.
        tags: All that have no field.
    """

    key: str
    record: str
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
    tags: Mapping[str, str] = field(default_factory=dict)

    @property
    def has_people(self) -> bool:
        """Whether a person played."""
        return any(seat.player == HUMAN for seat in self.seats)

    @property
    def outcome(self) -> str:
        """How it ended: ``won``, ``lost``, ``draw`` or ``open``; else ``fool`` and who."""
        if not self.over:
            return "open"
        if self.draw:
            return "draw"
        if self.human is not None:
            return "lost" if self.seats[self.human].lost else "won"
        texts = [seat.player for seat in self.seats]
        return "fool " + ", ".join(
            seat.player if texts.count(seat.player) == 1 else seat.name for seat in self.seats if seat.lost
        )

    @property
    def players(self) -> str:
        """Persons by their names, agents by their texts."""
        return ", ".join(seat.name if seat.player == HUMAN else seat.player for seat in self.seats)

    @property
    def names(self) -> str:
        """Agents by their names and their texts."""
        return ", ".join(
            seat.name if seat.player in {HUMAN, seat.name} else f"{seat.name} ({seat.player})"
            for seat in self.seats
        )

    @property
    def search(self) -> str:
        """Every word that finds the game, case folded."""
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


@lru_cache
def rules_of(text: str) -> Rules | None:
    """Read rules from any source; None if this program cannot play by them."""
    try:
        return Rules.parse(text)
    except RulesError:
        return None


def team_count(text: str, seats: int) -> int:
    """Return how many teams played by rules from any source; without teams as many as seats."""
    rules = rules_of(text)
    if rules is None or rules.teams is None or rules.seats != seats:
        return seats
    return rules.team_count


def game_key(record: Record) -> str:
    """Digest what tells games apart: rules, deal, moves and players, but not names, dates and tags.

    In a match with swapped seats agents may play the same moves on the same deal: these are two games.
    """
    moves = " ".join(f"{move.seat}{move.action}" for move in record.moves)
    deal = " ".join(map(str, record.deck))
    players = "\n".join(recorded_players(record, record.players))
    text = "\n".join((record.rules.text, str(record.first_attacker), deal, moves, players))
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).hexdigest()


def entry_of(record: Record, source: str = "played") -> Entry:
    """Make an entry of a game.

    Players come from the tags ``Player0`` and so on, else from the names; help from ``Hints`` and ``Undos``,
    accuracies from ``Accuracy0`` and so on. The game is replayed unless its end is known.

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
        source=source,
        tags={name: value for name, value in tags.items() if name not in _NEVER_TAGS},
    )


def _count(text: str) -> int:
    return min(int(text[:9]), 10**6) if text.isascii() and text.isdecimal() else 0


def _accuracy(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 <= value <= 100 else None
