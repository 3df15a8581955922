"""The fields of a position's text, before validation."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Final, TypeVar

from durak_core.actions import Attack, Defend, parse_action
from durak_core.cards import Card, CardSet
from durak_core.errors import NotationError
from durak_core.game.observation import Phase, TablePair
from durak_core.rules import Rules

_NUMBER: Final = re.compile(r"[0-9]{1,6}")
_HAND: Final = re.compile(r"([2-9TJQKAshdc]*)(?:\?([0-9]{1,2}))?(?:\+([2-9TJQKAshdc]+))?")
_PHASES: Final = {phase.name.lower(): phase for phase in Phase}
_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class HandText:
    """One hand of a text: its named and its publicly known cards (rules 9.2), and the number hidden."""

    cards: CardSet
    hidden: int
    known: CardSet


@dataclass(frozen=True, slots=True)
class TalonText:
    """The talon of a text.

    Attributes:
        cards: Named cards, top first, without the open trump card.
        hidden: Number of unnamed cards.
        bottom: The open trump card; None without trumps or with an empty talon.
    """

    cards: tuple[Card, ...] = ()
    hidden: int = 0
    bottom: Card | None = None

    @property
    def size(self) -> int:
        return len(self.cards) + self.hidden + (self.bottom is not None)


@dataclass(frozen=True, slots=True)
class PositionFields:
    """All fields of a text (docs/notation.md); ``gone`` is None if it is left out."""

    rules: Rules
    seat: int | None
    bout: int
    attacker: int
    defender: int
    limit: int
    phase: Phase
    turn: int | None
    passed: tuple[int, ...]
    hands: tuple[HandText, ...]
    table: tuple[TablePair, ...]
    talon: TalonText
    trump: Card | None
    gone: CardSet | None
    out: tuple[int, ...]
    emptied: tuple[int, ...]
    shown: tuple[int, ...]
    stall: int
    fool: tuple[int, ...]


KEYS: Final = tuple([field.name for field in fields(PositionFields)])


class Fields:
    """A line split into ``key=value`` fields with known, distinct keys."""

    def __init__(self, text: str) -> None:
        self._values: dict[str, str] = {}
        self._places: dict[str, int] = {}
        for match in re.finditer(r"\S+", text):
            key, equals, value = match[0].partition("=")
            if not equals or key not in KEYS:
                raise NotationError(
                    "{found!r}: expected key=value with a key of {keys}",
                    match.start(),
                    found=match[0][:40],
                    keys=", ".join(KEYS),
                )
            if key in self._values:
                raise NotationError("{key} appears twice", match.start(), key=key)
            self._values[key] = value
            self._places[key] = match.start() + len(key) + 1

    def error(self, key: str, message: object) -> NotationError:
        if key not in self._values:
            return NotationError("{key}: {message}", key=key, message=message)
        return NotationError(
            "{key}={value}: {message}", self._places[key], key=key, value=self._values[key], message=message
        )

    def parse(self) -> PositionFields:
        """Parse every field on its own; raise `NotationError` if one is missing or malformed."""
        rules = self._needed("rules", Rules.parse)
        seats = _SeatReader(rules)
        return PositionFields(
            rules=rules,
            seat=self._optional("seat", seats.one, None),
            bout=self._needed("bout", _number),
            attacker=self._needed("attacker", seats.one),
            defender=self._needed("defender", seats.one),
            limit=self._needed("limit", _number),
            phase=self._needed("phase", _phase),
            turn=self._optional("turn", seats.one, None),
            passed=self._optional("passed", seats.several, ()),
            hands=self._needed("hands", _hands),
            table=self._optional("table", _table, ()),
            talon=self._optional("talon", _talon, TalonText()),
            trump=self._optional("trump", Card.parse, None),
            gone=self._optional("gone", CardSet.parse, None),
            out=self._optional("out", seats.several, ()),
            emptied=self._optional("emptied", seats.several, ()),
            shown=self._optional("shown", seats.several, ()),
            stall=self._optional("stall", _number, 0),
            fool=self._optional("fool", seats.losers, ()),
        )

    def _needed(self, key: str, read: Callable[[str], _Value]) -> _Value:
        if key not in self._values:
            raise NotationError("{key} is missing", key=key)
        try:
            return read(self._values[key])
        except ValueError as error:
            raise self.error(key, error) from None

    def _optional(self, key: str, read: Callable[[str], _Value], default: _Value) -> _Value:
        return self._needed(key, read) if key in self._values else default


class _SeatReader:
    def __init__(self, rules: Rules) -> None:
        self.rules = rules

    def one(self, text: str) -> int:
        if not _NUMBER.fullmatch(text) or int(text) >= self.rules.seats:
            raise NotationError("expected a seat from 0 to {last}", rule="2.1", last=self.rules.seats - 1)
        return int(text)

    def several(self, text: str) -> tuple[int, ...]:
        seats = tuple(map(self.one, text.split(",")))
        if len(set(seats)) != len(seats):
            raise NotationError("a seat appears twice")
        return seats

    def losers(self, text: str) -> tuple[int, ...]:
        if self.rules.teams is None:
            return (self.one(text),)
        seats = self.several(text)
        team = self.rules.members(self.rules.team_of(seats[0]))
        if seats != team:
            raise NotationError(
                "expected all seats of a team in their order, such as {team}",
                rule="2.2.5",
                team=",".join(map(str, team)),
            )
        return seats


def _number(text: str) -> int:
    if not _NUMBER.fullmatch(text):
        raise NotationError("expected a number")
    return int(text)


def _phase(text: str) -> Phase:
    if text not in _PHASES:
        raise NotationError("expected one of {phases}", phases=", ".join(_PHASES))
    return _PHASES[text]


def _hands(text: str) -> tuple[HandText, ...]:
    return tuple(map(_hand, text.split("/")))


def _hand(text: str) -> HandText:
    if text == "-":
        return HandText(CardSet(), 0, CardSet())
    match = _HAND.fullmatch(text)
    if not match or not text:
        raise NotationError(
            "{text!r} is not a hand: expected cards such as 6c7d, ?4, 6c7d+Ah, ?4+Ah, or -", text=text
        )
    return HandText(CardSet.parse(match[1]), int(match[2] or 0), CardSet.parse(match[3] or ""))


def _table(text: str) -> tuple[TablePair, ...]:
    return tuple(map(_pair, text.split(",")))


def _pair(text: str) -> TablePair:
    match parse_action(text):
        case Attack(card):
            return TablePair(card)
        case Defend(card, target):
            return TablePair(target, card)
        case _:
            raise NotationError(
                "{text!r}: expected an attack card such as 6c, or 9cx6c for a beaten one", text=text
            )


def _talon(text: str) -> TalonText:
    match = _HAND.fullmatch(text)
    if not match or not text:
        raise NotationError("expected cards from the top such as 6c7d+Ah, or ?4+Ah where they are not seen")
    cards = match[1]
    row = tuple([Card.parse(cards[i : i + 2]) for i in range(0, len(cards), 2)])
    return TalonText(row, int(match[2] or 0), Card.parse(match[3]) if match[3] else None)
