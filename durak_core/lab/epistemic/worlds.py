"""Public information about a deal, and the deals consistent with it, as columns of indices.

Deals are built location by location. What follows depends only on the remaining cards and is memoised.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import TypeAlias

from durak_core.cards import CardSet
from durak_core.errors import KnowledgeError
from durak_core.knowledge.hidden_hand import FirstAttack, HiddenHand, assign, below
from durak_core.knowledge.locations import Location, PublicLocations, all_locations


@dataclass(frozen=True, slots=True)
class Scenario:
    """Public information that determines the possible deals; built by `of` or `from_locations`.

    ``hidden`` cards have no public location. ``cells`` are each seat's hidden cards, then the talon's.
    ``public`` has a mask of cards by location, ``first`` what the first attack reveals (rules 4.1).
    """

    seats: int
    hidden: CardSet
    cells: tuple[HiddenHand, ...]
    public: tuple[tuple[Location, int], ...]
    first: FirstAttack | None = None

    @classmethod
    def of(
        cls,
        cards: CardSet | str,
        hands: Sequence[int],
        *,
        talon: int = 0,
        public: Mapping[Location, CardSet | str] | None = None,
        lacking: Mapping[int, CardSet | str] | None = None,
    ) -> Scenario:
        """Make up a deal.

        Args:
            cards: Hidden cards, such as ``"6s7s8s"``.
            hands: Each seat's number of hidden cards; at least one seat.
            talon: Number of hidden cards in the talon.
            public: Other cards, by public location.
            lacking: Hidden cards publicly known to be missing from each hand.

        Raises:
            KnowledgeError: If the cards do not fit, or a location, seat or card is invalid.
        """
        hidden, seats = _mask(cards), len(hands)
        if seats == 0 or min(hands) < 0 or talon < 0:
            raise KnowledgeError("a scenario needs seats, and sizes of 0 or more")
        if sum(hands) + talon != hidden.bit_count():
            raise KnowledgeError(
                "{count} hidden cards for {places} places in hands and talon",
                count=hidden.bit_count(),
                places=sum(hands) + talon,
            )
        shown = {place: _mask(there) for place, there in (public or {}).items()}
        seen = hidden
        for place, mask in shown.items():
            if place not in all_locations(seats):
                raise KnowledgeError(
                    "there is no place {place!r} in a game of {seats} seats", place=place, seats=seats
                )
            if seen & mask:
                raise KnowledgeError("in two places: {cards}", cards=CardSet(seen & mask))
            seen |= mask
        barred = {seat: _mask(there) for seat, there in (lacking or {}).items()}
        if not barred.keys() <= set(range(seats)):
            raise KnowledgeError("there are seats 0 to {last}, not {seat}", last=seats - 1, seat=max(barred))
        cells = [HiddenHand.of(size, barred.get(seat, 0) & hidden) for seat, size in enumerate(hands)]
        return cls(
            seats,
            CardSet(hidden),
            (*cells, HiddenHand.of(talon)),
            tuple([(place, shown.get(place, 0)) for place in all_locations(seats)]),
        )

    @classmethod
    def from_locations(cls, places: PublicLocations) -> Scenario:
        return cls(
            places.seats,
            CardSet(places.hidden),
            (*places.hands, HiddenHand.of(places.talon_hidden)),
            tuple([(place, places.public(place)) for place in all_locations(places.seats)]),
            places.first,
        )

    @property
    def is_tied(self) -> bool:
        """Whether a seat is publicly known to lack a hidden card, so that locations depend on each other."""
        return any(cell.lacks(self.hidden.mask) for cell in self.cells)

    @property
    def tied_trumps(self) -> int:
        """Mask of the hidden trumps linked by rules 4.1."""
        return 0 if self.first is None else self.first.trumps & self.hidden.mask

    @property
    def deck(self) -> CardSet:
        mask = self.hidden.mask
        for _, cards in self.public:
            mask |= cards
        return CardSet(mask)


def _mask(cards: CardSet | str) -> int:
    return (CardSet.parse(cards) if isinstance(cards, str) else cards).mask


Kinds: TypeAlias = tuple[tuple[tuple[int, ...], int], ...]
"""Sorted numbers of cards by the draw batches of each cell that may contain them."""


def count_deals(scenario: Scenario, about: int) -> int:
    """Count the placements of a mask of hidden cards, all of them if a hand is known to lack some."""
    pool = scenario.hidden.mask
    tied = [cell for cell in scenario.cells if cell.lacks(pool)]
    sizes = [cell.size for cell in scenario.cells if not cell.lacks(pool)]
    if not tied:
        return _count_free(sizes, about.bit_count())
    laid = _lay_tied(tied, about)
    return laid * _count_free(sizes, sum(sizes))


def _count_free(sizes: Sequence[int], cards: int) -> int:
    ways = {cards: 1}
    for size in sizes:
        after: dict[int, int] = {}
        for left, count in ways.items():
            for taken in range(min(left, size) + 1):
                after[left - taken] = after.get(left - taken, 0) + count * comb(left, taken)
        ways = after
    return ways.get(0, 0)


def _lay_tied(cells: Sequence[HiddenHand], about: int) -> int:
    """Count the ways to fill cells with known missing cards; interchangeable cards are counted together."""
    cards = [1 << i for i in range(about.bit_length()) if about >> i & 1]
    kinds = [tuple([cell.draw_batches_for(card) for cell in cells]) for card in cards]
    ways = {tuple(sorted(Counter(kinds).items())): 1}
    for cell in cells:
        after: dict[Kinds, int] = {}
        for left, count in ways.items():
            for rest, more in _fill(cell, left).items():
                after[rest] = after.get(rest, 0) + count * more
        ways = after
    return sum(ways.values())


def _fill(cell: HiddenHand, left: Kinds) -> dict[Kinds, int]:
    """Return the number of ways to fill a cell by the remaining kinds, without their part for this cell."""
    partial: dict[tuple[Kinds, Kinds], int] = {((), ()): 1}  # taken by batches, left by kind
    coming = sum([n for kind, n in left if kind[0]])
    for kind, n in left:
        after: dict[tuple[Kinds, Kinds], int] = {}
        draw_batches, later = kind[:1], kind[1:]
        coming -= n if draw_batches[0] else 0
        for (taken, rest), count in partial.items():
            room = cell.size - sum([k for _, k in taken])
            for k in range(max(0, room - coming), min(n, room if draw_batches[0] else 0) + 1):
                key = (_added(taken, draw_batches, k), _added(rest, later, n - k))
                after[key] = after.get(key, 0) + count * comb(n, k)
        partial = after
    found: dict[Kinds, int] = {}
    for (taken, rest), count in partial.items():
        if sum([k for _, k in taken]) == cell.size and _holds(cell, taken):
            found[rest] = found.get(rest, 0) + count
    return found


def _added(counts: Kinds, kind: tuple[int, ...], n: int) -> Kinds:
    if n == 0:
        return counts
    tally = dict(counts)
    tally[kind] = tally.get(kind, 0) + n
    return tuple(sorted(tally.items()))


def _holds(cell: HiddenHand, taken: Kinds) -> bool:
    if len(cell.draw_batches) == 1:
        return True
    allowed = [bits for _, bits in cell.loose]
    for (draw_batches,), k in taken:
        allowed += [draw_batches] * k
    return assign(allowed, [count for count, _ in cell.draw_batches]) is not None


Laid: TypeAlias = tuple[int, int]
"""Mask of a cell's cards, and mask of the lowest trump dealt with them, or 0."""


