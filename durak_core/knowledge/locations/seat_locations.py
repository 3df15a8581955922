"""Possible card locations from one seat's view: public knowledge plus its own hand."""

from __future__ import annotations

from typing import Final

from durak_core.cards import Card, CardSet, as_card
from durak_core.errors import KnowledgeError
from durak_core.game import events
from durak_core.game.events import Event
from durak_core.game.observation import Observation
from durak_core.knowledge.locations.first_attack import dealt_to
from durak_core.knowledge.locations.public_locations import (
    BOTTOM,
    DISCARD,
    TABLE,
    TALON,
    Location,
    PublicLocations,
    all_locations,
)

_WORDS: Final = (TALON, BOTTOM, DISCARD, TABLE)


class SeatLocations:
    """One seat's certain knowledge of card locations, and of what the others know."""

    __slots__ = ("_found", "dealt", "hand", "public", "seat")

    def __init__(self, seat: int, hand: CardSet, public: PublicLocations, dealt: CardSet) -> None:
        """Combine public knowledge with the seat's cards and, under rules 4.1, those dealt to it."""
        self.seat = seat
        self.hand = hand.mask
        self.dealt = dealt.mask if public.first else 0
        self.public = public
        self._found: list[int] | None = None

    @classmethod
    def from_observation(cls, observation: Observation, *, lowest: bool = False) -> SeatLocations:
        """Return a seat's knowledge; see `PublicLocations.from_observation`."""
        public = PublicLocations.from_observation(observation, lowest=lowest)
        dealt = dealt_to(observation) if public.first else CardSet()
        return cls(observation.seat, observation.hand, public, dealt)

    def observe(self, event: Event) -> None:
        """Update with the next event; `KnowledgeError` if it is impossible or an own draw names no cards."""
        if getattr(event, "seat", None) == self.seat:
            self._change_hand(event)
        self.public.observe(event)
        if self.public.first is None:
            self.dealt = 0
        self._found = None

    def _change_hand(self, event: Event) -> None:
        match event:
            case events.Attacked(_, card) | events.Defended(_, card) | events.Transferred(_, card):
                self.hand &= ~card.mask
            case events.Exchanged(_, given, taken):
                self.hand ^= given.mask | taken.mask
            case events.TableTaken(_, cards):
                self.hand |= cards.mask
            case events.Drew(seat, _, None):
                raise KnowledgeError("seat {seat} has to know the cards it drew", seat=seat)
            case events.Drew(_, _, drawn):
                self.hand |= CardSet.of(drawn or ()).mask
            case _:
                pass

    def possible(self, place: Location) -> CardSet:
        """Return every card that may be in a location.

        Raises:
            KnowledgeError: If there is no such location, or no deal is consistent.
        """
        return CardSet(self._possible(place))

    def certain(self, place: Location) -> CardSet:
        """Return every card that is certainly in a location; raises as `possible` does."""
        here = self._possible(place)
        for other in all_locations(self.public.seats):
            if other != place:
                here &= ~self._possible(other)
        return CardSet(here)

    def places_of(self, card: Card | str) -> tuple[Location, ...]:
        """Return all possible locations of a card; none if it is not in the deck."""
        mask = as_card(card).mask
        return tuple([p for p in all_locations(self.public.seats) if self._possible(p) & mask])

    def knows_that_knows(self, other: int, card: Card | str, place: Location) -> bool | None:
        """Return whether this seat knows that a seat, possibly itself, knows a card's location.

        None if rules 4.1 or forced play leave cases that only a model of all deals can decide.
        """
        public = self.public
        card = as_card(card)
        if self.places_of(card) != (place,):
            return False
        if other in {place, self.seat} or not public.hidden & card.mask:
            return True  # own hand, own knowledge, or public
        room = [*[hand.size for hand in public.hands], public.talon_hidden]
        room[other] = 0
        if public.is_plain or sum([size > 0 for size in room]) == 1:
            return sum([size > 0 for size in room]) == 1
        return False if self._could_be_drawn(card) else None

    def _could_be_drawn(self, card: Card) -> bool:
        """Return whether, to the others, an own card might have traded places with one of the talon."""
        public = self.public
        if public.first is None or public.is_tied or not self.hand & card.mask:
            return False
        trumps = public.first.trumps
        pool = public.hidden & ~self.hand
        own = self.dealt & trumps if public.first.seat == self.seat else 0
        return card.mask != own & -own and (pool & trumps).bit_count() < public.talon_hidden

    def known_to(self, other: int) -> CardSet:
        """Return the cards this seat knows another seat can locate, as far as `knows_that_knows` decides."""
        found = 0
        for place in all_locations(self.public.seats):
            for card in self.certain(place):
                if self.knows_that_knows(other, card, place):
                    found |= card.mask
        return CardSet(found)

    def _possible(self, place: Location) -> int:
        public = self.public
        if place == self.seat:
            return self.hand
        if self._found is None:
            self._found = public.spread(self.hand & public.hidden, self.seat, self.dealt)
        if isinstance(place, int):
            if not 0 <= place < public.seats:
                raise KnowledgeError(
                    "there is no seat {place}: expected 0 to {last}", place=place, last=public.seats - 1
                )
            return public.known[place] | self._found[place]
        if place == TALON:
            return public.talon_known | self._found[public.seats]
        if place not in _WORDS:
            raise KnowledgeError(
                "there is no place {place!r}: expected a seat or one of {words}",
                place=place,
                words=", ".join(_WORDS),
            )
        return public.public(place)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SeatLocations):
            return NotImplemented
        return (self.seat, self.hand, self.public, self.dealt) == (
            other.seat,
            other.hand,
            other.public,
            other.dealt,
        )

    __hash__ = None  # type: ignore[assignment]


class FollowedLocations:
    """One seat's knowledge of card locations, updated incrementally during a game."""

    def __init__(self) -> None:
        self._last: Observation | None = None
        self._places: SeatLocations | None = None

    def of(self, observation: Observation) -> SeatLocations:
        """Return the same as `SeatLocations.from_observation`; the next call changes it.

        An observation that does not continue the previous one starts a new game. Raises `KnowledgeError` for
        impossible events.
        """
        places = self._continued(observation)
        seen = observation.hand.mask, observation.trump_card.mask if observation.trump_card else 0
        if places is None or (places.hand, places.public.trump) != seen:
            places = SeatLocations.from_observation(observation)
        self._last, self._places = observation, places
        return places

    def _continued(self, observation: Observation) -> SeatLocations | None:
        last, places = self._last, self._places
        self._last = self._places = None
        if last is None or places is None or _deal(last) != _deal(observation):
            return None
        before = len(last.events)
        if observation.events[:before] != last.events:
            return None
        for event in observation.events[before:]:
            places.observe(event)
        return places


def _deal(observation: Observation) -> tuple[object, ...]:
    """Return what does not change within a game."""
    return observation.seat, observation.rules, observation.trump_suit
