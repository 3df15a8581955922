"""How many deals agree with the public facts, and all of them, as columns of numbers.

Deals are counted before any is made. They are laid out place after place; what can follow depends on
the cards left alone, so it is made once for each such set and copied.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb

from durak_core.knowledge.kripke.scenario import Scenario
from durak_core.knowledge.places_lots import HiddenHand

__all__ = ["columns_of", "count_deals"]


def count_deals(scenario: Scenario, about: int) -> int:
    """Count the ways to lay out some hidden cards, the others anywhere in the room that is left.

    Args:
        scenario: The public facts.
        about: Mask of hidden cards; where it is known of a seat what it lacks, of all of them.
    """
    groups = _groups(scenario, about)
    whole = tuple([len(group) for group in groups])
    ways = {whole: 1}
    room = sum([cell.size for cell in scenario.cells])
    for cell in scenario.cells:
        size = cell.size
        room -= size
        after: dict[tuple[int, ...], int] = {}
        for left, count in ways.items():
            for taken in _choices(left, size):
                rest = tuple([a - b for a, b in zip(left, taken, strict=True)])
                if sum(rest) > room or not _fits(cell, groups, taken):
                    continue
                product = count
                for n, k in zip(left, taken, strict=True):
                    product *= comb(n, k)
                after[rest] = after.get(rest, 0) + product
        ways = after
    return sum(ways.values())


def columns_of(scenario: Scenario, about: int) -> tuple[list[list[int]], list[array[int]]]:
    """Return all ways that `count_deals` counts.

    Returns:
        For each cell of the scenario, the different card masks that it may hold; and for each cell
        which of these it holds, deal by deal.
    """
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
    """Yield the subsets of a mask with so many cards."""
    bits = [1 << i for i in range(cards.bit_length()) if cards >> i & 1]
    for size in range(max(0, at_least), min(at_most, len(bits)) + 1):
        for chosen in combinations(bits, size):
            yield sum(chosen)


def _groups(scenario: Scenario, about: int) -> list[list[int]]:
    """Sort cards by the lots that may hold them: within a group they are alike."""
    groups: dict[tuple[int, ...], list[int]] = {}
    for i in range(about.bit_length()):
        if about >> i & 1:
            alike = tuple([cell.lots_for(1 << i) for cell in scenario.cells])
            groups.setdefault(alike, []).append(1 << i)
    return list(groups.values())


def _choices(left: Sequence[int], at_most: int) -> Iterator[tuple[int, ...]]:
    """Yield how many of each group may be taken."""
    if not left:
        yield ()
        return
    for k in range(min(left[0], at_most) + 1):
        for rest in _choices(left[1:], at_most - k):
            yield (k, *rest)


def _fits(cell: HiddenHand, groups: list[list[int]], taken: tuple[int, ...]) -> bool:
    """Tell whether a cell can hold so many of each group; a cell that is not filled takes other cards too."""
    if sum(taken) < cell.size:
        return True
    return cell.accepts(sum([sum(group[:k]) for group, k in zip(groups, taken, strict=True)]))
