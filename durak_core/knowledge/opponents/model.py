"""A Bayesian opponent model: which type of player somebody is, from what was chosen in the open.

Every type of player gives each legal action a probability, given a hand. The hand is hidden, so the
likelihood of a choice is its mean over hands that agree with what the reader knew at that time and hold
the card that was played. A choice that every such hand forces is equally likely for all types and says
nothing. Each type has hands of its own (`samples`), and those go on to its next choice by which that type
would have chosen so; cards drawn since are any of the hidden ones. Where none of them explains a choice,
other hands are tried.

Sources: Southey et al., "Bayes' bluff: opponent modelling in poker", UAI 2005, for a posterior over a
few given strategies instead of one over all; Gordon, Salmond and Smith, "Novel approach to
nonlinear/non-Gaussian Bayesian state estimation", IEE Proceedings F 140 (1993), for the hands.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, MutableSequence, Sequence
from typing import Final, TypeAlias

from durak_core.actions import Action
from durak_core.errors import AgentError
from durak_core.game.observation import Observation
from durak_core.kernel.bits import lowest_bit
from durak_core.kernel.codes import card_mask_of
from durak_core.kernel.legal import legal
from durak_core.kernel.position import MAX_ACTIONS, Position
from durak_core.kernel.random import derive, next_random, random_below
from durak_core.knowledge.opponents.decision_points import ObservedChoice, choice_of, choices_between
from durak_core.rules import Rules

Likelihood: TypeAlias = Callable[[Position, Sequence[int], int, Sequence[int], int], float]
"""Probability of a legal action for a type: from the position, the legal codes and how many there are, the
masks of cards known to lie with each seat, and the place of the action among the codes."""

_SLIP: Final = 0.03
"""Share of its choices that any player is assumed to make uniformly at random, or for other reasons."""

_ROUNDS: Final = 8
"""Times that hands are tried for a choice until one explains it."""


class OpponentModel:
    """What one seat makes of the choices of the others, game after game.

    Deterministic: the same seed and the same choices give the same posteriors.

    Args:
        rules: Their rules.
        seat: Who reads, 0 to ``rules.seats - 1``.
        types: The types of player there may be, by name.
        prior: How likely each type is at first, in any unit; by default all are equally likely.
        samples: Hands of each type, 1 or more.
        seed: Of these hands, 0 to 2^63 - 1.

    Attributes:
        rules: Their rules.
        seat: Who reads.

    Raises:
        AgentError: If the prior is not one of the types, or a number is out of range.
    """

    def __init__(  # noqa: PLR0913 - what a model is made of
        self,
        rules: Rules,
        seat: int,
        types: Mapping[str, Likelihood],
        prior: Mapping[str, float] | None = None,
        *,
        samples: int = 64,
        seed: int = 0,
    ) -> None:
        prior = dict.fromkeys(types, 1.0) if prior is None else prior
        if set(prior) != set(types) or not types or min(prior.values()) <= 0:
            raise AgentError(
                "prior of {prior}: expected more than 0 for each of {types}",
                prior=", ".join(prior),
                types=", ".join(types),
            )
        if samples < 1:
            raise AgentError("{samples} samples: expected 1 or more", samples=samples)
        self.rules = rules
        self.seat = seat
        self._types = dict(types)
        self._samples = samples
        self._prior = {name: math.log(prior[name]) for name in types}
        self._evidence: dict[int, dict[str, float]] = {}
        self._rng = [derive(seed, 0)]
        self._last: Observation | None = None
        self._hands: dict[tuple[int, str], list[int]] = {}

    def observe(self, observation: Observation, seat: int, action: Action) -> None:
        """Take in one choice of another seat, from what the reader's seat knew just before.

        Raises:
            AgentError: If the observation is another seat's, or it was not the turn of that seat.
        """
        if observation.seat != self.seat or observation.turn != seat or seat == self.seat:
            raise AgentError(
                "a choice of seat {seat} seen by seat {viewer} at the turn of seat {turn}: "
                "expected one of another seat at its turn, seen by seat {wanted}",
                seat=seat,
                viewer=observation.seat,
                turn=observation.turn,
                wanted=self.seat,
            )
        self._read(choice_of(observation, action, self._rng))

    def follow(self, observation: Observation) -> None:
        """Take in all that the others chose since the last observation of this game, if there was one.

        What came before the first observation of a game is not read, nor is what comes after the last.
        """
        if self._last is not None:
            for choice in choices_between(self._last, observation, self._rng):
                self._read(choice)
        self._last = observation

    def next_game(self, seat: int, rules: Rules | None = None) -> None:
        """Keep what is known of the others for another game.

        Args:
            seat: Where the reader sits now; the others are thought to have moved on by as many chairs.
            rules: Of the new game, if they are not the same; with as many seats.
        """
        moved = seat - self.seat
        self._evidence = {
            (other + moved) % self.rules.seats: found for other, found in self._evidence.items()
        }
        self.seat = seat
        self.rules = rules or self.rules
        self._last = None
        self._hands = {}

    def posterior(self, seat: int) -> Mapping[str, float]:
        """Return how likely each type is to sit at a seat; the sum is 1."""
        found = self._evidence.get(seat, self._prior)
        most = max(found.values())
        parts = {name: math.exp(value - most) for name, value in found.items()}
        total = sum(parts.values())
        return {name: part / total for name, part in parts.items()}

    def _read(self, choice: ObservedChoice) -> None:
        """Take in a choice; one that every hand forces says nothing, nor one that no hand could have made."""
        seat = choice.position.turn
        chances = {name: self._weigh(choice, name) for name in self._types}
        if not all(chances.values()) or len(set(chances.values())) == 1:
            return
        found = self._evidence.setdefault(seat, dict(self._prior))
        for name, chance in chances.items():
            found[name] += math.log(chance)

    def _weigh(self, choice: ObservedChoice, name: str) -> float:
        """Return how likely a choice is for a type, and keep the hands with which it is.

        Where none of a type's hands explains the choice, more are tried.
        """
        seat = choice.position.turn
        shown = choice.position.hands[seat]
        sure = shown & ~choice.hidden | card_mask_of(choice.code) & shown
        loose = choice.hidden & ~sure
        missing = (shown & ~sure).bit_count()
        held = self._hands.get((seat, name), [0] * self._samples)
        hands: list[int] = []
        weights: list[float] = []
        chances: dict[int, float] = {}  # by hand, as many are alike
        for _ in range(_ROUNDS):
            for one in held:
                hand = _filled(one & loose, loose, missing, self._rng)
                if hand not in chances:
                    chances[hand] = self._chance(choice, sure | hand, name)
                hands.append(hand)
                weights.append(chances[hand])
            if not missing or max(weights) > _SLIP:
                break
            held = [0] * self._samples
        choice.position.hands[seat] = shown
        total = sum(weights)
        if total:
            self._hands[seat, name] = [hands[i] for i in _drawn_again(weights, self._samples, self._rng)]
        return total / len(weights)

    def _chance(self, choice: ObservedChoice, hand: int, name: str) -> float:
        """Return how likely a choice is for a type with a hand; 0 where the hand does not allow it."""
        p = choice.position
        p.hands[p.turn] = hand
        codes = [0] * MAX_ACTIONS
        n = legal(p, codes)
        if choice.code not in codes[:n]:
            return 0.0
        index = codes.index(choice.code)
        chance = self._types[name](p, codes, n, choice.known, index) if n > 1 else 1.0
        return chance * (1 - _SLIP) + _SLIP / n


def _filled(held: int, pool: int, count: int, rng: MutableSequence[int]) -> int:
    """Return a hand of so many cards of a pool: those held as far as there is room, and any others."""
    while held.bit_count() > count:
        held &= ~_any_card(held, rng)
    while held.bit_count() < count:
        held |= _any_card(pool & ~held, rng)
    return held


def _any_card(mask: int, rng: MutableSequence[int]) -> int:
    """Return one card of a mask that is not empty, as a mask."""
    for _ in range(random_below(rng, mask.bit_count())):
        mask &= mask - 1
    return 1 << lowest_bit(mask)


def _drawn_again(weights: Sequence[float], count: int, rng: MutableSequence[int]) -> list[int]:
    """Return places drawn in proportion to their weights, with the least scatter."""
    step = sum(weights) / count
    at = step * next_random(rng) / (1 << 32)
    picked: list[int] = []
    summed = 0.0
    for place, weight in enumerate(weights):
        summed += weight
        while len(picked) < count and at < summed:
            picked.append(place)
            at += step
    return picked + [len(weights) - 1] * (count - len(picked))
