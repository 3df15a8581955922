"""State transitions: the deal, bouts, drawing and the end of the game (rules 1 to 8), and perft."""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from typing import Final

from durak_core.kernel.compiled import compiled
from durak_core.kernel.legal import (
    CARD_BITS,
    EXCHANGE_CODE,
    FIRST_DEFENCE,
    FIRST_SHOWING,
    FIRST_TRANSFER,
    PASS_CODE,
    TAKE_CODE,
    TARGET_SHIFT,
    Refusal,
    are_partners,
    attack_cap,
    face_up_card,
    legal,
    lowest_trump,
    next_in,
    next_opponent,
    place_attacked,
    refusal,
    seat_in,
)
from durak_core.kernel.position import (
    ALL_MAY_THROW_IN,
    ALL_PLAY_LOWEST,
    ANY_ACE_FALLS,
    ANY_JOKER_BEATS,
    ATTACKER_MAY_THROW_IN,
    DEFENCE,
    DEFENDERS_PLAY_LOWEST,
    DRAWN_GAME,
    JOKER,
    JOKERS_BEAT_THEIR_COLOUR,
    MAX_ACTIONS,
    NEIGHBOURS_MAY_THROW_IN,
    NO_ACE_FALLS,
    NO_JOKERS,
    NO_LAST_BOUT,
    NO_LIMIT,
    NOBODY,
    NOBODY_PLAYS_LOWEST,
    OPENING,
    OVER,
    PILE_ON,
    THROW_IN,
    TRUMP_ACE_FALLS,
    VOLLEY,
    Position,
    copy_into,
    copy_position,
    low_rank,
    lowest_bit,
    popcount,
    random_below,
    set_trumps,
)
from durak_core.rules import Rules


def start_bout(p: Position, place: int) -> None:
    """Begin the bout that a seat opens, or its partner if that is out and plays on (rules 2.2.8)."""
    p.bout += 1
    p.attacker = seat_in(p, place)
    p.turn = p.attacker
    p.phase = OPENING
    p.table = 0
    p.n_attacks = 0
    p.n_open = 0
    p.passed = 0
    p.n_emptied = 0
    if p.shows_each_bout:
        p.shown = 0
    _set_defender(p, next_opponent(p, place))


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
    asked = p.in_mask & ~(p.passed | 1 << p.defender)
    asked = (asked >> p.attacker | asked << (p.seats - p.attacker)) & ((1 << p.seats) - 1)
    while asked:
        seat = p.attacker + lowest_bit(asked)
        if seat >= p.seats:
            seat -= p.seats
        if p.hands[seat] and may_throw_in(p, seat):
            return seat
        asked &= asked - 1
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
    # The order is the rules': hands are filled before seats retire (6.3, 8.1), and only with an empty talon,
    # and seats retire before the next attacker is sought among those still in.
    drawn_before = p.drawn
    draw(p)
    left = 0
    if p.drawn == p.deck_size:
        left = _retire(p)
    remaining = p.in_mask if p.teams == p.seats else teams_in(p)
    # Only such bouts can repeat a position (8.5); anything else makes progress that is never undone.
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
    elif p.partner_plays_on:
        place = place_attacked(p)
        start_bout(p, (place + 1) & 3 if taken else place)
    elif not taken and p.in_mask >> p.defender & 1:
        start_bout(p, p.defender)
    else:
        start_bout(p, next_in(p, p.defender))


def _ask_to_throw_in(p: Position, phase: int) -> None:
    """Give the turn to the next seat that may throw in, or end the bout (rules 5.6, 6.1, 6.2)."""
    # A defender without cards beats nothing more; after a take, cards up to the limit may still come.
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
    # Hands that run out are noted at once, for their order decides the places (8.1), and seats retire only
    # after the draw, which may refill them.
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
    following = next_opponent(p, place_attacked(p))
    p.attacker = p.defender
    _set_defender(p, following)
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


@compiled("replay")
def replay(stack: Sequence[Position], seats: Sequence[int], codes: Sequence[int]) -> bool:
    """Play actions on ``stack[0]``; return False if one is illegal or another seat's, and stop there."""
    p = stack[0]
    for i in range(len(codes)):
        if p.turn != seats[i] or refusal(p, codes[i]) != Refusal.LEGAL:
            return False
        apply(p, codes[i])
    return True


