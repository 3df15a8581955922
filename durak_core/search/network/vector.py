"""Vectorised games: many side by side, one external decision each per call; also compiled.

Policies' turns and forced actions are played at once. A finished game is replaced by the next one.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Final, NamedTuple, TypeAlias

from durak_core.kernel.compiled import compiled, zeros
from durak_core.kernel.legal import index_of, legal
from durak_core.kernel.position import (
    CHANCE_STREAM,
    DEAL_STREAM,
    MAX_ACTIONS,
    OVER,
    Position,
    derive,
    next_random,
    random_below,
)
from durak_core.kernel.transition import deal, returns
from durak_core.search.network.encoding import (
    Memory,
    code_index,
    encode,
    reset_memory,
    trump_place,
    update_memory,
)
from durak_core.search.policies.playouts import choose

OUTSIDE: Final = -1
"""A line-up's number for a seat with external actions; other numbers are policies."""

DEAL: Final = -1
"""Instead of a choice: deals a slot's first game."""

UNIT: Final = 4294967296.0
"""Exclusive upper bound of `next_random`."""


@dataclass(slots=True)
class Slot:
    """A slot for successive games."""

    number: int = 0  # of the present game
    stride: int = 1  # increment of game numbers
    seed: int = 0  # of all games; the deal of game i is ``derive(seed, i)``
    skips: int = 0  # 1: forced actions are played at once
    failed: int = 0  # 1: no valid deal (rules 3.4)
    n: int = 0  # legal actions
    rng: list[int] = field(default_factory=lambda: [1])  # random state of the policies
    codes: list[int] = field(default_factory=zeros(MAX_ACTIONS))  # legal codes
    spare: list[int] = field(default_factory=zeros(MAX_ACTIONS))  # buffer of the same size


Integers: TypeAlias = Annotated[MutableSequence[int], "int32"]
ShortRows: TypeAlias = Annotated[Sequence[MutableSequence[int]], "int16"]


class Games(NamedTuple):
    """The memory of some games, one of each per game; the positions hold the rules."""

    positions: Sequence[Position]
    memories: Sequence[Memory]
    slots: Sequence[Slot]


class Board(NamedTuple):
    """The pending decisions, by game."""

    turns: MutableSequence[int]  # seat to act
    counts: MutableSequence[int]  # number of legal actions
    lengths: MutableSequence[int]  # number of active inputs
    active: ShortRows  # the active inputs
    actions: ShortRows  # indices of the legal actions in the action space


class Results(NamedTuple):
    """Results of games, by slot."""

    returns: Sequence[MutableSequence[float]]  # of the last finished game, by seat (rules 8.4)
    ended: MutableSequence[int]  # number of the game that the last action ended, or -1


def _start_game(p: Position, memory: Memory, slot: Slot) -> None:
    chance = derive(slot.seed, slot.number)
    slot.rng[0] = derive(chance, DEAL_STREAM)
    if not deal(p, slot.rng):
        slot.failed = 1
    slot.rng[0] = derive(derive(chance, 1), CHANCE_STREAM)
    reset_memory(p, memory)


def go_on(p: Position, memory: Memory, slot: Slot, line_up: Sequence[int]) -> None:
    """Play until an external decision is needed or the game is over."""
    while p.phase != OVER:
        slot.n = legal(p, slot.codes)
        policy = line_up[p.turn]
        if policy == OUTSIDE:
            if slot.n > 1 or slot.skips == 0:
                return
            update_memory(p, memory, slot.codes[0])
        else:
            update_memory(p, memory, choose(p, policy, slot.codes, slot.n, slot.rng))
    slot.n = 0


def show(p: Position, memory: Memory, slot: Slot, i: int, board: Board) -> None:
    turns, counts, lengths, active, actions = board
    trump = trump_place(p)
    turns[i] = p.turn
    counts[i] = slot.n
    lengths[i] = encode(p, memory, p.turn, active[i])
    for j in range(slot.n):
        actions[i][j] = code_index(slot.codes[j], trump)


def _next_decision(
    p: Position,
    memory: Memory,
    slot: Slot,
    line_ups: Sequence[Sequence[int]],
    rewards: MutableSequence[float],
) -> int:
    """Play on, through new games if needed, to the next decision; return the last game that ended or -1."""
    ended = -1
    go_on(p, memory, slot, line_ups[slot.number % len(line_ups)])
    while p.phase == OVER and slot.failed == 0:
        ended = slot.number
        returns(p, rewards)
        slot.number += slot.stride
        _start_game(p, memory, slot)
        go_on(p, memory, slot, line_ups[slot.number % len(line_ups)])
    return ended


@compiled("learn")
def step_games(
    games: Games, line_ups: Sequence[Sequence[int]], board: Board, results: Results, choices: Sequence[int]
) -> int:
    """Play an action in every slot, write the next decisions, and return how many have no valid deal (3.4).

    ``choices`` has the actions' legal indices, or `DEAL` for the slot's first game. Row
    ``number % len(line_ups)`` has a game's players by seat: `OUTSIDE` at least once, or policies of
    `durak_core.search.policies.playouts`.
    """
    positions, memories, slots = games
    failed = 0
    for i in range(len(positions)):
        if choices[i] == DEAL:
            slots[i].number = i
            _start_game(positions[i], memories[i], slots[i])
        else:
            update_memory(positions[i], memories[i], slots[i].codes[choices[i]])
        results.ended[i] = _next_decision(positions[i], memories[i], slots[i], line_ups, results.returns[i])
        failed += slots[i].failed
        if slots[i].failed == 0:
            show(positions[i], memories[i], slots[i], i, board)
    return failed


@compiled("learn")
def choose_by_policy(
    games: Games,
    chosen: Sequence[int],
    policy: int,
    epsilon: float,
    memory: tuple[MutableSequence[int], MutableSequence[int]],
) -> None:
    """Choose by a policy of `durak_core.search.policies.playouts` in some games, epsilon-greedily.

    ``epsilon`` is 0 to 1. ``memory`` has the random state, and for each game room for the chosen action's
    legal index.
    """
    rng, choices = memory
    for i in chosen:
        slot = games.slots[i]
        if next_random(rng) < epsilon * UNIT:
            choices[i] = random_below(rng, slot.n)
        else:
            choices[i] = index_of(slot.codes, choose(games.positions[i], policy, slot.codes, slot.n, rng))


@compiled("learn")
def gather_active(chosen: Sequence[int], board: Board, inputs: Integers, starts: Integers) -> int:
    """Write games' active inputs one after another; return how many, and write where each game's begin."""
    n = 0
    for k in range(len(chosen)):
        i = chosen[k]
        starts[k] = n
        for m in range(board.lengths[i]):
            inputs[n] = board.active[i][m]
            n += 1
    return n


def write_ones(row: MutableSequence[int], places: Sequence[int]) -> None:
    for j in range(len(row)):
        row[j] = 0
    for j in range(len(places)):
        row[places[j]] = 1


@compiled("learn")
def write_planes(
    lengths: Sequence[int], rows: ShortRows, planes: Annotated[Sequence[MutableSequence[int]], "int8"]
) -> None:
    """Write dense binary rows from the numbers of their ones."""
    for i in range(len(rows)):
        write_ones(planes[i], rows[i][: lengths[i]])
