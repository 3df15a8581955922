"""How many deals agree with the public facts, and all of them, as columns of numbers.

Deals are counted before any is made. They are laid out place after place; what can follow depends on
the cards left alone, so it is made once for each such set and copied.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb
from typing import TypeAlias

from durak_core.knowledge.kripke.scenario import Scenario
from durak_core.knowledge.locations.hidden_hand import HiddenHand, assign

Kinds: TypeAlias = tuple[tuple[tuple[int, ...], int], ...]
"""Numbers of cards, by the lots of each cell that they may be in; sorted."""


def count_deals(scenario: Scenario, about: int) -> int:
    """Count the ways to lay out some hidden cards, the others anywhere in the room that is left.

    ``about`` is their mask; where it is known of a seat what it lacks, the mask of all hidden cards.
    """
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
    """Count the ways to fill cells of which it is known what they lack.

    Cards are alike if they may be in the same lots of the cells to come, so from cell to cell there are
    fewer kinds to keep count of.
    """
    cards = [1 << i for i in range(about.bit_length()) if about >> i & 1]
    kinds = [tuple([cell.lots_for(card) for cell in cells]) for card in cards]
    ways = {tuple(sorted(Counter(kinds).items())): 1}
    for cell in cells:
        after: dict[Kinds, int] = {}
        for left, count in ways.items():
            for rest, more in _fill(cell, left).items():
                after[rest] = after.get(rest, 0) + count * more
        ways = after
    return sum(ways.values())


def _fill(cell: HiddenHand, left: Kinds) -> dict[Kinds, int]:
    """Return the ways to fill a cell, by what is left after it, kinds without their part for this cell."""
    partial: dict[tuple[Kinds, Kinds], int] = {((), ()): 1}  # taken by lots, and left by the kind to come
    coming = sum([n for kind, n in left if kind[0]])
    for kind, n in left:
        after: dict[tuple[Kinds, Kinds], int] = {}
        lots, later = kind[:1], kind[1:]
        coming -= n if lots[0] else 0
        for (taken, rest), count in partial.items():
            room = cell.size - sum([k for _, k in taken])
            for k in range(max(0, room - coming), min(n, room if lots[0] else 0) + 1):
                key = (_added(taken, lots, k), _added(rest, later, n - k))
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
    if len(cell.lots) == 1:
        return True
    allowed = [bits for _, bits in cell.loose]
    for (lots,), k in taken:
        allowed += [lots] * k
    return assign(allowed, [count for count, _ in cell.lots]) is not None


def columns_of(scenario: Scenario, about: int) -> tuple[list[list[int]], list[array[int]]]:
    """Return for each cell the card masks that it may hold, and which of them it holds in each deal."""
    layout = _Layout(scenario)
    columns = layout.deals(0, about)
    return [list(numbers) for numbers in layout.numbers], columns


class _Layout:
    def __init__(self, scenario: Scenario) -> None:
        self.cells = scenario.cells
        self.numbers: list[dict[int, int]] = [{} for _ in self.cells]
        self._plain = scenario.is_plain
        self._room = [cell.size for cell in self.cells]
        self._done: dict[tuple[int, int], list[array[int]]] = {}

    def deals(self, first: int, cards: int) -> list[array[int]]:
        """Return the columns of all ways to lay these cards into the cells from the first one on."""
        if first == len(self.cells):
            return []
        known = self._done.get((first, cards))
        if known is not None:
            return known
        columns = [array("I") for _ in self.cells[first:]]
        later = sum(self._room[first + 1 :])
        numbers = self.numbers[first]
        for chosen in _subsets(cards, cards.bit_count() - later, self._room[first]):
            if not self._plain and not self.cells[first].accepts(chosen):
                continue
            rest = self.deals(first + 1, cards & ~chosen)
            n = len(rest[0]) if rest else 1
            if n:
                columns[0].extend(array("I", [numbers.setdefault(chosen, len(numbers))]) * n)
                for column, more in zip(columns[1:], rest, strict=True):
                    column.extend(more)
        if first > 1:  # earlier, every set of cards comes up once or is too large to keep
            self._done[first, cards] = columns
        return columns


def _subsets(cards: int, at_least: int, at_most: int) -> Iterator[int]:
    bits = [1 << i for i in range(cards.bit_length()) if cards >> i & 1]
    for size in range(max(0, at_least), min(at_most, len(bits)) + 1):
        for chosen in combinations(bits, size):
            yield sum(chosen)
