"""The known position and the hidden cards of an observation.

All deals consistent with the observation are equally likely. Hidden cards may be in any hidden location,
except that no trump below the first attacker's was dealt (rules 4.1). A deal is then described by how many of
each hand's hidden cards were dealt. Each number is weighted by the ways in which cards that left the hand can
have come into it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from math import factorial, perm
from typing import Final

from durak_core.errors import KnowledgeError
from durak_core.game.observation import Observation
from durak_core.kernel.position import MAX_SEATS, Position
from durak_core.knowledge.certain import unseen_cards
from durak_core.knowledge.locations.first_attack import FirstAttack, Lowest
from durak_core.knowledge.locations.hidden_hand import HiddenHand
from durak_core.knowledge.locations.seat_locations import SeatLocations
from durak_core.knowledge.sampling import MAX_CASES, Belief
from durak_core.knowledge.visible import visible_position

_WHOLE: Final = 1 << 30
"""Sum of the weights of all cases in a `Belief`."""


def belief_of(
    observation: Observation,
    places_of: Callable[[Observation], SeatLocations] = SeatLocations.from_observation,
) -> tuple[Position, Belief]:
    """Return the position without hidden cards, and the hidden cards.

    ``places_of`` locates the cards; `FollowedLocations.of` is faster during a game. Raises `KnowledgeError`
    if the events do not lead to the observation.
    """
    p = visible_position(observation)
    belief = Belief()
    hidden = unseen_cards(observation).mask
    for seat in range(observation.rules.seats):
        hidden &= ~p.hands[seat]
        belief.missing[seat] = observation.hand_sizes[seat] - p.hands[seat].bit_count()
    numbers = [card.number for card in observation.rules.deck if hidden >> card.number & 1]
    belief.n_pool = len(numbers)
    belief.pool[: len(numbers)] = numbers
    if observation.talon is None:
        bottom = 1 if observation.trump_card is not None and observation.talon_size else 0
        belief.talon_from, belief.talon_to = p.drawn, p.deck_size - bottom
    if hidden & observation.trump_mask and FirstAttack.of(observation):
        _add_cases(belief, hidden, observation, places_of(observation))
    return p, belief


@dataclass(frozen=True, slots=True)
class _Case:
    """A possible deal: its weight and the fields of a `Belief` case."""

    weight: int
    held: int
    low: int
    dealt: tuple[int, ...]


def _add_cases(belief: Belief, hidden: int, observation: Observation, places: SeatLocations) -> None:
    first = places.public.first
    found = (tuple(places.public.sizes()), places.public.hidden & ~places.hand)
    if found != (observation.hand_sizes, hidden):
        raise KnowledgeError("the events do not lead to what is observed: expected the events of one game")
    if first is None:
        return
    hands = list(places.public.hands)
    hands[observation.seat] = HiddenHand()
    cases: list[_Case] = []
    for lowest, narrowed in first.cases(hands, hidden, observation.seat, places.dealt):
        cases += _cases(lowest, hands, narrowed, hidden, first)
    cases = sorted(cases, key=lambda case: case.weight, reverse=True)[:MAX_CASES]
    if all(case.held == case.low == 0 for case in cases):
        return
    total = sum([case.weight for case in cases])
    belief.n_cases = len(cases)
    belief.first = MAX_SEATS if first.seat is None else first.seat
    for i, (until, case) in enumerate(zip(accumulate([case.weight for case in cases]), cases, strict=True)):
        belief.until[i] = until * _WHOLE // total
        belief.held[i] = case.held
        belief.low[i] = case.low
        belief.dealt[i * MAX_SEATS : i * MAX_SEATS + len(case.dealt)] = case.dealt
    numbers = belief.pool[: belief.n_pool]
    belief.order[: belief.n_pool] = sorted(numbers, key=lambda n: (not first.trumps >> n & 1, n))


def _cases(
    lowest: Lowest, hands: list[HiddenHand], narrowed: list[HiddenHand], hidden: int, first: FirstAttack
) -> Iterator[_Case]:
    """Yield the deals with a lowest trump, weighted by the arrangements of hidden and departed cards."""
    low = (hidden & lowest.below).bit_count()
    held = (lowest.card & hidden).bit_length() - 1 if lowest.card & hidden else 0
    left = hidden.bit_count() - (held > 0)
    rows: list[tuple[int, tuple[int, ...]]] = [(1, ())]
    for seat, (before, hand) in enumerate(zip(hands, narrowed, strict=True)):
        is_held = seat == first.seat and before.draw_batches and not lowest.card & first.dealt[seat]
        room = before.draw_batches[0][0] if is_held else 1
        ways = _ways(hand) if hand.draw_batches else {0: 1}
        if not low:
            ways = {0: sum(ways.values())}
        rows = [(weight * n * room, (*dealt, count)) for weight, dealt in rows for count, n in ways.items()]
        rows = sorted(rows, reverse=True)[:MAX_CASES]
    for weight, dealt in rows:
        total = weight * perm(left - sum(dealt), low) * factorial(left - low)
        if total:
            yield _Case(total, held, low, dealt)


def _ways(hand: HiddenHand) -> dict[int, int]:
    """Return the number of ways for each number of a hand's hidden cards that were dealt."""
    rooms = list(accumulate([count for count, _ in hand.draw_batches[1:]], initial=0))
    ways = {hand.draw_batches[0][0]: 1}
    for gone, (_, bits) in enumerate(hand.loose):
        after: dict[int, int] = {}
        for left, n in ways.items():
            from_deal = hand.draw_batches[0][0] - left
            room = rooms[bits.bit_length() - 1] - (gone - from_deal)
            if bits & 1 and left:
                after[left - 1] = after.get(left - 1, 0) + n * left
            if room > 0:
                after[left] = after.get(left, 0) + n * room
        ways = after
    return ways
