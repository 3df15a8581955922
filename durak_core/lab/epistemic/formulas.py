"""Epistemic formulas about card locations, as frozen dataclasses with a text form, and their parser.

``in(As,1)``: a card is at a location. ``K0 f``: seat 0 knows f. ``M0 f``: seat 0 considers f possible.
``E{0,1} f``: everybody in the group knows f. ``C{0,1} f``: f is common knowledge in the group. Precedence
is ``!`` and the modalities, ``&``, ``|``, ``->``; ``->`` is right-associative.

>>> str(Knows(0, Not(Knows(1, In(Card.parse("6s"), 2)))))
'K0 !K1 in(6s,2)'

Source: R. Fagin, J. Halpern, Y. Moses, M. Vardi, "Reasoning About Knowledge", 1995, chapter 2.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Final, NoReturn, TypeAlias

from durak_core.cards import Card, CardSet
from durak_core.errors import NotationError
from durak_core.knowledge.locations import BOTTOM, DISCARD, TABLE, TALON, Location


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

    letter: ClassVar[str]
    seat: int
    body: Formula

    def __str__(self) -> str:
        return f"{self.letter}{self.seat} {_text(self.body, _TIGHT)}"


class Knows(_OfSeat):
    """True in every world that the seat cannot distinguish from this one."""

    letter = "K"


class Possible(_OfSeat):
    """True in some world that the seat cannot distinguish from this one."""

    letter = "M"


@dataclass(frozen=True, slots=True)
class _OfGroup:
    """A modality of a group, in ascending order."""

    letter: ClassVar[str]
    seats: tuple[int, ...]
    body: Formula

    def __str__(self) -> str:
        return f"{self.letter}{{{','.join(map(str, self.seats))}}} {_text(self.body, _TIGHT)}"


class Everybody(_OfGroup):
    """Every seat of the group knows the formula."""

    letter = "E"


class Common(_OfGroup):
    """The formula is common knowledge in the group."""

    letter = "C"


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
    return frozenset(found)


def _parts(formula: Formula) -> list[Formula]:
    found = [formula]
    for part in found:  # grows during the loop
        match part:
            case _Joined(left, right):
                found += [left, right]
            case Not(body) | _OfSeat(_, body) | _OfGroup(_, body):
                found.append(body)
    return found


def _text(formula: Formula, at_least: int) -> str:
    levels: dict[type, int] = {Implies: _IMPLIES, Or: _OR, And: _AND}
    return f"({formula})" if levels.get(type(formula), _TIGHT) < at_least else str(formula)


MAX_DEPTH: Final = 60
"""Maximum nesting depth, including parentheses."""

_SYMBOL: Final = re.compile(r"->|\*?\w+|\S")
_PLACES: Final = (TALON, BOTTOM, DISCARD, TABLE)
_MODALITY: Final = re.compile(r"([KM])([0-9]{1,3})|([EC])")
_Prefix: TypeAlias = Callable[[Formula], Formula]
_FORMULA: Final = "a formula, such as in(As,1), K0, M0, E{0,1}, C{0,1}, ! or ("


def parse_formula(text: str) -> Formula:
    """Parse a formula such as ``K0 !K1 in(6s,2) & C{0,1} in(As,talon)``; see `formulas`.

    Raises:
        NotationError: If it is invalid, with the position and the expected symbol.

    >>> parse_formula("K0 (in(6s,1) | in(6s,2)")
    Traceback (most recent call last):
    durak_core.errors.NotationError: the formula ends too soon: expected ) or an operator (at character 24)
    """
    return _Parser(text).whole()


class _Parser:
    def __init__(self, text: str) -> None:
        self._symbols = [(match[0], match.start()) for match in _SYMBOL.finditer(text)]
        self._symbols.append(("", len(text.rstrip())))
        self._at = 0

    def whole(self) -> Formula:
        formula, _ = self._implication(0)
        if self._symbol:
            self._fail("an operator (&, | or ->), or the end")
        return formula

    # Each of these returns a formula and its depth.

    def _implication(self, depth: int) -> tuple[Formula, int]:
        parts = [self._chain("|", depth)]
        while self._take("->"):
            parts.append(self._chain("|", depth))
        formula, height = parts.pop()
        while parts:
            left, left_height = parts.pop()
            formula, height = Implies(left, formula), self._checked(1 + max(height, left_height))
        return formula, height

    def _chain(self, operator: str, depth: int) -> tuple[Formula, int]:
        join, operand = (Or, partial(self._chain, "&")) if operator == "|" else (And, self._tight)
        formula, height = operand(depth)
        while self._take(operator):
            right, right_height = operand(depth)
            formula = join(formula, right)
            height = self._checked(1 + max(height, right_height))
        return formula, height

    def _tight(self, depth: int) -> tuple[Formula, int]:
        prefixes: list[_Prefix] = []
        while prefix := self._prefix():
            prefixes.append(prefix)
        formula, height = self._ground(depth + 1)
        for prefix in reversed(prefixes):
            formula, height = prefix(formula), self._checked(1 + height)
        return formula, height

    def _prefix(self) -> _Prefix | None:
        if self._take("!"):
            return Not
        match = _MODALITY.fullmatch(self._symbol)
        if match is None:
            return None
        self._at += 1
        if match[1]:
            return partial(Knows if match[1] == "K" else Possible, int(match[2]))
        self._demand("{", "{ and the seats of a group, as in E{0,1}")
        seats = {self._seat()}
        while self._take(","):
            seats.add(self._seat())
        self._demand("}", ", or }")
        return partial(Everybody if match[3] == "E" else Common, tuple(sorted(seats)))

    def _ground(self, depth: int) -> tuple[Formula, int]:
        self._checked(depth)
        if self._take("("):
            formula, height = self._implication(depth)
            self._demand(")", ") or an operator")
            return formula, self._checked(height + 1)
        if not self._take("in"):
            self._fail(_FORMULA)
        self._demand("(", "( as in in(As,1)")
        card = self._card()
        self._demand(",", ", and a place")
        place: Location = self._symbol
        if place in _PLACES:
            self._at += 1
        else:
            place = self._seat(f"a seat's number or one of {', '.join(_PLACES)}")
        self._demand(")", ")")
        return In(card, place), 1

    def _card(self) -> Card:
        try:
            card = Card.parse(self._symbol)
        except NotationError:
            self._fail("a card such as 6c or Th")
        self._at += 1
        return card

    def _seat(self, expected: str = "a seat's number") -> int:
        word = self._symbol
        if not re.fullmatch(r"[0-9]{1,3}", word):
            self._fail(expected)
        self._at += 1
        return int(word)

    @property
    def _symbol(self) -> str:
        return self._symbols[self._at][0]

    def _take(self, symbol: str) -> bool:
        if self._symbol != symbol:
            return False
        self._at += 1
        return True

    def _demand(self, symbol: str, expected: str) -> None:
        if not self._take(symbol):
            self._fail(expected)

    def _checked(self, depth: int) -> int:
        if depth > MAX_DEPTH:
            position = self._symbols[self._at][1]
            raise NotationError("the formula is nested more than {most} deep", position, most=MAX_DEPTH)
        return depth

    def _fail(self, expected: str) -> NoReturn:
        word, position = self._symbols[self._at]
        found = f"{word!r} does not belong here" if word else "the formula ends too soon"
        raise NotationError("{found}: expected {expected}", position, found=found, expected=expected)
