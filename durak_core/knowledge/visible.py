"""The position of an observation, as far as its seat knows it."""

from __future__ import annotations

from durak_core.game.observation import Observation, Role
from durak_core.game.setup import lay_table
from durak_core.kernel.deal import new_position
from durak_core.kernel.position import DRAWN_GAME, NOBODY, Position
from durak_core.knowledge.certain import hand_of


def visible_position(observation: Observation) -> Position:
    """Return the position without hidden cards; known ones stay in hands and at the talon's bottom (9.2)."""
    p = _without_hands(observation)
    for seat in range(observation.rules.seats):
        hand = hand_of(observation, seat)
        p.hands[seat] = observation.known[seat].mask if hand is None else hand.mask
    return p


def _without_hands(observation: Observation) -> Position:
    """Set everything but the hands and the hidden part of the talon."""
    p = new_position(observation.rules)
    p.drawn = p.deck_size - observation.talon_size
    if observation.talon is not None:
        p.deck[p.drawn : p.deck_size] = [card.number for card in observation.talon]
    if observation.trump_card is not None:
        p.trump_mask = observation.trump_card.suit.mask
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
