"""Belief network: weights a search's deals by the probability that a card lies in a hand.

Source: Rebstock et al., "Policy based inference in trick-taking card games" (IEEE CoG 2019).
"""

from __future__ import annotations

import math
from typing import Final

from durak_core.game.observation import Observation
from durak_core.knowledge.sampling import NUMBERS, Belief
from durak_core.search.backend.backend import Backend
from durak_core.search.network.encoding import CARDS, card_input, encode, trump_place
from durak_core.search.network.features import seen_by
from durak_core.search.network.weights import Network, activations_for, in_memory

_BY_ODDS: Final = 900_000
"""Deals in a million drawn by odds; the others guard against positions unlike the training data."""

_SHARPNESS: Final = 0.85
"""Temperature exponent: drawing cards one by one over-weights likely cards."""

_MOST: Final = 12.0
"""Maximum log-odds."""


def write_odds(belief: Belief, network: Network, observation: Observation, runner: Backend) -> None:
    """Set a belief's odds of every hidden card and hand by a network."""
    position, memory = seen_by(observation)
    trump = trump_place(position)
    room = activations_for(network, runner)
    weights = in_memory(network, runner)
    n_inputs = encode(position, memory, observation.seat, room.inputs)
    seats = observation.rules.seats
    pool = belief.pool[: belief.n_pool]
    for i in range(1, seats):
        seat = (observation.seat + i) % seats
        if not belief.missing[seat]:
            continue
        for place, number in enumerate(pool):
            room.actions[place] = CARDS * (i - 1) + card_input(number, trump)
        runner.functions["action_values"](weights, room, n_inputs, len(pool))
        for place, number in enumerate(pool):
            value = min(max(float(room.outputs[place]) * _SHARPNESS, -_MOST), _MOST)
            belief.odds[seat * NUMBERS + number] = math.exp(value)
    belief.by_odds = _BY_ODDS
