"""Legal actions: their integer codes, their masks and lists, and why an action is illegal (rules 5, 10.1).

A code is ``card | kind << 6 | target << 9``, at most 15 bits. Pass, take and exchange have no card; only a
defence has a target. `durak_core.actions` converts codes to actions and back.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from enum import IntEnum
from typing import Final

from durak_core.kernel.compiled import compiled
from durak_core.kernel.position import (
    ALL_PLAY_LOWEST,
    DEFENCE,
    JOKERS,
    NOBODY_PLAYS_LOWEST,
    OPENING,
    OVER,
    Position,
    beating,
    lowest_bit,
    lowest_cards,
    popcount,
    rank_mates,
)

# Kinds of action: first the stops, then those that play or show a card.
KIND_PASS: Final = 0
KIND_TAKE: Final = 1
KIND_ATTACK: Final = 2
KIND_DEFEND: Final = 3
KIND_TRANSFER: Final = 4
KIND_SHOW_TRUMP: Final = 5
KIND_EXCHANGE: Final = 6

_KIND_SHIFT: Final = 6
TARGET_SHIFT: Final = 9
CARD_BITS: Final = 0x3F
_KIND_BITS: Final = 7
_ANY_CARD: Final = ~1  # actions without a card have card 0, which is no card's number

PASS_CODE: Final = KIND_PASS << _KIND_SHIFT
TAKE_CODE: Final = KIND_TAKE << _KIND_SHIFT
"""All codes but `PASS_CODE` are greater."""

FIRST_TRANSFER: Final = KIND_TRANSFER << _KIND_SHIFT
FIRST_SHOWING: Final = KIND_SHOW_TRUMP << _KIND_SHIFT
EXCHANGE_CODE: Final = KIND_EXCHANGE << _KIND_SHIFT
FIRST_DEFENCE: Final = 1 << TARGET_SHIFT
"""Codes sort as pass, take, attacks, transfers, showings, exchange, defences (the target is never 0)."""

ATTACK_BASE: Final = KIND_ATTACK << _KIND_SHIFT
DEFENCE_BASE: Final = KIND_DEFEND << _KIND_SHIFT
"""Codes without card and target."""


def pack(kind: int, card: int, target: int) -> int:
    """Return an action's code; ``card`` and ``target`` are card numbers, or 0 for none."""
    return card | kind << _KIND_SHIFT | target << TARGET_SHIFT


def kind_of(code: int) -> int:
    """Return a code's kind, one of the constants above."""
    return code >> _KIND_SHIFT & _KIND_BITS


def card_of(code: int) -> int:
    """Return the number of the card played or shown, 0 for pass, take and the exchange."""
    return code & CARD_BITS


def target_of(code: int) -> int:
    """Return the number of the attack card that a defence beats, 0 for other kinds."""
    return code >> TARGET_SHIFT


def card_mask_of(code: int) -> int:
    """Return the mask of the card played or shown, 0 for pass, take and the exchange."""
    return (1 << (code & CARD_BITS)) & _ANY_CARD


def index_of(codes: Sequence[int], code: int) -> int:
    """Return the index of a code, which must be present."""
    i = 0
    while codes[i] != code:
        i += 1
    return i


def append_codes(kind: int, cards: int, target: int, out: MutableSequence[int], n: int) -> int:
    """Append the codes of one kind with each card of a mask after ``n`` others; return the new count."""
    base = kind << _KIND_SHIFT | target << TARGET_SHIFT
    while cards:
        out[n] = base | lowest_bit(cards)
        n += 1
        cards &= cards - 1
    return n


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


def seat_in(p: Position, place: int) -> int:
    """Return the seat that plays in a seat's place: itself, or its partner once it is out (rules 2.2.8)."""
    return place if p.in_mask >> place & 1 else place ^ 2


def place_attacked(p: Position) -> int:
    """Return the place the defender plays in (rules 2.2.8).

    It follows from the attacker's, which is its own while its partner is in. Between two lone seats the
    places make no difference.
    """
    if p.partner_plays_on and not p.in_mask >> (p.defender ^ 2) & 1 and p.in_mask >> (p.attacker ^ 2) & 1:
        return (p.attacker + 1) & 3
    return p.defender


def next_opponent(p: Position, seat: int) -> int:
    """Return the next seat clockwise that is still in and not a partner (rules 2.2.1).

    With ``partner_plays_on``, ``seat`` is a place; return the seat that plays in the next one (2.2.8).
    """
    if p.partner_plays_on:
        return seat_in(p, (seat + 1) & 3)
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
    """Return the defender's cards that beat an attack card (rules 1.4 to 1.6)."""
    return p.hands[p.defender] & beating(target, p.trump_mask, p.ace_beaters, p.jokers)


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
    return total <= popcount(p.hands[next_opponent(p, place_attacked(p))]) and total <= attack_cap(p)


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


def may_stop(p: Position, playable: int) -> bool:
    """Return whether the seat to act may take or pass, if it may play so many cards (rules 5.1 and 5.8)."""
    return p.phase != OPENING and (playable == 0 or p.forced_play == 0)


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
            n = append_codes(KIND_TRANSFER, transfer_cards(p), 0, out, n)
        may_take = may_stop(p, n)
        if p.show_trump:
            n = append_codes(KIND_SHOW_TRUMP, showable(p), 0, out, n)
        if may_take:
            out[n] = TAKE_CODE
            n += 1
    elif phase == OPENING:
        if p.exchange_trump and may_exchange(p):
            out[n] = EXCHANGE_CODE
            n += 1
    elif may_stop(p, n):
        out[n] = PASS_CODE
        n += 1
    return n