def columns_of(scenario: Scenario, about: int) -> tuple[list[list[Laid]], list[array[int]]]:
    """Return each cell's possible contents, and the index of its content in each deal."""
    layout = _Layout(scenario)
    columns = layout.deals(0, about)
    placed = dict(zip(layout.order, columns, strict=True))
    return [list(numbers) for numbers in layout.numbers], [placed[cell] for cell in sorted(placed)]


class _Layout:
    def __init__(self, scenario: Scenario) -> None:
        self.cells = scenario.cells
        self.first = scenario.first
        holder = None if self.first is None else self.first.seat
        self.order = sorted(range(len(self.cells)), key=lambda cell: cell != holder)
        self.numbers: list[dict[Laid, int]] = [{} for _ in self.cells]
        self._is_tied = scenario.is_tied
        self._room = [self.cells[cell].size for cell in self.order]
        self._done: dict[tuple[int, int, int], list[array[int]]] = {}

    def deals(self, first: int, cards: int, lowest: int = 0) -> list[array[int]]:
        """Return the columns of all placements in the cells from ``first`` on."""
        if first == len(self.order):
            return []
        known = self._done.get((first, cards, lowest))
        if known is not None:
            return known
        columns = [array("I") for _ in self.order[first:]]
        later = sum(self._room[first + 1 :])
        numbers = self.numbers[self.order[first]]
        for chosen in subsets(cards, cards.bit_count() - later, self._room[first]):
            for card in self._lowest(self.order[first], chosen, lowest):
                rest = self.deals(first + 1, cards & ~chosen, lowest or card)
                n = len(rest[0]) if rest else 1
                if n:
                    columns[0].extend(array("I", [numbers.setdefault((chosen, card), len(numbers))]) * n)
                    for column, more in zip(columns[1:], rest, strict=True):
                        column.extend(more)
        if first > 1:  # before, sets of cards are unique or too large to keep
            self._done[first, cards, lowest] = columns
        return columns

    def _lowest(self, place: int, chosen: int, lowest: int) -> Iterator[int]:
        """Yield the possible lowest dealt trumps, or 0, of a cell that now holds ``chosen``."""
        cell = self.cells[place]
        if self.first is None or not cell.dealt:
            if not self._is_tied or cell.accepts(chosen):
                yield 0
            return
        for card in self.first.lowest_of(place, cell, chosen):
            if (not card and place == self.first.seat) or (
                card and (card < lowest or self.first.seat is None)
            ):
                continue
            hand: HiddenHand | None = cell
            if card & ~self.first.dealt[place]:
                hand = cell.dealt_one(card)
            if hand is not None:
                hand = hand.dealt_none_of(self.first.trumps & (below(card) if card else -1))
            if hand is not None and hand.accepts(chosen & ~card):
                yield card


def subsets(cards: int, at_least: int, at_most: int) -> Iterator[int]:
    """Yield the masks of some of these cards, from ``at_least`` to ``at_most`` of them, small sets first."""
    bits = [1 << i for i in range(cards.bit_length()) if cards >> i & 1]
    for size in range(max(0, at_least), min(at_most, len(bits)) + 1):
        yield from map(sum, combinations(bits, size))
