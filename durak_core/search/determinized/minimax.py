"""Minimax over one full deal: alpha-beta to a given depth, with iterative deepening and a table.

The search of the Charles University thesis (rules 12, `zarlykov`) for closed games: hidden cards are
dealt at random, and each such deal is searched as if all cards lay open. Kernel-style text.

A value is always the searching seat's, whoever acts: in Durak turns do not alternate. It was made
for two seats; with more, all the others are taken for one opponent. Depth counts decisions: an
action without a choice costs none. The table knows only values of the very same depth, so values are
those of plain minimax, pruning or not.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from dataclasses import dataclass, field
from typing import Final

from durak_core.kernel.bits import lowest_bit, popcount
from durak_core.kernel.legal import legal
from durak_core.kernel.position import MAX_ACTIONS, OVER, Position, copy_into, copy_play
from durak_core.kernel.transition import apply
from durak_core.knowledge.sampling import Belief
from durak_core.knowledge.weakness import weak_ranks
from durak_core.search.determinized.lookahead import (
    advance,
    deal_key,
    index_of,
    lay_codes,
    lay_deal,
    prospective_hand,
)
from durak_core.search.endgame.alpha_beta import Solver, code_on, outcome
from durak_core.search.policies.playouts import GREEDY, choose

BASIC: Final = 0
"""Evaluation by counting cards, see `standing`."""
PLAYOUT: Final = 1
"""Evaluation by letting the greedy policy play the game to its end for all seats."""

WIN: Final = 1000
"""The value of a game that is won; -1000 if it is lost, 0 for a draw."""
MOST: Final = 900
"""No evaluation goes beyond this, up or down; a greedy playout that is won has this value."""

_SIZE: Final = 15
_WEAKNESS: Final = 500
_BEYOND: Final = 2000
_EXACT: Final = 0
_AT_LEAST: Final = 1
_AT_MOST: Final = 2

MINIMAX_SHAPES: Final[dict[str, int]] = {"rng": 1, "codes": MAX_ACTIONS}
"""Lengths of the array fields of `Minimax`."""


@dataclass(slots=True)
class Minimax:
    """The settings of a search, and the memory that `Solver` has not."""

    depth: int = 1  # decisions to look ahead, the first one included
    evaluation: int = PLAYOUT
    prunes: int = 1  # 0: no alpha-beta, no deepening step by step, no table
    deals: int = 0  # begun so far
    running: int = 0  # how deep the search is that goes on, 0 before a new deal
    rng: list[int] = field(default_factory=lambda: [1])
    codes: list[int] = field(default_factory=lambda: [0] * MAX_ACTIONS)  # legal codes in a playout


def hand_worth(p: Position, hand: int) -> int:
    """Add up the ranks of a hand; trumps go on where the highest plain card ends."""
    more = popcount(p.deck_mask & p.trump_mask)
    worth = more * popcount(hand & p.trump_mask)
    while hand:
        worth += lowest_bit(hand) & 15
        hand &= hand - 1
    return worth


def standing(p: Position, seat: int, other: int) -> int:
    """Compare two seats' hands by counting.

    Between hands of equal size it is the difference of what the cards are worth, else that of the
    sizes, times 15 once the talon is empty. Then a principal attacker with at most one weak rank
    against a hand without trumps gets 500 more: Bonnet's won endgame, but for what lies on the table.
    Cards on the table count for a defender who takes.

    Args:
        p: The position.
        seat: Whose value it is.
        other: Its opponent.

    Source: the basic evaluation of the Charles University thesis.
    """
    mine = prospective_hand(p, seat)
    theirs = prospective_hand(p, other)
    value = popcount(theirs) - popcount(mine)
    empty = p.drawn == p.deck_size
    if value == 0:
        value = hand_worth(p, mine) - hand_worth(p, theirs)
    elif empty:
        value *= _SIZE
    if empty:
        if p.attacker == seat and theirs & p.trump_mask == 0:
            if popcount(weak_ranks(mine, theirs)) <= 1:
                value += _WEAKNESS
        elif p.attacker == other and mine & p.trump_mask == 0 and popcount(weak_ranks(theirs, mine)) <= 1:
            value -= _WEAKNESS
    return min(MOST, max(-MOST, value))


def evaluate(p: Position, seat: int, evaluation: int, desk: Position, m: Minimax) -> int:
    """Return what an unfinished game is worth to a seat, without searching.

    Among more than two seats, `BASIC` takes the best of the comparisons with the others that are
    still in, for only one seat can be the fool; whoever has left has won.

    Args:
        p: The position; it is left as it was.
        seat: Whose value it is.
        evaluation: `BASIC` or `PLAYOUT`.
        desk: Another position of the same deal, overwritten.
        m: Its random state is handed to the policy, which draws nothing from it; its codes are overwritten.
    """
    if evaluation == PLAYOUT:
        copy_play(desk, p)
        while desk.phase != OVER:
            n = legal(desk, m.codes)
            apply(desk, choose(desk, GREEDY, m.codes, n, m.rng))
        return MOST * outcome(desk, seat)
    if not p.in_mask >> seat & 1:
        return MOST
    best = -MOST
    for other in range(p.seats):
        if other != seat and p.in_mask >> other & 1:
            best = max(best, standing(p, seat, other))
    return best


def recall(s: Solver, level: int, ahead: int, keys: Sequence[int], facts: Sequence[int]) -> bool:
    """Look a level's key up; return whether that settles its value, which is then its best.

    Args:
        s: Memory; the key of the level is set.
        level: Which.
        ahead: Decisions that were to be searched from here.
        keys: Keys of positions.
        facts: What is known of them, packed by `remember`.
    """
    slot = s.key[level] & (s.slots - 1)
    if keys[slot] != s.key[level]:
        return False
    fact = facts[slot]
    s.best_code[level] = (fact >> 24) - 1
    if fact >> 16 & 255 != ahead:
        return False
    value = (fact & 0x3FFF) - _BEYOND
    kind = fact >> 14 & 3
    s.best[level] = value
    if kind == _AT_LEAST:
        return value >= s.beta[level]
    if kind == _AT_MOST:
        return value <= s.alpha[level]
    return True


def remember(
    s: Solver, level: int, ahead: int, keys: MutableSequence[int], facts: MutableSequence[int]
) -> None:
    """Keep a finished level's value, exact or as a bound, and its best action."""
    best = s.best[level]
    kind = _EXACT
    if best >= s.beta[level]:
        kind = _AT_LEAST
    elif best <= s.alpha[level]:
        kind = _AT_MOST
    slot = s.key[level] & (s.slots - 1)
    keys[slot] = s.key[level]
    facts[slot] = (s.best_code[level] + 1) << 24 | ahead << 16 | kind << 14 | (best + _BEYOND)


