"""Runs the determinized searches, which search sampled deals as if all cards were open.

Both backends give the same result for the same seed. There is one deal if nothing is hidden from the seat.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Final, NamedTuple

from durak_core.actions import Action, decode
from durak_core.cards import CardSet
from durak_core.deadline import NEVER, Deadline
from durak_core.game.observation import Observation
from durak_core.kernel.legal import legal
from durak_core.kernel.position import (
    CHANCE_STREAM,
    MAX_ACTIONS,
    OVER,
    Position,
    copy_into,
    copy_position,
    derive,
)
from durak_core.kernel.transition import apply
from durak_core.knowledge.belief import belief_of, sample_deal
from durak_core.search.backend.backend import Backend
from durak_core.search.determinized import look_ahead
from durak_core.search.determinized.look_ahead import (
    COALITION,
    PROSPECT,
    LookAheadPlan,
    evaluate,
    greedy_order,
    objective,
    weakest_seat,
)
from durak_core.search.determinized.mcts import LEAF_WIDTH, DealTree
from durak_core.search.endgame.alpha_beta import LINE, DepthFirst
from durak_core.search.ismcts.tree import Tree
from durak_core.search.ismcts.tree_search import CHUNK
from durak_core.search.policies.playouts import GREEDY, RANDOM
from durak_core.search.search_result import POINTS, SCORE, Unit

EVALUATIONS: Final = {
    "prospect": look_ahead.PROSPECT,
    "basic": look_ahead.BASIC,
    "playout": look_ahead.PLAYOUT,
}
"""Evaluations of unfinished games, by name."""
TEMPERS: Final = {"maxn": look_ahead.MAXN, "paranoid": look_ahead.PARANOID, "coalition": look_ahead.COALITION}
"""Opponent assumptions, by name."""
SIMULATIONS: Final = {"greedy": GREEDY, "random": RANDOM}
"""Playout policies of Monte Carlo tree search, by name."""

NODES_A_CALL: Final = {"plain": 200, "compiled": 20_000}
"""Nodes of look-ahead search in some hundredths of a second, by backend."""

_TABLE_BITS: Final = 10
"""Bits of the table's size at depth 1; each decision more doubles it."""
_MOST_TABLE_BITS: Final = 20
_MOST_NODES: Final = 2_000_000
_LEAST_NODES: Final = 2 * MAX_ACTIONS
_NODES_AN_ITERATION: Final = 16


class Prospects(NamedTuple):
    """The weights of the evaluation ``prospect``: at most 20, so that no sum reaches a won game's points."""

    card: int = 1
    trump: int = 2
    weakness: int = 1


PUBLISHED: Final = Prospects()
"""The Imperial College project's weights."""


@dataclass(frozen=True, slots=True)
class LookAheadSettings:
    """Settings of a look-ahead search."""

    depth: int = 3  # decisions to look ahead, 1 to `look_ahead.DEEPEST`
    samples: int = 10  # number of deals if cards are hidden
    temper: str = "maxn"  # one of `TEMPERS`; only ``paranoid`` allows evaluations of one seat
    evaluation: str = "prospect"  # one of `EVALUATIONS`
    prunes: bool = True  # alpha-beta with ``paranoid``, a table for one seat's evaluation; values stay equal
    weights: Prospects = PUBLISHED  # of ``prospect``


@dataclass(frozen=True, slots=True)
class MctsSettings:
    """Settings of determinized Monte Carlo tree search."""

    iterations: int = 30  # of each tree
    exploration: float = 1.4  # exploration constant of UCB
    simulation: str = "greedy"  # one of `SIMULATIONS`
    samples: int = 30  # number of deals, and so of trees, if cards are hidden


