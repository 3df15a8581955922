"""Deals that are as likely as the choices of the others make them, by importance resampling.

`sample_deal` holds all hands equally likely that agree with what is known for certain. But who passed
would more often have thrown in with a card that fits, and who beat with a trump had hardly a lower card.
Here many such deals are drawn and weighed by how likely players of these types would have chosen, in the
whole game so far, what was chosen; then deals are drawn from them in proportion to their weights.

What a hand was some choices ago follows backwards from what it is: cards played since come back, cards
taken since go, and so do as many hidden ones as were drawn since, any of them equally likely.

Source: N. J. Gordon, D. J. Salmond and A. F. M. Smith, "Novel approach to nonlinear/non-Gaussian
Bayesian state estimation", IEE Proceedings F 140 (1993), for weighing and drawing again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, MutableSequence, Sequence
from dataclasses import dataclass

from durak_core.game.observation import Observation
from durak_core.kernel.bits import lowest_bit
from durak_core.kernel.codes import KIND_SHOW_TRUMP, card_mask_of, kind_of
from durak_core.kernel.position import Position, copy_position
from durak_core.kernel.random import next_random, random_below
from durak_core.knowledge.belief import belief_of
from durak_core.knowledge.opponents.decision_points import ObservedChoice
from durak_core.knowledge.sampling import Belief, sample_deal

ChanceOf = Callable[[ObservedChoice, int], float]
"""How likely a choice is with a hand, given as a mask."""


@dataclass(frozen=True, slots=True)
class DealPool:
    """Deals of the other hands, all equally likely; the rest of the hidden cards lies in the talon.

    Attributes:
        positions: What is known, with all hands; the talon's hidden cards are left out.
        beliefs: For each of them, what is hidden in the talon.
        effective: The effective sample size; a small one means that few deals carry most of the weight.
    """

    positions: Sequence[Position]
    beliefs: Sequence[Belief]
    effective: float


def likely_deals(
    observation: Observation,
    choices: Sequence[ObservedChoice],
    chance: ChanceOf,
    rng: MutableSequence[int],
    sizes: tuple[int, int],
) -> DealPool | None:
    """Draw deals in proportion to how likely they make what the others chose in this game, in order.

    ``sizes`` is how many deals are weighed, and how many of them are drawn, with repetitions. None where
    there is nothing to be weighed.
    """
    root, belief = belief_of(observation)
    if not any(belief.missing) or not choices:
        return None
    weighed, drawn = sizes
    known = [hand.mask for hand in observation.known]
    deals = []
    weights = []
    for _ in range(weighed):
        deal = copy_position(root)
        sample_deal(deal, root, belief, rng)
        deals.append(deal.hands)
        weights.append(_weight(deal.hands, known, choices, chance, rng))
    most = max(weights)
    shares = [math.exp(weight - most) for weight in weights]
    total = sum(shares)
    picked = _systematic(shares, drawn, rng)
    pairs = [_deal_of(root, belief, deals[place]) for place in picked]
    return DealPool(
        [position for position, _ in pairs],
        [rest for _, rest in pairs],
        total**2 / sum([share**2 for share in shares]),
    )


def _weight(
    hands: Sequence[int],
    known: Sequence[int],
    choices: Sequence[ObservedChoice],
    chance: ChanceOf,
    rng: MutableSequence[int],
) -> float:
    """Return the logarithm of how likely hands make the choices; ``known`` are cards known to be in them."""
    now = list(hands)
    sure = list(known)
    total = 0.0
    for choice in reversed(choices):
        seat = choice.position.turn
        now[seat] = _hand_before(now[seat], sure[seat], choice, rng)
        sure[seat] = choice.known[seat]
        total += math.log(chance(choice, now[seat]))
    return total


def _hand_before(hand: int, known: int, choice: ObservedChoice, rng: MutableSequence[int]) -> int:
    """Return what a hand may have been at a choice, of which all then knew some cards.

    ``hand`` is what it was at the seat's next choice, or is now.
    """
    seat = choice.position.turn
    before = choice.known[seat]
    played = card_mask_of(choice.code)
    shown = played if kind_of(choice.code) == KIND_SHOW_TRUMP else 0
    hand = hand & ~(known & ~before & ~shown) | played | before
    loose = hand & ~before & ~played
    for _ in range(hand.bit_count() - choice.position.hands[seat].bit_count()):
        if loose:
            gone = _any_card(loose, rng)
            loose &= ~gone
            hand &= ~gone
    return hand


def _any_card(mask: int, rng: MutableSequence[int]) -> int:
    """Return one card of a mask that is not empty, as a mask."""
    for _ in range(random_below(rng, mask.bit_count())):
        mask &= mask - 1
    return 1 << lowest_bit(mask)


def _systematic(shares: Sequence[float], count: int, rng: MutableSequence[int]) -> list[int]:
    """Return places drawn in proportion to their shares, with the least scatter."""
    step = sum(shares) / count
    at = step * next_random(rng) / (1 << 32)
    picked: list[int] = []
    summed = 0.0
    for place, share in enumerate(shares):
        summed += share
        while len(picked) < count and at < summed:
            picked.append(place)
            at += step
    picked += [len(shares) - 1] * (count - len(picked))
    return picked


def _deal_of(root: Position, belief: Belief, hands: Sequence[int]) -> tuple[Position, Belief]:
    """Return what is known with these hands, and a belief that leaves the talon open."""
    position = copy_position(root)
    held = 0
    for seat in range(root.seats):
        position.hands[seat] = hands[seat]
        held |= hands[seat]
    numbers = [number for number in belief.pool[: belief.n_pool] if not held >> number & 1]
    rest = Belief(n_pool=len(numbers), talon_from=belief.talon_from, talon_to=belief.talon_to)
    rest.pool[: len(numbers)] = numbers
    return position, rest
