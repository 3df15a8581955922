"""Where formulas are true: whole sets of worlds at a time, and why a formula is false somewhere."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING, Final

from durak_core.errors import KnowledgeError
from durak_core.knowledge.kripke.formulas import (
    And,
    Common,
    Everybody,
    Formula,
    Implies,
    In,
    Knows,
    Not,
    Or,
    Possible,
)

if TYPE_CHECKING:
    from durak_core.knowledge.kripke.model import KripkeModel

_FLIP: Final = bytes([1, 0, *range(2, 256)])


@dataclass(frozen=True, slots=True)
class Step:
    """A step on the way to where a formula fails.

    Attributes:
        seat: Who cannot tell the world before from this one.
        world: This world's number.
        formula: What is false here.
    """

    seat: int
    world: int
    formula: Formula


class Evaluation:
    """Extensions of formulas on one model, each worked out once.

    Args:
        model: The model.
    """

    def __init__(self, model: KripkeModel) -> None:
        self._model = model
        self._known: dict[Formula, bytes] = {}
        self._joined: dict[tuple[int, ...], array[int]] = {}

    def extension(self, formula: Formula) -> bytes:
        """Return a byte for each world, 1 where the formula is true; seats and cards are not checked."""
        found = self._known.get(formula)
        if found is None:
            found = self._known[formula] = self._work_out(formula)
        return found

    def _work_out(self, formula: Formula) -> bytes:
        match formula:
            case In(card, place):
                return self._model.atom(card, place)
            case Not(body):
                return self.extension(body).translate(_FLIP)
            case And(left, right):
                return both(self.extension(left), self.extension(right))
            case Or(left, right):
                return _either(self.extension(left), self.extension(right))
            case Implies(left, right):
                return _either(self.extension(left).translate(_FLIP), self.extension(right))
            case _:
                return self._modal(formula)

    def _modal(self, formula: Knows | Possible | Everybody | Common) -> bytes:
        inside = self.extension(formula.body)
        match formula:
            case Knows(seat):
                return _throughout(self._model.views[seat], inside)
            case Possible(seat):
                return _touched(self._model.views[seat], inside)
            case Everybody(seats):
                result = b"\1" * self._model.size
                for seat in _group(seats):
                    result = both(result, _throughout(self._model.views[seat], inside))
                return result
            case Common(seats):
                return _throughout(self.joined(seats), inside)

    def joined(self, seats: tuple[int, ...]) -> array[int]:
        """Return the classes of worlds between which steps lead that some seat cannot tell apart."""
        found = self._joined.get(seats)
        if found is None:
            first, *others = [self._model.views[seat] for seat in _group(seats)]
            found = first
            for view in others:
                found = _join(found, view)
            self._joined[seats] = found
        return found


def counterexample(model: KripkeModel, formula: Formula, world: int) -> tuple[Step, ...]:
    """Return the steps from a world where a formula is false to what makes it so.

    Each step leads to a world that some seat cannot tell from the one before. A formula about this
    world alone is false without any step, and so is one that says that something is possible.

    Args:
        model: The model.
        formula: Any formula.
        world: The number of a world where it is false.

    Raises:
        KnowledgeError: If it is true there, or speaks of what is not the model's.
    """
    if model.true_at(formula, world):
        raise KnowledgeError(f"{formula} is true in this world")
    steps: list[Step] = []
    while True:
        match formula:
            case And(left, right):
                formula = right if model.true_at(left, world) else left
            case Or(left, _):
                formula = left
            case Implies(_, right):
                formula = right
            case Knows(seat, body):
                world = _failing(model, (seat,), world, body)[-1][1]
                steps.append(Step(seat, world, body))
                formula = body
            case Everybody(seats, body):
                seat = next(seat for seat in seats if not model.true_at(Knows(seat, body), world))
                formula = Knows(seat, body)
            case Common(seats, body):
                way = _failing(model, seats, world, body)
                steps += [Step(seat, number, body) for seat, number in way]
                world = way[-1][1] if way else world
                formula = body
            case _:
                return tuple(steps)


def _failing(model: KripkeModel, seats: tuple[int, ...], world: int, body: Formula) -> list[tuple[int, int]]:
    """Return a shortest way of seats and worlds to where a formula is false; at least one step long."""
    false = model.extension(body).translate(_FLIP)
    start = bytearray(model.size)
    start[world] = 1
    layers = [bytes(start)]
    while True:
        reached = bytes(model.size)
        for seat in seats:
            reached = _either(reached, _touched(model.views[seat], layers[-1]))
        target = both(reached, false).find(1)
        if target >= 0:
            break
        layers.append(reached)
    way: list[tuple[int, int]] = []
    for layer in reversed(layers):
        seat, before = _step_back(model, seats, layer, target)
        way.append((seat, target))
        target = before
    return way[::-1]


def _step_back(model: KripkeModel, seats: tuple[int, ...], layer: bytes, world: int) -> tuple[int, int]:
    """Return who cannot tell a world from which world of a layer."""
    for seat in seats:
        view = model.views[seat]
        before = next(
            (other for other in compress(range(len(view)), layer) if view[other] == view[world]), None
        )
        if before is not None:
            return seat, before
    raise AssertionError("a layer holds all worlds that lie a step before the next one's")


def _throughout(view: array[int], inside: bytes) -> bytes:
    """Return the worlds of those classes all of whose worlds are inside."""
    failing = set(compress(view, inside.translate(_FLIP)))
    if not failing:
        return inside
    table = bytearray(b"\1") * (max(view) + 1)
    for class_ in failing:
        table[class_] = 0
    return bytes(map(table.__getitem__, view))


def _touched(view: array[int], inside: bytes) -> bytes:
    """Return the worlds of those classes some of whose worlds are inside."""
    return _throughout(view, inside.translate(_FLIP)).translate(_FLIP)


def both(left: bytes, right: bytes) -> bytes:
    """Return where two extensions are both 1."""
    both = int.from_bytes(left, "little") & int.from_bytes(right, "little")
    return both.to_bytes(len(left), "little")


def _either(left: bytes, right: bytes) -> bytes:
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
