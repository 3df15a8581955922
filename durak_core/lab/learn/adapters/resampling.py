"""Random deals that agree with what one seat has seen of a game."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from durak_core.cards import Card
from durak_core.game.events import (
    Attacked,
    Defended,
    Drew,
    Event,
    Exchanged,
    TableTaken,
    Transferred,
    TrumpShown,
)
from durak_core.game.observation import Observation

_Item = TypeVar("_Item")


class HiddenDeal:
    """The deals that can lead to a seat's observation, except for rules 4.1 and 5.8.

    A deal's cards are the bottom card, the first hands from seat 0 on, and the talon from the top. Their
    places are numbered in this order. A card that another seat plays was in one of the places whose cards
    that seat had by then. A later play can only use more places. A free place is therefore drawn for each
    play in turn, which makes all deals equally likely.

    Args:
        seen: The seat's observation, with its events.
        own: The seat's first hand and the cards it drew, in order.
        sizes: Sizes of the first hands; without a talon the bottom card is not counted.
    """

    def __init__(self, seen: Observation, own: Sequence[Card], sizes: Sequence[int]) -> None:
        self._seen, self._own, self._sizes = seen, own, sizes
        exchanged = [event.taken for event in seen.events if isinstance(event, Exchanged)]
        self._bottom = exchanged[0] if exchanged else seen.trump_card

    def sample(self, random: Callable[[], float]) -> tuple[int, ...]:
        """Return the numbers of a deal's cards, each hand in ascending order.

        ``random`` returns numbers from 0 to 1, exclusive.
        """
        self._random = random
        self._begin()
        for event in self._seen.events:
            self._follow(event)
        rest = [card for card in self._seen.rules.deck if card not in self._filled.values()]
        for place in range(self._seen.rules.deck_size):
            if place not in self._filled:
                self._filled[place] = self._drawn_from(rest)
        cards = [self._filled[place].number for place in range(self._seen.rules.deck_size)]
        start = 1
        for size in self._sizes:
            cards[start : start + size] = sorted(cards[start : start + size])
            start += size
        return tuple(cards)

    def _begin(self) -> None:
        seats, deck_size = len(self._sizes), self._seen.rules.deck_size
        self._face_up = self._bottom
        self._filled = {} if self._bottom is None else {0: self._bottom}
        self._free: list[list[int]] = [[] for _ in range(seats)]
        self._known: list[set[Card]] = [set() for _ in range(seats)]
        start = 1
        for seat, size in enumerate(self._sizes):
            self._free[seat] += range(start, start + size)
            start += size
        self._talon = iter([*range(start, deck_size), 0])
        if start == deck_size:
            self._receive((deck_size - 1) % seats, 0)
        own = self._seen.seat
        drawn = sum(
            [event.count for event in self._seen.events if isinstance(event, Drew) and event.seat == own]
        )
        self._draws = iter(self._own[len(self._own) - drawn :])
        hand = [card for card in self._own[: len(self._own) - drawn] if card not in self._filled.values()]
        for place in self._free[own]:
            self._filled[place] = self._drawn_from(hand)

    def _follow(self, event: Event) -> None:
        if isinstance(event, Drew):
            for _ in range(event.count):
                self._draw(event.seat)
        if isinstance(event, Exchanged):
            self._face_up = event.given
        match event:
            case Attacked(seat, _) | TrumpShown(seat, _, _) | TableTaken(seat, _) if seat == self._seen.seat:
                return
            case Defended(seat, _, _) | Transferred(seat, _, _) | Exchanged(seat, _, _) if (
                seat == self._seen.seat
            ):
                return
            case Attacked(seat, card) | Defended(seat, card, _) | Transferred(seat, card, _):
                self._play(seat, card)
            case TrumpShown(seat, card, _):
                self._play(seat, card)
                self._known[seat].add(card)
            case Exchanged(seat, given, taken):
                self._play(seat, given)
                self._known[seat].add(taken)
            case TableTaken(seat, cards):
                self._known[seat].update(cards)

    def _draw(self, seat: int) -> None:
        place = next(self._talon)
        if seat == self._seen.seat:
            self._filled.setdefault(place, next(self._draws))
        else:
            self._receive(seat, place)

    def _receive(self, seat: int, place: int) -> None:
        if place == 0 and self._face_up is not None:
            self._known[seat].add(self._face_up)
        else:
            self._free[seat].append(place)

    def _play(self, seat: int, card: Card) -> None:
        """Take a card from a hand, where it is known to be or got to from the deck."""
        if card in self._known[seat]:
            self._known[seat].remove(card)
        else:
            self._filled[self._drawn_from(self._free[seat])] = card

    def _drawn_from(self, items: list[_Item]) -> _Item:
        return items.pop(int(self._random() * len(items)))
