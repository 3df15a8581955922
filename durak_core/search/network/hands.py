"""Which hidden cards each of the others seems to hold, as a network has learnt it: odds for a search's deals.

Source: what was chosen so far shows in what lies open; a network trained on many games turns it into the
probability that a card lies in a hand, as in Rebstock et al., "Policy based inference in trick-taking card
games" (IEEE CoG 2019), with one evaluation for a decision.
"""

from __future__ import annotations

import math
from typing import Final

from durak_core.game.observation import Observation
from durak_core.knowledge.sampling import NUMBERS, Belief
from durak_core.search.backend.backend import Backend
from durak_core.search.network.encoding import CARDS, card_input, encode, trump_place
from durak_core.search.network.features import seen_by
from durak_core.search.network.weights import Network, in_memory, room_for

_BY_ODDS: Final = 900_000
"""So many of a million deals are drawn by odds; the others guard against what the network has never seen."""

_SHARPNESS: Final = 0.85
"""Drawing one card after the other makes likely ones more likely still; this takes it back."""

_MOST: Final = 12.0
"""Logarithm of the greatest odds."""


def write_odds(belief: Belief, network: Network, observation: Observation, runner: Backend) -> None:
    """Let deals be drawn by a network's odds that a card lies in a hand, for every hidden card and hand."""
    position, memory = seen_by(observation)
    trump = trump_place(position)
    room = room_for(network, runner)
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
