"""S5 models: possible deals, and which of them a seat cannot tell apart.

The worlds of a model are the deals that agree with all that is public. A seat cannot tell two of them
apart when it holds the same cards in both. A model can be joint, of all hidden cards, or speak of some
cards only: its worlds then are the ways to place these. As long as any hidden card may be in any hidden
place the smaller model satisfies the same formulas about its cards, however deep, for the map from a
joint world to the places of those cards is a bisimulation. With one card it has a world for each place
where the card may be. Where it counts who attacked first (rules 4.1), the hidden trumps are always among
the cards, and worlds differ also in the lowest trump that a seat was dealt, which that seat remembers.

Extensions of formulas are strings of bytes, 1 for each world where a formula is true.

Source: R. Fagin et al., "Reasoning About Knowledge", 1995; J. Plaza, "Logics of public communications",
1989 (announcements).
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import compress
from typing import Final

from durak_core.cards import Card, CardSet
from durak_core.errors import KnowledgeError
from durak_core.knowledge.locations.places import Place, all_places
from durak_core.lab.epistemic.evaluation import both, either, flipped, join_views, throughout, touched
from durak_core.lab.epistemic.formulas import (
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
    cards_of,
    seats_of,
)
from durak_core.lab.epistemic.scenario import Scenario
from durak_core.lab.epistemic.worlds import columns_of, count_deals

MAX_WORLDS: Final = 2_000_000
"""Models with more worlds are refused: this many take some hundred megabytes and some seconds."""


@dataclass(frozen=True, slots=True)
class World:
    """A world's number in the model, from 0, and the model's cards by the place where they lie."""

    number: int
    cards: Mapping[Place, CardSet]

    def place_of(self, card: Card) -> Place | None:
        """Return where a card lies, or None if the model does not speak of it."""
        return next((place for place, cards in self.cards.items() if card in cards), None)

    def __str__(self) -> str:
        return " ".join([f"{place}:{cards}" for place, cards in self.cards.items() if cards])


def count_worlds(scenario: Scenario, about: Iterable[Card] | None = None) -> int:
    """Count the worlds of `KripkeModel.of` with these arguments, without making any.

    Where it counts who attacked first (rules 4.1), these are the deals without that: more than there will be,
    as a rule.
    """
    return count_deals(scenario, _hidden_part(scenario, about))


@dataclass(frozen=True, eq=False, repr=False)
class KripkeModel:
    """A model; `of` makes one, `announce` makes a smaller one.

    Attributes:
        about: The cards that it speaks of.
        is_joint: Whether these are all cards of its scenario.
        fixed: For each place, the mask of cards that are there in every world.
        sets: For some places, masks of further cards that may be there.
        which: For these places, which of the masks it is, world by world.
        lowest: With each of the masks, as a mask, the lowest trump that the seat was dealt, or 0 for none;
            empty where it does not matter.
        views: For each seat, the number of its class of worlds that it cannot tell apart, world by world.
    """

    about: CardSet
    is_joint: bool
    fixed: Mapping[Place, int]
    sets: Mapping[Place, list[int]]
    which: Mapping[Place, array[int]]
    views: tuple[array[int], ...]
    lowest: Mapping[Place, list[int]] = field(default_factory=dict)
    _known: dict[Formula, bytes] = field(default_factory=dict, init=False)
    _joined: dict[tuple[int, ...], array[int]] = field(default_factory=dict, init=False)

    @property
    def seats(self) -> int:
        return len(self.views)

    @property
    def size(self) -> int:
        """How many worlds there are."""
        return len(self.views[0])

    @classmethod
    def of(cls, scenario: Scenario, about: Iterable[Card] | None = None) -> KripkeModel:
        """Make the model of a scenario.

        It speaks of the given cards and of all public ones, and of trumps that rules 4.1 tie together; by
        default of all.

        Raises:
            KnowledgeError: If it would have more than `MAX_WORLDS` worlds or none at all, or if not all
                hidden cards are wanted, but something is known of what seats lack.
        """
        cards = _hidden_part(scenario, about)
        is_joint = cards == scenario.hidden.mask
        if not is_joint and scenario.is_tied:
            raise KnowledgeError(
                "it is known of a seat what it lacks, which ties all hidden cards together: only the "
                "joint model of all cards is right"
            )
        count = count_deals(scenario, cards)
        if count > MAX_WORLDS:
            raise too_large(count)
        first = scenario.first if cards else None
        laid, columns = columns_of(replace(scenario, first=first), cards)
        if not len(columns[0]):
            raise KnowledgeError("no deal agrees with all that is public")
        places: tuple[Place, ...] = all_places(scenario.seats)[: len(columns)]
        return cls(
            CardSet(cards | scenario.deck.mask & ~scenario.hidden.mask),
            is_joint,
            dict(scenario.public),
            {place: [mask for mask, _ in column] for place, column in zip(places, laid, strict=True)},
            dict(zip(places, columns, strict=True)),
            tuple(columns[: scenario.seats]),
            {place: [card for _, card in column] for place, column in zip(places, laid, strict=True)}
            if first
            else {},
        )

    # Worlds

    def world(self, number: int) -> World:
        """Return a world by its number, 0 to ``size - 1``."""
        cards = dict(self.fixed)
        for place, column in self.which.items():
            cards[place] |= self.sets[place][column[number]]
        return World(number, {place: CardSet(mask) for place, mask in cards.items()})

    def worlds(self) -> Iterator[World]:
        return map(self.world, range(self.size))

    def find(self, deal: Mapping[Place, CardSet], lowest: Mapping[Place, int] | None = None) -> World:
        """Return the first world whose cards lie as in a deal, by place, or raise `KnowledgeError`.

        Where it matters, ``lowest`` says which trump, as a mask, is the lowest that each seat was dealt.
        """
        fits = b"\1" * self.size
        for place, fixed in self.fixed.items():
            there = deal.get(place, CardSet()).mask & self.about.mask
            if place in self.which:
                table = bytes([fixed | mask == there for mask in self.sets[place]])
                if lowest is not None and place in lowest and place in self.lowest:
                    remembered = bytes([card == lowest[place] for card in self.lowest[place]])
                    fits = both(fits, _spread(remembered, self.which[place]))
                fits = both(fits, _spread(table, self.which[place]))
            elif fixed != there:
                fits = bytes(self.size)
        number = fits.find(1)
        if number < 0:
            raise KnowledgeError("this deal is none of the model's worlds: it contradicts what is public")
        return self.world(number)

    def alike(self, seat: int, number: int) -> list[int]:
        """Return the numbers of the worlds that a seat cannot tell from one, that one included."""
        view = self.views[seat]
        mine = view[number]
        return [other for other, class_ in enumerate(view) if class_ == mine]

    # Formulas

    def extension(self, formula: Formula) -> bytes:
        """Return where a formula about the model's seats and cards is true: a byte for each world, 1 or 0."""
        unknown = CardSet(cards_of(formula).mask & ~self.about.mask)
        if unknown:
            raise KnowledgeError("the model does not speak of {unknown}", unknown=unknown)
        strangers = sorted(seat for seat in seats_of(formula) if seat >= self.seats)
        if strangers:
            raise no_seat(strangers[0], self.seats)
        return self._evaluate(formula)

    def _evaluate(self, formula: Formula) -> bytes:
        """Return where a formula is true, worked out once; seats and cards are not checked."""
        if formula not in self._known:
            self._known[formula] = self._work_out(formula)
        return self._known[formula]

    def _work_out(self, formula: Formula) -> bytes:
        evaluate = self._evaluate
        match formula:
            case In(card, place):
                found = self.atom(card, place)
            case Not(body):
                found = flipped(evaluate(body))
            case And(left, right):
                found = both(evaluate(left), evaluate(right))
            case Or(left, right):
                found = either(evaluate(left), evaluate(right))
            case Implies(left, right):
                found = either(flipped(evaluate(left)), evaluate(right))
            case Knows(seat, body):
                found = throughout(self.views[seat], evaluate(body))
            case Possible(seat, body):
                found = touched(self.views[seat], evaluate(body))
            case Everybody(seats, body):
                found = reduce(both, [evaluate(Knows(seat, body)) for seat in _group(seats)])
            case Common(seats, body):
                found = throughout(self._view_of_group(seats), evaluate(body))
        return found

    def _view_of_group(self, seats: tuple[int, ...]) -> array[int]:
        """Return the classes of worlds between which steps lead that some seat cannot tell apart."""
        if seats not in self._joined:
            self._joined[seats] = reduce(join_views, [self.views[seat] for seat in _group(seats)])
        return self._joined[seats]

    def true_at(self, formula: Formula, world: World | int) -> bool:
        """Tell whether a formula is true in a world; errors as for `extension`."""
        number = world if isinstance(world, int) else world.number
        return bool(self.extension(formula)[number])

    def holds(self, formula: Formula) -> bool:
        """Tell whether a formula is true in every world; errors as for `extension`."""
        return 0 not in self.extension(formula)

    def false_world(self, formula: Formula) -> World | None:
        """Return a world where a formula is false, or None if there is none; errors as for `extension`."""
        number = self.extension(formula).find(0)
        return None if number < 0 else self.world(number)

    # Announcements

    def announce(self, fact: Formula | Callable[[World], bool]) -> KripkeModel:
        """Return the model after something has been said in public that is true in some world.

        A fact is a formula, or a function that tells whether it is true in a world; the worlds where it
        is false are left out.
        """
        kept = bytes([fact(world) for world in self.worlds()]) if callable(fact) else self.extension(fact)
        if 1 not in kept:
            raise KnowledgeError(
                "nobody can truthfully announce this: {fact} is true in no world", fact=_named(fact)
            )
        return replace(
            self,
            which={place: array("I", compress(column, kept)) for place, column in self.which.items()},
            views=tuple([array("I", compress(view, kept)) for view in self.views]),
        )

    def atom(self, card: Card, place: Place) -> bytes:
        """Return in which worlds a card lies in a place, as `extension` does."""
        mask = card.mask
        if place not in self.fixed:
            raise KnowledgeError("there is no place {place!r}", place=place)
        if self.fixed[place] & mask:
            return b"\1" * self.size
        if place not in self.which:
            return bytes(self.size)
        return _spread(bytes([there & mask != 0 for there in self.sets[place]]), self.which[place])


