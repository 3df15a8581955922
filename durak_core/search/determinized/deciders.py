"""Searches that deal the hidden cards at random and look at each deal as if all cards lay open.

What `minimax`, `maxn` and `mcts` need around them, in either backend. Where nothing is hidden from
the seat, there is one deal. The same seed gives the same figures in both backends.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from durak_core.game.observation import Observation
from durak_core.kernel.position import MAX_ACTIONS
from durak_core.kernel.random import CHANCE_STREAM, derive
from durak_core.knowledge.belief import belief_of
from durak_core.search.backend.backend import Backend
from durak_core.search.determinized.maxn import COALITION, MAXN, PARANOID, Maxn
from durak_core.search.determinized.mcts import LEAF_WIDTH
from durak_core.search.determinized.minimax import BASIC, PLAYOUT, Minimax
from durak_core.search.endgame.alpha_beta import Solver
from durak_core.search.ismcts.tree import Tree
from durak_core.search.ismcts.tree_search import CHUNK
from durak_core.search.policies.playouts import GREEDY, RANDOM

EVALUATIONS: Final = {"basic": BASIC, "playout": PLAYOUT}
"""What unfinished games are worth to minimax, by name."""
TEMPERS: Final = {"maxn": MAXN, "paranoid": PARANOID, "coalition": COALITION}
"""What the other seats want, by name."""
SIMULATIONS: Final = {"greedy": GREEDY, "random": RANDOM}
"""How playouts of Monte Carlo search choose, by name."""

NODES_A_CALL: Final = {"plain": 200, "compiled": 20_000}
"""Nodes of minimax or max^n that take some hundredths of a second, by backend."""

_TABLE_BITS: Final = 10
"""The table of a search one decision deep has two to this power entries, twice as many each decision more."""
_MOST_TABLE_BITS: Final = 20
_MOST_NODES: Final = 2_000_000
_LEAST_NODES: Final = 2 * MAX_ACTIONS
_NODES_AN_ITERATION: Final = 16


@dataclass(frozen=True, slots=True)
class MinimaxSettings:
    """How minimax goes about it.

    Attributes:
        depth: Decisions to look ahead, 1 to `durak_core.search.determinized.lookahead.DEEPEST`.
        evaluation: One of `EVALUATIONS`.
        samples: How many deals, where cards are hidden.
        prunes: Whether alpha-beta, deepening step by step and the table save work; no value depends on it.
    """

    depth: int = 3
    evaluation: str = "playout"
    samples: int = 20
    prunes: bool = True


@dataclass(frozen=True, slots=True)
class MaxnSettings:
    """How max^n goes about it.

    Attributes:
        depth: Decisions to look ahead, 1 to `durak_core.search.determinized.lookahead.DEEPEST`.
        samples: How many deals, where cards are hidden.
        temper: One of `TEMPERS`.
    """

    depth: int = 3
    samples: int = 10
    temper: str = "maxn"


@dataclass(frozen=True, slots=True)
class MctsSettings:
    """How determinized Monte Carlo tree search goes about it.

    Attributes:
        iterations: Of each tree.
        exploration: Weight of the unknown in choosing a branch.
        simulation: One of `SIMULATIONS`.
        samples: How many deals, and so trees, where cards are hidden.
    """

    iterations: int = 30
    exploration: float = 1.4
    simulation: str = "greedy"
    samples: int = 30


@dataclass(frozen=True, slots=True)
class DealTable:
    """What the searches of some deals have found.

    Attributes:
        rows: For each deal a figure for each legal action, in the order of the observation's.
            Minimax and max^n give values; Monte Carlo tree search gives visits, and between 0 and
            1 beyond that the mean outcome, which decides between equal visits.
        nodes: How many nodes the searches had together.
    """

    rows: tuple[tuple[float, ...], ...]
    nodes: int


def minimax_table(
    observation: Observation, seed: int, runner: Backend, settings: MinimaxSettings | None = None
) -> DealTable:
    """Search deals by minimax.

    Args:
        observation: Of the seat to act, which has a choice.
        seed: Of all chance.
        runner: Where to run; it needs the functions of the group ``classic``.
        settings: How.

    Returns:
        Values from -1000 to 1000, see `durak_core.search.determinized.minimax.WIN`.
    """
    settings = settings or MinimaxSettings()
    known, belief = belief_of(observation)
    size = 1 << min(_MOST_TABLE_BITS, _TABLE_BITS + settings.depth) if settings.prunes else 1
    plan = Minimax(
        depth=settings.depth,
        evaluation=EVALUATIONS[settings.evaluation],
        prunes=int(settings.prunes),
        rng=[derive(seed, CHANCE_STREAM)],
    )
    positions = (runner.records(known, 2), runner.records(known, settings.depth + 1))
    memory = (
        runner.records(belief, 1),
        runner.records(plan, 1),
        runner.records(Solver(slots=size), 1),
        runner.integers(size),
        runner.integers(size),
    )
    search = runner.functions["minimax_deal"]
    return _table(
        observation, settings.samples if belief.n_pool else 1, runner, partial(search, positions, memory)
    )


def maxn_table(
    observation: Observation, seed: int, runner: Backend, settings: MaxnSettings | None = None
) -> DealTable:
    """Search deals by max^n.

    Args:
        observation: Of the seat to act, which has a choice.
        seed: Of all chance.
        runner: Where to run; it needs the functions of the group ``classic``.
        settings: How.

    Returns:
        Values of `durak_core.search.determinized.maxn.objective` for the seat to act.
    """
    settings = settings or MaxnSettings()
    known, belief = belief_of(observation)
    plan = Maxn(depth=settings.depth, temper=TEMPERS[settings.temper], rng=[derive(seed, CHANCE_STREAM)])
    positions = (runner.records(known, 1), runner.records(known, settings.depth + 1))
    memory = (
        runner.records(belief, 1),
        runner.records(plan, 1),
        runner.records(Solver(), 1),
        runner.integers(6 * (settings.depth + 1)),
    )
    search = runner.functions["maxn_deal"]
    return _table(
        observation, settings.samples if belief.n_pool else 1, runner, partial(search, positions, memory)
    )


def _table(
    observation: Observation, deals: int, runner: Backend, search: Callable[[int, Any], int]
) -> DealTable:
    """Search one deal after the other, in calls that let other threads have their turn.

    Args:
        observation: Of the seat to act.
        deals: How many.
        runner: Where the search runs.
        search: Takes nodes and an array for the values; returns the nodes that the deal has taken, or
            less than 0 while it is not done.
    """
    values = runner.integers(MAX_ACTIONS)
    chunk = NODES_A_CALL[runner.name]
    n = len(observation.legal_actions)
    rows = []
    nodes = 0
    for _ in range(deals):
        searched = -1
        while searched < 0:
            searched = int(search(chunk, values))
        nodes += searched
        rows.append(tuple([int(values[i]) for i in range(n)]))
    return DealTable(tuple(rows), nodes)


def mcts_table(
    observation: Observation, seed: int, runner: Backend, settings: MctsSettings | None = None
) -> DealTable:
    """Grow a UCT tree for each deal.

    Args:
        observation: Of the seat to act, which has a choice.
        seed: Of all chance.
        runner: Where to run; it needs the functions of the group ``classic``.
        settings: How.

    Returns:
        How often each action was tried, plus half its mean outcome.
    """
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
    positions = runner.records(known, 3)
    memory = (
        runner.records(belief, 1),
        runner.records(tree, 1),
        runner.integers(capacity * LEAF_WIDTH),
        runner.floats(capacity),
    )
    visits, scores = runner.integers(MAX_ACTIONS), runner.floats(MAX_ACTIONS)
    run = runner.functions["mcts_deal"]
    n = len(observation.legal_actions)
    rows = []
    nodes = 0
    for _ in range(settings.samples if belief.n_pool else 1):
        run(positions, memory, 0, visits, scores)
        left = settings.iterations
        grown = 0
        while left > 0:
            grown = int(run(positions, memory, min(left, CHUNK[runner.name]), visits, scores))
            left -= CHUNK[runner.name]
        nodes += grown
        rows.append(tuple([_figure(int(visits[i]), float(scores[i])) for i in range(n)]))
    return DealTable(tuple(rows), nodes)


def _figure(visits: int, score: float) -> float:
    """Put visits first and the mean outcome, halved so that it stays below one more visit, second."""
    return visits + score / visits / 2 if visits else 0.0
