"""Games with tiny decks: deals, game tree, equilibrium and exploitability.

>>> from durak_core import Rules
>>> count_deals(Rules.parse("podkidnoy:suits=1,lowest_rank=11,hand_size=1"))
24
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, islice, permutations, repeat
from math import factorial
from typing import Any, Final

from durak_core.actions import decode
from durak_core.agents.base import Agent, BaseAgent, MixedAgent
from durak_core.cards import Card
from durak_core.errors import AgentError, DurakError
from durak_core.game.state import State
from durak_core.kernel.position import NOBODY, derive
from durak_core.kernel.transition import deal_hands, lowest_trump_seat, new_position
from durak_core.lab.equilibrium.cfr import MOST_PLIES, CfrTables, GameTree, Snapshot
from durak_core.lab.equilibrium.endgames import (
    DEPTH,
    FIRST_ROOM,
    FULL,
    MOST_POSITIONS,
    MOVES,
    NONE,
    Growth,
    new_endgames,
)
from durak_core.lab.legal_choices import place_of
from durak_core.rules import Rules
from durak_core.search.backend.backend import Backend, backend, backend_if_it_pays

MOST_HISTORIES: Final = 30_000_000
"""Maximum number of histories with hidden cards."""

LARGEST: Final = "podkidnoy:suits=2,lowest_rank=9,hand_size=5"
"""Example of a large solvable game."""

_FEW_CARDS: Final = 6
"""Cards of a deck whose tree grows faster interpreted than compiling takes."""
_TRIED_DEALS: Final = 30
_TRIED: Final = 500_000
"""Maximum number of histories in the size estimate."""
_CHUNK_NODES: Final = {"plain": 20_000, "compiled": 5_000_000}
"""Nodes per call, which takes some hundredths of a second."""


class TooLargeError(DurakError):
    """A game too large to solve."""


@dataclass(frozen=True, slots=True)
class Deal:
    """A deal: cards in dealing and drawing order, first attacker, and probability.

    Probabilities differ only if the first attacker is drawn at random (rules 4.1).
    """

    deck: tuple[int, ...]
    attacker: int
    chance: float


@dataclass(frozen=True, slots=True)
class Distance:
    """Best-response values against a strategy, as seat 0 and as seat 1."""

    best: tuple[float, float]

    @property
    def nash_conv(self) -> float:
        """Sum of both; 0 in an equilibrium."""
        return sum(self.best)

    @property
    def exploitability(self) -> float:
        """The best response's mean return per game over both seats; returns are -1, 0 and 1."""
        return self.nash_conv / 2

    @property
    def score(self) -> float:
        """Exploitability as a score: wins plus half the draws per game, 0.5 in an equilibrium."""
        return (1 + self.exploitability) / 2


