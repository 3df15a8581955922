"""A game with a tiny deck as a whole: its deals, its histories, an equilibrium, and who is how far from it.

>>> from durak_core import Rules
>>> count_deals(Rules.parse("podkidnoy:suits=1,lowest_rank=11,hand_size=1"))
24
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice, permutations
from math import factorial
from typing import Any, Final

from durak_core.errors import DurakError
from durak_core.kernel.deal import deal_hands, lowest_trump_seat, new_position
from durak_core.kernel.position import NOBODY
from durak_core.lab.equilibrium.endgames import Endgames
from durak_core.lab.equilibrium.growth import DEPTH, FULL, NONE, Growth
from durak_core.lab.equilibrium.regrets import Tables
from durak_core.lab.equilibrium.tree import MOST_PLIES, Tree
from durak_core.rules import Rules
from durak_core.search.backend.backend import Backend, backend

MOST_HISTORIES: Final = 30_000_000
"""With more than so many, while cards are hidden, a game is too large to be solved as a whole."""

MOST_POSITIONS: Final = 30_000_000
"""Likewise for the positions in which all cards are known."""

LARGEST: Final = "podkidnoy:suits=2,lowest_rank=9,hand_size=5"
"""Rules of a large deck that is solved."""

_MOVES: Final = 5
"""Moves for which there is room in each position, on average."""
_TRIED_DEALS: Final = 30
_TRIED: Final = 500_000
"""Histories after which counting those of some deals ends."""
_FIRST_ROOM: Final = 10_000
"""Positions for which there is room at first."""
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

    What a seat chooses at is an information set while cards are hidden. These have the first numbers. When
    both know all cards it is a position, whatever led there; those have the numbers that follow.

    Raises:
        TooLargeError: If there are more than `MOST_HISTORIES` or `MOST_POSITIONS`.
        DurakError: If the rules are of a kind that is not solved.
    """

    def __init__(self, rules: Rules, runner: Backend | None = None) -> None:
        _check(rules)
        self.rules = rules
        self.iterations = 0
        self.deals = count_deals(rules)
        self._refuse_above(self.deals)  # before anything is compiled
        self._runner = runner or backend("solve")
        self._room = min(_FIRST_ROOM, MOST_POSITIONS)
        self._grow(list(islice(all_deals(rules), 0, None, max(1, self.deals // _TRIED_DEALS))), _TRIED)
        expected = self.histories * self.deals // len(self._dealt)
        self._refuse_above(expected)
        nodes = min(max(1000, 2 * expected), MOST_HISTORIES)
        while not self._grow(None, nodes):
            self._refuse_above(nodes + 1)
            nodes = min(2 * nodes, MOST_HISTORIES)
        self._tables = self._make_tables()
        self._order = self._runner.integers(self.histories)
        self._runner.functions["order_by_plies"](
            self._tree, self.histories, self._runner.integers(MOST_PLIES), self._order
        )
        self._forget()

    @property
    def histories(self) -> int:
        """After which a seat has a choice while cards are hidden, or all cards are known."""
        return int(self._growth[0].nodes)

    @property
    def information_sets(self) -> int:
        """While cards are hidden."""
        return int(self._growth[0].infos)

    @property
    def positions(self) -> int:
        """In which both seats know all cards and one has a choice, or the game is over."""
        return int(self._growth[0].positions)

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
        self._runner.functions["evaluate"](self._tree, self._tables, self._sizes)
        return sum(
            deal.chance * float(self._tables.values[node]) * (1 - 2 * deal.attacker)
            for node, deal in self._dealt.items()
        )

    def play(self, number: int, shares: Sequence[float]) -> None:
        """Say how often each choice of an information set or of a position is taken."""
        strategy, first, _ = self._choices(number)
        strategy[first : first + len(shares)] = shares

    def shares(self, number: int) -> tuple[float, ...]:
        strategy, first, width = self._choices(number)
        return tuple(map(float, strategy[first : first + width]))

    def examples(self) -> Iterator[tuple[int, Deal, tuple[int, ...]]]:
        """Yield information sets and positions with a history of each.

        That is its deal, and the actions that had alternatives. Where a seat chooses comes after the choices
        of its own that lead there, and what its strategy, as it is by then, never leads to is left out. One
        history has much in common with the next.
        """
        for info in range(self.information_sets):
            seat, node = int(self._tree.seats[info]), int(self._tree.examples[info])
            if self._may_reach(node, seat):
                yield info, *self._history(node)
        for seat in range(2):
            self._runner.functions["find_entries"](self._tree, self._tables, self.histories, seat)
            seen = bytearray(self.positions)
            for entry in range(self.positions):
                node = int(self._tree.endgames.entries[entry])
                if node != NONE and not seen[entry]:
                    deal, codes = self._history(node)
                    for position, played in self._walk(entry, seat, seen):
                        yield self.information_sets + position, deal, codes + played

    def _may_reach(self, node: int, seat: int) -> bool:
        """Tell whether a seat's strategy can lead to a node."""
        tree = self._tree
        while int(tree.parents[node]) != NONE:
            parent, place = int(tree.parents[node]), int(tree.places[node])
            info = int(tree.infos[parent])
            if int(tree.seats[info]) == seat and self._tables.strategy[int(tree.firsts[info]) + place] <= 0:
                return False
            node = parent
        return True

    def _history(self, node: int) -> tuple[Deal, tuple[int, ...]]:
        codes = []
        while int(self._tree.parents[node]) != NONE:
            codes.append(int(self._tree.codes[node]))
            node = int(self._tree.parents[node])
        return self._dealt[node], tuple(reversed(codes))

    def _walk(self, entry: int, seat: int, seen: bytearray) -> Iterator[tuple[int, tuple[int, ...]]]:
        """Yield the positions of a seat to which its strategy leads from one, but none a second time."""
        endgames = self._tree.endgames
        pending: list[tuple[int, tuple[int, ...]]] = [(entry, ())]
        while pending:
            position, codes = pending.pop()
            if seen[position]:
                continue
            seen[position] = 1
            first, width = int(endgames.firsts[position]), int(endgames.widths[position])
            chooses = bool(width) and int(endgames.seats[position]) == seat
            if chooses:
                yield position, codes
            pending += [
                (int(endgames.nexts[move]), (*codes, int(endgames.codes[move])))
                for move in reversed(range(first, first + width))
                if not chooses or endgames.strategy[move] > 0
            ]

    def _choices(self, number: int) -> tuple[Any, int, int]:
        """Return where the strategy has the choices, the first one's place there, and how many there are."""
        infos = self.information_sets
        if number < infos:
            return self._tables.strategy, int(self._tree.firsts[number]), int(self._tree.widths[number])
        endgames, position = self._tree.endgames, number - infos
        return endgames.strategy, int(endgames.firsts[position]), int(endgames.widths[position])

    @property
    def _sizes(self) -> tuple[int, int, int, int]:
        return self.histories, self.information_sets, int(self._growth[0].choices), self.positions

    def _refuse_above(self, expected: int) -> None:
        if expected > MOST_HISTORIES:
            raise TooLargeError(
                "{rules} has about {count} histories or more in {deals} deals while cards are hidden: "
                "expected at most {most}; {largest} can be solved",
                rules=self.rules,
                count=f"{expected:,}",
                deals=f"{self.deals:,}",
                most=f"{MOST_HISTORIES:,}",
                largest=LARGEST,
            )

    def _grow(self, deals: Sequence[Deal] | None, nodes: int) -> bool:
        """Grow the trees of some deals, or of all; tell whether there was room for their nodes.

        For positions there is more room as often as that there was does not suffice.
        """
        while not self._grow_into(all_deals(self.rules) if deals is None else deals, nodes):
            if self.histories == nodes:
                return False
            if self._room == MOST_POSITIONS:
                raise TooLargeError(
                    "{rules} has more than {most} positions in which all cards are known: "
                    "expected fewer; {largest} can be solved",
                    rules=self.rules,
                    most=f"{MOST_POSITIONS:,}",
                    largest=LARGEST,
                )
            self._room = min(4 * self._room, MOST_POSITIONS)
        return True

    def _grow_into(self, deals: Iterable[Deal], nodes: int) -> bool:
        """Grow the trees of some deals in fresh room; tell whether it sufficed."""
        self._make_room(nodes, self._room)
        stack = self._runner.records(new_position(self.rules), DEPTH)
        deck = self._runner.integers(self.rules.deck_size)
        grow = self._runner.functions["grow_deal"]
        self._dealt: dict[int, Deal] = {}
        for deal in deals:
            deck[:] = deal.deck
            self._dealt[self.histories] = deal
            if grow(stack, self._growth, self._tree, deck, deal.attacker) == FULL:
                return False
        return True

    def _make_room(self, nodes: int, positions: int) -> None:
        integers, floats = self._runner.integers, self._runner.floats
        slots, moves = 1 << (2 * nodes).bit_length(), _MOVES * positions
        position_slots = 1 << (2 * positions).bit_length()
        growth = Growth(most_nodes=nodes, most_positions=positions, most_moves=moves)
        self._growth = self._runner.records(growth, 1)
        whole = [positions] * 5 + [moves] * 2 + [position_slots] * 2
        parts = [positions] * 2 + [moves]
        endgames = Endgames._make([*map(integers, whole), *map(floats, parts)])
        self._tree = Tree._make([*map(integers, [nodes] * 12 + [slots] * 2), endgames])

    def _make_tables(self) -> Tables:
        nodes, _, choices, _ = self._sizes
        floats = self._runner.floats
        return Tables(*[floats(choices) for _ in range(4)], *[floats(nodes) for _ in range(4)])

    def _forget(self) -> None:
        """Let every choice be as likely as the others of its information set or position."""
        for node, deal in self._dealt.items():
            self._tables.chances[node] = deal.chance
        self._runner.functions["average"](self._tree, self._tables, self.information_sets)
        self._runner.functions["play_near_best"](self._tree.endgames, self.positions, 2.0)


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
