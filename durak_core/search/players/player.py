"""Compiled players, who see a position's visible part and the public memory (rules 9)."""

from __future__ import annotations

import math
from collections.abc import MutableSequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

from durak_core.kernel.compiled import zeros
from durak_core.kernel.position import Position
from durak_core.kernel.random import CHANCE_STREAM, derive
from durak_core.search.network.arithmetic import Activations, Weights, action_values, greatest
from durak_core.search.network.encoding import Memory, action_index, encode, trump_place
from durak_core.search.players.human_like import draw_by_preference
from durak_core.search.policies.expert import N_WEIGHTS, STEP, write_costs
from durak_core.search.policies.playouts import EXPERT, choose
from durak_core.search.policies.policies import Choices, lowest_policy
from durak_core.search.policies.smart import smart_policy
from durak_core.search.policies.temperament import Character, tempered_policy
from durak_core.statistics import logistic

# Kinds of players, after the policies of `durak_core.search.policies.playouts`.
TEMPERED: Final = EXPERT + 1
LOWEST: Final = EXPERT + 2
HOARDING: Final = EXPERT + 3
"""Plays the lowest card, or also hoards trumps."""
SMART: Final = EXPERT + 4
VALUING: Final = EXPERT + 5
"""Plays the action of greatest network value."""
PERSON: Final = EXPERT + 6
"""Draws by a network's values, see `durak_core.search.players.human_like`."""
UNTAUGHT_PERSON: Final = EXPERT + 7
"""Draws by the rule book's costs in the same way."""
SEARCHING: Final = EXPERT + 8
"""Searches, see `durak_core.search.players.searcher`."""


@dataclass(slots=True)
class Player:
    """A player and its state within a game."""

    kind: int = 0
    network: int = 0  # its index among the networks, or searches
    noise: int = 0  # of a temperament; in opponent models also a policy's random actions, in thousandths
    manner: float = 1.0  # temperature of a person, and in opponent models of a network
    weights: list[int] = field(default_factory=zeros(N_WEIGHTS))  # of a temperament
    # Of the game:
    seed: int = 0
    searches: int = 0  # so far
    rng: list[int] = field(default_factory=lambda: [1])  # state of its random generator


Networks: TypeAlias = tuple[Weights, Weights, Weights, Weights, Weights, Weights]
"""One for each player; unused ones are arbitrary."""


class InferenceBuffers(NamedTuple):
    """The read-only networks and the buffers of inference."""

    networks: Networks
    room: Activations  # for the widest network
    codes: MutableSequence[int]  # legal codes
    spare: MutableSequence[int]  # buffer of the same size


def begin_game(player: Player, seed: int) -> None:
    """Start a game with the seed of an agent's ``begin``."""
    player.seed = seed
    player.searches = 0
    player.rng[0] = derive(seed, CHANCE_STREAM)


def decide(
    p: Position,
    memory: Memory,
    player: Player,
    codes_and_room: tuple[MutableSequence[int], MutableSequence[int]],
    n: int,
) -> int:
    """Return the choice of a player up to `SMART` among ``n`` codes; with a single code, of any player."""
    codes, room = codes_and_room
    if n == 1:
        return codes[0]
    if player.kind <= EXPERT:
        return choose(p, player.kind, codes, n, player.rng)
    if LOWEST <= player.kind <= HOARDING:
        talon = p.deck_size - p.drawn if player.kind == HOARDING else 0
        return lowest_policy(codes, n, p.trump_mask, talon, player.rng)
    if player.kind == TEMPERED:
        character = Character(player.weights, player.noise)
        return tempered_policy(p, Choices(codes, n), character, room, player.rng)
    return smart_policy(p, Choices(codes, n), memory.known, memory.sizes, room)


def think(p: Position, memory: Memory, player: Player, head: InferenceBuffers, n: int) -> int:
    """Return any other player's choice among ``n`` codes of the head, 2 or more; slower than `decide`."""
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


def write_values(p: Position, memory: Memory, player: Player, head: InferenceBuffers, n: int) -> None:
    room = head.room
    trump = trump_place(p)
    for i in range(n):
        room.actions[i] = action_index(head.codes[i], trump)
    action_values(head.networks[player.network], room, encode(p, memory, p.turn, room.inputs), n)


def by_value(value: float, temperature: float) -> float:
    """Return log-odds up to a constant; a difference of ``temperature`` multiplies the odds by e."""
    return logistic(value) / temperature


def by_cost(cost: int, noise: float) -> float:
    """Return the same for a cost; a difference of ``noise`` ranks doubles the odds."""
    return -cost / STEP / noise * math.log(2)
