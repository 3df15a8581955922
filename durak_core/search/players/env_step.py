"""A single game with external decisions; compiled players may have other seats."""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from typing import Annotated, Final, TypeAlias

from durak_core.kernel.compiled import compiled
from durak_core.kernel.deal import deal
from durak_core.kernel.legal import legal
from durak_core.kernel.position import NOBODY, OVER
from durak_core.kernel.random import AGENTS_STREAM, DEAL_STREAM, derive
from durak_core.kernel.transition import returns
from durak_core.search.network.encoding import action_index, encode, reset_memory, trump_place, update_memory
from durak_core.search.network.vector import OUTSIDE, Games
from durak_core.search.players.player import SMART, InferenceBuffers, Player, begin_game, decide, think

ILLEGAL: Final = -2
"""Result for an illegal action; others are seats, or -1 for none."""

NO_DEAL: Final = -3
"""Result without a valid deal (rules 3.4)."""

Bytes: TypeAlias = Annotated[MutableSequence[int], "int8"]


def _go_on(games: Games, players: Sequence[Player], head: InferenceBuffers | None) -> int:
    """Play until an external decision is needed or the game is over; return the seat to act."""
    p, memory, slot = games.positions[0], games.memories[0], games.slots[0]
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


def _open(games: Games, players: Sequence[Player], head: InferenceBuffers | None, seed: int) -> int:
    p, memory, slot = games.positions[0], games.memories[0], games.slots[0]
    slot.rng[0] = derive(seed, DEAL_STREAM)
    if not deal(p, slot.rng):
        return NO_DEAL
    reset_memory(p, memory)
    agents = derive(seed, AGENTS_STREAM)
    for seat in range(p.seats):
        begin_game(players[seat], derive(agents, seat))
    return _go_on(games, players, head)


def _play(
    games: Games,
    players: Sequence[Player],
    head: InferenceBuffers | None,
    index: int,
    rewards: MutableSequence[float],
) -> int:
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
def open_game(games: Games, players: Sequence[Player], seed: int) -> int:
    """Deal a game with external players (`OUTSIDE`) or kinds up to `SMART`, seeded like agents.

    Uses one position with the rules, one memory and one slot. Returns the seat to act, -1 when the game is
    over, or `NO_DEAL` (rules 3.4).
    """
    return _open(games, players, None, seed)


@compiled("learn")
def open_pensive_game(games: Games, players: Sequence[Player], head: InferenceBuffers, seed: int) -> int:
    """Deal a game as `open_game` does, with players of any kind, whose networks are in the head."""
    return _open(games, players, head, seed)


@compiled("learn")
def play_index(games: Games, players: Sequence[Player], index: int, rewards: MutableSequence[float]) -> int:
    """Play an action, by its index in the action space, then the players' actions.

    Returns the seat to act, -1 when the game is over, or `ILLEGAL` without playing. Writes the seats' rewards
    at the end of the game (rules 8.4).
    """
    return _play(games, players, None, index, rewards)


@compiled("learn")
def play_pensive_index(
    games: Games,
    players: Sequence[Player],
    head: InferenceBuffers,
    index: int,
    rewards: MutableSequence[float],
) -> int:
    """Play an action as `play_index` does, of a game from `open_pensive_game`."""
    return _play(games, players, head, index, rewards)


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