class Refusal(IntEnum):
    """The reason why an action is illegal, or `LEGAL`."""

    LEGAL = 0
    GAME_OVER = 1
    NOT_IN_HAND = 2
    MUST_OPEN = 3
    MUST_ANSWER = 4
    PASS_FORBIDDEN = 5
    NOTHING_TO_TAKE = 6
    TAKE_FORBIDDEN = 7
    LIMIT_REACHED = 8
    RANK_NOT_ON_TABLE = 9
    NOTHING_TO_BEAT = 10
    NOT_AN_OPEN_ATTACK = 11
    DOES_NOT_BEAT = 12
    NO_TRANSFERS = 13
    NOTHING_TO_TRANSFER = 14
    ALREADY_BEATEN = 15
    FIRST_BOUT = 16
    NOT_THE_ATTACKS_RANK = 17
    NEXT_SEAT_TOO_SHORT = 18
    NO_SHOWING = 19
    SHOWN_BEFORE = 20
    NOT_THE_TRUMP_OF_THE_RANK = 21
    NO_EXCHANGES = 22
    BOUT_IS_OPEN = 23
    NO_FACE_UP_CARD = 24
    IS_THE_LOWEST_TRUMP = 25
    NOT_HOLDING_THE_LOWEST_TRUMP = 26
    NOT_THE_LOWEST_ATTACK = 27
    NOT_THE_LOWEST_DEFENCE = 28
    NOTHING_BEATS_A_JOKER = 29
    NOT_OF_THE_JOKERS_COLOUR = 30


def refusal(p: Position, code: int) -> Refusal:
    """Return why a code is illegal, or `Refusal.LEGAL`; answers to any open attack card are legal."""
    if p.phase == OVER:
        return Refusal.GAME_OVER
    if code == PASS_CODE:
        return _refuse_pass(p)
    if code == TAKE_CODE:
        if p.phase != DEFENCE:
            return Refusal.NOTHING_TO_TAKE
        return Refusal.TAKE_FORBIDDEN if defender_must_play(p) else Refusal.LEGAL
    if code == EXCHANGE_CODE:
        return _refuse_exchange(p)
    card = code & CARD_BITS
    if not p.hands[p.turn] >> card & 1:
        return Refusal.NOT_IN_HAND
    if code < FIRST_TRANSFER:
        return _refuse_attack(p, card)
    if code >= FIRST_DEFENCE:
        return _refuse_defence(p, card, code >> TARGET_SHIFT)
    return _refuse_transfer(p, card, code >= FIRST_SHOWING)


def _refuse_pass(p: Position) -> Refusal:
    if p.phase == DEFENCE:
        return Refusal.MUST_ANSWER
    if p.phase == OPENING:
        return Refusal.MUST_OPEN
    if p.forced_play and attack_cards(p, p.turn):
        return Refusal.PASS_FORBIDDEN
    return Refusal.LEGAL


def _refuse_exchange(p: Position) -> Refusal:
    if may_exchange(p):
        return Refusal.LEGAL
    if p.exchange_trump == 0:
        return Refusal.NO_EXCHANGES
    if p.phase != OPENING:
        return Refusal.BOUT_IS_OPEN
    if face_up_card(p) == 0:
        return Refusal.NO_FACE_UP_CARD
    if face_up_card(p) == lowest_trump(p):
        return Refusal.IS_THE_LOWEST_TRUMP
    return Refusal.NOT_HOLDING_THE_LOWEST_TRUMP


def _refuse_attack(p: Position, card: int) -> Refusal:
    if p.phase == DEFENCE:
        return Refusal.MUST_ANSWER
    if attack_cards(p, p.turn) >> card & 1:
        return Refusal.LEGAL
    if fitting_cards(p, p.turn) >> card & 1:
        return Refusal.NOT_THE_LOWEST_ATTACK
    return Refusal.LIMIT_REACHED if p.n_attacks >= p.limit else Refusal.RANK_NOT_ON_TABLE


def _refuse_defence(p: Position, card: int, target: int) -> Refusal:
    if p.phase != DEFENCE:
        return Refusal.NOTHING_TO_BEAT
    for i in range(p.n_attacks):
        if p.attacks[i] == target and p.defences[i] == 0:
            if answers(p, target) >> card & 1:
                return Refusal.LEGAL
            return _refuse_beating(p, card, target)
    return Refusal.NOT_AN_OPEN_ATTACK


def _refuse_beating(p: Position, card: int, target: int) -> Refusal:
    if beaters(p, target) >> card & 1:
        return Refusal.NOT_THE_LOWEST_DEFENCE
    if JOKERS >> target & 1:
        return Refusal.NOTHING_BEATS_A_JOKER
    return Refusal.NOT_OF_THE_JOKERS_COLOUR if JOKERS >> card & 1 else Refusal.DOES_NOT_BEAT


def _refuse_transfer(p: Position, card: int, by_showing: bool) -> Refusal:
    allowed = showable(p) if by_showing else transfer_cards(p)
    if p.phase == DEFENCE and allowed >> card & 1:
        return Refusal.LEGAL
    if p.transfer == 0:
        return Refusal.NO_TRANSFERS
    if by_showing and p.show_trump == 0:
        return Refusal.NO_SHOWING
    if p.phase != DEFENCE:
        return Refusal.NOTHING_TO_TRANSFER
    if p.n_attacks != p.n_open:
        return Refusal.ALREADY_BEATEN
    if not may_transfer(p):
        return Refusal.FIRST_BOUT
    if by_showing and p.shown >> p.defender & 1:
        return Refusal.SHOWN_BEFORE
    if not transfer_fits(p, 0 if by_showing else 1):
        return Refusal.NEXT_SEAT_TOO_SHORT
    return Refusal.NOT_THE_TRUMP_OF_THE_RANK if by_showing else Refusal.NOT_THE_ATTACKS_RANK
