"""The memory of searching players in compiled games."""

from __future__ import annotations

from collections.abc import Iterator, MutableSequence, Sequence
from typing import Final, NamedTuple

from durak_core.actions import PASS, TAKE, Action, Attack, Defend, encode
from durak_core.kernel.deal import new_position
from durak_core.kernel.position import MAX_ACTIONS, Position
from durak_core.knowledge.sampling import Belief
from durak_core.rules import Rules
from durak_core.search.backend.backend import Backend
from durak_core.search.depth_first import LEVELS, DepthFirst
from durak_core.search.endgame.alpha_beta import EndgameMemory
from durak_core.search.endgame.solver import TABLE_SIZE
from durak_core.search.ismcts.guided import Guidance, PuctState
from durak_core.search.ismcts.tree import NODE_WIDTH, TreeMemory
from durak_core.search.ismcts.tree_search import LEAF_SLOTS, SearchSettings, guidance_for
from durak_core.search.network.arithmetic import Weights
from durak_core.search.network.encoding import Memory
from durak_core.search.network.weights import activation_sizes
from durak_core.search.players.public_knowledge import Deduction

_CODES: Final = 1 << 15
"""Exceeds every action's code."""

# Limits of a search.
ITERATIONS: Final = 0
NODES: Final = 1  # to solve the root
GUIDED: Final = 2  # 1 with a network


class CompiledSearch(NamedTuple):
    """A search of the agent `ismcts` with the same choices in compiled games."""

    iterations: int
    nodes: int  # to solve the root
    settings: SearchSettings


class GameMemory(NamedTuple):
    """A game of searching players, and its public knowledge."""

    positions: Sequence[Position]  # two, with the rules: the game, and an action's result
    memories: Sequence[Memory]  # one
    deductions: Sequence[Deduction]  # one


class SearchBuffers(NamedTuple):
    """The memory of a searching player; ``search`` and ``endgame`` share the levels of ``leaves``."""

    game: GameMemory
    search: TreeMemory
    leaves: EndgameMemory
    endgame: EndgameMemory  # for the root
    codes: MutableSequence[int]  # legal codes
    order: MutableSequence[int]  # solver's order of their indices
    names: MutableSequence[int]  # rank of each code's text
    rng: MutableSequence[int]
    limits: MutableSequence[int]
    guidance: Guidance  # arbitrary without a network


def game_memory(rules: Rules, runner: Backend) -> GameMemory:
    return GameMemory(
        positions=runner.records(new_position(rules), 2),
        memories=runner.records(Memory(), 1),
        deductions=runner.records(Deduction(), 1),
    )


def search_buffers(rules: Rules, search: CompiledSearch, game: GameMemory, runner: Backend) -> SearchBuffers:
    p, settings = new_position(rules), search.settings
    guide = settings.guide
    most = 1 + search.iterations * (1 if guide is None else MAX_ACTIONS)
    room = min(settings.capacity, most + MAX_ACTIONS)
    levels = runner.records(p, LEVELS)
    limits, names = runner.integers(3), runner.integers(_CODES)
    limits[ITERATIONS], limits[NODES], limits[GUIDED] = (
        search.iterations,
        search.nodes,
        int(guide is not None),
    )
    for rank, action in enumerate(sorted(_actions(rules), key=str)):
        names[encode(action)] = rank
    return SearchBuffers(
        game=game,
        search=TreeMemory(
            positions=runner.records(p, 2),
            belief=runner.records(Belief(), 1),
            tree=runner.records(settings.tree(room), 1),
            nodes=runner.integers(room * NODE_WIDTH),
            values=runner.floats(room),
        ),
        leaves=_solving(levels, LEAF_SLOTS, runner),
        endgame=_solving(levels, TABLE_SIZE, runner),
        codes=runner.integers(MAX_ACTIONS),
        order=runner.integers(MAX_ACTIONS),
        names=names,
        rng=runner.integers(1),
        limits=limits,
        guidance=_unguided(runner) if guide is None else guidance_for(guide, Memory(), rules, runner, room),
    )


def _unguided(runner: Backend) -> Guidance:
    return Guidance(
        guide=runner.records(PuctState(), 1),
        memories=runner.records(Memory(), 2),
        priors=runner.floats(0),
        network=Weights(runner.integers(0), runner.weights(0, 0)),
        room=activation_sizes(0, runner),
    )


def _solving(levels: Sequence[Position], slots: int, runner: Backend) -> EndgameMemory:
    search = runner.records(DepthFirst(slots=slots), 1)
    return EndgameMemory(levels, search, runner.integers(slots), runner.integers(slots))


def _actions(rules: Rules) -> Iterator[Action]:
    yield from (PASS, TAKE)
    yield from map(Attack, rules.deck)
    yield from (Defend(card, target) for card in rules.deck for target in rules.deck if card != target)
