"""Weights a search's deals by the probability that a card lies in a hand: a belief network, and guesses.

Source: Rebstock et al., "Policy based inference in trick-taking card games" (IEEE CoG 2019), for the network.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from durak_core.game.observation import Observation
from durak_core.knowledge.belief import NUMBERS, Belief
from durak_core.search.backend.backend import Backend
from durak_core.search.network.encoding import CARDS, card_input, encode, seen_by, trump_place
from durak_core.search.network.weights import Network, activations_for, in_memory
from durak_core.statistics import logistic

_BY_ODDS: Final = 900_000
"""Deals in a million drawn by odds; the others guard against positions unlike the training data."""

_SHARPNESS: Final = 0.85
"""Temperature exponent: drawing cards one by one over-weights likely cards."""

_MOST: Final = 12.0
"""Maximum log-odds."""

_LEAST: Final = 1e-6
"""Minimum probability of a card by guesses."""


@dataclass(frozen=True, slots=True)
class GuessedHands:
    """Equally likely hands of a seat, if it is a certain type of player.

    Attributes:
        chance: Probability of the type, 0 to 1.
        hands: Masks of cards; cards that are not hidden any more are ignored.
        share: Weight of the hands, 0 to 1; the rest is the belief network's.
    """

    chance: float
    hands: Sequence[int]
    share: float = 1.0


def write_odds(
    belief: Belief,
    network: Network,
    observation: Observation,
    runner: Backend,
    guesses: Mapping[int, Sequence[GuessedHands]],
) -> None:
    """Set a belief's odds of every hidden card and hand by a network, or by a seat's guesses and the network.

    If a seat with guesses is of none of their types, any hand is equally likely.
    """
    position, memory = seen_by(observation)
    trump = trump_place(position)
    room = activations_for(network, runner)
    weights = in_memory(network, runner)
    seats = observation.rules.seats
    pool = [int(number) for number in belief.pool[: belief.n_pool]]
    for i in range(1, seats):
        seat = (observation.seat + i) % seats
        missing = int(belief.missing[seat])
        if not missing:
            continue
        for place, number in enumerate(pool):
            room.actions[place] = CARDS * (i - 1) + card_input(number, trump)
        n_inputs = encode(position, memory, observation.seat, room.active)
        runner.functions["action_values"](weights, room, n_inputs, len(pool))
        values = [float(room.outputs[place]) for place in range(len(pool))]
        if seat in guesses:
            values = _mixed(values, guesses[seat], pool, missing)
        for value, number in zip(values, pool, strict=True):
            exponent = min(max(value * _SHARPNESS, -_MOST), _MOST)
            belief.odds[seat * NUMBERS + number] = math.exp(exponent)
    belief.by_odds = _BY_ODDS


def _mixed(
    values: Sequence[float], guesses: Sequence[GuessedHands], pool: Sequence[int], missing: int
) -> list[float]:
    """Return the log-odds of each hidden card by guesses and by a network's log-odds."""
    uniform = missing / len(pool)
    chances = [(1.0 - sum([guess.chance for guess in guesses])) * uniform] * len(pool)
    for guess in guesses:
        of_hands = _shares(guess.hands, pool, missing)
        for place, value in enumerate(values):
            by_hands = guess.share * of_hands[place]
            chances[place] += guess.chance * (by_hands + (1.0 - guess.share) * logistic(value))
    return [_log_odds(min(max(chance, _LEAST), 1.0 - _LEAST)) for chance in chances]


def _log_odds(chance: float) -> float:
    return math.log(chance / (1.0 - chance))


def _shares(hands: Sequence[int], pool: Sequence[int], missing: int) -> list[float]:
    """Return in which share of the hands each hidden card is, among them one with all cards equally likely.

    Hands with too few hidden cards are filled up, and of hands with too many, some are left out.
    """
    hidden = sum([1 << number for number in pool])
    total = missing / len(pool)
    counts = dict.fromkeys(pool, 0.0)
    for hand, count in Counter([hand & hidden for hand in hands]).items():
        size = hand.bit_count()
        others = count * max(missing - size, 0) / max(len(pool) - size, 1)
        held = count * min(missing / max(size, 1), 1.0) - others
        total += others
        for number in pool:
            if hand >> number & 1:
                counts[number] += held
    return [(total + counts[number]) / (len(hands) + 1) for number in pool]
