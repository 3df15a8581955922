"""Legal actions: masks of playable cards, the basis of everything else, and lists of codes (rules 5, 7)."""

from __future__ import annotations

from collections.abc import MutableSequence

from durak_core.kernel.bits import beating, lowest_bit, lowest_cards, popcount, rank_mates
from durak_core.kernel.codes import (
    ATTACK_BASE,
    DEFENCE_BASE,
    EXCHANGE_CODE,
    KIND_SHOW_TRUMP,
    KIND_TRANSFER,
    PASS_CODE,
    TAKE_CODE,
    TARGET_SHIFT,
    card_mask_of,
    write_codes,
)
from durak_core.kernel.compiled import compiled
from durak_core.kernel.position import ALL_PLAY_LOWEST, DEFENCE, NOBODY_PLAYS_LOWEST, OPENING, OVER, Position


def next_in(p: Position, seat: int) -> int:
    """Return the next seat clockwise that is still in (rules 2.1)."""
    for _ in range(p.seats):
        seat += 1
        if seat >= p.seats:
            seat = 0
        if p.in_mask >> seat & 1:
            return seat
    return seat


def are_partners(p: Position, one: int, other: int) -> bool:
    """Return whether two seats are on one team; a seat is its own partner (rules 2.2)."""
    apart = one - other if one > other else other - one
    while apart > 0:
        apart -= p.teams
    return apart == 0


def next_opponent(p: Position, seat: int) -> int:
    """Return the next seat clockwise that is still in and not a partner (rules 2.2.1)."""
    other = seat
    for _ in range(p.seats):
        other += 1
        if other >= p.seats:
            other = 0
        if p.in_mask >> other & 1 and (p.teams == p.seats or not are_partners(p, seat, other)):
            return other
    return seat


def fitting_cards(p: Position, seat: int) -> int:
    """Return a seat's cards that are allowed in an attack by rank and limit (rules 5.1 to 5.3)."""
    if p.n_attacks == 0:
        return p.hands[seat]
    if p.n_attacks >= p.limit:
        return 0
    return p.hands[seat] & rank_mates(p.table)


def attack_cards(p: Position, seat: int) -> int:
    """Return the cards a seat may attack with (rules 5.1 to 5.3 and 5.10)."""
    cards = fitting_cards(p, seat)
    if p.lowest_card == ALL_PLAY_LOWEST:
        return lowest_cards(cards, p.trump_mask)
    return cards


def beaters(p: Position, target: int) -> int:
    """Return the defender's cards that beat an attack card (rules 1.4)."""
    return p.hands[p.defender] & beating(target, p.trump_mask)


def answers(p: Position, target: int) -> int:
    """Return the cards the defender may beat an attack card with (rules 1.4 and 5.10)."""
    cards = beaters(p, target)
    if p.lowest_card != NOBODY_PLAYS_LOWEST:
        return lowest_cards(cards, p.trump_mask)
    return cards


def attack_cap(p: Position) -> int:
    """Return the limit of attack cards in this bout, regardless of hand sizes (rules 5.2).

    Every bout that is beaten off discards cards, so without discards none has been.
    """
    if p.bout <= p.first_limit_bouts and (p.bout == 1 or p.discards == 0):
        return p.first_bout_limit
    return p.attack_limit


def transfer_fits(p: Position, added: int) -> bool:
    """Return whether the next opponent has enough cards for ``added`` more attack cards (rules 7.2)."""
    total = p.n_attacks + added
    return total <= popcount(p.hands[next_opponent(p, p.defender)]) and total <= attack_cap(p)


def may_transfer(p: Position) -> bool:
    """Return whether this attack may be transferred with any card (rules 7, 7.1 and 7.3)."""
    return p.transfer == 1 and p.n_attacks == p.n_open and (p.bout > 1 or p.transfer_first_bout == 1)


