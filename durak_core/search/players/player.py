"""Compiled players, who see a position's visible part and the public memory (rules 9)."""

from __future__ import annotations

import math
from collections.abc import MutableSequence, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

from durak_core.kernel.compiled import zeros
from durak_core.kernel.legal import (
    KIND_ATTACK,
    KIND_DEFEND,
    KIND_TAKE,
    KIND_TRANSFER,
    answers,
    card_mask_of,
    card_of,
    kind_of,
    target_of,
)
from durak_core.kernel.position import CHANCE_STREAM, OPENING, RANK_COLUMN, Position, derive, random_below
from durak_core.search.network.encoding import Memory, code_index, encode, trump_place
from durak_core.search.network.weights import Activations, Weights, action_values, greatest
from durak_core.search.policies.expert import (
    N_WEIGHTS,
    STEP,
    Character,
    Temperament,
    smart_policy,
    tempered_policy,
    write_costs,
)
from durak_core.search.policies.playouts import EXPERT, choose
from durak_core.search.policies.policies import LegalCodes, lowest_policy
from durak_core.statistics import logistic

_PARTS: Final = 30
"""Bits of a draw's probabilities."""

_SOON_EMPTY: Final = 6
"""With at most so many cards left to draw, people start to spend trumps."""

_JACK: Final = 11
_KING: Final = 13
_UP_TO_JACK: Final = 0x0FFC * RANK_COLUMN


def is_human(p: Position, code: int) -> bool:
    """Return whether an action is human-like: no good card is wasted if a cheaper one would do."""
    if p.trump_mask == 0 or p.drawn == p.deck_size:
        return True
    if kind_of(code) == KIND_TAKE:
        return p.n_attacks != 1 or answers(p, p.attacks[0]) & _UP_TO_JACK & ~p.trump_mask == 0
    if card_mask_of(code) & p.trump_mask == 0:
        return True
    return _spends_wisely(p, code)


def _spends_wisely(p: Position, code: int) -> bool:
    """Return whether playing this trump now is human-like."""
    kind = kind_of(code)
    rank = card_of(code) & 15
    wise = True
    if kind == KIND_DEFEND:
        found = answers(p, target_of(code))
        wise = found & ~p.trump_mask == 0 and (rank < _KING or found & (card_mask_of(code) - 1) == 0)
    elif kind == KIND_ATTACK and p.phase == OPENING:
        wise = p.hands[p.turn] & ~p.trump_mask == 0
    elif kind == KIND_ATTACK:
        wise = p.deck_size - p.drawn <= _SOON_EMPTY and rank < _JACK
    elif kind == KIND_TRANSFER:
        wise = p.deck_size - p.drawn <= _SOON_EMPTY and rank < _KING
    return wise


def write_preferences(
    p: Position, choices: LegalCodes, preferences: Sequence[float], odds: MutableSequence[int]
) -> int:
    """Write each legal action's integer odds, and return their sum.

    ``preferences`` are log-odds up to a constant for at most 64 choices, ``odds`` is as long. Actions that
    are not human-like have none, except the best one.
    """
    codes, n = choices
    best = 0
    for i in range(1, n):
        if preferences[i] > preferences[best]:
            best = i
    total = 0
    for i in range(n):
        odds[i] = 0
        if i == best or is_human(p, codes[i]):
            odds[i] = round((1 << _PARTS) * math.exp(preferences[i] - preferences[best]))
        total += odds[i]
    return total


def draw_by_preference(
    p: Position,
    choices: LegalCodes,
    preferences: Sequence[float],
    odds: MutableSequence[int],
    rng: MutableSequence[int],
) -> int:
    """Draw a legal action by `write_preferences` and return its index.

    It depends only on the seed and the visible position, so resumed games and undone moves repeat it.
    ``rng`` has the player's seed, overwritten by a state.
    """
    total = write_preferences(p, choices, preferences, odds)
    chance = derive(rng[0], p.bout)
    chance = derive(chance, p.hands[p.turn])
    chance = derive(chance, p.table)
    rng[0] = derive(chance, p.discards)
    drawn = _part(random_below(rng, 1 << _PARTS), total)
    place = 0
    while drawn >= odds[place]:
        drawn -= odds[place]
        place += 1
    return place


def _part(drawn: int, total: int) -> int:
    """Return ``total * drawn >> _PARTS``, with products below 2^63."""
    low = total & ((1 << _PARTS) - 1)
    return drawn * (total >> _PARTS) + (drawn * low >> _PARTS)


# Kinds of players, after the policies of `durak_core.search.policies.playouts`.
TEMPERED: Final = EXPERT + 1
LOWEST: Final = EXPERT + 2
HOARDING: Final = EXPERT + 3
"""Plays the lowest card, or also hoards trumps."""
SMART: Final = EXPERT + 4
VALUING: Final = EXPERT + 5
"""Plays the action of greatest network value."""
PERSON: Final = EXPERT + 6
"""Draws by a network's values, see `durak_core.search.players.player`."""
UNTAUGHT_PERSON: Final = EXPERT + 7
"""Draws by the rule book's costs in the same way."""


@dataclass(slots=True)
class Player:
    """A player and its state within a game."""

    kind: int = 0
    network: int = 0  # its index among the networks
    noise: int = 0  # of a temperament; in opponent models also a policy's random actions, in thousandths
    manner: float = 1.0  # temperature of a person, and in opponent models of a network
    weights: list[int] = field(default_factory=zeros(N_WEIGHTS))  # of a temperament
    # Of the game:
    seed: int = 0
    rng: list[int] = field(default_factory=lambda: [1])  # state of its random generator


def tempered(temperament: Temperament) -> Player:
    return Player(TEMPERED, weights=temperament.table(), noise=temperament.units)


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
        return tempered_policy(p, LegalCodes(codes, n), character, room, player.rng)
    return smart_policy(p, LegalCodes(codes, n), memory.known, memory.sizes, room)


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
    return codes[draw_by_preference(p, LegalCodes(codes, n), values, head.spare, player.rng)]


def write_values(p: Position, memory: Memory, player: Player, head: InferenceBuffers, n: int) -> None:
    room = head.room
    trump = trump_place(p)
    for i in range(n):
        room.actions[i] = code_index(head.codes[i], trump)
    action_values(head.networks[player.network], room, encode(p, memory, p.turn, room.inputs), n)


def by_value(value: float, temperature: float) -> float:
    """Return log-odds up to a constant; a difference of ``temperature`` multiplies the odds by e."""
    return logistic(value) / temperature


def by_cost(cost: int, noise: float) -> float:
    """Return the same for a cost; a difference of ``noise`` ranks doubles the odds."""
    return -cost / STEP / noise * math.log(2)
