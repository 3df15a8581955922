"""What one seat certainly knows: its visible position, and conclusions from it (rules 9.2).

If the defender holds no trumps, a rank is weak if the defender can beat each of the attacker's cards of that
rank in suit. These are plain functions over masks, like the kernel; rank masks have bit ``rank`` set.

Source: É. Bonnet, "The Complexity of Playing Durak", IJCAI 2016.
"""

from __future__ import annotations

from durak_core.cards import CardSet
from durak_core.game.observation import Observation, Role
from durak_core.game.state_view import lay_table
from durak_core.kernel.position import (
    DRAWN_GAME,
    LANE,
    NOBODY,
    Position,
    above,
    lowest_bit,
    rank_mates,
    set_trumps,
)
from durak_core.kernel.transition import new_position


def unseen_cards(observation: Observation) -> CardSet:
    """Return the cards this seat cannot locate; the open trump is located until it is drawn."""
    if observation.hands is not None:
        return CardSet()
    placed = observation.hand.mask | observation.table_cards.mask | observation.gone.mask
    for known in observation.known:
        placed |= known.mask
    if observation.talon_size and observation.trump_card is not None:
        placed |= observation.trump_card.mask
    return CardSet(observation.rules.deck_mask & ~placed)


def hand_of(observation: Observation, seat: int) -> CardSet | None:
    """Return a seat's whole hand if it is certain to the observer, otherwise None."""
    if observation.hands is not None:
        return observation.hands[seat]
    if seat == observation.seat:
        return observation.hand
    known = observation.known[seat]
    hidden = observation.hand_sizes[seat] - len(known)
    if hidden == 0:
        return known
    unseen = unseen_cards(observation)
    return CardSet(known.mask | unseen.mask) if hidden == len(unseen) else None


def possible_cards(observation: Observation, seat: int) -> CardSet:
    """Return every card that a seat may hold, as far as the observer knows."""
    hand = hand_of(observation, seat)
    if hand is not None:
        return hand
    return CardSet(observation.known[seat].mask | unseen_cards(observation).mask)


def opponents(observation: Observation) -> tuple[int, ...]:
    """Return the seats of other teams that are still in, in seat order."""
    partners = observation.rules.members(observation.rules.team_of(observation.seat))
    return tuple(
        [seat for seat, role in enumerate(observation.roles) if seat not in partners and role != Role.OUT]
    )


def opponent_hand(observation: Observation) -> CardSet | None:
    """Return the only opponent's hand if it is certain, as always with open ``visibility``, or None."""
    others = opponents(observation)
    return hand_of(observation, others[0]) if len(others) == 1 else None


def visible_position(observation: Observation) -> Position:
    """Return the position without hidden cards; known ones stay in hands and at the talon's bottom (9.2)."""
    p = new_position(observation.rules)
    for seat in range(observation.rules.seats):
        hand = hand_of(observation, seat)
        p.hands[seat] = observation.known[seat].mask if hand is None else hand.mask
    p.drawn = p.deck_size - observation.talon_size
    if observation.talon is not None:
        p.deck[p.drawn : p.deck_size] = [card.number for card in observation.talon]
    if observation.trump_card is not None:
        set_trumps(p, observation.trump_card.suit.mask)
        p.deck[p.deck_size - 1] = observation.trump_card.number
    p.in_mask = _mask([seat for seat, role in enumerate(observation.roles) if role != Role.OUT])
    p.discards = observation.gone.mask
    p.shown = _mask(observation.shown)
    p.passed = _mask(observation.passed)
    p.bout = observation.bout
    p.stall = observation.stall
    p.limit = observation.limit
    p.phase = int(observation.phase)
    p.turn = NOBODY if observation.turn is None else observation.turn
    p.attacker = observation.attacker
    p.defender = observation.defender
    if observation.is_over:
        p.fool = DRAWN_GAME if observation.fool is None else observation.fool
    p.n_places = len(observation.places)
    p.places[: p.n_places] = list(observation.places)
    lay_table(p, observation.table)
    for seat, role in enumerate(observation.roles):
        if role != Role.OUT and observation.hand_sizes[seat] == 0:
            p.emptied[p.n_emptied] = seat
            p.n_emptied += 1
    return p


def _mask(seats: list[int] | tuple[int, ...]) -> int:
    return sum(1 << seat for seat in seats)


def rank_set(mask: int) -> int:
    return (mask | mask >> 16 | mask >> 32 | mask >> 48) & LANE


def _beatable_in_suit(hand: int, other: int) -> int:
    """Return the mask of a hand's cards that another hand can beat without trumps."""
    result = 0
    rest = hand
    while rest:
        if other & above(lowest_bit(rest)):
            result |= rest & -rest
        rest &= rest - 1
    return result


def weak_ranks(hand: int, other: int) -> int:
    """Return the mask of a hand's weak ranks against another hand."""
    return rank_set(hand) & ~rank_set(hand & ~_beatable_in_suit(hand, other))


def badly_covered(hand: int, other: int) -> int:
    """Return the mask of a hand's weak cards that are only beaten by ranks the hand can continue in."""
    held = rank_mates(hand)
    weak = weak_ranks(hand, other)
    result = 0
    rest = hand
    while rest:
        card = lowest_bit(rest)
        if weak >> (card & 15) & 1 and not other & above(card) & ~held:
            result |= rest & -rest
        rest &= rest - 1
    return result
