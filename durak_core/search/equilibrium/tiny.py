"""A game with a tiny deck as a whole: its deals, its histories, an equilibrium, and who is how far from it.

>>> from durak_core import Rules
>>> count_deals(Rules.parse("podkidnoy:suits=1,lowest_rank=11,hand_size=1"))
24
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice, permutations
from math import factorial
from typing import Any, Final

from durak_core.errors import DurakError
from durak_core.kernel.deal import deal_hands, lowest_trump_seat, new_position
from durak_core.kernel.position import NOBODY
from durak_core.rules import Rules
from durak_core.search.backend.backend import Backend, backend
from durak_core.search.equilibrium.regrets import Tables
from durak_core.search.equilibrium.tree import DEPTH, FULL, MOST_PLIES, NONE, Growth, Tree

MOST_HISTORIES: Final = 30_000_000
"""With more than so many a game is too large to be solved as a whole."""

LARGEST: Final = "podkidnoy:suits=1,lowest_rank=8,hand_size=2"
"""Rules of a deck with about as many."""

_LEAST: Final = 8
"""Histories that a deal has at least."""
_TRIED_DEALS: Final = 30
_TRIED_HISTORIES: Final = 500_000
_CHUNK_NODES: Final = {"plain": 20_000, "compiled": 5_000_000}
"""Nodes that a call goes through: some hundredths of a second."""


class TooLargeError(DurakError):
    """A game that cannot be solved as a whole."""


@dataclass(frozen=True, slots=True)
class Deal:
    """A deal.

    Attributes:
        deck: The cards in the order in which they are dealt and drawn.
        attacker: Who begins.
        chance: How likely it is; deals differ only where it is drawn who begins (rules 4.1).
    """

    deck: tuple[int, ...]
    attacker: int
    chance: float


@dataclass(frozen=True, slots=True)
class Distance:
    """How far a strategy is from perfect play, if both seats play it.

    Attributes:
        best: What the best response to it has on average in seat 0 and in seat 1.
    """

    best: tuple[float, float]

    @property
    def nash_conv(self) -> float:
        """The sum of both; 0 in an equilibrium."""
        return sum(self.best)

    @property
    def exploitability(self) -> float:
        """What the best response has a game, from seats taken in turns; returns are -1, 0 and 1."""
        return self.nash_conv / 2

    @property
    def score(self) -> float:
        """The same as a score: wins and half the draws as a share of the games, a half in an equilibrium."""
        return (1 + self.exploitability) / 2


class TinyGame:
    """All histories of a game for two seats, and a strategy for them, at first to choose anything.

    Raises:
        TooLargeError: If there are more than `MOST_HISTORIES`.
        DurakError: If the rules are of a kind that is not solved.
    """

    def __init__(self, rules: Rules, runner: Backend | None = None) -> None:
        _check(rules)
        self.rules = rules
        self.iterations = 0
        self.deals = count_deals(rules)
        self._refuse_above(self.deals * _LEAST)  # before anything is compiled
        self._runner = runner or backend("solve")
        expected = self._expected_histories()
        self._refuse_above(expected)
        room = max(1000, 2 * expected)
        while not self._grow(all_deals(rules), room):
            self._refuse_above(room)
            room *= 2
        self._tables = self._make_tables()
        self._order = self._runner.integers(self.histories)
        self._runner.functions["order_by_plies"](
            self._tree, self.histories, self._runner.integers(MOST_PLIES), self._order
        )
        self._forget()

    @property
    def histories(self) -> int:
        """After which a seat has a choice, or the game is over."""
        return int(self._growth[0].nodes)

    @property
    def information_sets(self) -> int:
        return int(self._growth[0].infos)

    def iterate(self, count: int) -> None:
        """Do so many more iterations of CFR+, and take up the averaged strategy."""
        step = max(1, _CHUNK_NODES[self._runner.name] // self.histories)
        end = self.iterations + count
        while self.iterations < end:
            some = min(step, end - self.iterations)
            self._runner.functions["iterate"](self._tree, self._tables, self._sizes, self.iterations, some)
            self.iterations += some
        self._runner.functions["average"](self._tree, self._tables, self.information_sets)

    def distance(self) -> Distance:
        """Return how far the strategy is from perfect play."""
        respond = self._runner.functions["best_response"]
        first, second = (
            float(respond(self._tree, self._tables, self._sizes, self._order, seat)) for seat in range(2)
        )
        return Distance((first, second))

    def first_attackers_return(self) -> float:
        """Return what the seat that begins has on average where both play the strategy."""
        self._runner.functions["evaluate"](self._tree, self._tables, self.histories)
        return sum(
            deal.chance * float(self._tables.values[node]) * (1 - 2 * deal.attacker)
            for node, deal in self._dealt.items()
        )

    def play(self, info: int, shares: Sequence[float]) -> None:
        """Say how often each choice of an information set is taken."""
        first = int(self._tree.firsts[info])
        for place, share in enumerate(shares):
            self._tables.strategy[first + place] = share

    def shares(self, info: int) -> tuple[float, ...]:
        first, width = int(self._tree.firsts[info]), int(self._tree.widths[info])
        return tuple([float(self._tables.strategy[first + place]) for place in range(width)])

    def examples(self) -> Iterator[tuple[int, Deal, tuple[int, ...]]]:
        """Yield information sets with a history of each: its deal, and the actions that had alternatives.

        Those of a seat come after the ones that lead there, and those that its strategy never leads to, as
        it is by then, are left out. One history has much in common with the next.
        """
        tree = self._tree
        for info in range(self.information_sets):
            seat, node, codes = int(tree.seats[info]), int(tree.examples[info]), []
            is_reached = True
            while is_reached and int(tree.parents[node]) != NONE:
                parent, place = int(tree.parents[node]), int(tree.places[node])
                before = int(tree.infos[parent])
                if int(tree.seats[before]) == seat:
                    is_reached = self._tables.strategy[int(tree.firsts[before]) + place] > 0
                codes.append(int(tree.codes[node]))
                node = parent
            if is_reached:
                yield info, self._dealt[node], tuple(reversed(codes))

    @property
    def _sizes(self) -> tuple[int, int, int]:
        return self.histories, self.information_sets, int(self._growth[0].choices)

    def _refuse_above(self, expected: int) -> None:
        if expected > MOST_HISTORIES:
            raise TooLargeError(
                "{rules} has about {count} histories or more in {deals} deals: expected at most {most}, "
                "as {largest} has",
                rules=self.rules,
                count=f"{expected:,}",
                deals=f"{self.deals:,}",
                most=f"{MOST_HISTORIES:,}",
                largest=LARGEST,
            )

    def _expected_histories(self) -> int:
        """Return about how many histories there are, judging by some deals; a lower bound for large ones."""
        step = max(1, self.deals // _TRIED_DEALS)
        tried = list(islice(all_deals(self.rules), 0, None, step))
        found = self.histories if self._grow(tried, _TRIED_HISTORIES) else _TRIED_HISTORIES
        return found * self.deals // len(tried)

    def _grow(self, deals: Iterator[Deal] | Sequence[Deal], room: int) -> bool:
        """Grow the trees of some deals; tell whether there was room for them."""
        runner = self._runner
        slots = 1 << (2 * room).bit_length()
        self._growth = runner.records(Growth(most_nodes=room, slots=slots), 1)
        arrays = [*[runner.integers(room) for _ in range(11)], *[runner.integers(slots) for _ in range(2)]]
        self._tree = Tree(runner.floats(room), *arrays)
        stack = runner.records(new_position(self.rules), DEPTH)
        deck = runner.integers(self.rules.deck_size)
        self._dealt: dict[int, Deal] = {}
        for deal in deals:
            _fill(deck, deal.deck)
            self._dealt[self.histories] = deal
            grown = runner.functions["grow_deal"](stack, self._growth, self._tree, deck, deal.attacker)
            if grown == FULL:
                return False
        return True

    def _make_tables(self) -> Tables:
        nodes, _, choices = self._sizes
        floats = self._runner.floats
        return Tables(*[floats(choices) for _ in range(4)], *[floats(nodes) for _ in range(4)])

    def _forget(self) -> None:
        """Let every choice be as likely as the others of its information set."""
        for node, deal in self._dealt.items():
            self._tables.chances[node] = deal.chance
        self._runner.functions["average"](self._tree, self._tables, self.information_sets)


def count_deals(rules: Rules) -> int:
    """Return how many deals there are; two that differ only in the order of a hand are one."""
    hidden = rules.deck_size - 2 * rules.hand_size
    talons = factorial(hidden) if hidden else rules.hand_size
    hands = factorial(rules.deck_size) // (factorial(rules.hand_size) ** 2 * factorial(hidden))
    return hands * talons


def all_deals(rules: Rules) -> Iterator[Deal]:
    """Yield every deal; one in which nobody holds a trump for each seat that may begin (rules 4.1)."""
    deck = [card.number for card in rules.deck]
    position = new_position(rules)
    chance = 1 / count_deals(rules)
    for first in combinations(deck, rules.hand_size):
        others = [card for card in deck if card not in first]
        for second in combinations(others, rules.hand_size):
            talon = [card for card in others if card not in second]
            for seconds, rest in _ends(second, talon):
                cards = [card for pair in zip(first, seconds, strict=True) for card in pair] + list(rest)
                position.deck[: len(cards)] = cards
                deal_hands(position)
                seat = lowest_trump_seat(position)
                beginners = (0, 1) if seat == NOBODY else (seat,)
                for beginner in beginners:
                    yield Deal(tuple(cards), beginner, chance / len(beginners))


def _ends(second: tuple[int, ...], talon: list[int]) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Yield the talon in every order; without one, the second hand with each card as the trump card."""
    if talon:
        for order in permutations(talon):
            yield second, order
    else:
        for last in second:
            yield (*[card for card in second if card != last], last), ()


def _check(rules: Rules) -> None:
    for is_wrong, what in (
        (rules.seats != 2, "two seats"),
        (rules.visibility == "open", "hidden cards"),
        (rules.deal_all, "deal_all=no"),
        (rules.redeal_same_suit is not None, "redeal_same_suit=never"),
    ):
        if is_wrong:
            raise DurakError("{rules} cannot be solved: expected rules with {what}", rules=rules, what=what)


def _fill(target: Any, values: Sequence[int]) -> None:  # noqa: ANN401 - a list, or an array of a backend
    for place, value in enumerate(values):
        target[place] = value
