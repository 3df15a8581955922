"""Validation of positions beyond their cards: seats, phases, limits and the table (rules 2 to 8).

Each function yields pairs of a key and an error; the reader raises the first. Later checks rely on
earlier ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from durak_core.game.notation.layout import Fault
from durak_core.game.notation.position_fields import PositionFields
from durak_core.kernel.bits import beating, lowest_bit, rank_mates
from durak_core.kernel.legal import attack_cap, next_opponent
from durak_core.kernel.position import DEFENCE, OPENING, OVER, PILE_ON, THROW_IN, VOLLEY, Position
from durak_core.kernel.transition import (
    fool_of_a_draw,
    last_places,
    may_throw_in,
    next_to_throw_in,
    teams_in,
)


def observation_faults(fields: PositionFields) -> Iterator[Fault]:
    """Yield errors in visibility: hidden cards that are named, or visible ones that are not (rules 9)."""
    is_open = fields.seat is None or fields.rules.visibility == "open"
    for seat, hand in enumerate(fields.hands):
        if is_open or seat == fields.seat:
            if hand.hidden:
                yield "hands", f"the hand of seat {seat} is seen: name its {hand.hidden} hidden cards"
        elif hand.cards:
            yield (
                "hands",
                f"seat {fields.seat} does not see {hand.cards} of seat {seat}: write ?{len(hand.cards)}",
            )
    if is_open and fields.talon.hidden:
        yield "talon", f"it is seen: name its {fields.talon.hidden} hidden cards"
    if not is_open and fields.talon.cards:
        yield "talon", f"seat {fields.seat} sees only the trump card of it: write ?{len(fields.talon.cards)}"
    if fields.seat is not None and fields.emptied:
        yield "emptied", "only positions have this field"


def game_faults(p: Position) -> Iterator[Fault]:
    if p.bout < 1:
        yield "bout", "bouts are counted from 1"
    if p.shown and not (p.transfer and p.show_trump):
        yield "shown", "these rules have no transfers by showing a trump (rules 7.4)"
    if p.attacker == p.defender:
        yield "defender", "a seat cannot attack itself (rules 5.1)"
    if p.phase == OVER:
        yield from _over_faults(p)
    else:
        yield from _clock_faults(p)
        yield from _running_faults(p)
        yield from _table_faults(p)
        yield from _PHASE_CHECKS[p.phase](p)
        yield from _throw_in_faults(p)


def _seats(p: Position, mask: int) -> str:
    return ",".join(str(seat) for seat in range(p.seats) if mask >> seat & 1) or "none"


def _empty_hands(p: Position) -> int:
    return sum(1 << seat for seat in range(p.seats) if not p.hands[seat])


def _over_faults(p: Position) -> Iterator[Fault]:
    """Check a finished game (rules 8.2 to 8.5)."""
    holders = teams_in(p)
    stalled = holders.bit_count() > 1
    if p.n_attacks:
        yield "table", "nothing lies on the table when the game is over"
    if p.turn >= 0:
        yield "turn", "no seat is to act when the game is over"
    if p.passed or p.n_emptied:
        yield "passed" if p.passed else "emptied", "no bout is being played when the game is over"
    if p.drawn < p.deck_size and not stalled:
        yield "talon", "no game ends before the talon is empty (rules 8.2)"
    if stalled and p.stall != p.stall_limit:
        yield (
            "phase",
            f"seats {_seats(p, p.in_mask)} hold cards and stall is not {p.stall_limit} (rules 8.2, 8.5)",
        )
    if not stalled and p.stall:
        yield "stall", "has to be 0 when a seat has left in the last bout (rules 8.5)"
    if not 1 <= p.limit <= attack_cap(p):
        yield "limit", f"expected 1 to {min(attack_cap(p), p.deck_size)} (rules 5.2)"
    fool = fool_of_a_draw(p) if stalled or not holders else lowest_bit(holders)
    if fool >= 0 and p.fool != fool:
        yield "fool", f"has to be {','.join(map(str, range(fool, p.seats, p.teams)))} (rules 2.2.5, 8.2)"
    if p.fool != fool:
        yield "fool", "the game is drawn: there is no fool (rules 8.3)"
    yield from _place_faults(p)


def _place_faults(p: Position) -> Iterator[Fault]:
    out = p.places[: p.n_places]
    last = last_places(p) if p.fool >= 0 else 0
    expected = _empty_hands(p) | last
    if sum(1 << seat for seat in out) != expected:
        yield "out", f"has to name the seats {_seats(p, expected)} in the order they ran out (rules 8.4)"
    losers = [seat for seat in range(p.seats) if last >> seat & 1]
    if out[len(out) - len(losers) :] != losers:
        yield "out", f"has to end with {_seats(p, last)} (rules 2.2.6, 8.4)"


def _running_faults(p: Position) -> Iterator[Fault]:
    empty = _empty_hands(p)
    out = sum(1 << seat for seat in p.places[: p.n_places])
    if out and p.drawn < p.deck_size:
        yield "out", "no seat is out before the talon is empty (rules 8.1)"
    if out & ~empty:
        yield "out", f"seats {_seats(p, out & ~empty)} hold cards (rules 8.1)"
    if teams_in(p).bit_count() < 2:
        yield "out", "no opponent is left; the game would be over (rules 2.2.5, 8.2)"
    if not p.in_mask >> p.attacker & 1:
        yield "attacker", f"seat {p.attacker} is out (rules 8.1)"
    target = next_opponent(p, p.attacker)
    if p.defender != target:
        yield (
            "defender",
            f"has to be {target}, the next seat after the attacker that is no partner (rules 2.2.1)",
        )
    emptied = sum(1 << seat for seat in p.emptied[: p.n_emptied])
    if emptied != empty & ~out:
        yield "emptied", f"seats {_seats(p, empty & ~out)} hold nothing and are not out (rules 8.1)"


def _clock_faults(p: Position) -> Iterator[Fault]:
    """Check that the game is not over (rules 8.2, 8.5)."""
    if p.fool >= 0:
        yield "fool", "there is no fool before the game is over"
    if p.turn < 0:
        yield "turn", "a seat has to act until the game is over"
    if p.stall >= min(p.stall_limit, p.bout):
        yield "stall", f"is less than the bout and {p.stall_limit} while the game goes on (rules 8.5)"


def _table_faults(p: Position) -> Iterator[Fault]:
    """Check the cards on the table and the limit (rules 1.4, 5.2, 5.3)."""
    before = 0
    for i in range(p.n_attacks):
        attack, defence = p.attacks[i], p.defences[i]
        if i and not rank_mates(before) >> attack & 1:
            yield "table", f"attack card {i + 1} has a rank that did not lie there (rules 5.3)"
        if defence and not beating(attack, p.trump_mask) >> defence & 1:
            yield "table", f"attack card {i + 1} is not beaten by the card on it (rules 1.4)"
        before |= 1 << attack | (1 << defence if defence else 0)
    held = p.hands[p.defender].bit_count() + p.n_attacks - p.n_open
    limit = min(attack_cap(p), held)
    if p.limit != limit:
        yield "limit", f"has to be {limit}: the defender held {held} cards (rules 5.2)"
    if p.n_attacks > p.limit:
        yield "table", f"{p.n_attacks} attack cards are more than the limit (rules 5.2)"


def _opening_faults(p: Position) -> Iterator[Fault]:
    if p.n_attacks:
        yield "table", "nothing lies on the table before the bout is opened (rules 5.1)"
    if p.n_emptied:
        yield "emptied", "no card of this bout has been played yet"
    if p.turn != p.attacker:
        yield "turn", f"the attacker, seat {p.attacker}, opens the bout (rules 5.1)"


def _volley_faults(p: Position) -> Iterator[Fault]:
    if not p.volleys:
        yield "phase", "these rules have no volleys (rules 5.4)"
    if not p.n_open:
        yield "table", "a volley has an open attack card (rules 5.4)"
    if any(p.defences[p.n_attacks - p.n_open : p.n_attacks]):
        yield "table", "the cards of a volley come after all that are beaten (rules 5.4)"
    if p.n_attacks == p.limit or not p.hands[p.turn]:
        yield "phase", "a volley ends when the limit is reached or the hand is empty (rules 5.4)"
    opened = p.n_open == p.n_attacks
    if p.turn != p.attacker if opened else not may_throw_in(p, p.turn):
        yield "turn", f"seat {p.turn} cannot have begun this volley (rules 5.4, 5.6)"


def _defence_faults(p: Position) -> Iterator[Fault]:
    if not p.n_open:
        yield "table", "no attack card is open for the defender to answer (rules 5.5)"
    if p.turn != p.defender:
        yield "turn", f"the defender, seat {p.defender}, answers (rules 5.5)"
    only_last = p.n_open == 1 and not p.defences[p.n_attacks - 1]
    ranks = {p.attacks[i] & 15 for i in range(p.n_attacks)}
    transferable = p.transfer and (p.bout > 1 or p.transfer_first_bout)
    if not p.volleys and not only_last and not (transferable and len(ranks) == 1):
        yield "table", "one card at a time: only the newest attack card can be open (rules 5.4)"


def _round_faults(p: Position) -> Iterator[Fault]:
    """Check a round of throwing in or piling on (rules 5.6, 6.1 and 6.2)."""
    if p.n_attacks == 0:
        yield "table", "there is no attack to throw in to (rules 5.6)"
    if p.phase == THROW_IN and p.n_open:
        yield "table", "an attack card is open: no card is thrown in before it is answered (rules 5.6)"
    if p.phase == PILE_ON and not p.pile_on:
        yield "phase", "these rules do not allow piling on (rules 6.2)"
    if p.phase == PILE_ON and not p.n_open:
        yield "table", "the defender cannot take when all is beaten (rules 5.5)"
    if p.n_attacks == p.limit or not p.hands[p.defender]:
        yield "phase", "the bout is over: the limit is reached, or the defender holds nothing (rules 6.1)"
    seat = next_to_throw_in(p)
    if seat != p.turn:
        turn = f"seat {seat} is next to be asked" if seat >= 0 else "all have passed and the bout is over"
        yield "turn", f"{turn} (rules 5.6)"


def _throw_in_faults(p: Position) -> Iterator[Fault]:
    if p.passed and p.phase not in (THROW_IN, PILE_ON):
        yield "passed", "no seat has passed before a round of throwing in (rules 5.6)"
    for seat in range(p.seats):
        if p.passed >> seat & 1 and not (p.hands[seat] and may_throw_in(p, seat)):
            yield "passed", f"seat {seat} is not asked to throw in (rules 5.6, 5.7)"


_PHASE_CHECKS: Final = {
    OPENING: _opening_faults,
    VOLLEY: _volley_faults,
    DEFENCE: _defence_faults,
    THROW_IN: _round_faults,
    PILE_ON: _round_faults,
}
