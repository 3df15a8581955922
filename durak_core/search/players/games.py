"""Whole games of compiled players, and games with external decisions."""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from typing import Annotated, Final, NamedTuple, TypeAlias

from durak_core.kernel.compiled import compiled, ticks
from durak_core.kernel.legal import legal
from durak_core.kernel.position import (
    AGENTS_STREAM,
    DEAL_STREAM,
    GAMES_STREAM,
    MAX_SEATS,
    NOBODY,
    OVER,
    Position,
    derive,
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
from durak_core.search.network.vector import OUTSIDE, Games, Slot
from durak_core.search.players.player import (
    SMART,
    TEMPERED,
    InferenceBuffers,
    Player,
    begin_game,
    decide,
    think,
)
from durak_core.search.policies.expert import N_WEIGHTS

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
SEAT: Final = 1  # external seat of the deal, `PLAY` or `WAIT`
LOOK: Final = 2  # seat to observe afterwards, or negative
TURN: Final = 3  # answer: the seat to act, -1 when the game is over, `ILLEGAL` or `NO_DEAL`
ORDER: Final = 4

PLAY: Final = -1
WAIT: Final = -2

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


def _write_ones(row: Row, places: Sequence[int]) -> None:
    for j in range(len(row)):
        row[j] = 0
    for j in range(len(places)):
        row[places[j]] = 1


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
            _write_ones(planes[i], inputs[: encode(p, memory, order[LOOK], inputs)])
            _write_mask(p, slot, order[LOOK], masks[i])


@compiled("learn")
def advance(games: Games, seated: SeatedPlayers, told: tuple[Orders, Rewards, Views]) -> None:
    """Carry out an order in each game: deal it, seeded like agents, play an action, or wait; then look at it.

    The other players, of kinds up to `SMART`, play up to the next external decision. ``told`` has the orders,
    whose `TURN` is written, the seats' rewards at the end of a game (rules 8.4), and the views. All in one
    pass, because the records of many games exceed the processor's caches.
    """
    _advance(games, seated, None, told)


@compiled("learn")
def advance_thinkers(
    games: Games, seated: SeatedPlayers, head: InferenceBuffers, told: tuple[Orders, Rewards, Views]
) -> None:
    """Carry out orders as `advance` does, with players of any kind, whose networks are in the head.

    Apart, because the head's many arrays take longer to pass than a step of one game.
    """
    _advance(games, seated, head, told)
