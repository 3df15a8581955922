"""State transitions: bouts, drawing and the end of the game (rules 5 to 8)."""

from __future__ import annotations

from collections.abc import MutableSequence

from durak_core.kernel.bits import lowest_bit, popcount
from durak_core.kernel.codes import (
    CARD_BITS,
    EXCHANGE_CODE,
    FIRST_DEFENCE,
    FIRST_SHOWING,
    FIRST_TRANSFER,
    PASS_CODE,
    TAKE_CODE,
    TARGET_SHIFT,
)
from durak_core.kernel.compiled import compiled
from durak_core.kernel.legal import (
    are_partners,
    attack_cap,
    face_up_card,
    lowest_trump,
    next_in,
    next_opponent,
)
from durak_core.kernel.position import (
    ALL_MAY_THROW_IN,
    ATTACKER_MAY_THROW_IN,
    DEFENCE,
    DRAWN_GAME,
    NOBODY,
    OPENING,
    OVER,
    PILE_ON,
    THROW_IN,
    VOLLEY,
    Position,
)


def start_bout(p: Position, attacker: int) -> None:
    p.bout += 1
    p.attacker = attacker
    p.turn = attacker
    p.phase = OPENING
    p.table = 0
    p.n_attacks = 0
    p.n_open = 0
    p.passed = 0
    p.n_emptied = 0
    _set_defender(p, next_opponent(p, attacker))


def _set_defender(p: Position, seat: int) -> None:
    """Set the defender and the attack limit (rules 5.2)."""
    p.defender = seat
    p.limit = attack_cap(p)
    held = popcount(p.hands[seat])
    if held < p.limit:
        p.limit = held


def may_throw_in(p: Position, seat: int) -> bool:
    """Return whether a seat may ever throw in during this bout (rules 2.2.2 and 5.6)."""
    if seat == p.defender or not p.in_mask >> seat & 1:
        return False
    if p.teams < p.seats and are_partners(p, seat, p.defender):
        return False
    if p.throw_in == ALL_MAY_THROW_IN:
        return True
    if p.throw_in == ATTACKER_MAY_THROW_IN:
        return seat == p.attacker
    # Only the attacker's partners sit between attacker and defender, so the seat before is an opponent.
    return next_in(p, seat) == p.defender or next_opponent(p, p.defender) == seat


def next_to_throw_in(p: Position) -> int:
    """Return the seat whose turn it is to throw in, or `NOBODY` (rules 5.6 and 5.7)."""
    seat = p.attacker
    for _ in range(p.seats):
        if p.hands[seat] and seat != p.defender and not p.passed >> seat & 1 and may_throw_in(p, seat):
            return seat
        seat += 1
        if seat == p.seats:
            seat = 0
    return NOBODY


def next_to_draw(p: Position, seat: int) -> int:
    """Return the seat that draws after another; `NOBODY` starts and ends the order (rules 6.3)."""
    if seat == NOBODY:
        return p.attacker
    if seat == p.defender:
        return NOBODY
    seat = next_in(p, seat)
    if seat == p.defender:
        seat = next_in(p, seat)
    if seat == p.attacker:
        return p.defender
    return seat


def draw(p: Position) -> None:
    """Fill the hands from the talon (rules 6.3)."""
    seat = next_to_draw(p, NOBODY)
    while seat != NOBODY and p.drawn < p.deck_size:
        missing = p.hand_size - popcount(p.hands[seat])
        while missing > 0 and p.drawn < p.deck_size:
            p.hands[seat] |= 1 << p.deck[p.drawn]
            p.drawn += 1
            missing -= 1
        seat = next_to_draw(p, seat)


def _retire(p: Position) -> int:
    """Retire seats with empty hands, in the order they ran out; return their number (rules 8.1)."""
    left = 0
    for i in range(p.n_emptied):
        seat = p.emptied[i]
        if p.hands[seat] == 0:
            p.in_mask &= ~(1 << seat)
            p.places[p.n_places] = seat
            p.n_places += 1
            left += 1
    return left


def teams_in(p: Position) -> int:
    """Return a bit for each team with a seat still in (rules 2.2.5)."""
    return (p.in_mask | p.in_mask >> p.teams | p.in_mask >> 2 * p.teams) & ((1 << p.teams) - 1)


def fool_of_a_draw(p: Position) -> int:
    """Return `DRAWN_GAME`, or the last defender's team if ``draws`` is off (rules 2.2.5, 8.3)."""
    if p.draws:
        return DRAWN_GAME
    team = p.defender
    while team >= p.teams:
        team -= p.teams
    return team


def last_places(p: Position) -> int:
    """Return a bit for each last seat: the fool, or its team's seats with cards (rules 2.2.6, 8.4)."""
    if p.teams == p.seats:
        return 1 << p.fool
    last = 0
    for seat in range(p.fool, p.seats, p.teams):
        last |= p.in_mask & 1 << seat
    return last


def finish(p: Position) -> None:
    """End the game; ``fool`` must be set."""
    p.phase = OVER
    p.turn = NOBODY
    p.table = 0
    p.n_attacks = 0
    p.n_open = 0
    p.passed = 0
    p.n_emptied = 0
    if p.fool >= 0:
        last = last_places(p)
        n = 0
        for i in range(p.n_places):
            if not last >> p.places[i] & 1:
                p.places[n] = p.places[i]
                n += 1
        for seat in range(p.fool, p.seats, p.teams):
            if last >> seat & 1:
                p.places[n] = seat
                n += 1
        p.n_places = n


