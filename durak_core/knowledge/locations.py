"""Possible card locations, by public knowledge and by each seat's knowledge.

`PublicLocations` is common knowledge: which cards are open or hidden, and the number of hidden cards in each
hand and the talon. `SeatLocations` adds a seat's hand. In both, a card may be in a location if and only if a
consistent deal has it there.

Public facts are the events, the first attacker's lowest trump (rules 4.1), what passes and takes prove under
forced play (rules 5.8) and, by the rules (5.10) or if assumed, that defenders use their lowest card. Void
deals with too many cards of a suit (rules 3.4) are not considered.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from durak_core.cards import Card, CardSet, as_card
from durak_core.errors import KnowledgeError
from durak_core.game import events
from durak_core.game.events import Event
from durak_core.game.observation import Observation
from durak_core.kernel.position import JOKER, JOKERS, RANK_COLUMN, beating, rank_mates
from durak_core.kernel.transition import JOKERS_BEAT
from durak_core.knowledge.hidden_hand import (
    FirstAttack,
    ForcedBout,
    HiddenHand,
    dealt_to,
    spread,
    spread_cases,
)

Location: TypeAlias = int | str
"""A seat's number for its hand, or one of the words below."""

TALON: Final = "talon"
"""The talon without the open card at its bottom."""
BOTTOM: Final = "bottom"
"""The bottom of the talon, where the trump card lies open (rules 3.2)."""
DISCARD: Final = "discard"
TABLE: Final = "table"


def all_locations(seats: int) -> tuple[Location, ...]:
    """Return all locations of a game, seats first."""
    return (*range(seats), TALON, BOTTOM, DISCARD, TABLE)