@compiled("rules")
def returns(p: Position, out: MutableSequence[float]) -> None:
    """Write the returns: -1 for the fool's seats, split among the others; 0 if drawn (rules 8.4)."""
    losers = p.seats // p.teams
    for seat in range(p.seats):
        out[seat] = 0.0
        if p.fool >= 0:
            out[seat] = -1.0 if are_partners(p, seat, p.fool) else losers / (p.seats - losers)


REDEAL_ATTEMPTS: Final = 10_000
"""Deals before giving up (rules 3.4)."""

_SUIT_LANE: Final = 0x7FFC
_ACE: Final = 14

_THROW_IN: Final = {
    "all": ALL_MAY_THROW_IN,
    "neighbours": NEIGHBOURS_MAY_THROW_IN,
    "attacker": ATTACKER_MAY_THROW_IN,
}

FALLING_ACES: Final = {None: NO_ACE_FALLS, "trump": TRUMP_ACE_FALLS, "any": ANY_ACE_FALLS}
JOKERS_BEAT: Final = {None: NO_JOKERS, "any": ANY_JOKER_BEATS, "colour": JOKERS_BEAT_THEIR_COLOUR}
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
        partner_plays_on=int(rules.partner_plays_on),
        hand_size=rules.hand_size,
        deck_size=rules.deck_size,
        deck_mask=rules.deck_mask,
        trumps=int(rules.trumps),
        lowest_beats_ace=FALLING_ACES[rules.lowest_beats_ace],
        jokers=JOKERS_BEAT[rules.jokers],
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
        shows_each_bout=int(rules.show_trump_once == "bout"),
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
    set_trumps(p, _SUIT_LANE << (p.deck[p.deck_size - 1] & 48) if p.trumps else 0)
    p.in_mask = (1 << p.seats) - 1


def _has_long_suit(p: Position) -> bool:
    """Return whether a hand has enough cards of one suit for a redeal (rules 3.4)."""
    for seat in range(p.seats):
        for suit in range(4):
            if popcount(p.hands[seat] & (_SUIT_LANE << (16 * suit))) >= p.redeal_same_suit:
                return True
    return False


def is_void(p: Position) -> bool:
    """Return whether a deal is dealt again (rules 1.6, 3.4 and 3.5)."""
    if p.trumps:
        shown = p.deck[p.deck_size - 1] & 15
        if shown == JOKER or (p.redeal_trump_ace and shown == _ACE):
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


@compiled("rules")
def perft_on(
    stack: Sequence[Position], codes: MutableSequence[int], tried: MutableSequence[int], depth: int
) -> int:
    """Count the sequences of ``depth`` legal actions, 1 or more, from ``stack[0]`` without allocating.

    Needs ``depth`` positions (all but the first are overwritten), and room for `MAX_ACTIONS` codes
    and ``depth`` tries.
    """
    total = 0
    level = 0
    tried[0] = 0
    while level >= 0:
        n = legal(stack[level], codes)
        if level == depth - 1:
            total += n
            level -= 1
        elif tried[level] < n:
            code = codes[tried[level]]
            tried[level] += 1
            copy_into(stack[level + 1], stack[level])
            level += 1
            tried[level] = 0
            apply(stack[level], code)
        else:
            level -= 1
    return total


def perft(p: Position, depth: int) -> int:
    """Return a position's perft count; games that end earlier do not count (CPython only)."""
    if depth == 0:
        return 1
    stack = [p, *(Position() for _ in range(depth - 1))]
    return perft_on(stack, [0] * MAX_ACTIONS, [0] * depth, depth)


def divide(p: Position, depth: int) -> dict[int, int]:
    """Return the perft count of each first action's code; ``depth`` is at least 1."""
    codes = [0] * MAX_ACTIONS
    counts: dict[int, int] = {}
    for code in codes[: legal(p, codes)]:
        child = copy_position(p)
        apply(child, code)
        counts[code] = perft(child, depth - 1)
    return counts
