"""Who plays at a seat, as machine code knows them, and what they choose.

Plain functions over integers as in the kernel. Each decides by what its seat may know (rules 9): by what a
policy looks at in the position, and by the memory of what everybody at the table knows.
"""

from __future__ import annotations

import math
from collections.abc import MutableSequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

from durak_core.kernel.machine_code import zeros
from durak_core.kernel.position import Position
from durak_core.kernel.random import CHANCE_STREAM, derive
from durak_core.search.network.arithmetic import Room, Weights, action_values
from durak_core.search.network.encoding import Memory, action_index, encode, trump_place
from durak_core.search.players.people import draw_by_preference
from durak_core.search.policies.expert import N_WEIGHTS, STEP, write_costs
from durak_core.search.policies.playouts import EXPERT, choose
from durak_core.search.policies.policies import Choices
from durak_core.search.policies.smart import smart_policy
from durak_core.search.policies.temperament import Character, tempered_policy
from durak_core.statistics import logistic

# Kinds of players, beside the policies of `durak_core.search.policies.playouts`.
TEMPERED: Final = EXPERT + 1
SMART: Final = EXPERT + 2
VALUING: Final = EXPERT + 3
"""Plays what a network thinks most of."""
PERSON: Final = EXPERT + 4
"""Draws from a network's expectations, see `durak_core.search.players.people`."""
UNTAUGHT_PERSON: Final = EXPERT + 5
"""Draws from the rule book's costs in the same way."""


@dataclass(slots=True)
class Player:
    """A player, and what it needs from one decision of a game to the next."""

    kind: int = 0
    network: int = 0  # its place among the networks
    noise: int = 0  # of a temperament
    manner: float = 1.0  # of a person: how little preferences count
    weights: list[int] = field(default_factory=zeros(N_WEIGHTS))  # of a temperament
    # Of the game:
    seed: int = 0
    rng: list[int] = field(default_factory=lambda: [1])  # state of its random generator


Networks: TypeAlias = tuple[Weights, Weights, Weights, Weights, Weights, Weights]
"""Room for one for each player; which of them is the same network, or none at all, does not matter."""


class Head(NamedTuple):
    """What players think with; the networks are only read.

    Attributes:
        room: For the widest of the networks.
        codes: Legal codes.
        spare: As much room.
    """

    networks: Networks
    room: Room
    codes: MutableSequence[int]
    spare: MutableSequence[int]


def sit_down(player: Player, seed: int) -> None:
    """Let a player begin a game with the seed that an agent's ``begin`` gets."""
    player.seed = seed
    player.rng[0] = derive(seed, CHANCE_STREAM)


def decide(
    p: Position,
    memory: Memory,
    player: Player,
    codes_and_room: tuple[MutableSequence[int], MutableSequence[int]],
    n: int,
) -> int:
    """Return which of ``n`` codes, 1 or more, a player whose turn it is chooses: one up to `SMART`.

    Where there is no choice that may be anybody.
    """
    codes, room = codes_and_room
    if n == 1:
        return codes[0]
    if player.kind <= EXPERT:
        return choose(p, player.kind, codes, n, player.rng)
    if player.kind == TEMPERED:
        character = Character(player.weights, player.noise)
        return tempered_policy(p, Choices(codes, n), character, room, player.rng)
    return smart_policy(p, Choices(codes, n), memory.known, memory.sizes, room)


def think(p: Position, memory: Memory, player: Player, head: Head, n: int) -> int:
    """Return which of the ``n`` codes in the head, 2 or more, any other player chooses.

    Handing over a head takes longer than `decide` does.
    """
    codes = head.codes
    values = head.room.outputs
    if player.kind == UNTAUGHT_PERSON:
        write_costs(p, codes, n, None, head.spare)
        for i in range(n):
            values[i] = by_cost(head.spare[i], player.manner)
    else:
        write_values(p, memory, player, head, n)
        if player.kind == VALUING:
            return codes[greatest(values, n)]
        for i in range(n):
            values[i] = by_value(values[i], player.manner)
    player.rng[0] = player.seed
    return codes[draw_by_preference(p, Choices(codes, n), values, head.spare, player.rng)]


def write_values(p: Position, memory: Memory, player: Player, head: Head, n: int) -> None:
    """Let a player's network value the ``n`` codes in the head."""
    room = head.room
    trump = trump_place(p)
    for i in range(n):
        room.actions[i] = action_index(head.codes[i], trump)
    action_values(head.networks[player.network], room, encode(p, memory, p.turn, room.inputs), n)


def greatest(values: MutableSequence[float], n: int) -> int:
    """Return the place of the greatest of ``n`` values, of equal ones the first."""
    best = 0
    for i in range(1, n):
        if values[i] > values[best]:
            best = i
    return best


def by_value(value: float, temperature: float) -> float:
    """Return the logarithm of an action's odds, but for a common summand, by a network's value.

    A difference of ``temperature`` between two expected scores makes an action e times as likely.
    """
    return logistic(value) / temperature


def by_cost(cost: int, noise: float) -> float:
    """Return the same by the rule book's cost; ``noise`` ranks make an action twice as likely."""
    return -cost / STEP / noise * math.log(2)
