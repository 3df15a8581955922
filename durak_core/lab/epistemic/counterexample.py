"""Counterexamples: paths to a world that makes a formula false."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import compress

from durak_core.errors import KnowledgeError
from durak_core.lab.epistemic.evaluation import both, either, touched
from durak_core.lab.epistemic.formulas import And, Common, Everybody, Formula, Implies, Knows, Not, Or
from durak_core.lab.epistemic.model import KripkeModel


@dataclass(frozen=True, slots=True)
class Step:
    """A step to a world that the seat cannot distinguish from the previous one."""

    seat: int
    world: int
    formula: Formula


def counterexample(model: KripkeModel, formula: Formula, world: int) -> tuple[Step, ...]:
    """Return the path from a world that falsifies a formula to the cause.

    The path is empty for formulas about the world itself and for false possibility formulas.

    Raises:
        KnowledgeError: If the formula is true there, or has cards or seats that the model does not cover.
    """
    if model.true_at(formula, world):
        raise KnowledgeError("{formula} is true in this world", formula=formula)
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
    """Return a shortest path of seats and worlds to a world that falsifies ``body``, at least one step."""
    false = model.extension(Not(body))
    start = bytearray(model.size)
    start[world] = 1
    layers = [bytes(start)]
    while True:
        reached = bytes(model.size)
        for seat in seats:
            reached = either(reached, touched(model.views[seat], layers[-1]))
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
    for seat in seats:
        view = model.views[seat]
        before = next(
            (other for other in compress(range(len(view)), layer) if view[other] == view[world]), None
        )
        if before is not None:
            return seat, before
    raise AssertionError("a layer holds all worlds that lie a step before the next one's")
