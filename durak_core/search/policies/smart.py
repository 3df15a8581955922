"""The policy `smart`: greedy, restricted to fewer codes; also compiled.

Source: the smart player of the Charles University thesis (rules 12, `zarlykov`).
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence

from durak_core.kernel.bits import popcount, rank_mates
from durak_core.kernel.codes import EXCHANGE_CODE, KIND_ATTACK, KIND_DEFEND, card_of, kind_of
from durak_core.kernel.legal import next_in
from durak_core.kernel.position import DEFENCE, OPENING, Position
from durak_core.kernel.transition import may_throw_in
from durak_core.knowledge.weakness import badly_covered, rank_set, weak_ranks
from durak_core.search.policies.expert import unseen_cards
from durak_core.search.policies.policies import Choices, greedy_policy


def smart_codes(
    p: Position,
    choices: Choices,
    known: Sequence[int],
    sizes: Sequence[int],
    kept: MutableSequence[int],
) -> int:
    """Write the codes `smart` is restricted to and return their number, 0 for no restriction.

    Reads only the own hand, the public cards ``known`` and the hand ``sizes``. As defender, these are answers
    of ranks that no attacker can hold, if greedy would open another one. As attacker against a single certain
    hand without trumps, they follow the weakness rules. ``kept`` has room for as many codes.
    """
    codes, n = choices
    cards = 0
    if p.phase == DEFENCE:
        cards = _closing_cards(p, choices, known, sizes)
    elif p.phase == OPENING and popcount(p.in_mask) == 2 and codes[n - 1] != EXCHANGE_CODE:
        cards = _opening_cards(p, known, sizes)
    count = 0
    for i in range(n):
        kind = kind_of(codes[i])
        if cards >> card_of(codes[i]) & 1 and kind in (KIND_ATTACK, KIND_DEFEND):
            kept[count] = codes[i]
            count += 1
    return count


def smart_policy(
    p: Position,
    choices: Choices,
    known: Sequence[int],
    sizes: Sequence[int],
    kept: MutableSequence[int],
) -> int:
    """Choose greedily among the codes of `smart_codes`."""
    talon = p.deck_size - p.drawn
    count = smart_codes(p, choices, known, sizes, kept)
    if count:
        return greedy_policy(kept, count, p.trump_mask, talon, p.phase)
    return greedy_policy(choices.codes, choices.n, p.trump_mask, talon, p.phase)


def _hidden_cards(p: Position, known: Sequence[int]) -> int:
    """Return the cards that the seat to act cannot locate."""
    hidden = unseen_cards(p, p.turn)
    for seat in range(p.seats):
        hidden &= ~known[seat]
    return hidden


def _closing_cards(p: Position, choices: Choices, known: Sequence[int], sizes: Sequence[int]) -> int:
    """Return the cards of ranks that no attacker can hold, or 0 if greedy's answer is one of them."""
    greedy = greedy_policy(choices.codes, choices.n, p.trump_mask, p.deck_size - p.drawn, p.phase)
    if kind_of(greedy) != KIND_DEFEND:
        return 0
    hidden = _hidden_cards(p, known)
    possible = 0
    for seat in range(p.seats):
        if (seat == p.attacker and p.in_mask >> seat & 1) or may_throw_in(p, seat):
            possible |= known[seat]
            if sizes[seat] > popcount(known[seat]):
                possible |= hidden
    held = rank_mates(possible)
    if not held >> card_of(greedy) & 1:
        return 0
    return p.hands[p.turn] & ~held


def _opening_cards(p: Position, known: Sequence[int], sizes: Sequence[int]) -> int:
    """Return the cards that the weakness rules allow, or 0 if they do not apply."""
    seat = next_in(p, p.turn)
    other = known[seat]
    missing = sizes[seat] - popcount(other)
    if missing > 0:
        hidden = _hidden_cards(p, known)
        if missing < popcount(hidden):
            return 0
        other |= hidden
    if other & p.trump_mask:
        return 0
    hand = p.hands[p.turn]
    weak = weak_ranks(hand, other)
    if popcount(weak) == 1:
        return hand & ~rank_mates(weak)
    if 2 * popcount(weak) <= popcount(rank_set(hand)):
        return badly_covered(hand, other)
    return 0