class TinyGame:
    """The complete game tree for two seats with a strategy, initially uniform.

    Decisions are numbered: first the information sets with hidden cards, then the positions without.

    Raises:
        TooLargeError: If there are more than `MOST_HISTORIES` or `MOST_POSITIONS`.
        DurakError: If the rules are not supported.
    """

    def __init__(self, rules: Rules, runner: Backend | None = None) -> None:
        _check(rules)
        self.rules = rules
        self.deals = count_deals(rules)
        self._refuse_above(self.deals)  # before anything is compiled
        self._given = runner
        self._start(self._best_runner())

    def _best_runner(self) -> Backend:
        return self._given or (backend if self.rules.deck_size > _FEW_CARDS else backend_if_it_pays)("solve")

    def _start(self, runner: Backend) -> None:
        rules = self.rules
        self.iterations = 0
        self._runner = runner
        self._room = min(FIRST_ROOM, MOST_POSITIONS)
        self._grow(list(islice(all_deals(rules), 0, None, max(1, self.deals // _TRIED_DEALS))), _TRIED)
        expected = self.histories * self.deals // len(self._dealt)
        self._refuse_above(expected)
        nodes = min(max(1000, 2 * expected), MOST_HISTORIES)
        while not self._grow(None, nodes):
            self._refuse_above(nodes + 1)
            nodes = min(2 * nodes, MOST_HISTORIES)
        choices, floats = int(self._growth[0].choices), self._runner.floats
        self._tables = CfrTables(
            *[floats(choices) for _ in range(4)], *[floats(self.histories) for _ in range(4)]
        )
        self._order = self._runner.integers(self.histories)
        self._runner.functions["order_by_plies"](
            self._tree, self.histories, self._runner.integers(MOST_PLIES), self._order
        )
        for node, deal in self._dealt.items():
            self._tables.chances[node] = deal.chance
        self._runner.functions["average"](self._tree, self._tables, self.information_sets)
        self._runner.functions["play_near_best"](self._tree.endgames, self.positions, 2.0)

    @property
    def backend(self) -> str:
        """Name of the backend that computes, ``plain`` or ``compiled``."""
        return self._runner.name

    @property
    def histories(self) -> int:
        """Number of histories at which a seat has a choice or all cards become known."""
        return int(self._growth[0].nodes)

    @property
    def information_sets(self) -> int:
        return int(self._growth[0].infos)

    @property
    def positions(self) -> int:
        """Number of endgame positions, including ends of the game."""
        return int(self._growth[0].positions)

    def iterate(self, count: int) -> None:
        """Run more iterations of CFR+, then set the strategy to the average."""
        end = self.iterations + count
        while self.iterations < end:
            if (runner := self._best_runner()).name != self._runner.name:
                self._start(runner)
            step = max(1, _CHUNK_NODES[runner.name] // self.histories)
            some = min(step, end - self.iterations)
            self._runner.functions["iterate"](self._tree, self._tables, self._sizes, self.iterations, some)
            self.iterations += some
        self._runner.functions["average"](self._tree, self._tables, self.information_sets)

    def distance(self) -> Distance:
        respond = self._runner.functions["best_response"]
        first, second = (
            float(respond(self._tree, self._tables, self._sizes, self._order, seat)) for seat in range(2)
        )
        return Distance((first, second))

    def first_attackers_return(self) -> float:
        self._runner.functions["evaluate"](self._tree, self._tables, self._sizes)
        return sum(
            deal.chance * float(self._tables.values[node]) * (1 - 2 * deal.attacker)
            for node, deal in self._dealt.items()
        )

    def play(self, number: int, shares: Sequence[float]) -> None:
        strategy, first, _ = self._choices(number)
        strategy[first : first + len(shares)] = shares

    def shares(self, number: int) -> tuple[float, ...]:
        strategy, first, width = self._choices(number)
        return tuple(map(float, strategy[first : first + width]))

    def strategy(self) -> Iterator[tuple[int, tuple[float, ...]]]:
        """Yield the key of each information set with hidden cards, ascending, and its probabilities."""
        slots = [
            (int(key), int(slot) - 1)
            for key, slot in zip(self._tree.keys, self._tree.slots, strict=True)
            if slot
        ]
        for key, info in sorted(slots):
            yield key, self.shares(info)

    def snapshot(self) -> Snapshot:
        """Return a copy of the strategy, for `returns_against`."""
        copies = []
        for shares in (self._tables.strategy, self._tree.endgames.strategy):
            copies.append(self._runner.floats(len(shares)))
            copies[-1][:] = shares
        return Snapshot._make(copies)

    def returns_against(self, other: Snapshot) -> tuple[float, float]:
        """Return the strategy's expected returns against another one, as seat 0 and as seat 1."""
        own = self.snapshot()
        first = self._seat_0_return(own, other)
        second = -self._seat_0_return(other, own)
        self.adopt(own)
        return first, second

    def adopt(self, strategy: Snapshot) -> None:
        """Set the strategy of both seats to one of a game by the same rules."""
        for seat in range(2):
            self._take_over(strategy, seat)

    def _seat_0_return(self, first: Snapshot, second: Snapshot) -> float:
        self._take_over(first, 0)
        self._take_over(second, 1)
        self._runner.functions["evaluate"](self._tree, self._tables, self._sizes)
        return sum(deal.chance * float(self._tables.values[node]) for node, deal in self._dealt.items())

    def _take_over(self, strategy: Snapshot, seat: int) -> None:
        copy = self._runner.functions["copy_strategy"]
        copy(self._tree, self._tables, self._sizes, strategy, seat)

    def examples(self) -> Iterator[tuple[int, Deal, tuple[int, ...]]]:
        """Yield each reachable decision with one history: its deal and actions, without forced ones.

        Decisions come after the same seat's earlier decisions on that history, and are omitted if the seat's
        strategy, as set by then, never reaches them. Consecutive histories share long prefixes.
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
        """Return the strategy array of a decision, its offset and its number of choices."""
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
        """Build the tree of some deals, or of all; return False if ``nodes`` do not suffice."""
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
        growth = Growth(most_nodes=nodes, most_positions=self._room, most_moves=MOVES * self._room)
        self._growth = self._runner.records(growth, 1)
        slots = 1 << (2 * nodes).bit_length()
        endgames = new_endgames(self._runner, self._room)
        self._tree = GameTree._make([*map(self._runner.integers, [nodes] * 12 + [slots] * 2), endgames])
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


def count_deals(rules: Rules) -> int:
    """Return the number of deals, ignoring the order within hands."""
    hidden = rules.deck_size - 2 * rules.hand_size
    talons = factorial(hidden) if hidden else rules.hand_size
    hands = factorial(rules.deck_size) // (factorial(rules.hand_size) ** 2 * factorial(hidden))
    return hands * talons


def all_deals(rules: Rules) -> Iterator[Deal]:
    """Yield every deal, once per possible first attacker if no hand has a trump (rules 4.1)."""
    deck = [card.number for card in rules.deck]
    position = new_position(rules)
    chance = 1 / count_deals(rules)
    for first in combinations(deck, rules.hand_size):
        others = [card for card in deck if card not in first]
        for second in combinations(others, rules.hand_size):
            talon = [card for card in others if card not in second]
            # Without a talon the second hand's last card is the trump (rules 3.2), so each may come last.
            lasts = (((*[card for card in second if card != last], last), ()) for last in second)
            for seconds, rest in zip(repeat(second), permutations(talon)) if talon else lasts:
                cards = [card for pair in zip(first, seconds, strict=True) for card in pair] + list(rest)
                position.deck[: len(cards)] = cards
                deal_hands(position)
                seat = lowest_trump_seat(position)
                beginners = (0, 1) if seat == NOBODY else (seat,)
                for beginner in beginners:
                    yield Deal(tuple(cards), beginner, chance / len(beginners))


def _check(rules: Rules) -> None:
    for is_wrong, what in (
        (rules.seats != 2, "two seats"),
        (rules.visibility == "open", "hidden cards"),
        (rules.deal_all, "deal_all=no"),
        (rules.redeal_same_suit is not None, "redeal_same_suit=never"),
        (rules.redeal_trump_ace, "redeal_trump_ace=no"),
    ):
        if is_wrong:
            raise DurakError("{rules} cannot be solved: expected rules with {what}", rules=rules, what=what)


_PATH: Final = 100
"""States that are kept: those on the way to the last history, which the next one shares."""


def check_view(agent: Agent) -> None:
    """Raise `AgentError` for an agent that sees all cards."""
    if agent.sees_all:
        raise AgentError(
            "{text} sees all cards: expected an agent that plays by what its seat knows", text=agent.text
        )


def is_exact(agent: Agent) -> bool:
    """Return whether an agent's strategy is known without sampling."""
    return isinstance(agent, MixedAgent) or (isinstance(agent, BaseAgent) and agent.is_deterministic)


def play_as(game: TinyGame, agent: Agent, samples: int, seed: int) -> int:
    """Set a game's strategy to an agent's choices, and return the number of queries per decision.

    The agent is queried at every information set that it can reach, and at every position without hidden
    cards: once if `is_exact`, otherwise ``samples`` times, each as in a new game. The frequencies are the
    strategy. A position is queried after one history that leads there, so opponent
    modelling and randomness drawn once per game are not reproduced.

    Raises:
        AgentError: If the agent cannot play by these rules, sees all cards, or chooses an illegal action.
    """
    check_view(agent)
    asked = 1 if is_exact(agent) else samples

    @lru_cache(maxsize=_PATH)
    def after(deal: Deal, codes: tuple[int, ...]) -> State:
        """Return the state after some actions; those without an alternative are played, too."""
        if codes:
            return after(deal, codes[:-1]).apply(decode(codes[-1])).settled()
        deck = [Card.from_number(number) for number in deal.deck]
        return State.from_deck(game.rules, deck, deal.attacker, by_lowest_trump=True).settled()

    for number, deal, codes in game.examples():
        state = after(deal, codes)
        seat = state.turn
        assert seat is not None  # noqa: S101 - a history at which a seat has a choice
        observation = state.observation(seat)
        if isinstance(agent, MixedAgent):
            agent.begin(game.rules, seat, seed)
            game.play(number, agent.probabilities(observation))
            continue
        counts = [0] * len(state.legal_actions)
        for sample in range(asked):
            agent.begin(game.rules, seat, derive(derive(seed, number), sample))
            counts[place_of(state, agent.choose(observation).action, agent)] += 1
        game.play(number, [count / asked for count in counts])
    return asked