def transfer_cards(p: Position) -> int:
    """Return the cards the defender may transfer with (rules 7.1 to 7.3)."""
    if not may_transfer(p):
        return 0
    cards = p.hands[p.defender] & rank_mates(p.table)
    return cards if cards and transfer_fits(p, 1) else 0


def showable(p: Position) -> int:
    """Return the trump the defender may show to transfer, as a mask of one card or none (rules 7.4)."""
    if p.show_trump == 0 or p.shown >> p.defender & 1 or not may_transfer(p):
        return 0
    card = p.hands[p.defender] & rank_mates(p.table) & p.trump_mask
    return card if card and transfer_fits(p, 0) else 0


def lowest_trump(p: Position) -> int:
    """Return the mask of the lowest trump of the deck, or 0 without trumps (rules 5.9)."""
    trumps = p.deck_mask & p.trump_mask
    return trumps & -trumps


def face_up_card(p: Position) -> int:
    """Return the mask of the face-up card under the talon, or 0 (rules 3.2)."""
    if p.trump_mask and p.drawn < p.deck_size:
        return 1 << p.deck[p.deck_size - 1]
    return 0


def may_exchange(p: Position) -> bool:
    """Return whether the seat to act may exchange the lowest trump (rules 5.9)."""
    if p.exchange_trump == 0 or p.phase != OPENING or face_up_card(p) == 0:
        return False
    return p.hands[p.turn] & lowest_trump(p) != 0


def card_used(p: Position, code: int) -> int:
    """Return the mask of the card a legal code plays, shows or exchanges; 0 for pass and take."""
    return lowest_trump(p) if code == EXCHANGE_CODE else card_mask_of(code)


def defender_must_play(p: Position) -> bool:
    """Return whether forced play forbids taking because a card is playable (rules 5.8)."""
    if p.forced_play == 0:
        return False
    if transfer_cards(p):
        return True
    for i in range(p.n_attacks):
        if p.defences[i] == 0 and beaters(p, p.attacks[i]):
            return True
    return False


def target_to_answer(p: Position) -> int:
    """Return the card to answer: the oldest unbeaten one, or if taking is forbidden the oldest beatable."""
    oldest = 0
    for i in range(p.n_attacks):
        if p.defences[i] == 0:
            if oldest == 0:
                oldest = p.attacks[i]
                if p.forced_play == 0:
                    return oldest
            if beaters(p, p.attacks[i]):
                return p.attacks[i]
    return oldest


@compiled("rules")
def legal(p: Position, out: MutableSequence[int]) -> int:
    """Write the legal codes to ``out``, with room for `MAX_ACTIONS`, and return their number.

    Cards are ordered by number, defences come before transfers; passing, taking or the exchange is last.
    """
    phase = p.phase
    if phase == OVER:
        return 0
    if phase == DEFENCE:
        target = target_to_answer(p)
        base = DEFENCE_BASE | target << TARGET_SHIFT
        cards = beaters(p, target)
    else:
        base = ATTACK_BASE
        cards = fitting_cards(p, p.turn)
    if p.lowest_card and (phase == DEFENCE or p.lowest_card == ALL_PLAY_LOWEST):
        cards = lowest_cards(cards, p.trump_mask)
    n = 0
    while cards:
        out[n] = base | lowest_bit(cards)
        n += 1
        cards &= cards - 1
    if phase == DEFENCE:
        if p.transfer:
            n = write_codes(KIND_TRANSFER, transfer_cards(p), 0, out, n)
        may_take = n == 0 or p.forced_play == 0
        if p.show_trump:
            n = write_codes(KIND_SHOW_TRUMP, showable(p), 0, out, n)
        if may_take:
            out[n] = TAKE_CODE
            n += 1
    elif phase == OPENING:
        if p.exchange_trump and may_exchange(p):
            out[n] = EXCHANGE_CODE
            n += 1
    elif n == 0 or p.forced_play == 0:
        out[n] = PASS_CODE
        n += 1
    return n
