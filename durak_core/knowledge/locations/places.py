"""Where every card may be, as far as a seat can tell for certain: exact, and without listing deals.

`PublicPlaces` is what everybody knows, and everybody knows that everybody knows it: which cards lie
where in the open, which lie hidden, and how many hidden cards each hand and the talon have. A seat knows
its own hand besides; `SeatPlaces` is both together. A card may be in a place, here, if and only if some
deal that agrees with the public events and the seat's own cards has it there.

Public facts that count are the events themselves, who attacked first as the holder of the lowest trump
(rules 4.1) and, under forced play (5.8), what a pass or a take proves; besides, where that is assumed, that
defenders use their lowest card. That a deal with too many cards of a suit would have been void (3.4) does
not count.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from durak_core.cards import Card, CardSet
from durak_core.errors import KnowledgeError
from durak_core.game import events
from durak_core.game.events import Event
from durak_core.game.observation import Observation
from durak_core.kernel.bits import beating
from durak_core.knowledge.locations.first_attack import FirstAttack, dealt_to, spread_cases
from durak_core.knowledge.locations.forced import ForcedBout
from durak_core.knowledge.locations.hidden_hand import HiddenHand, spread

Place: TypeAlias = int | str
"""A seat's number for its hand, or one of the words below."""

TALON: Final = "talon"
"""The talon without the open card at its bottom."""
BOTTOM: Final = "bottom"
"""The bottom of the talon, where the trump card lies open (rules 3.2)."""
DISCARD: Final = "discard"
TABLE: Final = "table"


def all_places(seats: int) -> tuple[Place, ...]:
    """Return all places of a game, seats first."""
    return (*range(seats), TALON, BOTTOM, DISCARD, TABLE)


class PublicPlaces:
    """What everybody knows of the cards' places; `observe` changes it.

    Attributes:
        known: For each seat, the mask of cards that are publicly in its hand (rules 9.2).
        talon_known: Mask of the cards that are publicly in the talon, the bottom card left out.
        bottom: Mask of the open card at the talon's bottom, or 0.
        gone: Mask of the discard pile.
        hidden: Mask of the cards whose place is not public.
        hands: The hidden cards of each seat.
        talon_hidden: How many cards of the talon are hidden.
        first: What follows from who attacked first; None where nothing does, or not any more.
    """

    def __init__(self, observation: Observation, *, lowest: bool = False) -> None:
        """Take over what an observation says of the present; see `from_observation`."""
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
        self.lowest = lowest and is_dark
        self.trump_mask = observation.trump_mask
        self.first: FirstAttack | None = None

    @classmethod
    def from_observation(cls, observation: Observation, *, lowest: bool = False) -> PublicPlaces:
        """Return what an observation makes known to everybody.

        Args:
            observation: Any seat's. Its events tell who attacked first and, under forced play, what passes
                and takes have proved; an observation that was read from its text has no events, and that
                is lost.
            lowest: Whether all take for granted that a card is beaten with the lowest one that does, plain
                ones before trumps: whoever defends then held none that is lower.

        Raises:
            KnowledgeError: If the events cannot have happened, by what is granted.
        """
        places = cls(observation, lowest=lowest)
        first = FirstAttack.of(observation)
        more = places.bout is not None or places.lowest
        if (more or first is not None) and observation.events:
            places._go_back(observation, first)
            for event in observation.events:
                places.observe(event)
                if places.first is None and not more:
                    return cls(observation)  # the rest of the story tells nothing more than this
        return places

    def sizes(self) -> list[int]:
        return [cards.bit_count() + hand.size for cards, hand in zip(self.known, self.hands, strict=True)]

    @property
    def is_plain(self) -> bool:
        """Whether any hidden card may be in any hidden place, as far as everybody knows."""
        return self.first is None and not self.is_tied

    @property
    def is_tied(self) -> bool:
        """Whether it is public that some hand lacks some hidden card, by what its seat did."""
        acts = self.bout is not None or self.lowest
        return acts and any(hand.lacks(self.hidden) for hand in self.hands)

    def public(self, place: Place) -> int:
        """Return the mask of the cards that are publicly in a place, without counting what is hidden."""
        if isinstance(place, int):
            return self.known[place]
        return {TALON: self.talon_known, BOTTOM: self.bottom, DISCARD: self.gone, TABLE: self.table}[place]

    def spread(self, held: int = 0, seat: int | None = None, dealt: int = 0) -> list[int]:
        """Return where the hidden cards may be: a mask for each seat, and one for the talon.

        Args:
            held: Mask of all hidden cards that the seat below holds.
            seat: Whose view it is; None for a spectator's.
            dealt: Mask of the cards that were dealt to that seat.

        Raises:
            KnowledgeError: If no deal agrees with all that is known.
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
            return _lower_answers(event.card.number, event.target.number, self.trump_mask)
        if self.bout is None or not isinstance(event, events.Passed | events.TookUp):
            return 0
        return self.bout.lacking(event, self.sizes())

    def observe(self, event: Event) -> None:
        """Take in the next event, as anybody has seen it.

        Raises:
            KnowledgeError: If it cannot have happened.
        """
        match event:
            case events.Attacked(seat, card) | events.Defended(seat, card) | events.Transferred(seat, card):
                mask = card.mask
                self._name(seat, mask)
                self._bar(seat, self.lacking(event))
                self.known[seat] ^= mask
                self.table |= mask
            case events.TrumpShown(seat, card):
                self._name(seat, card.mask)
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
            case _:
                pass
        if self.bout is not None:
            self.bout.observe(event, self.sizes)

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
        if self.first is not None and self.hands[seat].lots_for(mask) == 1:
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
        """Return to before the first of an observation's events, which says who attacked first."""
        sizes = list(observation.hand_sizes)
        holder: int | None = None  # who had the trump card when its holder was first seen
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
        if not isinstance(other, PublicPlaces):
            return NotImplemented
        return vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]


