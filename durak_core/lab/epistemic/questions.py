"""Evaluates formulas at a game position with the smallest sufficient model, with counterexamples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import compress

from durak_core.cards import CardSet
from durak_core.errors import KnowledgeError
from durak_core.game.state import State
from durak_core.knowledge.hidden_hand import HiddenHand
from durak_core.knowledge.locations import (
    BOTTOM,
    DISCARD,
    TABLE,
    TALON,
    Location,
    PublicLocations,
    SeatLocations,
)
from durak_core.lab.epistemic import formulas
from durak_core.lab.epistemic.formulas import Formula
from durak_core.lab.epistemic.model import (
    MAX_WORLDS,
    KripkeModel,
    World,
    both,
    count_worlds,
    either,
    no_seat,
    too_large,
    touched,
)
from durak_core.lab.epistemic.worlds import Scenario


@dataclass(frozen=True, slots=True)
class PathStep:
    """A step to a world that the seat cannot distinguish from the previous one."""

    seat: int
    world: int
    formula: Formula


def counterexample(model: KripkeModel, formula: Formula, world: int) -> tuple[PathStep, ...]:
    """Return the path from a world that falsifies a formula to the cause.

    The path is empty for formulas about the world itself and for false possibility formulas.

    Raises:
        KnowledgeError: If the formula is true there, or has cards or seats that the model does not cover.
    """
    if model.true_at(formula, world):
        raise KnowledgeError("{formula} is true in this world", formula=formula)
    steps: list[PathStep] = []
    while True:
        match formula:
            case formulas.And(left, right):
                formula = right if model.true_at(left, world) else left
            case formulas.Or(left, _):
                formula = left
            case formulas.Implies(_, right):
                formula = right
            case formulas.Knows(seat, body):
                world = _failing(model, (seat,), world, body)[-1][1]
                steps.append(PathStep(seat, world, body))
                formula = body
            case formulas.Everybody(seats, body):
                seat = next(seat for seat in seats if not model.true_at(formulas.Knows(seat, body), world))
                formula = formulas.Knows(seat, body)
            case formulas.Common(seats, body):
                way = _failing(model, seats, world, body)
                steps += [PathStep(seat, number, body) for seat, number in way]
                world = way[-1][1] if way else world
                formula = body
            case _:
                return tuple(steps)


def _failing(model: KripkeModel, seats: tuple[int, ...], world: int, body: Formula) -> list[tuple[int, int]]:
    """Return a shortest path of seats and worlds to a world that falsifies ``body``, at least one step."""
    false = model.extension(formulas.Not(body))
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
        # A layer holds all worlds that lie a step before the next one's, so one of its worlds leads on.
        seat, before = next(
            (seat, other)
            for seat in seats
            for other in compress(range(model.size), layer)
            if model.views[seat][other] == model.views[seat][target]
        )
        way.append((seat, target))
        target = before
    return way[::-1]


@dataclass(frozen=True, slots=True)
class FormulaAnswer:
    """A formula's value at a game position, with the world ``actual`` that matches the game.

    ``model`` is None if certain knowledge was enough. ``steps`` is a false formula's `counterexample`.
    """

    value: bool
    model: KripkeModel | None = None
    actual: World | None = None
    steps: tuple[PathStep, ...] = ()


def answer(
    public: PublicLocations,
    deal: Mapping[Location, CardSet],
    formula: Formula,
    dealt: Sequence[CardSet],
) -> FormulaAnswer:
    """Evaluate a formula, given public information, the actual deal and each seat's initial hand.

    The model covers the formula's cards, plus trumps if the first attack is informative, or all cards if some
    are known to be missing from a hand. If that model is too large, the formula is answered from certain
    knowledge if it only nests knowledge of single cards up to two deep.

    Raises:
        KnowledgeError: If the formula has unknown seats or cards, or cannot be answered; in that case with
            the number of worlds required.
    """
    scenario = Scenario.from_locations(public)
    cards, seats = formulas.cards_of(formula), formulas.seats_of(formula)
    if not cards <= scenario.deck:
        raise KnowledgeError("not in this game's deck: {cards}", rule="1.2", cards=cards - scenario.deck)
    if seats and max(seats) >= scenario.seats:
        raise no_seat(max(seats), scenario.seats)
    about = None if scenario.is_tied else cards
    worlds = count_worlds(scenario, about)
    if worlds > MAX_WORLDS:
        value = _Certain(public, deal, dealt).true(formula)
        if value is None:
            raise too_large(worlds)
        return FormulaAnswer(value)
    model = KripkeModel.of(scenario, about)
    actual = actual_world(model, public, deal, dealt)
    value = model.true_at(formula, actual)
    return FormulaAnswer(value, model, actual, () if value else counterexample(model, formula, actual.number))


def model_of_cards(public: PublicLocations, cards: CardSet) -> KripkeModel:
    """Return the model of some cards' possible locations, with each seat's view of its own hand.

    It leaves out what links these cards with others: the first attack (rules 4.1), and cards known to be
    missing from a hand.

    Raises:
        KnowledgeError: If it has more than `MAX_WORLDS` worlds.
    """
    scenario = Scenario.from_locations(public)
    loose = replace(scenario, first=None, cells=tuple([HiddenHand.of(cell.size) for cell in scenario.cells]))

    def is_possible(world: World) -> bool:
        hidden = [world.cards[seat] & scenario.hidden for seat in range(scenario.seats)]
        return all(
            public.hands[seat].draw_batches_for(card.mask)
            for seat, hand in enumerate(hidden)
            for card in hand
        )

    return KripkeModel.of(loose, cards).announce(is_possible)


def actual_world(
    model: KripkeModel, public: PublicLocations, deal: Mapping[Location, CardSet], dealt: Sequence[CardSet]
) -> World:
    """Return the world of the actual deal; arguments and errors as for `answer`."""
    trumps = [0 if public.first is None else hand.mask & public.first.trumps for hand in dealt]
    return model.find(deal, {seat: own & -own for seat, own in enumerate(trumps)})


def deal_of(state: State) -> dict[Location, CardSet]:
    deal: dict[Location, CardSet] = dict(enumerate(state.hands))
    is_open = state.trump_card is not None
    talon = state.talon
    deal[TALON] = CardSet.of(talon[:-1] if is_open else talon)
    deal[BOTTOM] = CardSet.of(talon[-1:] if is_open else ())
    deal[DISCARD] = state.discards
    deal[TABLE] = state.observation(0).table_cards
    return deal


class _Certain:
    """Truth by certain knowledge alone; None if undecided."""

    def __init__(
        self, public: PublicLocations, deal: Mapping[Location, CardSet], dealt: Sequence[CardSet]
    ) -> None:
        self._public = public
        self._deal = deal
        self._dealt = dealt
        self._seats: dict[int, SeatLocations] = {}

    def true(self, formula: Formula) -> bool | None:
        match formula:
            case formulas.In(card, place):
                value: bool | None = card in self._deal.get(place, CardSet())
            case formulas.Not(body):
                value = None if (inside := self.true(body)) is None else not inside
            case formulas.And(left, right):
                parts = {self.true(left), self.true(right)}
                value = False if False in parts else None if None in parts else True
            case formulas.Knows(seat, formulas.In(card, place)):
                value = card in self._seat(seat).certain(place)
            case formulas.Possible(seat, formulas.In(card, place)):
                value = card in self._seat(seat).possible(place)
            case formulas.Knows(seat, formulas.Knows(other, formulas.In(card, place))):
                value = self._seat(seat).knows_that_knows(other, card, place)
            case _:
                value = None if (simpler := _simpler(formula)) is None else self.true(simpler)
        return value

    def _seat(self, seat: int) -> SeatLocations:
        if seat not in self._seats:
            hand = self._deal.get(seat, CardSet())
            self._seats[seat] = SeatLocations(seat, hand, self._public, self._dealt[seat])
        return self._seats[seat]


def _simpler(formula: Formula) -> Formula | None:
    """Return an equivalent formula with fewer connectives inside modalities, or None if there is none."""
    found: Formula | None = None
    match formula:
        case formulas.Or(left, right):
            found = formulas.Not(formulas.And(formulas.Not(left), formulas.Not(right)))
        case formulas.Implies(left, right):
            found = formulas.Not(formulas.And(left, formulas.Not(right)))
        case formulas.Knows(seat, formulas.Not(body)):
            found = formulas.Not(formulas.Possible(seat, body))
        case formulas.Possible(seat, formulas.Not(body)):
            found = formulas.Not(formulas.Knows(seat, body))
        case formulas.Knows(seat, formulas.And(left, right)):
            found = formulas.And(formulas.Knows(seat, left), formulas.Knows(seat, right))
        case formulas.Everybody(seats, body):
            parts: list[Formula] = [formulas.Knows(seat, body) for seat in seats]
            found = reduce(formulas.And, parts)
    return found