@dataclass(frozen=True, slots=True)
class DealTable:
    """The results of searching some deals.

    A deal cut short by the deadline is left out, except that the first one's row is all 0 instead.
    """

    rows: tuple[tuple[int, ...], ...]  # by deal: each legal action's value, or visits of tree search
    nodes: int
    depth: int = 0  # maximum in decisions
    unit: Unit = POINTS  # of `value`
    lines: tuple[Sequence[int], ...] = field(
        default=(), compare=False
    )  # by deal: of each action `LINE` codes and 1 each, then 0
    scores: tuple[tuple[float, ...], ...] = ()  # by deal: sums of the visits' results; empty for values

    def continuation(self, deal: int, place: int) -> tuple[Action, ...]:
        """Return the expected actions after a legal action in a deal, by its index."""
        written = self.lines[deal][place * LINE : (place + 1) * LINE] if self.lines else ()
        return tuple([decode(int(code) - 1) for code in takewhile(bool, written)])

    def ranks(self, deal: int) -> list[tuple[int, float]]:
        """Return the sort key of each legal action in a deal: its number, then the mean of its visits."""
        scores = self.scores[deal] if self.scores else (0.0,) * len(self.rows[deal])
        return [
            (figure, score / figure if score else 0.0)
            for figure, score in zip(self.rows[deal], scores, strict=True)
        ]

    def value(self, place: int) -> tuple[float, int]:
        """Return an action's mean value and its visits, 0 for values, by its index."""
        column = [row[place] for row in self.rows]
        if self.unit == POINTS:
            return sum(column) / len(column), 0
        visits = sum(column)
        won = sum([score[place] for score in self.scores])
        return (won / visits if visits else 0.0), visits


def plan_of(settings: LookAheadSettings, seed: int) -> look_ahead.LookAheadPlan:
    prunes = settings.prunes and settings.temper == "paranoid"
    return look_ahead.LookAheadPlan(
        depth=settings.depth,
        temper=TEMPERS[settings.temper],
        evaluation=EVALUATIONS[settings.evaluation],
        prunes=int(prunes),
        deepens=int(prunes and settings.evaluation != "prospect"),
        weights=list(settings.weights),
        rng=[derive(seed, CHANCE_STREAM)],
    )


def look_ahead_table(
    observation: Observation,
    seed: int,
    runner: Backend,
    settings: LookAheadSettings,
    deadline: Deadline = NEVER,
) -> DealTable:
    """Search deals by minimax or max^n, in short calls; return `objective` values for the seat to act.

    The seat to act must have a choice; the runner needs the group ``classic``.
    """
    known, belief = belief_of(observation)
    plan = plan_of(settings, seed)
    size = 1 << min(_MOST_TABLE_BITS, _TABLE_BITS + settings.depth) if plan.deepens else 1
    memory = look_ahead.DealMemory(
        positions=runner.records(known, 2),
        stack=runner.records(known, settings.depth + 1),
        belief=runner.records(belief, 1),
        plan=runner.records(plan, 1),
        search=runner.records(DepthFirst(slots=size), 1),
        keys=runner.integers(size),
        facts=runner.integers(size),
        expected=runner.integers((settings.depth + 1) * LINE),
        lines=runner.integers(MAX_ACTIONS * LINE),
    )
    search = runner.functions["search_deal"]
    values = runner.integers(MAX_ACTIONS)
    n = len(observation.legal_actions)
    rows = []
    lines = []
    nodes = 0
    for _ in range(settings.samples if belief.n_pool else 1):
        searched = -1
        while searched < 0 and not deadline.is_over:
            searched = int(search(memory, NODES_A_CALL[runner.name], values))
        if searched < 0:
            break
        nodes += searched
        rows.append(tuple([int(values[i]) for i in range(n)]))
        lines.append(copy(memory.lines))
    depth = int(memory.search[0].deepest)
    return DealTable(tuple(rows) or ((0,) * n,), nodes, depth, POINTS, tuple(lines))


