"""Public information about a deal, made up or from a game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from durak_core.cards import CardSet
from durak_core.errors import KnowledgeError
from durak_core.knowledge.locations.first_attack import FirstAttack
from durak_core.knowledge.locations.hidden_hand import HiddenHand
from durak_core.knowledge.locations.public_locations import Location, PublicLocations, all_locations


@dataclass(frozen=True, slots=True)
class Scenario:
    """Public information that determines the possible deals; built by `of` or `from_locations`.

    ``hidden`` cards have no public location. ``cells`` are each seat's hidden cards, then the talon's.
    ``public`` has a mask of cards by location, ``first`` what the first attack reveals (rules 4.1).
    """

    seats: int
    hidden: CardSet
    cells: tuple[HiddenHand, ...]
    public: tuple[tuple[Location, int], ...]
    first: FirstAttack | None = None

    @classmethod
    def of(
        cls,
        cards: CardSet | str,
        hands: Sequence[int],
        *,
        talon: int = 0,
        public: Mapping[Location, CardSet | str] | None = None,
        lacking: Mapping[int, CardSet | str] | None = None,
    ) -> Scenario:
        """Make up a deal.

        Args:
            cards: Hidden cards, such as ``"6s7s8s"``.
            hands: Each seat's number of hidden cards; at least one seat.
            talon: Number of hidden cards in the talon.
            public: Other cards, by public location.
            lacking: Hidden cards publicly known to be missing from each hand.

        Raises:
            KnowledgeError: If the cards do not fit, or a location, seat or card is invalid.
        """
        hidden, seats = _mask(cards), len(hands)
        if seats == 0 or min(hands) < 0 or talon < 0:
            raise KnowledgeError("a scenario needs seats, and sizes of 0 or more")
        if sum(hands) + talon != hidden.bit_count():
            raise KnowledgeError(
                "{count} hidden cards for {places} places in hands and talon",
                count=hidden.bit_count(),
                places=sum(hands) + talon,
            )
        shown = {place: _mask(there) for place, there in (public or {}).items()}
        seen = hidden
        for place, mask in shown.items():
            if place not in all_locations(seats):
                raise KnowledgeError(
                    "there is no place {place!r} in a game of {seats} seats", place=place, seats=seats
                )
            if seen & mask:
                raise KnowledgeError("in two places: {cards}", cards=CardSet(seen & mask))
            seen |= mask
        barred = {seat: _mask(there) for seat, there in (lacking or {}).items()}
        if not barred.keys() <= set(range(seats)):
            raise KnowledgeError("there are seats 0 to {last}, not {seat}", last=seats - 1, seat=max(barred))
        cells = [HiddenHand.of(size, barred.get(seat, 0) & hidden) for seat, size in enumerate(hands)]
        return cls(
            seats,
            CardSet(hidden),
            (*cells, HiddenHand.of(talon)),
            tuple([(place, shown.get(place, 0)) for place in all_locations(seats)]),
        )

    @classmethod
    def from_locations(cls, places: PublicLocations) -> Scenario:
        return cls(
            places.seats,
            CardSet(places.hidden),
            (*places.hands, HiddenHand.of(places.talon_hidden)),
            tuple([(place, places.public(place)) for place in all_locations(places.seats)]),
            places.first,
        )

    @property
    def is_tied(self) -> bool:
        """Whether a seat is publicly known to lack a hidden card, so that locations depend on each other."""
        return any(cell.lacks(self.hidden.mask) for cell in self.cells)

    @property
    def tied_trumps(self) -> int:
        """Mask of the hidden trumps linked by rules 4.1."""
        return 0 if self.first is None else self.first.trumps & self.hidden.mask

    @property
    def deck(self) -> CardSet:
        mask = self.hidden.mask
        for _, cards in self.public:
            mask |= cards
        return CardSet(mask)


def _mask(cards: CardSet | str) -> int:
    return (CardSet.parse(cards) if isinstance(cards, str) else cards).mask
