"""Why an action is illegal, from the same masks as the legal list (rules 10.1)."""

from __future__ import annotations

from enum import IntEnum

from durak_core.kernel.codes import (
    KIND_ATTACK,
    KIND_DEFEND,
    KIND_EXCHANGE,
    KIND_PASS,
    KIND_SHOW_TRUMP,
    KIND_TAKE,
    card_of,
    kind_of,
    target_of,
)
from durak_core.kernel.legal import (
    answers,
    attack_cards,
    beaters,
    defender_must_play,
    face_up_card,
    fitting_cards,
    lowest_trump,
    may_exchange,
    may_transfer,
    showable,
    transfer_cards,
    transfer_fits,
)
from durak_core.kernel.position import DEFENCE, OPENING, OVER, Position


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


def refusal(p: Position, code: int) -> Refusal:
    """Return why a code is illegal, or `Refusal.LEGAL`; answers to any open attack card are legal."""
    kind = kind_of(code)
    card = card_of(code)
    if p.phase == OVER:
        return Refusal.GAME_OVER
    if kind == KIND_PASS:
        return _refuse_pass(p)
    if kind == KIND_TAKE:
        if p.phase != DEFENCE:
            return Refusal.NOTHING_TO_TAKE
        return Refusal.TAKE_FORBIDDEN if defender_must_play(p) else Refusal.LEGAL
    if kind == KIND_EXCHANGE:
        return _refuse_exchange(p)
    if not p.hands[p.turn] >> card & 1:
        return Refusal.NOT_IN_HAND
    if kind == KIND_ATTACK:
        return _refuse_attack(p, card)
    if kind == KIND_DEFEND:
        return _refuse_defence(p, card, target_of(code))
    return _refuse_transfer(p, card, kind == KIND_SHOW_TRUMP)


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
            return Refusal.NOT_THE_LOWEST_DEFENCE if beaters(p, target) >> card & 1 else Refusal.DOES_NOT_BEAT
    return Refusal.NOT_AN_OPEN_ATTACK


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