def mcts_table(
    observation: Observation,
    seed: int,
    runner: Backend,
    settings: MctsSettings | None = None,
    deadline: Deadline = NEVER,
) -> DealTable:
    """Grow a UCT tree for each deal and return visits and scores; requirements as for `look_ahead_table`."""
    settings = settings or MctsSettings()
    known, belief = belief_of(observation)
    capacity = min(_MOST_NODES, _LEAST_NODES + _NODES_AN_ITERATION * settings.iterations)
    tree = Tree(
        capacity=capacity,
        seat=observation.seat,
        simulation=SIMULATIONS[settings.simulation],
        epsilon=0,
        exploration=settings.exploration,
        rng=[derive(seed, CHANCE_STREAM)],
    )
    memory = DealTree(
        positions=runner.records(known, 3),
        belief=runner.records(belief, 1),
        tree=runner.records(tree, 1),
        nodes=runner.integers(capacity * LEAF_WIDTH),
        values=runner.floats(capacity),
        lines=runner.integers(MAX_ACTIONS * LINE),
    )
    visits, scores = runner.integers(MAX_ACTIONS), runner.floats(MAX_ACTIONS)
    run = runner.functions["grow_deal_tree"]
    n = len(observation.legal_actions)
    rows = []
    sums = []
    lines = []
    nodes = 0
    for _ in range(settings.samples if belief.n_pool else 1):
        run(memory, 0, visits, scores)
        left = settings.iterations
        grown = 0
        while left > 0 and not deadline.is_over:
            grown = int(run(memory, min(left, CHUNK[runner.name]), visits, scores))
            left -= CHUNK[runner.name]
        if left > 0:
            break
        nodes += grown
        rows.append(tuple([int(visits[i]) for i in range(n)]))
        sums.append(tuple([float(scores[i]) for i in range(n)]))
        lines.append(copy(memory.lines))
    depth = int(memory.tree[0].deepest)
    return DealTable(tuple(rows) or ((0,) * n,), nodes, depth, SCORE, tuple(lines), tuple(sums))


@dataclass(frozen=True, slots=True)
class ConsideredMove:
    """A move in a look-ahead tree.

    Attributes:
        values: Its value in points, for every seat or only for the searching one.
        is_best: Whether the seat prefers it to its other moves.
        replies: The moves considered after it; empty at the end of the game or of the depth.
    """

    action: Action
    seat: int
    forced: tuple[Action, ...]
    values: tuple[int, ...]
    is_best: bool
    replies: tuple[ConsideredMove, ...]


def look_ahead_tree(
    observation: Observation, seed: int, settings: LookAheadSettings
) -> tuple[tuple[CardSet, ...], tuple[ConsideredMove, ...]]:
    """Return the hands of the first deal that a search with this seed samples, and all moves considered."""
    known, belief = belief_of(observation)
    plan = plan_of(settings, seed)
    p = copy_position(known)
    sample_deal(p, known, belief, plan.rng)
    if plan.temper == COALITION:
        plan.weakest = weakest_seat(p, p.turn, plan.weights)
    hands = tuple([CardSet(p.hands[seat]) for seat in range(p.seats)])
    return hands, tuple(_Tree(plan, p).moves(p, plan.depth))


class _Tree:
    def __init__(self, plan: LookAheadPlan, p: Position) -> None:
        self._plan = plan
        self._searcher = p.turn
        self._desk = copy_position(p)
        copy_into(self._desk, p)

    def moves(self, p: Position, ahead: int) -> Iterator[ConsideredMove]:
        """Yield the moves of a position with a choice, in the order of greedy's preference."""
        codes = [0] * MAX_ACTIONS
        n = legal(p, codes)
        found = []
        for code in sorted(codes[:n], key=lambda code: greedy_order(p, code)):
            child = copy_position(p)
            apply(child, code)
            forced = tuple(_play_forced(child))
            replies = () if child.phase == OVER or ahead == 1 else tuple(self.moves(child, ahead - 1))
            values = next((reply.values for reply in replies if reply.is_best), None)
            found.append((decode(code), forced, values or self._evaluated(child), replies))
        scores = [self._objective(p, values) for _, _, values, _ in found]
        best = scores.index(max(scores))
        for place, (action, forced, values, replies) in enumerate(found):
            yield ConsideredMove(action, p.turn, forced, values, place == best, replies)

    def _evaluated(self, p: Position) -> tuple[int, ...]:
        evaluate(p, self._desk, self._searcher, self._plan, 0)
        if self._plan.evaluation == PROSPECT:
            return tuple(self._plan.vectors[: p.seats])
        return (self._plan.vectors[self._searcher],)

    def _objective(self, p: Position, values: tuple[int, ...]) -> int:
        if self._plan.evaluation == PROSPECT:
            self._plan.vectors[: p.seats] = values
        else:
            self._plan.vectors[self._searcher] = values[0]
        return objective(p, self._plan, self._searcher, 0)


def _play_forced(p: Position) -> Iterator[Action]:
    codes = [0] * MAX_ACTIONS
    while p.phase != OVER and legal(p, codes) == 1:
        apply(p, codes[0])
        yield decode(codes[0])
