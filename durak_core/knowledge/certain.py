"""Certain conclusions from one seat's observation (rules 9.2)."""

from __future__ import annotations

from durak_core.cards import CardSet
from durak_core.game.observation import Observation, Role


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
