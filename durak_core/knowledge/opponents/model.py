"""A Bayesian opponent model: which type of player somebody is, from what was chosen in the open.

Every type of player gives each legal action a probability, given a hand. The hand is hidden, so the
likelihood of a choice is its mean over hands that agree with what the reader knew at that time and hold
the card that was played. A choice that every such hand forces is equally likely for all types and says
nothing. Hands are held equally likely, whatever was chosen before.

Source: Southey et al., "Bayes' bluff: opponent modelling in poker", UAI 2005, for a posterior over a
few given strategies instead of one over all.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

from durak_core.actions import Action
from durak_core.errors import AgentError
from durak_core.game.observation import Observation
from durak_core.kernel.codes import card_mask_of
from durak_core.kernel.legal import legal
from durak_core.kernel.position import MAX_ACTIONS, Position
from durak_core.kernel.random import derive
from durak_core.knowledge.opponents.decision_points import ObservedChoice, choice_of, choices_between
from durak_core.knowledge.sampling import Belief, draw_from
from durak_core.rules import Rules

Likelihood: TypeAlias = Callable[[Position, Sequence[int], int, Sequence[int], int], float]
"""Probability of a legal action for a type: from the position, the legal codes and how many there are, the
masks of cards known to lie with each seat, and the place of the action among the codes."""

_SLIP: Final = 0.03
"""Share of its choices that any player is assumed to make uniformly at random, or for other reasons."""

_NEGLIGIBLE: Final = 0.01
"""Probability of a type below which it is not asked how likely a choice is."""

_NOT_LISTED: Final = 1e-6
"""Probability of what a hand would not have allowed, or that answers another card than the oldest."""


class OpponentModel:
    """What one seat makes of the choices of the others, game after game.

    Deterministic: the same seed and the same choices give the same posteriors.

    Args:
        rules: Their rules.
        seat: Who reads, 0 to ``rules.seats - 1``.
        types: The types of player there may be, by name.
        prior: How likely each type is at first, in any unit; by default all are equally likely.
        samples: Hands that are tried for each choice, 1 or more.
        seed: Of these hands, 0 to 2^63 - 1.

    Attributes:
        rules: Their rules.
        seat: Who reads.
        choices: What the others chose in this game as far as it was followed, in order.

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
        samples: int = 16,
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
        self.choices: list[ObservedChoice] = []

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
                self.choices.append(choice)
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
        self.choices = []

    def posterior(self, seat: int) -> Mapping[str, float]:
        """Return how likely each type is to sit at a seat; the sum is 1."""
        found = self._evidence.get(seat, self._prior)
        most = max(found.values())
        parts = {name: math.exp(value - most) for name, value in found.items()}
        total = sum(parts.values())
        return {name: part / total for name, part in parts.items()}

    def chance(self, choice: ObservedChoice, hand: int) -> float:
        """Return how likely a choice is with a hand, averaged over the types by their posterior.

        ``hand`` is a card mask, as large as the hand was.
        """
        p = choice.position
        p.hands[p.turn] = hand
        codes = [0] * MAX_ACTIONS
        n = legal(p, codes)
        if choice.code not in codes[:n]:
            return _NOT_LISTED
        if n == 1:
            return 1.0
        index = codes.index(choice.code)
        weighed = [
            (share, self._types[name](p, codes, n, choice.known, index))
            for name, share in self.posterior(p.turn).items()
            if share > _NEGLIGIBLE
        ]
        mean = sum([share * chance for share, chance in weighed]) / sum([share for share, _ in weighed])
        return mean * (1 - _SLIP) + _SLIP / n

    def _read(self, choice: ObservedChoice) -> None:
        seat = choice.position.turn
        chances = self._likelihoods(choice)
        if len(set(chances.values())) == 1:
            return
        found = self._evidence.setdefault(seat, dict(self._prior))
        for name, chance in chances.items():
            found[name] += math.log(chance)

    def _likelihoods(self, choice: ObservedChoice) -> dict[str, float]:
        """Return the mean probability of a choice for each type, over hands of the seat that chose."""
        p = choice.position
        hand = p.hands[p.turn]
        played = card_mask_of(choice.code) & hand
        sure = hand & ~choice.hidden | played
        belief = Belief()
        belief.missing[0] = (hand & ~sure).bit_count()
        numbers = [card.number for card in self.rules.deck if (choice.hidden & ~sure) >> card.number & 1]
        belief.n_pool = len(numbers)
        belief.pool[: len(numbers)] = numbers
        tries = self._samples if 0 < belief.missing[0] < belief.n_pool else 1
        codes = [0] * MAX_ACTIONS
        sums = dict.fromkeys(self._types, 0.0)
        for _ in range(tries):
            p.hands[p.turn] = sure | _drawn(belief, self._rng)
            n = legal(p, codes)
            if choice.code not in codes[:n]:
                continue  # such a hand could not have done so
            index = codes.index(choice.code)
            for name, likelihood in self._types.items():
                chance = likelihood(p, codes, n, choice.known, index) if n > 1 else 1.0
                sums[name] += chance * (1 - _SLIP) + _SLIP / n
        if not min(sums.values()):
            return dict.fromkeys(self._types, 1.0)  # as when it answers another card than the oldest
        return {name: total / tries for name, total in sums.items()}


def _drawn(belief: Belief, rng: list[int]) -> int:
    """Draw a hand's hidden cards from the pool."""
    drawn = 0
    last = belief.n_pool
    for _ in range(belief.missing[0]):
        last -= 1
        drawn |= 1 << draw_from(belief, last, rng)
    return drawn