def look_ahead(  # noqa: C901, PLR0912, PLR0913, PLR0915, PLR0917 - machine code has no recursion: one loop
    stack: Sequence[Position],
    desk: Position,
    s: Solver,
    m: Minimax,
    keys: MutableSequence[int],
    facts: MutableSequence[int],
    depth: int,
    values: MutableSequence[int],
) -> bool:
    """Search ``stack[0]``, where there is a choice, and write the exact value of each legal action.

    A search that ran out of nodes leaves its ``level`` in the memory; with a larger budget, called with the
    same arguments, it goes on from there.

    Args:
        stack: ``depth + 1`` positions of one deal; the first is asked about, the others are overwritten.
        desk: One more, for playouts.
        s: Memory; its seat is whose values they are.
        m: Settings.
        keys: ``s.slots`` keys of positions, 0 where there is none.
        facts: What is known of them.
        depth: Decisions to look ahead, 1 or more.
        values: Room for `MAX_ACTIONS` values, in the order of the legal codes.

    Returns:
        Whether it is finished.
    """
    level = s.level
    s.level = 0
    entering = True
    value = 0
    s.alpha[0] = -_BEYOND
    s.beta[0] = _BEYOND
    while level >= 0:
        p = stack[level]
        if entering:
            n = advance(p, s.fresh)
            entering = False
            if n == 0:
                value = WIN * outcome(p, s.seat)
                level -= 1
                continue
            if s.nodes >= s.budget:
                s.level = level
                return False
            s.nodes += 1
            s.best_code[level] = -1
            s.key[level] = 0
            leaf = level == depth
            if m.prunes and level > 0 and not (leaf and m.evaluation == BASIC):
                s.key[level] = deal_key(p, m.deals)
                if recall(s, level, depth - level, keys, facts):
                    value = s.best[level]
                    level -= 1
                    continue
            if leaf:
                value = evaluate(p, s.seat, m.evaluation, desk, m)
                if s.key[level]:
                    s.best[level] = value
                    s.alpha[level] = -_BEYOND
                    s.beta[level] = _BEYOND
                    remember(s, level, 0, keys, facts)
                level -= 1
                continue
            lay_codes(p, s, level, n)
            s.count[level] = n
            s.tried[level] = 0
            s.best[level] = -_BEYOND if p.turn == s.seat else _BEYOND
        else:
            code = code_on(s, level, s.tried[level] - 1)
            if (p.turn == s.seat and value > s.best[level]) or (p.turn != s.seat and value < s.best[level]):
                s.best[level] = value
                s.best_code[level] = code
            if level == 0:
                legal(p, s.fresh)
                values[index_of(s.fresh, code)] = value
        floor = s.alpha[level]
        roof = s.beta[level]
        if m.prunes and level > 0:
            if p.turn == s.seat:
                floor = max(floor, s.best[level])
            else:
                roof = min(roof, s.best[level])
        if floor >= roof or s.tried[level] == s.count[level]:
            value = s.best[level]
            if s.key[level]:
                remember(s, level, depth - level, keys, facts)
            level -= 1
            continue
        code = code_on(s, level, s.tried[level])
        s.tried[level] += 1
        copy_play(stack[level + 1], p)
        apply(stack[level + 1], code)
        s.alpha[level + 1] = floor
        s.beta[level + 1] = roof
        level += 1
        entering = True
    return True


