"""Compiled players with the same choices as the corresponding agents, their games, and external decisions.

A player sees a position's visible part and the public memory (rules 9).
"""

from __future__ import annotations

import math
from collections.abc import MutableSequence, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Final, NamedTuple, TypeAlias

from durak_core.kernel.compiled import compiled, ticks, zeros
from durak_core.kernel.legal import (
    KIND_ATTACK,
    KIND_DEFEND,
    KIND_TAKE,
    KIND_TRANSFER,
    answers,
    card_mask_of,
    card_of,
    kind_of,
    legal,
    target_of,
)
from durak_core.kernel.position import (
    AGENTS_STREAM,
    CHANCE_STREAM,
    DEAL_STREAM,
    GAMES_STREAM,
    JOKERS,
    MAX_SEATS,
    NOBODY,
    OPENING,
    OVER,
    RANK_COLUMN,
    Position,
    derive,
    lowest_cards,
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
from durak_core.search.network.vector import OUTSIDE, Games, Slot, write_ones
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
    if card_mask_of(code) & (p.trump_mask | JOKERS) == 0:
        return True
    return _spends_wisely(p, code)


def _spends_wisely(p: Position, code: int) -> bool:
    """Return whether playing this trump or joker now is human-like."""
    high = p.trump_mask | JOKERS
    kind = kind_of(code)
    rank = card_of(code) & 15
    wise = True
    if kind == KIND_DEFEND:
        found = answers(p, target_of(code))
        lowest = lowest_cards(found, p.trump_mask)
        wise = found & ~high == 0 and (rank < _KING or lowest & card_mask_of(code) != 0)
    elif kind == KIND_ATTACK and p.phase == OPENING:
        wise = p.hands[p.turn] & ~high == 0
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
"""Draws by a network's values, see `durak_core.search.players`."""
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
    action_values(head.networks[player.network], room, encode(p, memory, p.turn, room.active), n)


def by_value(value: float, temperature: float) -> float:
    """Return log-odds up to a constant; a difference of ``temperature`` multiplies the odds by e."""
    return logistic(value) / temperature


def by_cost(cost: int, noise: float) -> float:
    """Return the same for a cost; a difference of ``noise`` ranks doubles the odds."""
    return -cost / STEP / noise * math.log(2)


# Columns of a game's figures.
FOOL: Final = 0  # as `Position.fool`
BOUTS: Final = 1
FIRST_ATTACKER: Final = 2
END: Final = 3  # end of its event log
N_PLACES: Final = 4
PLACES: Final = 5  # seats in finishing order
DECISIONS: Final = PLACES + MAX_SEATS  # by seat
COLUMNS: Final = DECISIONS + MAX_SEATS

CLOCKS: Final = MAX_SEATS + 1
"""Columns of the clock: each seat's time for decisions, and the game's time."""

# An action in the event log: its code, the seat, and the number of legal actions.
_CODE_BITS: Final = 0xFFFF
_SEAT_SHIFT: Final = 16
_SEAT_BITS: Final = 7
_CHOICES_SHIFT: Final = 20

FULL: Final = -1


class MatchMemory(NamedTuple):
    """The memory of a match."""

    positions: Sequence[Position]  # the first one is played, with the rules
    memories: Sequence[Memory]  # one
    players: Sequence[Player]  # all players of the match
    head: InferenceBuffers
    chairs: Sequence[Sequence[int]]  # players by seat: row ``number % len(chairs)`` for a game
    solo: Sequence[int]  # one: 1 for a new deal per game, as in `durak_core.lab.matches.match.SoloMatch`


def code_of(entry: int) -> int:
    return entry & _CODE_BITS


def seat_of(entry: int) -> int:
    return entry >> _SEAT_SHIFT & _SEAT_BITS


def choices_of(entry: int) -> int:
    return entry >> _CHOICES_SHIFT


@compiled("players")
def play_seated_games(
    table: MatchMemory,
    numbers: tuple[int, int],
    log: MutableSequence[int],
    figures: Sequence[MutableSequence[int]],
    clock: Sequence[MutableSequence[int]],
) -> int:
    """Play games of a match, seeded as in `durak_core.lab.matches.match`, and return how many.

    ``numbers`` are the match's seed and the first game. ``log`` receives the actions, see `code_of`.
    ``figures`` and ``clock`` have a row for each game; the clock is zeroed and counts
    `durak_core.kernel.compiled.ticks`. If games are missing, the next row's `END` is `FULL` for lack of
    room in the log, or 0 without a valid deal (3.4).
    """
    p = table.positions[0]
    seed, first = numbers
    start = 0
    for row in range(len(figures)):
        began = ticks()
        figure = figures[row]
        figure[END] = 0
        chairs = table.chairs[(first + row) % len(table.chairs)]
        if not _sit_down(table, chairs, seed, first + row):
            return row
        figure[FIRST_ATTACKER] = p.attacker
        for seat in range(p.seats):
            figure[DECISIONS + seat] = 0
        figure[END] = _play_out(table, chairs, (log, figure, clock[row]), start)
        if figure[END] == FULL:
            return row
        start = figure[END]
        figure[FOOL] = p.fool
        figure[BOUTS] = p.bout
        figure[N_PLACES] = p.n_places
        for i in range(p.n_places):
            figure[PLACES + i] = p.places[i]
        clock[row][MAX_SEATS] = ticks() - began
    return len(figures)


def _sit_down(table: MatchMemory, chairs: Sequence[int], seed: int, number: int) -> bool:
    """Deal a game and start its players; return whether the deal is valid."""
    p = table.positions[0]
    if table.solo[0]:
        dealt = derive(seed, number)
        chances = derive(dealt, AGENTS_STREAM)
    else:
        dealt = derive(seed, number // p.seats)
        chances = derive(seed, GAMES_STREAM + number)
    for seat in range(p.seats):
        begin_game(table.players[chairs[seat]], derive(chances, seat))
    rng = table.head.spare
    rng[0] = derive(dealt, DEAL_STREAM)
    stands = deal(p, rng)
    reset_memory(p, table.memories[0])
    return stands


def _play_out(
    table: MatchMemory,
    chairs: Sequence[int],
    told: tuple[MutableSequence[int], MutableSequence[int], MutableSequence[int]],
    start: int,
) -> int:
    """Play the dealt game; return the end of its log, or `FULL`. ``told`` has log, figures and clock."""
    p = table.positions[0]
    memory = table.memories[0]
    players = table.players
    codes = table.head.codes
    desk = (codes, table.head.spare)
    log, figure, clock = told
    while p.phase != OVER:
        if start == len(log):
            return FULL
        began = ticks()
        n = legal(p, codes)
        seat = p.turn
        player = players[chairs[seat]]
        if n == 1 or player.kind <= SMART:
            code = decide(p, memory, player, desk, n)
        else:
            code = think(p, memory, player, table.head, n)
        figure[DECISIONS + seat] += 1
        clock[seat] += ticks() - began
        log[start] = code | seat << _SEAT_SHIFT | n << _CHOICES_SHIFT
        start += 1
        update_memory(p, memory, code)
    return start


ILLEGAL: Final = -2
"""Result for an illegal action; others are seats, or -1 for none."""

NO_DEAL: Final = -3
"""Result without a valid deal (rules 3.4)."""

# Columns of the orders to games with external decisions.
NUMBER: Final = 0  # index of an action in the action space, or the seed of a deal
SEAT: Final = 1  # external seat of the deal, `PLAY`, `WAIT` or `REST`
LOOK: Final = 2  # seat to observe afterwards, or negative
TURN: Final = 3  # answer: the seat to act, -1 when the game is over, `ILLEGAL` or `NO_DEAL`
ORDER: Final = 4

PLAY: Final = -1
WAIT: Final = -2  # and look
REST: Final = -3  # and do not look, either

Order: TypeAlias = MutableSequence[int]
Orders: TypeAlias = Sequence[Order]
Rewards: TypeAlias = Sequence[MutableSequence[float]]
Row: TypeAlias = MutableSequence[int]
ByteRows: TypeAlias = Annotated[Sequence[Row], "int8"]


class Views(NamedTuple):
    """Rows of zeros and ones for the observations and legal actions of games."""

    inputs: MutableSequence[int]  # room for `MAX_ACTIVE`
    planes: ByteRows  # observations, by game
    masks: ByteRows  # legal actions, by game; empty for a seat that is not to act


class SeatedPlayers(NamedTuple):
    """The players of many games: copies of line-ups, one for each external seat."""

    line_ups: Sequence[Player]  # `MAX_SEATS` for each seat that may be external, by seat
    players: Sequence[Player]  # `MAX_SEATS` for each game


def _sit(seated: SeatedPlayers, i: int, seat: int, chance: int, seats: int) -> None:
    """Copy a line-up to game ``i`` and start its players."""
    for other in range(seats):
        source = seated.line_ups[seat * MAX_SEATS + other]
        target = seated.players[i * MAX_SEATS + other]
        target.kind = source.kind
        target.network = source.network
        target.noise = source.noise
        target.manner = source.manner
        if source.kind == TEMPERED:
            for j in range(N_WEIGHTS):
                target.weights[j] = source.weights[j]
        begin_game(target, derive(chance, other))


def _go_on(
    p: Position, memory: Memory, slot: Slot, players: Sequence[Player], head: InferenceBuffers | None
) -> int:
    """Play until an external decision is needed or the game is over; return the seat to act."""
    slot.n = legal(p, slot.codes)
    while p.phase != OVER:
        player = players[p.turn]
        code = slot.codes[0]
        if player.kind != OUTSIDE:
            if player.kind <= SMART or slot.n == 1:
                code = decide(p, memory, player, (slot.codes, slot.spare), slot.n)
            elif head is not None:
                code = think(p, memory, player, head, legal(p, head.codes))
        elif slot.skips == 0 or slot.n > 1:
            break
        update_memory(p, memory, code)
        slot.n = legal(p, slot.codes)
    return p.turn


def _has_dealt(games: Games, i: int, seated: SeatedPlayers, order: Order) -> bool:
    p, slot = games.positions[i], games.slots[i]
    slot.rng[0] = derive(order[NUMBER], DEAL_STREAM)
    if not deal(p, slot.rng):
        order[TURN] = NO_DEAL
        return False
    reset_memory(p, games.memories[i])
    _sit(seated, i, order[SEAT], derive(order[NUMBER], AGENTS_STREAM), p.seats)
    return True


def _has_played(p: Position, memory: Memory, slot: Slot, order: Order) -> bool:
    trump = trump_place(p)
    for j in range(slot.n):
        if code_index(slot.codes[j], trump) == order[NUMBER]:
            update_memory(p, memory, slot.codes[j])
            return True
    order[TURN] = ILLEGAL
    return False


def _write_mask(p: Position, slot: Slot, seat: int, mask: Row) -> None:
    for j in range(len(mask)):
        mask[j] = 0
    if p.turn == seat:
        trump = trump_place(p)
        for j in range(slot.n):
            mask[code_index(slot.codes[j], trump)] = 1


def _advance(
    games: Games,
    seated: SeatedPlayers,
    head: InferenceBuffers | None,
    told: tuple[Orders, Rewards, Views],
) -> None:
    orders, rewards, (inputs, planes, masks) = told
    for i in range(len(orders)):
        order, p, memory, slot = orders[i], games.positions[i], games.memories[i], games.slots[i]
        if order[SEAT] == REST:
            continue
        goes_on = False
        if order[SEAT] >= 0:
            goes_on = _has_dealt(games, i, seated, order)
        elif order[SEAT] == PLAY:
            goes_on = _has_played(p, memory, slot, order)
        if goes_on:
            order[TURN] = _go_on(p, memory, slot, seated.players[i * MAX_SEATS : (i + 1) * MAX_SEATS], head)
            if order[TURN] == NOBODY and order[SEAT] == PLAY:
                returns(p, rewards[i])
        if order[LOOK] >= 0:
            write_ones(planes[i], inputs[: encode(p, memory, order[LOOK], inputs)])
            _write_mask(p, slot, order[LOOK], masks[i])


@compiled("environments")
def advance(games: Games, seated: SeatedPlayers, told: tuple[Orders, Rewards, Views]) -> None:
    """Carry out an order in each game: deal it, seeded like agents, play an action, or wait; then look at it.

    The other players, of kinds up to `SMART`, play up to the next external decision. ``told`` has the orders,
    whose `TURN` is written, the seats' rewards at the end of a game (rules 8.4), and the views. All in one
    pass, because the records of many games exceed the processor's caches.
    """
    _advance(games, seated, None, told)


@compiled("environments")
def advance_thinkers(
    games: Games, seated: SeatedPlayers, head: InferenceBuffers, told: tuple[Orders, Rewards, Views]
) -> None:
    """Carry out orders as `advance` does, with players of any kind, whose networks are in the head.

    Apart, because the head's many arrays take longer to pass than a step of one game.
    """
    _advance(games, seated, head, told)
