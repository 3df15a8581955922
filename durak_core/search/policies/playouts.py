"""Whole games by policies, as played by `durak bench`; without the log and clock of `search.players`."""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from dataclasses import dataclass, field
from typing import Final

from durak_core.kernel.compiled import compiled, zeros
from durak_core.kernel.legal import (
    ATTACK_BASE,
    DEFENCE_BASE,
    PASS_CODE,
    TAKE_CODE,
    TARGET_SHIFT,
    answers,
    attack_cards,
    legal,
    may_stop,
    target_to_answer,
)
from durak_core.kernel.position import (
    CHANCE_STREAM,
    DEAL_STREAM,
    DEFENCE,
    GAMES_STREAM,
    MAX_ACTIONS,
    MAX_SEATS,
    OVER,
    Position,
    derive,
    popcount,
    random_below,
)
from durak_core.kernel.transition import apply, deal
from durak_core.search.policies.expert import expert_policy
from durak_core.search.policies.policies import greedy_policy, random_policy, uniform_policy

UNIFORM: Final = 0
RANDOM: Final = 1
GREEDY: Final = 2
EXPERT: Final = 3

POLICIES: Final = {"random": RANDOM, "random:uniform": UNIFORM, "greedy": GREEDY, "expert": EXPERT}
"""The policies by their agents' specs."""

COLUMNS: Final = 4
"""Figures of a game: fool (as `Position.fool`), bouts, plies, hash of actions."""

_HASH_WORD: Final = 0xFFFF_FFFF
_HASH_FACTOR: Final = 0x0100_0193  # of the 32-bit FNV-1a hash


@dataclass(slots=True)
class PlayoutBuffers:
    """The buffers of `play_games`."""

    codes: list[int] = field(default_factory=zeros(MAX_ACTIONS))  # legal codes
    rng: list[int] = field(default_factory=lambda: [1])  # the random state in use
    policies: list[int] = field(default_factory=zeros(MAX_SEATS))  # by player
    seated: list[int] = field(default_factory=zeros(MAX_SEATS))  # policies by seat
    seeds: list[int] = field(default_factory=lambda: [1] * MAX_SEATS)  # random state of each seat


def choose(p: Position, policy: int, codes: Sequence[int], n: int, rng: MutableSequence[int]) -> int:
    """Return a policy's choice of ``n`` codes, 1 or more."""
    if policy == GREEDY:
        return greedy_policy(codes, n, p.trump_mask, p.deck_size - p.drawn, p.phase)
    if policy == EXPERT:
        return expert_policy(p, codes, n, None)
    if policy == RANDOM:
        return random_policy(codes, n, rng)
    return uniform_policy(codes, n, rng)


def nth_card(cards: int, n: int) -> int:
    """Return the number of a mask's card with ``n`` lower ones; there must be one."""
    number = 0
    for width in (32, 16, 8, 4, 2, 1):
        lower = popcount(cards & ((1 << width) - 1))
        if n >= lower:
            n -= lower
            number += width
            cards >>= width
    return number


def choose_uniformly(p: Position, rng: MutableSequence[int]) -> int:
    """Return what `uniform_policy` chooses in a position without transfers and the exchange, from masks."""
    if p.phase == DEFENCE:
        target = target_to_answer(p)
        base = DEFENCE_BASE | target << TARGET_SHIFT
        cards = answers(p, target)
        stop = TAKE_CODE
    else:
        base = ATTACK_BASE
        cards = attack_cards(p, p.turn)
        stop = PASS_CODE
    playable = popcount(cards)
    n = playable
    if may_stop(p, playable):
        n += 1
    choice = random_below(rng, n) if n > 1 else 0
    return base | nth_card(cards, choice) if choice < playable else stop


def play_out(p: Position, desk: PlayoutBuffers) -> int:
    """Play a position out by the seats' policies and seeds; return the hash of the actions."""
    codes = desk.codes
    rng = desk.rng
    digest = 0
    while p.phase != OVER:
        seat = p.turn
        rng[0] = desk.seeds[seat]
        if desk.seated[seat] == UNIFORM and not (p.transfer or p.exchange_trump):
            code = choose_uniformly(p, rng)
        else:
            n = legal(p, codes)
            code = choose(p, desk.seated[seat], codes, n, rng) if n > 1 else codes[0]
        desk.seeds[seat] = rng[0]
        digest = ((digest * _HASH_FACTOR) ^ code) & _HASH_WORD
        apply(p, code)
    return digest


@compiled("rules")
def play_games(
    p: Position, desk: PlayoutBuffers, seed: int, first: int, table: Sequence[MutableSequence[int]]
) -> int:
    """Play games of a match, seeded as in `durak_core.lab.matches.match`, and return how many.

    Games are duplicate: game ``i`` has deal ``i // seats``, and player ``k`` sits at ``(k + i) % seats``. The
    position holds the rules. Writes a row of `COLUMNS` figures for each game from ``first`` on. Stops early
    without a valid deal (rules 3.4).
    """
    for row in range(len(table)):
        number = first + row
        chances = derive(seed, GAMES_STREAM + number)
        for seat in range(p.seats):
            desk.seated[seat] = desk.policies[(seat - number) % p.seats]
            desk.seeds[seat] = derive(derive(chances, seat), CHANCE_STREAM)
        desk.rng[0] = derive(derive(seed, number // p.seats), DEAL_STREAM)
        if not deal(p, desk.rng):
            return row
        table[row][3] = play_out(p, desk)
        table[row][0] = p.fool
        table[row][1] = p.bout
        table[row][2] = p.plies
    return len(table)
