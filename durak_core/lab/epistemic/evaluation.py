"""Where formulas are true: whole sets of worlds at a time."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from itertools import compress
from typing import Final

from durak_core.cards import Card
from durak_core.errors import KnowledgeError
from durak_core.knowledge.locations.places import Place
from durak_core.lab.epistemic import formulas

_FLIP: Final = bytes([1, 0, *range(2, 256)])


class Evaluation:
    """Extensions of formulas on one model, each worked out once.

    Args:
        views: For each seat the class of each world; worlds of a class are alike to the seat.
        atom: Returns where a card lies in a place, a byte for each world.
    """

    def __init__(self, views: Sequence[array[int]], atom: Callable[[Card, Place], bytes]) -> None:
        self._views = views
        self._atom = atom
        self._known: dict[formulas.Formula, bytes] = {}
        self._joined: dict[tuple[int, ...], array[int]] = {}

    def extension(self, formula: formulas.Formula) -> bytes:
        """Return a byte for each world, 1 where the formula is true; seats and cards are not checked."""
        found = self._known.get(formula)
        if found is None:
            found = self._known[formula] = self._work_out(formula)
        return found

    def _work_out(self, formula: formulas.Formula) -> bytes:
        match formula:
            case formulas.In(card, place):
                return self._atom(card, place)
            case formulas.Not(body):
                return self.extension(body).translate(_FLIP)
            case formulas.And(left, right):
                return both(self.extension(left), self.extension(right))
            case formulas.Or(left, right):
                return either(self.extension(left), self.extension(right))
            case formulas.Implies(left, right):
                return either(self.extension(left).translate(_FLIP), self.extension(right))
            case _:
                return self._modal(formula)

    def _modal(
        self, formula: formulas.Knows | formulas.Possible | formulas.Everybody | formulas.Common
    ) -> bytes:
        inside = self.extension(formula.body)
        match formula:
            case formulas.Knows(seat):
                return _throughout(self._views[seat], inside)
            case formulas.Possible(seat):
                return touched(self._views[seat], inside)
            case formulas.Everybody(seats):
                result = b"\1" * len(self._views[0])
                for seat in _group(seats):
                    result = both(result, _throughout(self._views[seat], inside))
                return result
            case formulas.Common(seats):
                return _throughout(self.joined(seats), inside)

    def joined(self, seats: tuple[int, ...]) -> array[int]:
        """Return the classes of worlds between which steps lead that some seat cannot tell apart."""
        found = self._joined.get(seats)
        if found is None:
            first, *others = [self._views[seat] for seat in _group(seats)]
            found = first
            for view in others:
                found = _join(found, view)
            self._joined[seats] = found
        return found


def _throughout(view: array[int], inside: bytes) -> bytes:
    """Return the worlds of those classes all of whose worlds are inside."""
    failing = set(compress(view, inside.translate(_FLIP)))
    if not failing:
        return inside
    table = bytearray(b"\1") * (max(view) + 1)
    for class_ in failing:
        table[class_] = 0
    return bytes(map(table.__getitem__, view))


def touched(view: array[int], inside: bytes) -> bytes:
    """Return the worlds of those classes some of whose worlds are inside."""
    return _throughout(view, inside.translate(_FLIP)).translate(_FLIP)


def both(left: bytes, right: bytes) -> bytes:
    """Return where two extensions are both 1."""
    both = int.from_bytes(left, "little") & int.from_bytes(right, "little")
    return both.to_bytes(len(left), "little")


def either(left: bytes, right: bytes) -> bytes:
    """Return where one of two extensions is 1."""
    either = int.from_bytes(left, "little") | int.from_bytes(right, "little")
    return either.to_bytes(len(left), "little")


def _join(left: array[int], right: array[int]) -> array[int]:
    """Return the finest classes of which both views' classes are parts."""
    above = list(range(max(left) + 1))

    def root(class_: int) -> int:
        while above[class_] != class_:
            above[class_] = above[above[class_]]
            class_ = above[class_]
        return class_

    partner: dict[int, int] = {}
    for mine, other in set(zip(left, right, strict=True)):
        if other in partner:
            above[root(mine)] = root(partner[other])
        else:
            partner[other] = mine
    roots = [root(class_) for class_ in range(len(above))]
    return array("I", map(roots.__getitem__, left))


def _group(seats: tuple[int, ...]) -> tuple[int, ...]:
    if not seats:
        raise KnowledgeError("a group needs at least one seat")
    return seats
