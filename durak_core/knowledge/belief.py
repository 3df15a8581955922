"""From an observation to the position as far as it is known, and the cards that are hidden in it.

All deals that could have led to the observation are held equally likely, so any hidden card may be in any
hidden place, but for what rules 4.1 say of the trumps that were dealt. What matters of a deal then is how
many of the hidden cards in each hand were dealt to it, for these are no trumps below the lowest. What each
number is worth follows from the ways in which the cards that have left a hand may have come into it.
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
from durak_core.knowledge.locations.seat_places import SeatPlaces
from durak_core.knowledge.sampling import MAX_CASES, Belief
from durak_core.knowledge.visible import visible_position

_WHOLE: Final = 1 << 30
"""What the weights of all cases sum up to in a `Belief`."""


def belief_of(
    observation: Observation, places_of: Callable[[Observation], SeatPlaces] = SeatPlaces.from_observation
) -> tuple[Position, Belief]:
    """Return the position with hidden cards left out of hands and talon, and the hidden cards.

    Args:
        observation: Any seat's.
        places_of: What tells where every card may be; `FollowedPlaces.of` does so in a shorter time.

    Raises:
        KnowledgeError: If the observation's events do not lead to it.
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
    """How the deal may have been: a weight, and what `Belief` says of a case."""

    weight: int
    held: int
    low: int
    dealt: tuple[int, ...]


def _add_cases(belief: Belief, hidden: int, observation: Observation, places: SeatPlaces) -> None:
    first = places.public.first
    found = (tuple(places.public.sizes()), places.public.hidden & ~places.hand)
    if found != (observation.hand_sizes, hidden):
        raise KnowledgeError("the events do not lead to what is observed: expected those of one game")
    if first is None:
        return
    hands = list(places.public.hands)
    hands[observation.seat] = HiddenHand()
    cases: list[_Case] = []
    for lowest, narrowed in first.cases(hands, hidden, observation.seat, places.dealt):
        cases += _cases(lowest, hands, narrowed, hidden, first)
    cases = _heaviest(cases)
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
    """Yield the ways in which the hidden cards may have been dealt, with this lowest trump.

    A weight is the number of ways to lay the hidden cards, and those that have left the hands, where they
    were when they came.
    """
    low = (hidden & lowest.below).bit_count()
    held = (lowest.card & hidden).bit_length() - 1 if lowest.card & hidden else 0
    left = hidden.bit_count() - (held > 0)
    rows: list[tuple[int, tuple[int, ...]]] = [(1, ())]
    for seat, (before, hand) in enumerate(zip(hands, narrowed, strict=True)):
        is_held = seat == first.seat and before.lots and not lowest.card & first.dealt[seat]
        room = before.lots[0][0] if is_held else 1
        ways = _ways(hand) if hand.lots else {0: 1}
        if not low:
            ways = {0: sum(ways.values())}
        rows = [(weight * n * room, (*dealt, count)) for weight, dealt in rows for count, n in ways.items()]
        rows = sorted(rows, reverse=True)[:MAX_CASES]
    for weight, dealt in rows:
        total = weight * perm(left - sum(dealt), low) * factorial(left - low)
        if total:
            yield _Case(total, held, low, dealt)


def _ways(hand: HiddenHand) -> dict[int, int]:
    """Return for how many of a hand's hidden cards may have been dealt, in how many ways that is so.

    Cards that have left it took the place of one of those dealt or drawn before, one after the other.
    """
    rooms = list(accumulate([count for count, _ in hand.lots[1:]], initial=0))
    ways = {hand.lots[0][0]: 1}
    for gone, (_, bits) in enumerate(hand.loose):
        after: dict[int, int] = {}
        for left, n in ways.items():
            from_deal = hand.lots[0][0] - left
            room = rooms[bits.bit_length() - 1] - (gone - from_deal)
            if bits & 1 and left:
                after[left - 1] = after.get(left - 1, 0) + n * left
            if room > 0:
                after[left] = after.get(left, 0) + n * room
        ways = after
    return ways


def _heaviest(cases: list[_Case]) -> list[_Case]:
    """Return as many cases as a `Belief` has room for; those left out are rarer than any of them."""
    return sorted(cases, key=lambda case: case.weight, reverse=True)[:MAX_CASES]