def end_bout(p: Position, taken: bool) -> None:
    """Clear the table, draw, retire seats, and start the next bout or end the game (rules 6 and 8)."""
    if taken:
        p.hands[p.defender] |= p.table
    else:
        p.discards |= p.table
    drawn_before = p.drawn
    draw(p)
    left = 0
    if p.drawn == p.deck_size:
        left = _retire(p)
    remaining = p.in_mask if p.teams == p.seats else teams_in(p)
    if taken and p.drawn == drawn_before and left == 0:
        p.stall += 1
    else:
        p.stall = 0
    if popcount(remaining) == 1:
        p.fool = lowest_bit(remaining)
        finish(p)
    elif remaining == 0 or p.stall >= p.stall_limit:
        p.fool = fool_of_a_draw(p)
        finish(p)
    elif not taken and p.in_mask >> p.defender & 1:
        start_bout(p, p.defender)
    else:
        start_bout(p, next_in(p, p.defender))


def _ask_to_throw_in(p: Position, phase: int) -> None:
    """Give the turn to the next seat that may throw in, or end the bout (rules 5.6, 6.1, 6.2)."""
    seat = NOBODY
    if p.n_attacks < p.limit and (phase == PILE_ON or p.hands[p.defender]):
        seat = next_to_throw_in(p)
    if seat == NOBODY:
        end_bout(p, phase == PILE_ON)
    else:
        p.phase = phase
        p.turn = seat


def _leave_hand(p: Position, seat: int, card: int) -> None:
    mask = 1 << card
    left = p.hands[seat] ^ mask
    p.hands[seat] = left
    p.table |= mask
    if left == 0:
        p.emptied[p.n_emptied] = seat
        p.n_emptied += 1


def attack(p: Position, card: int) -> None:
    """Play an attack card (rules 5.1, 5.3, 5.4, 5.6 and 6.2)."""
    seat = p.turn
    _leave_hand(p, seat, card)
    add_attack(p, card)
    p.passed = 0
    if p.phase == PILE_ON:
        _ask_to_throw_in(p, PILE_ON)
    elif p.volleys and p.n_attacks < p.limit and p.hands[seat]:
        p.phase = VOLLEY
    else:
        p.phase = DEFENCE
        p.turn = p.defender


def add_attack(p: Position, card: int) -> None:
    p.attacks[p.n_attacks] = card
    p.defences[p.n_attacks] = 0
    p.n_attacks += 1
    p.n_open += 1


def defend(p: Position, card: int, target: int) -> None:
    """Beat an attack card (rules 5.5 and 6.1)."""
    _leave_hand(p, p.defender, card)
    for i in range(p.n_attacks):
        if p.attacks[i] == target:
            p.defences[i] = card
    p.n_open -= 1
    if p.n_open == 0:
        _ask_to_throw_in(p, THROW_IN)


def transfer_attack(p: Position) -> None:
    """Make the defender the attacker and the next opponent the defender (rules 2.2.3 and 7.1)."""
    p.attacker = p.defender
    _set_defender(p, next_opponent(p, p.defender))
    p.turn = p.defender


def exchange(p: Position) -> None:
    """Put the lowest trump under the talon and take the card that lay there (rules 5.9)."""
    lowest = lowest_trump(p)
    p.hands[p.turn] ^= lowest | face_up_card(p)
    p.deck[p.deck_size - 1] = lowest_bit(lowest)


@compiled("rules")
def apply(p: Position, code: int) -> None:
    """Play a legal action; the result of an illegal code is undefined, so callers check first."""
    p.plies += 1
    if code >= FIRST_DEFENCE:
        defend(p, code & CARD_BITS, code >> TARGET_SHIFT)
    elif code == PASS_CODE:
        if p.phase == VOLLEY:
            p.phase = DEFENCE
            p.turn = p.defender
        else:
            p.passed |= 1 << p.turn
            _ask_to_throw_in(p, p.phase)
    elif code == TAKE_CODE:
        p.passed = 0
        if p.pile_on:
            _ask_to_throw_in(p, PILE_ON)
        else:
            end_bout(p, True)
    elif code < FIRST_TRANSFER:
        attack(p, code & CARD_BITS)
    elif code < FIRST_SHOWING:
        card = code & CARD_BITS
        _leave_hand(p, p.defender, card)
        add_attack(p, card)
        transfer_attack(p)
    elif code < EXCHANGE_CODE:
        p.shown |= 1 << p.defender
        transfer_attack(p)
    else:
        exchange(p)


@compiled("rules")
def returns(p: Position, out: MutableSequence[float]) -> None:
    """Write the returns: -1 for the fool's seats, split among the others; 0 if drawn (rules 8.4)."""
    losers = p.seats // p.teams
    for seat in range(p.seats):
        out[seat] = 0.0
        if p.fool >= 0:
            out[seat] = -1.0 if are_partners(p, seat, p.fool) else losers / (p.seats - losers)
