"""Where every card may be, as far as everybody can tell for certain: exact, and without listing deals.

`PublicPlaces` is what everybody knows, and everybody knows that everybody knows it: which cards lie
where in the open, which lie hidden, and how many hidden cards each hand and the talon have.
`SeatPlaces`, in the module beside this one, adds what a seat holds. For both of them a card may be in a
place if and only if some deal that agrees with all that is known has it there.

Public facts that count are the events themselves, who attacked first as the holder of the lowest trump
(rules 4.1) and, under forced play (5.8), what a pass or a take proves; besides, where that is assumed, that
defenders use their lowest card. That a deal with too many cards of a suit would have been void (3.4) does
not count.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from durak_core.cards import CardSet
from durak_core.errors import KnowledgeError
from durak_core.game import events
from durak_core.game.events import Event
from durak_core.game.observation import Observation
from durak_core.kernel.bits import beating
from durak_core.knowledge.locations.first_attack import FirstAttack, spread_cases
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
