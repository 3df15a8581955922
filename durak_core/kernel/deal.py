"""Setup of a game: rules, shuffle, hands and first attacker (rules 1 to 4)."""

from __future__ import annotations

from collections.abc import MutableSequence
from typing import Final

from durak_core.kernel.bits import low_rank, lowest_bit, popcount
from durak_core.kernel.compiled import compiled
from durak_core.kernel.position import (
    ALL_MAY_THROW_IN,
    ALL_PLAY_LOWEST,
    ATTACKER_MAY_THROW_IN,
    DEFENDERS_PLAY_LOWEST,
    NEIGHBOURS_MAY_THROW_IN,
    NO_LAST_BOUT,
    NO_LIMIT,
    NOBODY,
    NOBODY_PLAYS_LOWEST,
    Position,
)
from durak_core.kernel.random import random_below
from durak_core.kernel.transition import start_bout
from durak_core.rules import Rules

REDEAL_ATTEMPTS: Final = 10_000
"""Deals before giving up (rules 3.4)."""

_SUIT_LANE: Final = 0x7FFC
_ACE: Final = 14

_THROW_IN: Final = {
    "all": ALL_MAY_THROW_IN,
    "neighbours": NEIGHBOURS_MAY_THROW_IN,
    "attacker": ATTACKER_MAY_THROW_IN,
}

_LOWEST_CARD: Final = {
    "any": NOBODY_PLAYS_LOWEST,
    "defence": DEFENDERS_PLAY_LOWEST,
    "always": ALL_PLAY_LOWEST,
}


def new_position(rules: Rules) -> Position:
    """Return a position with the rules set and nothing dealt (CPython only)."""
    return Position(
        seats=rules.seats,
        teams=rules.team_count,
        hand_size=rules.hand_size,
        deck_size=rules.deck_size,
        deck_mask=rules.deck_mask,
        trumps=int(rules.trumps),
        deal_all=int(rules.deal_all),
        redeal_same_suit=rules.redeal_same_suit or 0,
        redeal_trump_ace=int(rules.redeal_trump_ace),
        attack_limit=rules.attack_limit or NO_LIMIT,
        first_bout_limit=rules.first_bout_limit or NO_LIMIT,
        first_limit_bouts=_first_limit_bouts(rules),
        volleys=int(rules.attack_style == "volley"),
        throw_in=_THROW_IN[rules.throw_in],
        forced_play=int(rules.forced_play),
        lowest_card=_LOWEST_CARD[rules.lowest_card],
        exchange_trump=int(rules.exchange_trump),
        pile_on=int(rules.pile_on),
        transfer=int(rules.transfer),
        transfer_first_bout=int(rules.transfer_first_bout),
        show_trump=int(rules.show_trump),
        draws=int(rules.draws),
        stall_limit=rules.stall_limit,
    )


def _first_limit_bouts(rules: Rules) -> int:
    """Return the last bout in which `first_bout_limit` may hold, or 0 if it limits nothing (rules 5.2)."""
    if (rules.first_bout_limit or NO_LIMIT) >= (rules.attack_limit or NO_LIMIT):
        return 0
    return 1 if rules.first_limit_lasts == "one_bout" else NO_LAST_BOUT


def shuffle(p: Position, rng: MutableSequence[int]) -> None:
    """Shuffle the deck (Fisher-Yates)."""
    cards = p.deck_mask
    for i in range(p.deck_size):
        p.deck[i] = lowest_bit(cards)
        cards &= cards - 1
    for i in range(p.deck_size - 1, 0, -1):
        j = random_below(rng, i + 1)
        card = p.deck[i]
        p.deck[i] = p.deck[j]
        p.deck[j] = card


def deal_hands(p: Position) -> None:
    """Deal the hands and turn up the trump (rules 3.1 to 3.3)."""
    for seat in range(p.seats):
        p.hands[seat] = 0
    p.drawn = p.deck_size if p.deal_all else p.seats * p.hand_size
    seat = 0
    for i in range(p.drawn):
        p.hands[seat] |= 1 << p.deck[i]
        seat += 1
        if seat == p.seats:
            seat = 0
    p.trump_mask = 0
    if p.trumps:
        p.trump_mask = _SUIT_LANE << (p.deck[p.deck_size - 1] & 48)
    p.in_mask = (1 << p.seats) - 1


def _has_long_suit(p: Position) -> bool:
    """Return whether a hand has enough cards of one suit for a redeal (rules 3.4)."""
    for seat in range(p.seats):
        for suit in range(4):
            if popcount(p.hands[seat] & (_SUIT_LANE << (16 * suit))) >= p.redeal_same_suit:
                return True
    return False


def is_void(p: Position) -> bool:
    """Return whether a deal is dealt again (rules 3.4 and 3.5)."""
    if p.redeal_trump_ace and p.trumps and p.deck[p.deck_size - 1] & 15 == _ACE:
        return True
    return p.redeal_same_suit > 0 and _has_long_suit(p)


def lowest_trump_seat(p: Position) -> int:
    """Return the seat holding the lowest trump, or `NOBODY` (rules 4.1)."""
    held = 0
    for seat in range(p.seats):
        held |= p.hands[seat]
    held &= p.trump_mask
    if held == 0:
        return NOBODY
    lowest = low_rank(held)
    for seat in range(p.seats):
        if p.hands[seat] >> lowest & 1:
            return seat
    return NOBODY


def begin(p: Position, attacker: int) -> None:
    p.discards = 0
    p.shown = 0
    p.bout = 0
    p.plies = 0
    p.stall = 0
    p.fool = NOBODY
    p.n_places = 0
    start_bout(p, attacker)


@compiled("rules")
def deal(p: Position, rng: MutableSequence[int]) -> bool:
    """Shuffle, deal and start a game, overwriting ``deck``; return False if no deal stands (rules 3.4)."""
    for _ in range(REDEAL_ATTEMPTS):
        shuffle(p, rng)
        deal_hands(p)
        if not is_void(p):
            attacker = lowest_trump_seat(p)
            if attacker == NOBODY:
                attacker = random_below(rng, p.seats)
            begin(p, attacker)
            return True
    return False
