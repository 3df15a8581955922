"""Games that wait for decisions: many side by side, one decision each a call.

Plain functions over integers as in the kernel; `durak_core.lab.learn` gives them their memory. A game whose
seats are played by policies, or that leaves no choice, goes on by itself until a decision from outside
is needed, and a game that ends is followed by the next number's in the same place.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Final, NamedTuple, TypeAlias

from durak_core.kernel.codes import index_of
from durak_core.kernel.deal import deal
from durak_core.kernel.legal import legal
from durak_core.kernel.machine_code import compiled, zeros
from durak_core.kernel.position import MAX_ACTIONS, OVER, Position
from durak_core.kernel.random import (
    CHANCE_STREAM,
    DEAL_STREAM,
    derive,
    next_random,
    random_below,
)
from durak_core.kernel.transition import returns
from durak_core.search.network.encoding import Memory, action_index, encode, forget, play, trump_place
from durak_core.search.policies.playouts import choose

OUTSIDE: Final = -1
"""Stands in a line-up for a seat whose actions come from outside; other numbers are policies."""

UNIT: Final = 4294967296.0
"""What `next_random` stays below."""


@dataclass(slots=True)
class Slot:
    """A place for games, one after the other."""

    number: int = 0  # of the game that is played here
    stride: int = 1  # what the next game's number is greater by
    seed: int = 0  # of all games; the deal of game i is ``derive(seed, i)``
    skips: int = 0  # 1: where there is no choice, the action is played without asking
    failed: int = 0  # 1: no deal stands (rules 3.4)
    n: int = 0  # legal actions
    rng: list[int] = field(default_factory=lambda: [1])  # state of the policies' chance
    codes: list[int] = field(default_factory=zeros(MAX_ACTIONS))  # legal codes
    spare: list[int] = field(default_factory=zeros(MAX_ACTIONS))  # room for as many numbers


ShortRows: TypeAlias = Annotated[Sequence[MutableSequence[int]], "int16"]


class Games(NamedTuple):
    """What some games are played on, one of each for a game; the positions hold the rules."""

    positions: Sequence[Position]
    memories: Sequence[Memory]
    slots: Sequence[Slot]


class Board(NamedTuple):
    """The decisions that are waited for.

    Attributes:
        turns: The seat to act, by game.
        counts: How many legal actions it has.
        lengths: How many inputs are active.
        active: Their numbers.
        actions: The legal actions' indices in the fixed space of actions.
    """

    turns: MutableSequence[int]
    counts: MutableSequence[int]
    lengths: MutableSequence[int]
    active: ShortRows
    actions: ShortRows


class Results(NamedTuple):
    """What came of games.

    Attributes:
        returns: Of the game that ended last in a slot, by seat (rules 8.4).
        ended: The number of the game that ended with the last action, or -1.
    """

    returns: Sequence[MutableSequence[float]]
    ended: MutableSequence[int]


def _start_game(p: Position, memory: Memory, slot: Slot) -> None:
    """Deal the game with the slot's number."""
    chance = derive(slot.seed, slot.number)
    slot.rng[0] = derive(chance, DEAL_STREAM)
    if not deal(p, slot.rng):
        slot.failed = 1
    slot.rng[0] = derive(derive(chance, 1), CHANCE_STREAM)
    forget(p, memory)


def go_on(p: Position, memory: Memory, slot: Slot, line_up: Sequence[int]) -> None:
    """Play until a decision from outside is needed or the game is over."""
    while p.phase != OVER:
        slot.n = legal(p, slot.codes)
        policy = line_up[p.turn]
        if policy == OUTSIDE:
            if slot.n > 1 or slot.skips == 0:
                return
            play(p, memory, slot.codes[0])
        else:
            play(p, memory, choose(p, policy, slot.codes, slot.n, slot.rng))
    slot.n = 0


def show(p: Position, memory: Memory, slot: Slot, i: int, board: Board) -> None:
    """Write the decision that game ``i`` waits for."""
    turns, counts, lengths, active, actions = board
    trump = trump_place(p)
    turns[i] = p.turn
    counts[i] = slot.n
    lengths[i] = encode(p, memory, p.turn, active[i])
    for j in range(slot.n):
        actions[i][j] = action_index(slot.codes[j], trump)


def _next_decision(
    p: Position,
    memory: Memory,
    slot: Slot,
    line_ups: Sequence[Sequence[int]],
    rewards: MutableSequence[float],
) -> int:
    """Play on, if need be through new games, until a decision is waited for.

    Returns:
        The number of the game that ended last, or -1.
    """
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
def start_games(games: Games, line_ups: Sequence[Sequence[int]], board: Board, results: Results) -> int:
    """Deal a game in every slot and write the first decisions to the board.

    ``line_ups`` says who plays at each seat, row ``number % len(line_ups)`` for the game of that number:
    `OUTSIDE` at one seat at least, else a policy of `durak_core.search.policies.playouts`.

    Returns:
        How many games could not be dealt (rules 3.4).
    """
    positions, memories, slots = games
    failed = 0
    for i in range(len(positions)):
        _start_game(positions[i], memories[i], slots[i])
        _next_decision(positions[i], memories[i], slots[i], line_ups, results.returns[i])
        failed += slots[i].failed
        if slots[i].failed == 0:
            show(positions[i], memories[i], slots[i], i, board)
    return failed


@compiled("learn")
def step_games(
    games: Games, line_ups: Sequence[Sequence[int]], board: Board, results: Results, choices: Sequence[int]
) -> int:
    """Play the chosen action of every game and write the next decisions and what came of games.

    A choice is the action's place among the legal ones; all else is as for `start_games`.
    """
    positions, memories, slots = games
    failed = 0
    for i in range(len(positions)):
        play(positions[i], memories[i], slots[i].codes[choices[i]])
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
    """Choose as a policy does in some games, or now and then any action.

    Args:
        games: As for `start_games`.
        chosen: Which of them.
        policy: One of `durak_core.search.policies.playouts`.
        epsilon: How often any action is chosen, all equally likely, 0 to 1.
        memory: The state of the random generator; for each game room for the place of the chosen
            action, which is written for these games.
    """
    rng, choices = memory
    for i in chosen:
        slot = games.slots[i]
        if next_random(rng) < epsilon * UNIT:
            choices[i] = random_below(rng, slot.n)
        else:
            choices[i] = index_of(slot.codes, choose(games.positions[i], policy, slot.codes, slot.n, rng))


@compiled("learn")
def write_planes(
    lengths: Sequence[int], rows: ShortRows, planes: Annotated[Sequence[MutableSequence[int]], "int8"]
) -> None:
    """Write rows of zeros and ones from rows of the ones' numbers and their lengths."""
    for i in range(len(rows)):
        for j in range(len(planes[i])):
            planes[i][j] = 0
        for j in range(lengths[i]):
            planes[i][rows[i][j]] = 1