def _lower_answers(card: int, target: int, trump_mask: int) -> int:
    """Return the mask of the cards that beat another one and are lower than this one, trumps last."""
    lower = (1 << card) - 1 & 0xFFFF << (card & 48)
    if trump_mask >> card & 1:
        lower |= ~trump_mask
    return beating(target, trump_mask) & lower


class SeatPlaces:
    """What one seat knows for certain of every card's place, and of what the others know."""

    __slots__ = ("_found", "dealt", "hand", "public", "seat")

    def __init__(self, seat: int, hand: CardSet, public: PublicPlaces, dealt: CardSet) -> None:
        """Take what everybody knows, and the cards that the seat holds and, where it counts, was dealt."""
        self.seat = seat
        self.hand = hand.mask
        self.dealt = dealt.mask if public.first else 0
        self.public = public
        self._found: list[int] | None = None

    @classmethod
    def from_observation(cls, observation: Observation, *, lowest: bool = False) -> SeatPlaces:
        """Return what a seat knows by its observation, as `PublicPlaces.from_observation` does."""
        public = PublicPlaces.from_observation(observation, lowest=lowest)
        dealt = dealt_to(observation) if public.first else CardSet()
        return cls(observation.seat, observation.hand, public, dealt)

    def observe(self, event: Event) -> None:
        """Take in the next event as this seat has seen it; its own draws name the cards.

        Raises:
            KnowledgeError: If it cannot have happened, or an own draw does not name its cards.
        """
        match event:
            case events.Attacked(seat, card) | events.Defended(seat, card) | events.Transferred(seat, card):
                if seat == self.seat:
                    self.hand &= ~card.mask
            case events.TableTaken(seat, cards):
                if seat == self.seat:
                    self.hand |= cards.mask
            case events.Drew(seat, _, drawn):
                if seat == self.seat:
                    if drawn is None:
                        raise KnowledgeError("seat {seat} has to be told which cards it drew", seat=seat)
                    for card in drawn:
                        self.hand |= card.mask
            case _:
                pass
        self.public.observe(event)
        if self.public.first is None:
            self.dealt = 0
        self._found = None

    def possible(self, place: Place) -> CardSet:
        """Return every card that may be in a place.

        Raises:
            KnowledgeError: If there is no such place, or no deal agrees with all that is known.
        """
        return CardSet(self._possible(place))

    def certain(self, place: Place) -> CardSet:
        """Return every card that is in a place for certain; errors as for `possible`."""
        here = self._possible(place)
        for other in all_places(self.public.seats):
            if other != place:
                here &= ~self._possible(other)
        return CardSet(here)

    def places_of(self, card: Card) -> tuple[Place, ...]:
        """Return all places where a card may be; one if the seat knows, none if it is not in the deck."""
        return tuple([p for p in all_places(self.public.seats) if self._possible(p) & card.mask])

    def knows_that_knows(self, other: int, card: Card, place: Place) -> bool | None:
        """Tell whether this seat knows that another seat, or it itself, knows a card to be in a place.

        Returns:
            The answer; None where rules 4.1 or forced play have left so much to combine that a model of all
            deals is needed to tell.
        """
        public = self.public
        if self.places_of(card) != (place,):
            return False
        if other in {place, self.seat} or not public.hidden & card.mask:
            return True  # one's own hand, one's own knowledge, or known to all
        room = [*[hand.size for hand in public.hands], public.talon_hidden]
        room[other] = 0
        if public.is_plain or sum([size > 0 for size in room]) == 1:
            return sum([size > 0 for size in room]) == 1
        return False if self._could_be_drawn(card) else None

    def _could_be_drawn(self, card: Card) -> bool:
        """Tell whether an own card might lie in the talon, for all that the others know.

        In the talon there are cards besides trumps, and one of them could have changed places with it.
        """
        public = self.public
        if public.first is None or public.is_tied or not self.hand & card.mask:
            return False
        trumps = public.first.trumps
        pool = public.hidden & ~self.hand
        own = self.dealt & trumps if public.first.seat == self.seat else 0
        return card.mask != own & -own and (pool & trumps).bit_count() < public.talon_hidden

    def known_to(self, other: int) -> CardSet:
        """Return the cards of which this seat knows that another one knows their place.

        Where `knows_that_knows` has no answer the card is left out.
        """
        found = 0
        for place in all_places(self.public.seats):
            for card in self.certain(place):
                if self.knows_that_knows(other, card, place):
                    found |= card.mask
        return CardSet(found)

    def _possible(self, place: Place) -> int:
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
        if not isinstance(other, SeatPlaces):
            return NotImplemented
        return (self.seat, self.hand, self.public, self.dealt) == (
            other.seat,
            other.hand,
            other.public,
            other.dealt,
        )

    __hash__ = None  # type: ignore[assignment]


class FollowedPlaces:
    """What one seat knows of the cards' places in the course of a game, without beginning anew each time."""

    def __init__(self) -> None:
        self._last: Observation | None = None
        self._places: SeatPlaces | None = None

    def of(self, observation: Observation) -> SeatPlaces:
        """Return what `SeatPlaces.from_observation` does; the next call changes it.

        An observation that does not go on from the one before counts as one of a new game.

        Raises:
            KnowledgeError: If the events cannot have happened.
        """
        places = self._continued(observation)
        if places is None or places.hand != observation.hand.mask:
            places = SeatPlaces.from_observation(observation)
        self._last, self._places = observation, places
        return places

    def _continued(self, observation: Observation) -> SeatPlaces | None:
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
    """Return what stays the same in a game."""
    return observation.seat, observation.rules, observation.trump_card


_WORDS: Final = (TALON, BOTTOM, DISCARD, TABLE)
