"""Formulas about where cards lie and who knows it: frozen dataclasses, and their text.

``in(As,1)`` says that a card lies in a place, ``K0 f`` that seat 0 knows f, ``M0 f`` that it deems f
possible, ``E{0,1} f`` that each of the group knows f, and ``C{0,1} f`` that f is common knowledge among
them: all know it, all know that all know it, and so on. ``!``, ``&``, ``|`` and ``->`` bind in this
order, the first together with the modalities; ``->`` groups to the right.

>>> str(Knows(0, Not(Knows(1, In(Card.parse("6s"), 2)))))
'K0 !K1 in(6s,2)'

Source: R. Fagin, J. Halpern, Y. Moses, M. Vardi, "Reasoning About Knowledge", 1995, chapter 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

from durak_core.cards import Card, CardSet
from durak_core.knowledge.locations.places import Place


@dataclass(frozen=True, slots=True)
class In:
    """A card lies in a place: a seat's hand, by its number, or the talon and so on, by its word."""

    card: Card
    place: Place

    def __str__(self) -> str:
        return f"in({self.card},{self.place})"


@dataclass(frozen=True, slots=True)
class Not:
    """A formula is false."""

    body: Formula

    def __str__(self) -> str:
        return f"!{_text(self.body, _TIGHT)}"


@dataclass(frozen=True, slots=True)
class _Joined:
    """Two formulas with a sign between them."""

    left: Formula
    right: Formula


class And(_Joined):
    """Both formulas are true."""

    def __str__(self) -> str:
        return f"{_text(self.left, _AND)} & {_text(self.right, _AND + 1)}"


class Or(_Joined):
    """At least one of two formulas is true."""

    def __str__(self) -> str:
        return f"{_text(self.left, _OR)} | {_text(self.right, _OR + 1)}"


class Implies(_Joined):
    """The second formula is true, or the first is false."""

    def __str__(self) -> str:
        return f"{_text(self.left, _IMPLIES + 1)} -> {_text(self.right, _IMPLIES)}"


@dataclass(frozen=True, slots=True)
class _OfSeat:
    """What a seat makes of a formula."""

    seat: int
    body: Formula


class Knows(_OfSeat):
    """A formula is true in every world that a seat cannot tell from this one."""

    def __str__(self) -> str:
        return f"K{self.seat} {_text(self.body, _TIGHT)}"


class Possible(_OfSeat):
    """A formula is true in some world that a seat cannot tell from this one."""

    def __str__(self) -> str:
        return f"M{self.seat} {_text(self.body, _TIGHT)}"


@dataclass(frozen=True, slots=True)
class _OfGroup:
    """What a group, given in rising order, makes of a formula."""

    seats: tuple[int, ...]
    body: Formula


class Everybody(_OfGroup):
    """Each seat of a group knows a formula."""

    def __str__(self) -> str:
        return f"E{_group(self.seats)} {_text(self.body, _TIGHT)}"


class Common(_OfGroup):
    """A formula is common knowledge in a group."""

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
    """Return a formula's text, in parentheses where it binds less tightly than it has to."""
    levels: dict[type, int] = {Implies: _IMPLIES, Or: _OR, And: _AND}
    return f"({formula})" if levels.get(type(formula), _TIGHT) < at_least else str(formula)


def _group(seats: tuple[int, ...]) -> str:
    return "{" + ",".join(map(str, seats)) + "}"
