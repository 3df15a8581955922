"""What the searches of one full deal share: forced actions, order, keys of positions, hands as they will be.

Kernel-style text: plain functions over integers that run in CPython and as machine code.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from typing import Final

from durak_core.kernel.legal import legal
from durak_core.kernel.position import OVER, PILE_ON, Position, copy_into
from durak_core.kernel.random import scramble
from durak_core.kernel.transition import apply
from durak_core.knowledge.sampling import Belief, sample_deal
from durak_core.search.endgame.alpha_beta import LEVELS, Solver, lay_code
from durak_core.search.policies.policies import greedy_cost

DEEPEST: Final = LEVELS - 2
"""Decisions that a search with the stack of `Solver` can look ahead."""

_WORD: Final = 0xFFFF_FFFF
_TRUMP: Final = 48  # what spending a trump costs, before passing or taking


def advance(p: Position, codes: MutableSequence[int]) -> int:
    """Play what is forced, write the legal codes of the next decision, and return how many there are.

    Returns:
        2 or more, or 0 when the game is over.
    """
    while p.phase != OVER:
        n = legal(p, codes)
        if n > 1:
            return n
        apply(p, codes[0])
    return 0


def lay_deal(
    stack: Sequence[Position], known: Position, belief: Belief, rng: MutableSequence[int], levels: int
) -> None:
    """Sample a deal into the first position of a stack, and its deck into so many levels after it.

    Args:
        stack: ``levels + 1`` positions; all are overwritten.
        known: The position with every hidden card left out.
        belief: The hidden cards.
        rng: State of the random generator.
        levels: 0 or more.
    """
    sample_deal(stack[0], known, belief, rng)
    for level in range(1, levels + 1):
        copy_into(stack[level], stack[0])


def lay_codes(p: Position, s: Solver, level: int, n: int) -> None:
    """Lay the fresh codes on a level, the remembered best first, then what is cheapest to greedy.

    Args:
        p: The position.
        s: Memory; its fresh codes are laid, its best code of the level is -1 where none is remembered.
        level: Which.
        n: How many codes.
    """
    for i in range(n):
        code = s.fresh[i]
        cost = 0
        if code != s.best_code[level]:
            cost = 1 + greedy_cost(code, p.trump_mask, _TRUMP)
        lay_code(s, level, i, code, cost)


def index_of(codes: Sequence[int], code: int) -> int:
    """Return where a code stands that is there."""
    i = 0
    while codes[i] != code:
        i += 1
    return i


def deal_key(p: Position, salt: int) -> int:
    """Hash all that decides the rest of a game of one full deal into 1 to 2^62.

    Two positions of a deal with equal keys have the same legal actions in the same order, now and
    after the same actions, until the game is over. What is left out follows from the rest, or decides
    nothing: the discards, the talon's cards, the numbers of bouts and plies, the finishing places.

    Args:
        p: The position; the game is not over.
        salt: Another one for each deal that shares a table, 0 to 2^32 - 1.
    """
    low = scramble(salt)
    high = scramble(low ^ p.in_mask)
    for seat in range(p.seats):
        low = scramble(low ^ (p.hands[seat] & _WORD))
        high = scramble(high ^ low ^ (p.hands[seat] >> 32))
    low = scramble(low ^ high ^ (p.table & _WORD))
    high = scramble(high ^ low ^ (p.table >> 32))
    for i in range(p.n_attacks):
        if p.defences[i] == 0:
            low = scramble(low ^ p.attacks[i])
    seats = p.attacker | p.defender << 3 | p.turn << 6 | p.passed << 9 | p.shown << 15
    low = scramble(low ^ (seats << 3 | p.phase))
    high = scramble(high ^ low ^ (p.limit << 16 | p.drawn << 8))
    low = scramble(low ^ high ^ p.stall)
    if p.bout > 1:
        low ^= 1
    high = scramble(high ^ low)
    return ((high & 0x3FFF_FFFF) << 32 | low) + 1


def prospective_hand(p: Position, seat: int) -> int:
    """Return a seat's hand, with the cards on the table where it is certain to take them."""
    if p.phase == PILE_ON and seat == p.defender:
        return p.hands[seat] | p.table
    return p.hands[seat]