class PublicLocations:
    """Public knowledge of card locations; `observe` updates it.

    Attributes:
        known: For each seat, the mask of cards publicly in its hand (rules 9.2).
        talon_known: Mask of the cards publicly in the talon, without the bottom card.
        bottom: Mask of the open card at the talon's bottom, or 0.
        gone: Mask of the discard pile.
        hidden: Mask of the cards whose location is not public.
        hands: The hidden cards of each seat.
        talon_hidden: Number of hidden cards in the talon.
        first: Knowledge from the first attack; None if there is none or it is used up.
    """

    def __init__(self, observation: Observation, *, lowest: bool = False) -> None:
        """Start from an observation's present; see `from_observation`."""
        rules = observation.rules
        self.seats = rules.seats
        self.deck = rules.deck_mask
        self.table = observation.table_cards.mask
        self.gone = observation.gone.mask
        self.trump = 0 if observation.trump_card is None else observation.trump_card.mask
        self.bottom = self.trump if observation.talon_size else 0
        self.talon_known = 0
        self.known = [cards.mask for cards in observation.known]
        if observation.hands is not None:
            self.known = [cards.mask for cards in observation.hands]
        if observation.talon is not None:
            self.talon_known = CardSet.of(observation.talon).mask & ~self.bottom
        self.hands = [
            HiddenHand.of(size - cards.bit_count())
            for size, cards in zip(observation.hand_sizes, self.known, strict=True)
        ]
        self.talon_hidden = observation.talon_size - (self.talon_known | self.bottom).bit_count()
        self.hidden = self.deck & ~self._placed()
        is_dark = observation.hands is None
        self.bout = ForcedBout(observation) if rules.forced_play and is_dark else None
        self.lowest = (lowest or rules.lowest_card != "any") and is_dark
        self.lowest_attacks = rules.lowest_card == "always" and is_dark
        self.trump_mask = observation.trump_mask
        self.ace_beaters = observation.ace_beaters
        self.jokers = JOKERS_BEAT[rules.jokers]
        self.first: FirstAttack | None = None

    @classmethod
    def from_observation(cls, observation: Observation, *, lowest: bool = False) -> PublicLocations:
        """Return the public knowledge of an observation.

        Args:
            observation: An observation of any seat. Its events show the first attacker and, under forced
                play, what passes and takes prove. Observations read from text have no events.
            lowest: Whether it is common knowledge that defenders use the lowest card that works, non-trumps
                before trumps, as always under rules 5.10. Each defence then proves that the hand lacked lower
                ones.

        Raises:
            KnowledgeError: If the events are impossible under these assumptions.
        """
        places = cls(observation, lowest=lowest)
        first = FirstAttack.of(observation)
        more = places.bout is not None or places.lowest
        if (more or first is not None) and observation.events:
            places._go_back(observation, first)
            for event in observation.events:
                places.observe(event)
                if places.first is None and not more:
                    return cls(observation)  # the other events add nothing
        return places

    def sizes(self) -> list[int]:
        return [cards.bit_count() + hand.size for cards, hand in zip(self.known, self.hands, strict=True)]

    @property
    def is_plain(self) -> bool:
        """Whether any hidden card may publicly be in any hidden location."""
        return self.first is None and not self.is_tied

    @property
    def is_tied(self) -> bool:
        """Whether a seat's actions prove publicly that it lacks a hidden card."""
        acts = self.bout is not None or self.lowest
        return acts and any(hand.lacks(self.hidden) for hand in self.hands)

    def public(self, place: Location) -> int:
        """Return the mask of the cards publicly in a location, without hidden ones."""
        if isinstance(place, int):
            return self.known[place]
        return {TALON: self.talon_known, BOTTOM: self.bottom, DISCARD: self.gone, TABLE: self.table}[place]

    def spread(self, held: int = 0, seat: int | None = None, dealt: int = 0) -> list[int]:
        """Return the possible locations of the hidden cards: a mask for each seat, and one for the talon.

        ``seat`` is the observer (None for a spectator), ``held`` masks its hidden cards, ``dealt`` those
        dealt to it. Raises `KnowledgeError` if no deal is consistent.
        """
        pool = self.hidden & ~held
        hands = [*self.hands, HiddenHand.of(self.talon_hidden)]
        if seat is not None:
            hands[seat] = HiddenHand()
        if self.first is None:
            result = spread(hands, pool)
        else:
            result = spread_cases(self.first, hands, pool, seat, dealt)
        if seat is not None:
            result[seat] = held
        return result

    def lacking(self, event: Event) -> int:
        """Return the mask of cards that a seat cannot hold after an event that is not observed yet."""
        if self.lowest and isinstance(event, events.Defended):
            fitting = beating(event.target.number, self.trump_mask, self.ace_beaters, self.jokers)
            return _lower(event.card.number, fitting, self.trump_mask)
        if self.lowest_attacks and isinstance(event, events.Attacked):
            fitting = rank_mates(self.table) if self.table else self.deck
            return _lower(event.card.number, fitting, self.trump_mask)
        if self.bout is None or not isinstance(event, events.Passed | events.TookUp):
            return 0
        return self.bout.lacking(event, self.sizes())

    def observe(self, event: Event) -> None:
        """Update with the next public event; `KnowledgeError` if it is impossible."""
        match event:
            case events.Attacked(seat, card) | events.Defended(seat, card) | events.Transferred(seat, card):
                mask = card.mask
                self._name(seat, mask)
                self._bar(seat, self.lacking(event))
                self.known[seat] ^= mask
                self.table |= mask
            case events.TrumpShown(seat, card):
                self._name(seat, card.mask)
            case events.Exchanged(seat, given, taken):
                self._name(seat, given.mask)
                self.known[seat] ^= given.mask | taken.mask
                self.trump = self.bottom = given.mask
            case events.Drew():
                self._draw(event)
            case events.TableTaken(seat, cards):
                self.known[seat] |= cards.mask
                self.table = 0
            case events.BeatenOff(_, cards):
                self.gone |= cards.mask
                self.table = 0
            case events.Passed(seat) | events.TookUp(seat) if self.bout is not None:
                self._bar(seat, self.lacking(event))
            case events.BoutBegan() if self.first is not None and self.first.is_told(self.hands, self.hidden):
                self.first = None
                self.hands = [hand.forgotten(self.hidden) for hand in self.hands]
        if self.bout is not None:
            self.bout.observe(event, self.sizes, self.gone)

    def _bar(self, seat: int, lacking: int) -> None:
        if lacking & self.hidden:
            self.hands[seat] = self.hands[seat].barred(lacking & self.hidden)

    def _name(self, seat: int, mask: int) -> None:
        if self.known[seat] & mask:
            return
        if not self.hidden & mask:
            raise KnowledgeError(
                "seat {seat} cannot hold {cards}: it is known to lie elsewhere",
                seat=seat,
                cards=CardSet(mask),
            )
        if self.first is not None and self.hands[seat].draw_batches_for(mask) == 1:
            self.first = self.first.seen(seat, mask)
        self.hands[seat] = self.hands[seat].without(mask)
        self.hidden ^= mask
        self.known[seat] |= mask

    def _draw(self, event: events.Drew) -> None:
        seat, count = event.seat, event.count
        open_cards = self.bottom if event.trump else 0
        if event.cards is not None and self.talon_known:
            open_cards |= CardSet.of(event.cards).mask & self.talon_known
        self.known[seat] |= open_cards
        self.talon_known &= ~open_cards
        self.bottom &= ~open_cards
        count -= open_cards.bit_count()
        if count > self.talon_hidden:
            raise KnowledgeError(
                "seat {seat} cannot draw {count} cards: the talon has not so many",
                seat=seat,
                count=event.count,
            )
        if count:
            self.talon_hidden -= count
            self.hands[seat] = self.hands[seat].drawn(count, self.hidden)

    def _placed(self) -> int:
        mask = self.table | self.gone | self.bottom | self.talon_known
        for cards in self.known:
            mask |= cards
        return mask

    def _go_back(self, observation: Observation, first: FirstAttack | None) -> None:
        """Rewind to before the observation's first event, which shows the first attacker."""
        sizes = list(observation.hand_sizes)
        holder: int | None = None  # seat that first showed the trump card
        drawn = 0
        for event in reversed(observation.events):
            if isinstance(event, events.Attacked | events.Defended | events.Transferred):
                sizes[event.seat] += 1
                holder = event.seat if event.card.mask == self.trump else holder
            elif isinstance(event, events.TableTaken):
                sizes[event.seat] -= len(event.cards)
            elif isinstance(event, events.Drew):
                sizes[event.seat] -= event.count
                drawn += event.count
            elif isinstance(event, events.BeatenOff):
                self.gone &= ~event.cards.mask
            elif isinstance(event, events.Exchanged):
                self.trump = event.taken.mask
        talon_size = observation.talon_size + drawn
        if holder is None:
            holder = next((seat for seat, cards in enumerate(self.known) if cards & self.trump), None)
        self.table = 0
        self.bottom = self.trump if talon_size else 0
        self.known = [0] * self.seats
        if not talon_size and holder is not None:
            self.known[holder] = self.trump
        laid = HiddenHand.of if first is None else HiddenHand.of_deal
        self.hands = [laid(size - cards.bit_count()) for size, cards in zip(sizes, self.known, strict=True)]
        if first is not None and holder is not None and not talon_size:
            first = first.seen(holder, self.trump)
        self.first = first
        self.talon_hidden = talon_size - self.bottom.bit_count()
        self.hidden = self.deck & ~self._placed()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PublicLocations):
            return NotImplemented
        return vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]


def _lower(card: int, fitting: int, trump_mask: int) -> int:
    """Return the fitting cards that must be played before a card (rules 5.10)."""
    if card & 15 == JOKER:
        return fitting & ~JOKERS
    lower = fitting & ((1 << (card & 15)) - 1) * RANK_COLUMN
    if trump_mask >> card & 1:
        return lower | fitting & ~(trump_mask | JOKERS)
    return lower & ~trump_mask


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
