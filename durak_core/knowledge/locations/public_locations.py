"""Possible card locations by public knowledge: exact, without enumerating deals.

`PublicLocations` is common knowledge: which cards are open or hidden, and the number of hidden cards in each
hand and the talon. `SeatLocations` adds a seat's hand. In both, a card may be in a location if and only if a
consistent deal has it there.

Public facts are the events, the first attacker's lowest trump (rules 4.1), what passes and takes prove under
forced play (rules 5.8) and, by the rules (5.10) or if assumed, that defenders use their lowest card. Void
deals with too many cards of a suit (rules 3.4) are not considered.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from durak_core.cards import CardSet
from durak_core.errors import KnowledgeError
from durak_core.game import events
from durak_core.game.events import Event
from durak_core.game.observation import Observation
from durak_core.kernel.bits import RANK_COLUMN, beating, rank_mates
from durak_core.knowledge.locations.first_attack import FirstAttack, spread_cases
from durak_core.knowledge.locations.forced import ForcedBout
from durak_core.knowledge.locations.hidden_hand import HiddenHand, spread

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
            return _lower(event.card.number, beating(event.target.number, self.trump_mask), self.trump_mask)
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
            case _:
                pass
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
    lower = fitting & ((1 << (card & 15)) - 1) * RANK_COLUMN
    if trump_mask >> card & 1:
        return lower | fitting & ~trump_mask
    return lower & ~trump_mask
