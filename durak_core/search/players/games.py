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
    action_index,
    encode,
    reset_memory,
    trump_place,
    update_memory,
)
from durak_core.search.network.vector import OUTSIDE, Games
from durak_core.search.players.player import SMART, InferenceBuffers, Player, begin_game, decide, think

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

Bytes: TypeAlias = Annotated[MutableSequence[int], "int8"]


def _go_on(games: Games, players: Sequence[Player], head: InferenceBuffers) -> int:
    """Play until an external decision is needed or the game is over; return the seat to act."""
    p, memory, slot = games.positions[0], games.memories[0], games.slots[0]
    slot.n = legal(p, slot.codes)
    while p.phase != OVER:
        player = players[p.turn]
        code = slot.codes[0]
        if player.kind != OUTSIDE:
            if player.kind <= SMART or slot.n == 1:
                code = decide(p, memory, player, (slot.codes, slot.spare), slot.n)
            else:
                code = think(p, memory, player, head, legal(p, head.codes))
        elif slot.skips == 0 or slot.n > 1:
            break
        update_memory(p, memory, code)
        slot.n = legal(p, slot.codes)
    return p.turn


@compiled("learn")
def open_game(games: Games, players: Sequence[Player], head: InferenceBuffers, seed: int) -> int:
    """Deal a game with external players (`OUTSIDE`) or others, seeded like agents.

    Uses one position with the rules, one memory and one slot; the players' networks are in the head. Returns
    the seat to act, -1 when the game is over, or `NO_DEAL` (rules 3.4).
    """
    p, memory, slot = games.positions[0], games.memories[0], games.slots[0]
    slot.rng[0] = derive(seed, DEAL_STREAM)
    if not deal(p, slot.rng):
        return NO_DEAL
    reset_memory(p, memory)
    agents = derive(seed, AGENTS_STREAM)
    for seat in range(p.seats):
        begin_game(players[seat], derive(agents, seat))
    return _go_on(games, players, head)


@compiled("learn")
def play_index(
    games: Games,
    players: Sequence[Player],
    head: InferenceBuffers,
    index: int,
    rewards: MutableSequence[float],
) -> int:
    """Play an action, by its index in the action space, then the players' actions.

    Returns the seat to act, -1 when the game is over, or `ILLEGAL` without playing. Writes the seats' rewards
    at the end of the game (rules 8.4).
    """
    p, memory, slot = games.positions[0], games.memories[0], games.slots[0]
    trump = trump_place(p)
    for j in range(slot.n):
        if action_index(slot.codes[j], trump) == index:
            update_memory(p, memory, slot.codes[j])
            turn = _go_on(games, players, head)
            if turn == NOBODY:
                returns(p, rewards)
            return turn
    return ILLEGAL


@compiled("learn")
def look(games: Games, seat: int, inputs: MutableSequence[int], planes: Bytes, mask: Bytes) -> None:
    """Write up to `MAX_ACTIVE` inputs, and ones in zeroed planes and the mask of the seat's legal actions."""
    p, memory, slot = games.positions[0], games.memories[0], games.slots[0]
    for i in range(encode(p, memory, seat, inputs)):
        planes[inputs[i]] = 1
    if p.turn == seat:
        trump = trump_place(p)
        for j in range(slot.n):
            mask[action_index(slot.codes[j], trump)] = 1