def too_large(worlds: int) -> KnowledgeError:
    return KnowledgeError(
        "this takes a model of {worlds:,} worlds; models of more than {most:,} are not made",
        worlds=worlds,
        most=MAX_WORLDS,
    )


def no_seat(seat: int, seats: int) -> KnowledgeError:
    return KnowledgeError(
        "there is no seat {seat}: expected 0 to {last}", rule="2.1", seat=seat, last=seats - 1
    )


def _hidden_part(scenario: Scenario, about: Iterable[Card] | None) -> int:
    """Return the hidden cards that a model speaks of, as a mask."""
    hidden = scenario.hidden.mask
    if about is None:
        return hidden
    wanted = CardSet.of(about).mask
    if wanted & ~scenario.deck.mask:
        raise KnowledgeError("not in the deck: {cards}", cards=CardSet(wanted & ~scenario.deck.mask))
    return hidden & wanted | scenario.tied_trumps if hidden & wanted else 0


def _spread(table: bytes, column: array[int]) -> bytes:
    """Look a column of numbers up in a table."""
    return bytes(map(table.__getitem__, column))


def _named(fact: Formula | Callable[[World], bool]) -> str:
    return getattr(fact, "__name__", "it") if callable(fact) else str(fact)


def _group(seats: tuple[int, ...]) -> tuple[int, ...]:
    if not seats:
        raise KnowledgeError("a group needs at least one seat")
    return seats
