"""Whole games by policies, one after the other: the text of playouts and of compiled batches.

Plain functions over integers as in the kernel. `durak_core.search.backend.batch` gives them their memory
and decides whether they run in CPython or as machine code.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from dataclasses import dataclass, field
from typing import Final

from durak_core.kernel.deal import deal
from durak_core.kernel.legal import legal
from durak_core.kernel.machine_code import compiled, zeros
from durak_core.kernel.position import MAX_ACTIONS, MAX_SEATS, OVER, Position
from durak_core.kernel.random import CHANCE_STREAM, DEAL_STREAM, GAMES_STREAM, derive
from durak_core.kernel.transition import apply
from durak_core.search.policies.expert import N_WEIGHTS, WEIGHTS, expert_policy
from durak_core.search.policies.policies import greedy_policy, random_policy, uniform_policy
from durak_core.search.policies.temperament import tempered_policy

UNIFORM: Final = 0
RANDOM: Final = 1
GREEDY: Final = 2
EXPERT: Final = 3

COLUMNS: Final = 4
"""Figures of a game that `play_games` writes: fool (as `Position.fool`), bouts, plies, hash."""

_HASH_WORD: Final = 0xFFFF_FFFF
_HASH_FACTOR: Final = 0x0100_0193  # of the 32-bit FNV-1a hash


@dataclass(slots=True)
class Desk:
    """The memory that a playout needs beside the position."""

    digest: int = 0  # hash of the actions of the last playout
    codes: list[int] = field(default_factory=zeros(MAX_ACTIONS))  # legal codes
    odds: list[int] = field(default_factory=zeros(MAX_ACTIONS))  # of them, for a temperament
    rng: list[int] = field(default_factory=lambda: [1])  # state of the random generator in use
    policies: list[int] = field(default_factory=zeros(MAX_SEATS))  # by seat
    seeds: list[int] = field(default_factory=lambda: [1] * MAX_SEATS)  # random state of each seat
    # Of the expert policy: a table for each player.
    weights: list[int] = field(default_factory=lambda: list(WEIGHTS * MAX_SEATS))
    tables: list[int] = field(default_factory=zeros(MAX_SEATS))  # where each seat's table begins
    noises: list[int] = field(default_factory=zeros(MAX_SEATS))  # of the expert policy: by player


def choose(p: Position, policy: int, codes: Sequence[int], n: int, rng: MutableSequence[int]) -> int:
    """Return the code that one of the policies above chooses of ``n``, 1 or more."""
    if policy == GREEDY:
        return greedy_policy(codes, n, p.trump_mask, p.deck_size - p.drawn, p.phase)
    if policy == EXPERT:
        return expert_policy(p, codes, n, None, 0)
    if policy == RANDOM:
        return random_policy(codes, n, rng)
    return uniform_policy(codes, n, rng)


def choose_at_desk(p: Position, desk: Desk, codes: Sequence[int], n: int) -> int:
    """Return the code that the policy of the seat to act chooses of ``n``, by what is on the desk for it."""
    seat = p.turn
    rng = desk.rng
    rng[0] = desk.seeds[seat]
    if desk.policies[seat] == EXPERT:
        start = desk.tables[seat]
        noise = desk.noises[start // N_WEIGHTS]
        code = tempered_policy(p, codes, n, desk.weights, start, noise, desk.odds, rng)
    else:
        code = choose(p, desk.policies[seat], codes, n, rng)
    desk.seeds[seat] = rng[0]
    return code


@compiled("rules")
def play_out(p: Position, desk: Desk) -> None:
    """Play a position to its end by the policies and seeds on the desk, and write the digest there."""
    codes = desk.codes
    digest = 0
    while p.phase != OVER:
        code = choose_at_desk(p, desk, codes, legal(p, codes))
        digest = ((digest * _HASH_FACTOR) ^ code) & _HASH_WORD
        apply(p, code)
    desk.digest = digest


@compiled("rules")
def play_games(  # noqa: PLR0913, PLR0917 - machine code has no small objects
    p: Position,
    desk: Desk,
    policies: Sequence[int],
    seed: int,
    first: int,
    table: Sequence[MutableSequence[int]],
) -> int:
    """Play some games of a match, numbered and seeded as `durak_core.lab.matches.match` does.

    Players rotate over the seats from game to game, and a deal is played from every seating: the
    deal of game ``i`` is ``i // seats`` and player ``k`` sits at ``(k + i) % seats``.

    The position holds the rules and is overwritten; the desk has the players' weights and noises. Each game,
    from number ``first`` on, has a row of `COLUMNS` figures in the table.

    Returns:
        How many games were played: all, unless a deal could not be found (rules 3.4).
    """
    for row in range(len(table)):
        number = first + row
        chances = derive(seed, GAMES_STREAM + number)
        for seat in range(p.seats):
            player = (seat - number) % p.seats
            desk.policies[seat] = policies[player]
            desk.tables[seat] = player * N_WEIGHTS
            desk.seeds[seat] = derive(derive(chances, seat), CHANCE_STREAM)
        desk.rng[0] = derive(derive(seed, number // p.seats), DEAL_STREAM)
        if not deal(p, desk.rng):
            return row
        play_out(p, desk)
        table[row][0] = p.fool
        table[row][1] = p.bout
        table[row][2] = p.plies
        table[row][3] = desk.digest
    return len(table)
