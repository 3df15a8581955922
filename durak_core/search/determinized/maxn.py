"""Max^n: every seat maximises its own part of a vector of values, to a given depth.

Luckhardt and Irani, "An Algorithmic Solution of N-Person Games" (AAAI 1986), over one full deal, as
the Imperial College project searches Durak (rules 12, `van-khan`), with two other tempers:

- `PARANOID`: all others minimise the searching seat's value (Sturtevant and Korf, "On Pruning
  Techniques for Multi-Player Games", AAAI 2000). Only here branches can be cut.
- `COALITION`: all seats but the weakest maximise their own value less the weakest one's: what helps
  me counts as much as what makes that seat the fool. The weakest is the seat that stands worst where the
  search begins, of equals the first one clockwise after the seat that searches; it only looks after
  itself, and the searching seat may be the one.

Of equal actions a seat plays the one that `greedy_cost` finds cheapest. Depth counts decisions, as in
`minimax`. Kernel-style text.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from dataclasses import dataclass, field
from typing import Final

from durak_core.kernel.bits import popcount
from durak_core.kernel.legal import legal, next_in
from durak_core.kernel.position import OVER, Position, copy_play
from durak_core.kernel.transition import apply
from durak_core.knowledge.sampling import Belief
from durak_core.knowledge.weakness import weak_ranks
from durak_core.search.determinized.lookahead import advance, index_of, lay_codes, lay_deal, prospective_hand
from durak_core.search.endgame.alpha_beta import Solver, code_on

MAXN: Final = 0
PARANOID: Final = 1
COALITION: Final = 2

FOOL: Final = 6000
"""The fool loses so much; the others share it equally, as returns do (rules 8.4)."""

_BEYOND: Final = 20_000
_WIDTH: Final = 6  # seats of a vector

MAXN_SHAPES: Final[dict[str, int]] = {"rng": 1}
"""Lengths of the array fields of `Maxn`."""


@dataclass(slots=True)
class Maxn:
    """The settings of a search, and the memory that `Solver` has not."""

    depth: int = 1  # decisions to look ahead, the first one included
    temper: int = MAXN
    weakest: int = 0  # the seat that a coalition plays against
    running: int = 0  # 1 while a search goes on
    rng: list[int] = field(default_factory=lambda: [1])


def prospect(p: Position, seat: int) -> int:
    """Evaluate a seat that is still in: every card left costs one, every trump gains two of them back.

    A weak rank, each of whose cards the seat that it attacks next can beat in suit, costs one more.
    Cards on the table count for a defender who takes.

    Source: the evaluation of the Imperial College project.
    """
    hand = prospective_hand(p, seat)
    weak = popcount(weak_ranks(hand, prospective_hand(p, next_in(p, seat))))
    return 2 * popcount(hand & p.trump_mask) - popcount(hand) - weak


def write_vector(p: Position, vectors: MutableSequence[int], start: int) -> None:
    """Write each seat's value, of a finished game or by evaluation; a seat that has left shares the win."""
    share = FOOL // (p.seats - 1)
    for seat in range(p.seats):
        value = share
        if p.phase == OVER:
            if p.fool == seat:
                value = -FOOL
            elif p.fool < 0:
                value = 0
        elif p.in_mask >> seat & 1:
            value = prospect(p, seat)
        vectors[start + seat] = value


def objective(m: Maxn, searcher: int, mover: int, vectors: Sequence[int], start: int) -> int:
    """Return what a seat that acts wants to make as great as it can."""
    if m.temper == PARANOID:
        return vectors[start + searcher] if mover == searcher else -vectors[start + searcher]
    if m.temper == COALITION and mover != m.weakest:
        return vectors[start + mover] - vectors[start + m.weakest]
    return vectors[start + mover]


def weakest_seat(p: Position, seat: int) -> int:
    """Return who stands worst, of equals the first one clockwise after a seat."""
    found = next_in(p, seat)
    least = prospect(p, found)
    other = next_in(p, found)
    for _ in range(popcount(p.in_mask) - 1):
        value = prospect(p, other)
        if value < least:
            least = value
            found = other
        other = next_in(p, other)
    return found


def look_ahead_n(  # noqa: C901, PLR0912, PLR0915 - machine code has no recursion: one loop
    stack: Sequence[Position], s: Solver, m: Maxn, vectors: MutableSequence[int], values: MutableSequence[int]
) -> bool:
    """Search ``stack[0]``, where there is a choice, and write what each legal action is worth there.

    A search that ran out of nodes goes on from there, as `minimax.look_ahead` does.

    Args:
        stack: ``m.depth + 1`` positions of one deal; the first is asked about, the others are overwritten.
        s: Memory; its seat searches.
        m: Settings.
        vectors: Room for six values a level.
        values: Room for `MAX_ACTIONS` values of `objective` for the seat, in the order of the legal codes.

    Returns:
        Whether it is finished.
    """
    level = s.level
    s.level = 0
    entering = True
    s.alpha[0] = -_BEYOND
    s.beta[0] = _BEYOND
    while level >= 0:
        p = stack[level]
        here = level * _WIDTH
        if entering:
            n = advance(p, s.fresh)
            entering = False
            if n:
                if s.nodes >= s.budget:
                    s.level = level
                    return False
                s.nodes += 1
            if n == 0 or level == m.depth:
                write_vector(p, vectors, here)
                level -= 1
                continue
            s.best_code[level] = -1
            lay_codes(p, s, level, n)
            s.count[level] = n
            s.tried[level] = 0
            s.best[level] = -_BEYOND
        else:
            value = objective(m, s.seat, p.turn, vectors, here + _WIDTH)
            if level == 0:
                legal(p, s.fresh)
                values[index_of(s.fresh, code_on(s, 0, s.tried[0] - 1))] = value
            if value > s.best[level]:
                s.best[level] = value
                for seat in range(p.seats):
                    vectors[here + seat] = vectors[here + _WIDTH + seat]
        floor = s.alpha[level]
        roof = s.beta[level]
        if m.temper == PARANOID and level > 0:
            if p.turn == s.seat:
                floor = max(floor, s.best[level])
            else:
                roof = min(roof, -s.best[level])
        if floor >= roof or s.tried[level] == s.count[level]:
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


def maxn_deal(
    positions: tuple[Sequence[Position], Sequence[Position]],
    memory: tuple[Sequence[Belief], Sequence[Maxn], Sequence[Solver], MutableSequence[int]],
    nodes: int,
    values: MutableSequence[int],
) -> int:
    """Deal the hidden cards at random and search that deal, or go on where the last call stopped.

    Args:
        positions: The known position, where the seat to act has a choice; and a stack of ``depth + 1``.
        memory: A belief, settings, a stack's memory, and room for six values a level.
        nodes: How many may be searched in this call, 1 or more.
        values: Room for `MAX_ACTIONS` values, in the order of the legal codes.

    Returns:
        How many nodes were searched for this deal, or -1 if it is not finished.
    """
    known = positions[0][0]
    stack = positions[1]
    m = memory[1][0]
    s = memory[2][0]
    if m.running == 0:
        lay_deal(stack, known, memory[0][0], m.rng, m.depth)
        m.weakest = weakest_seat(stack[0], known.turn)
        m.running = 1
        s.seat = known.turn
        s.nodes = 0
        s.level = 0
    s.budget = s.nodes + nodes
    if not look_ahead_n(stack, s, m, memory[3], values):
        return -1
    m.running = 0
    return s.nodes