def minimax_deal(
    positions: tuple[Sequence[Position], Sequence[Position]],
    memory: tuple[
        Sequence[Belief], Sequence[Minimax], Sequence[Solver], MutableSequence[int], MutableSequence[int]
    ],
    nodes: int,
    values: MutableSequence[int],
) -> int:
    """Deal the hidden cards at random and search that deal, or go on where the last call stopped.

    Args:
        positions: The known position, where the seat to act has a choice, with one to work on; and
            a stack of ``depth + 1``.
        memory: A belief, settings, a stack's memory, the table's keys and facts; the table is empty before
            the first deal.
        nodes: How many may be searched in this call, 1 or more.
        values: Room for `MAX_ACTIONS` values, in the order of the legal codes.

    Returns:
        How many nodes were searched for this deal, or -1 if it is not finished.
    """
    known = positions[0][0]
    desk = positions[0][1]
    stack = positions[1]
    m = memory[1][0]
    s = memory[2][0]
    if m.running == 0:
        lay_deal(stack, known, memory[0][0], m.rng, m.depth)
        copy_into(desk, stack[0])
        m.deals += 1
        m.running = 1 if m.prunes else m.depth
        s.seat = known.turn
        s.nodes = 0
        s.level = 0
    s.budget = s.nodes + nodes
    while m.running <= m.depth:
        if not look_ahead(stack, desk, s, m, memory[3], memory[4], m.running, values):
            return -1
        m.running += 1
    m.running = 0
    return s.nodes
