"""Move ordering and static win detection for the endgame search; also compiled."""

from __future__ import annotations

from typing import Final

from durak_core.kernel.bits import lowest_bit, popcount, rank_mates
from durak_core.kernel.codes import KIND_ATTACK, KIND_DEFEND, PASS_CODE, TAKE_CODE, card_of, kind_of
from durak_core.kernel.legal import answers
from durak_core.kernel.position import OPENING, PILE_ON, Position

# Costs of `move_score`; the rank of the card, at most 14, is added. Tuned on endgames of searching players:
# the untuned table needs about twice the nodes, and passing first three times.
_PLAIN: Final = 8
_TRUMP: Final = 24
_SEVERAL: Final = 5  # a lead with other cards of its rank in hand
_SHUT: Final = -10  # a defence whose rank the attacker does not hold
_STOP_PILING: Final = 26
_PASS: Final = 26
_TAKE: Final = 60


def move_score(p: Position, code: int) -> int:
    """Return the ordering key of an action for two seats, 0 to 63; the lowest is tried first."""
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
    """Return whether the attacker wins for sure by leading unbeatable cards and one last rank.

    Unbeatable cards are led in ascending order, trumps last: the cards the defender takes beat none of the
    others. The beatable ones must be of one rank, fit into one bout, and leave the defender a card when all
    are beaten. The win must come by ``last_bout``; 0 for any. False proves nothing.
    """
    if p.phase != OPENING or p.drawn < p.deck_size or p.transfer or p.volleys:
        return False
    if p.forced_play or p.lowest_card:
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
