"""Epistemic formulas about card locations, as frozen dataclasses with a text form.

``in(As,1)``: a card is at a location. ``K0 f``: seat 0 knows f. ``M0 f``: seat 0 considers f possible.
``E{0,1} f``: everybody in the group knows f. ``C{0,1} f``: f is common knowledge in the group. Precedence
is ``!`` and the modalities, ``&``, ``|``, ``->``; ``->`` is right-associative.

>>> str(Knows(0, Not(Knows(1, In(Card.parse("6s"), 2)))))
'K0 !K1 in(6s,2)'

Source: R. Fagin, J. Halpern, Y. Moses, M. Vardi, "Reasoning About Knowledge", 1995, chapter 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

from durak_core.cards import Card, CardSet
from durak_core.knowledge.locations.public_locations import Location


@dataclass(frozen=True, slots=True)
class In:
    """A card is at a location: a seat number for a hand, or a word such as ``talon``."""

    card: Card
    place: Location

    def __str__(self) -> str:
        return f"in({self.card},{self.place})"


@dataclass(frozen=True, slots=True)
class Not:
    """Negation."""

    body: Formula

    def __str__(self) -> str:
        return f"!{_text(self.body, _TIGHT)}"


@dataclass(frozen=True, slots=True)
class _Joined:
    """A binary connective."""

    left: Formula
    right: Formula


class And(_Joined):
    """Conjunction."""

    def __str__(self) -> str:
        return f"{_text(self.left, _AND)} & {_text(self.right, _AND + 1)}"


class Or(_Joined):
    """Disjunction."""

    def __str__(self) -> str:
        return f"{_text(self.left, _OR)} | {_text(self.right, _OR + 1)}"


class Implies(_Joined):
    """Implication."""

    def __str__(self) -> str:
        return f"{_text(self.left, _IMPLIES + 1)} -> {_text(self.right, _IMPLIES)}"


@dataclass(frozen=True, slots=True)
class _OfSeat:
    """A modality of one seat."""

    seat: int
    body: Formula


class Knows(_OfSeat):
    """True in every world that the seat cannot distinguish from this one."""

    def __str__(self) -> str:
        return f"K{self.seat} {_text(self.body, _TIGHT)}"


class Possible(_OfSeat):
    """True in some world that the seat cannot distinguish from this one."""

    def __str__(self) -> str:
        return f"M{self.seat} {_text(self.body, _TIGHT)}"


@dataclass(frozen=True, slots=True)
class _OfGroup:
    """A modality of a group, in ascending order."""

    seats: tuple[int, ...]
    body: Formula


class Everybody(_OfGroup):
    """Every seat of the group knows the formula."""

    def __str__(self) -> str:
        return f"E{_group(self.seats)} {_text(self.body, _TIGHT)}"


class Common(_OfGroup):
    """The formula is common knowledge in the group."""

    def __str__(self) -> str:
        return f"C{_group(self.seats)} {_text(self.body, _TIGHT)}"


Formula: TypeAlias = In | Not | And | Or | Implies | Knows | Possible | Everybody | Common

_IMPLIES: Final = 1
_OR: Final = 2
_AND: Final = 3
_TIGHT: Final = 4


def cards_of(formula: Formula) -> CardSet:
    return CardSet.of(part.card for part in _parts(formula) if isinstance(part, In))


def seats_of(formula: Formula) -> frozenset[int]:
    found: set[int] = set()
    for part in _parts(formula):
        match part:
            case In(_, place) if isinstance(place, int):
                found.add(place)
            case _OfSeat(seat):
                found.add(seat)
            case _OfGroup(seats):
                found.update(seats)
            case _:
                pass
    return frozenset(found)


def _parts(formula: Formula) -> list[Formula]:
    found = [formula]
    for part in found:  # grows during the loop
        match part:
            case _Joined(left, right):
                found += [left, right]
            case Not(body) | _OfSeat(_, body) | _OfGroup(_, body):
                found.append(body)
            case _:
                pass
    return found


def _text(formula: Formula, at_least: int) -> str:
    levels: dict[type, int] = {Implies: _IMPLIES, Or: _OR, And: _AND}
    return f"({formula})" if levels.get(type(formula), _TIGHT) < at_least else str(formula)


def _group(seats: tuple[int, ...]) -> str:
    return "{" + ",".join(map(str, seats)) + "}"
