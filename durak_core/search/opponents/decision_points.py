"""The others' choices between two of a seat's own decisions, with the seat's knowledge before each one.

Events are replayed by the kernel on a deal consistent with the seat's knowledge. A card played from elsewhere
trades places with a hidden card of the player's hand, and so do the seat's own draws. The seat cannot tell
these deals apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableSequence
from dataclasses import dataclass
from itertools import takewhile

from durak_core.actions import Action, encode
from durak_core.cards import CardSet
from durak_core.game.event_log import EventLog
from durak_core.game.events import ActionEvent, Drew, Event, Exchanged, TableTaken, TrumpShown, action_of
from durak_core.game.observation import Observation
from durak_core.kernel.bits import lowest_bit
from durak_core.kernel.legal import card_used, face_up_card
from durak_core.kernel.position import Position, copy_position
from durak_core.kernel.transition import apply
from durak_core.knowledge.belief import belief_of
from durak_core.knowledge.locations.seat_locations import SeatLocations
from durak_core.knowledge.sampling import sample_deal
from durak_core.search.policies.expert import unseen_cards


@dataclass(frozen=True, slots=True)
class ObservedChoice:
    """A seat's choice, and an observer's knowledge just before it."""

    position: Position  # consistent with the observer's knowledge
    known: tuple[int, ...]  # masks of cards publicly in each hand
    hidden: int  # mask of cards the observer could not locate
    code: int  # choice of the seat to act


def choice_of(observation: Observation, action: Action, rng: MutableSequence[int]) -> ObservedChoice:
    """Return a choice of the seat to act with another seat's knowledge."""
    position = _agreeing_deal(observation, rng, SeatLocations.from_observation)
    known = tuple([hand.mask for hand in observation.known])
    return ObservedChoice(position, known, _hidden(position, observation, known), encode(action))


def choices_between(
    before: Observation,
    after: Observation,
    rng: MutableSequence[int],
    places_of: Callable[[Observation], SeatLocations] = SeatLocations.from_observation,
) -> Iterator[ObservedChoice]:
    """Yield the others' choices between two decisions of a seat, in order; none without events of one game.

    ``places_of`` locates the first observation's cards, as for `durak_core.knowledge.belief.belief_of`.
    """
    logged = len(before.events)
    if not logged or len(after.events) <= logged or after.events[logged - 1] != before.events[-1]:
        return
    p = _agreeing_deal(before, rng, places_of)
    known = tuple([hand.mask for hand in before.known])
    own = before.hand.mask
    for place in range(logged, len(after.events)):
        event = after.events[place]
        if not isinstance(event, ActionEvent):
            continue
        code = encode(action_of(event))
        bit = card_used(p, code)
        if p.turn == before.seat:
            own &= -1 if isinstance(event, TrumpShown) else ~bit
            own |= face_up_card(p) if isinstance(event, Exchanged) else 0
        else:
            hidden = _hidden(p, before, known)
            if bit and not _give(p, p.turn, bit, hidden):
                return
            yield ObservedChoice(copy_position(p), known, hidden, code)
        earlier = copy_position(p)
        apply(p, code)
        known = EventLog.empty(known, is_open=False).after(earlier, code, p).known
        for news in takewhile(lambda event: not isinstance(event, ActionEvent), after.events[place + 1 :]):
            own |= _gained(news, before.seat)
        _put_right(p, before.seat, own)


def _agreeing_deal(
    observation: Observation, rng: MutableSequence[int], places_of: Callable[[Observation], SeatLocations]
) -> Position:
    root, belief = belief_of(observation, places_of)
    position = copy_position(root)
    sample_deal(position, root, belief, rng)
    return position


def _hidden(p: Position, observation: Observation, known: tuple[int, ...]) -> int:
    """Return the cards that the observer cannot locate in a position of its game."""
    if observation.hands is not None:
        return 0
    hidden = unseen_cards(p, observation.seat)
    for mask in known:
        hidden &= ~mask
    return hidden


def _give(p: Position, seat: int, bit: int, hidden: int) -> bool:
    """Put a card into a hand, in exchange for a hidden one; return whether that is possible."""
    if p.hands[seat] & bit:
        return True
    spare = p.hands[seat] & hidden
    if not spare or not bit & hidden:
        return False
    _exchange(p, lowest_bit(bit), lowest_bit(spare))
    return True


def _put_right(p: Position, seat: int, own: int) -> None:
    """Exchange the cards drawn in the simulated deal for those drawn in the game."""
    wrong = p.hands[seat] & ~own
    missing = own & ~p.hands[seat]
    while wrong and missing:
        _exchange(p, lowest_bit(missing), lowest_bit(wrong))
        wrong &= wrong - 1
        missing &= missing - 1


def _exchange(p: Position, one: int, other: int) -> None:
    both = 1 << one | 1 << other
    for seat in range(p.seats):
        if (p.hands[seat] & both).bit_count() == 1:
            p.hands[seat] ^= both
    for place in range(p.drawn, p.deck_size):
        if p.deck[place] == one:
            p.deck[place] = other
        elif p.deck[place] == other:
            p.deck[place] = one


def _gained(event: Event, seat: int) -> int:
    match event:
        case Drew(drawing, _, cards, _) if drawing == seat and cards is not None:
            return CardSet.of(cards).mask
        case TableTaken(taking, cards) if taking == seat:
            return cards.mask
        case _:
            return 0
