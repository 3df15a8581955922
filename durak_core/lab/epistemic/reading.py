"""Opponent modelling by a Kripke model: the exact posterior over each player's type.

A seat weighs the worlds that it cannot rule out. In each world a type gives every observed choice a
probability, with the hand that the player then had. Unlike `durak_core.OpponentModel`, which samples hands,
this enumerates all of them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from durak_core.actions import Action
from durak_core.errors import KnowledgeError
from durak_core.game.record import Record
from durak_core.game.state import State
from durak_core.kernel.position import Position
from durak_core.knowledge.locations.public_locations import PublicLocations
from durak_core.lab.epistemic.model import KripkeModel
from durak_core.lab.epistemic.questions import actual_world, deal_of
from durak_core.lab.epistemic.scenario import Scenario
from durak_core.search.opponents.decision_points import choice_of
from durak_core.search.opponents.particle_filter import Reading, choice_chance
from durak_core.search.opponents.player_types import PLAYER_TYPES
from durak_core.search.players.player import Player

MAX_HANDS: Final = 20_000
"""Limit of hands times choices of a player: some minutes of computing."""


def read_types(
    record: Record, ply: int, seat: int, types: Mapping[str, Player] = PLAYER_TYPES
) -> dict[int, dict[str, float]]:
    """Return a seat's posterior over the types of each other seat, from a uniform prior.

    Choices before the last draw of cards are ignored, because the hands at that time are not determined by a
    world. In games without a talon, such as ``groningen``, all choices count.

    Args:
        record: The game.
        ply: Number of moves to use.
        seat: The observing seat.
        types: The possible types by name, without networks.

    Raises:
        KnowledgeError: If the model is too large, or there are too many hands to weigh.
    """
    states = record.replay()[: ply + 1]
    now = states[-1]
    public = PublicLocations.from_observation(now.observation(seat))
    model = KripkeModel.of(Scenario.from_locations(public))
    actual = actual_world(model, public, deal_of(now), states[0].hands)
    possible = model.alike(seat, actual.number)
    since = next(at for at, state in enumerate(states) if len(state.talon) == len(now.talon))
    moves = [
        (state, move.action) for state, move in zip(states[since:-1], record.moves[since:], strict=False)
    ]
    read = {}
    for other in range(now.rules.seats):
        if other != seat:
            column = model.which.get(other)
            held = Counter([0 if column is None else column[world] for world in possible])
            hidden = [0] if column is None else model.sets[other]
            hands = {model.fixed[other] | hidden[number]: count for number, count in held.items()}
            read[other] = _posterior(moves, now, (seat, other), hands, types)
    return read


def _posterior(
    moves: Sequence[tuple[State, Action]],
    now: State,
    seats: tuple[int, int],
    hands: Mapping[int, int],
    types: Mapping[str, Player],
) -> dict[str, float]:
    """Return the posterior of a player's type.

    ``seats`` are the reader's and the player's; ``hands`` counts the worlds of each present hand.
    """
    seat, other = seats
    held = now.hands[other].mask
    choices = []
    for state, action in moves:
        if state.turn == other:
            seen = choice_of(state.observation(seat), action, [1])
            then = state.hands[other].mask
            reading = Reading(code=seen.code, hidden=seen.hidden)
            reading.known[: len(seen.known)] = seen.known
            choices.append((seen.position, reading, held & ~then, then & ~held))
    if len(hands) * len(choices) > MAX_HANDS:
        raise KnowledgeError(
            "seat {seat} may have {hands:,} hands and made {choices} choices: expected a later move, with "
            "at most {most:,} hands",
            seat=other,
            hands=len(hands),
            choices=len(choices),
            most=MAX_HANDS // len(choices),
        )
    found = {
        name: math.fsum([count * _likelihood(hand, choices, player) for hand, count in hands.items()])
        for name, player in types.items()
    }
    total = math.fsum(found.values())
    return {name: value / total if total else 1 / len(types) for name, value in found.items()}


def _likelihood(hand: int, choices: Sequence[tuple[Position, Reading, int, int]], player: Player) -> float:
    """Return the probability of all choices of a player with a present hand."""
    return math.prod(
        [choice_chance(p, player, reading, hand & ~gained | lost) for p, reading, gained, lost in choices]
    )
