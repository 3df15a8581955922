"""What the endgame search knows before it searches: which action to try first, and some games won at sight.

Plain functions over positions without hidden cards, in CPython and as machine code.
"""

from __future__ import annotations

from typing import Final

from durak_core.kernel.bits import lowest_bit, popcount, rank_mates
from durak_core.kernel.codes import KIND_ATTACK, KIND_DEFEND, PASS_CODE, TAKE_CODE, card_of, kind_of
from durak_core.kernel.legal import answers
from durak_core.kernel.position import OPENING, PILE_ON, Position

# Costs of `promise`; the rank of the card, at most 14, is added. Measured on endgames of searching
# players: before the table was tuned a search took about twice the nodes, and with passing first thrice.
_PLAIN: Final = 8
_TRUMP: Final = 24
_SEVERAL: Final = 5  # a lead of which there are more of its rank
_SHUT: Final = -10  # a defence whose rank the attacker does not hold
_STOP_PILING: Final = 26
_PASS: Final = 26
_TAKE: Final = 60


def promise(p: Position, code: int) -> int:
    """Return a number from 0 to 63 by which actions of two seats are tried, the lowest first."""
    if code == TAKE_CODE:
        return _TAKE
    if code == PASS_CODE:
        return _STOP_PILING if p.phase == PILE_ON else _PASS
    kind = kind_of(code)
    card = card_of(code)
    cost = _TRUMP if p.trump_mask >> card & 1 else _PLAIN
    mates = rank_mates(1 << card)
    if kind == KIND_ATTACK and popcount(p.hands[p.turn] & mates) > 1:
        cost += _SEVERAL
    elif kind == KIND_DEFEND and not p.hands[p.attacker] & mates:
        cost += _SHUT
    return cost + (card & 15)


def attacker_has_won(p: Position, last_bout: int) -> bool:
    """Tell whether the attacker surely wins by leading what cannot be beaten, and at last one rank.

    Cards that the defender cannot beat are led from the lowest on, trumps last: what the defender has
    to take beats none of the others. What can be beaten has to be of one rank, not more cards than the
    bout may have, and leaves the defender with a card when all of it is beaten. The win has to come up to
    ``last_bout``; 0 for any. False says nothing.
    """
    if p.phase != OPENING or p.drawn < p.deck_size or p.forced_play or p.transfer or p.volleys:
        return False
    hand = p.hands[p.attacker]
    if last_bout and p.bout + popcount(hand) > last_bout + 1:
        return False
    if p.stall + popcount(hand) >= p.stall_limit:
        return False
    beatable = 0
    rest = hand
    while rest:
        if answers(p, lowest_bit(rest)):
            beatable |= rest & -rest
            if beatable & ~rank_mates(rest & -rest):
                return False
        rest &= rest - 1
    n = popcount(beatable)
    return n <= p.limit and (popcount(p.hands[p.defender]) > n or popcount(hand) > n)
