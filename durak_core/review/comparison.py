"""The comparison of two actions in one position, from what their player could know."""

from __future__ import annotations

import string
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import takewhile
from operator import or_
from typing import TypeAlias

from durak_core.actions import EXCHANGE, PASS, TAKE, Action, Attack, Defend, ShowTrump, Transfer
from durak_core.cards import Card, CardSet, Rank
from durak_core.game.observation import Observation, Phase, Role
from durak_core.kernel.position import beating
from durak_core.knowledge.certain import possible_cards
from durak_core.messages import Message


@dataclass(frozen=True, slots=True)
class SeatName:
    """A seat as a message's value, to be shown as its player's name."""

    number: int

    def __str__(self) -> str:
        return f"seat {self.number}"


@dataclass(frozen=True)
class Comparison:
    """The played and the better action, each with its expected continuation.

    ``proved`` holds both proved values, the played action's first, or None.
    """

    observation: Observation
    played: Action
    better: Action
    after_played: Sequence[Action] = ()
    after_better: Sequence[Action] = ()
    proved: tuple[float, float] | None = None

    @property
    def card(self) -> Card | None:
        return card_of(self.played)

    @property
    def better_card(self) -> Card | None:
        return card_of(self.better)

    @property
    def talon(self) -> int:
        return self.observation.talon_size

    def reason(self, template: str, **values: object) -> Message:
        """Fill in a template; the cards, the talon's size and the defender are its values by default."""
        known = {
            "card": self.card,
            "better": self.better_card,
            "count": self.talon,
            "name": SeatName(self.observation.defender),
            **values,
        }
        names = [name for _, name, _, _ in string.Formatter().parse(template) if name]
        return Message(template, **{name: known[name] for name in names})

    def is_trump(self, card: Card) -> bool:
        return card.suit == self.observation.trump_suit

    def is_good(self, card: Card) -> bool:
        return self.is_trump(card) or card.rank >= Rank.KING

    def is_spare(self, card: Card) -> bool:
        return not self.is_trump(card) and card.rank <= Rank.JACK

    def beaten_by(self, cards: CardSet, target: Card) -> CardSet:
        return CardSet(cards.mask & beating(target.number, self.observation.trump_mask))

    def shown(self, seat: int) -> CardSet:
        return self.observation.known[seat]

    @cached_property
    def possible(self) -> CardSet:
        """The defender's possible cards, for the player."""
        return possible_cards(self.observation, self.observation.defender)

    @cached_property
    def others(self) -> CardSet:
        """The cards that other players hold or may still draw, as far as the player knows."""
        seats = [seat for seat in range(len(self.observation.known)) if seat != self.observation.seat]
        return CardSet(reduce(or_, (possible_cards(self.observation, seat).mask for seat in seats), 0))

    def alike(self, card: Card, cards: CardSet) -> CardSet:
        """Return the other cards of a card's rank."""
        return CardSet.of(other for other in cards if other.rank == card.rank and other != card)

    def is_new(self, card: Card) -> bool:
        """Return whether its rank is not on the table."""
        return not self.alike(card, self.observation.table_cards)

    @property
    def is_piling_on(self) -> bool:
        return self.observation.phase == Phase.PILE_ON

    @property
    def is_last_open(self) -> bool:
        return len(self.observation.open_attacks) == 1

    @property
    def room(self) -> int:
        """Number of attack cards that still fit into this bout."""
        return self.observation.limit - len(self.observation.table)

    @cached_property
    def throwers(self) -> tuple[int, ...]:
        """The seats that can throw in at the player, the defender; none if the bout is full."""
        return throwers(self.observation) if self.room else ()

    def followers(self, card: Card) -> CardSet:
        """Return the cards of a card's rank that can be thrown in at the player."""
        masks = (possible_cards(self.observation, seat).mask for seat in self.throwers)
        return self.alike(card, CardSet(reduce(or_, masks, 0)))

    def is_taken_after(self, action: Action, ahead: Sequence[Action]) -> bool:
        """Return whether the search expects a take after an action, before any pass.

        Continuations omit forced moves: an attack with a new rank or by the defender is of the next bout.
        """
        if self.is_piling_on:
            return False
        seat, card = self.observation.defender, card_of(action)
        defending = self.observation.hand if seat == self.observation.seat else self.shown(seat)
        ranks = {other.rank for other in (*self.observation.table_cards, *([card] if card else ()))}
        for one in ahead:
            if one in {PASS, TAKE}:
                return one == TAKE
            if isinstance(one, Attack) and (one.card.rank not in ranks or one.card in defending):
                return False
            ranks |= {other.rank for other in [card_of(one)] if other}
        return False


Kind: TypeAlias = Callable[[Comparison], Message | None]
"""A reason: a text if it applies, otherwise None."""

Kinds: TypeAlias = dict[tuple[type[Action], type[Action]], tuple[Kind, ...]]
"""Reasons by the types of the played and the better action, in the order of checking."""


def card_of(action: Action) -> Card | None:
    match action:
        case Attack(card) | Defend(card, _) | Transfer(card) | ShowTrump(card):
            return card
        case _:
            return None


def cards_of(action: Action) -> CardSet:
    """Return the cards that an action names."""
    match action:
        case Defend(card, target):
            return CardSet.of((card, target))
        case Attack(card) | Transfer(card) | ShowTrump(card):
            return CardSet.of((card,))
        case _:
            return CardSet()


def throwers(observation: Observation) -> tuple[int, ...]:
    """Return the seats whose role lets them throw in (rules 5.6)."""
    roles = enumerate(observation.roles)
    return tuple([seat for seat, role in roles if role in {Role.ATTACKER, Role.HELPER}])


def foreseeable(observation: Observation, ahead: Sequence[Action]) -> tuple[Action, ...]:
    """Return a continuation up to the first card that the player has not seen.

    The later moves depend on the deals that a search has sampled. A face-up card that can be exchanged counts
    as seen, and an exchange names the lowest trump.
    """
    hands = observation.known if observation.hands is None else observation.hands
    exchanged = [observation.trump_card] * (EXCHANGE in observation.legal_actions)
    face_up = CardSet.of(card for card in exchanged if card)
    seen = reduce(or_, (held.mask for held in (observation.hand, observation.table_cards, face_up, *hands)))
    lowest = CardSet.of(card for card in (observation.lowest_trump,) if card)

    def is_foreseeable(action: Action) -> bool:
        return not (lowest if action == EXCHANGE else cards_of(action)).mask & ~seen

    return tuple(takewhile(is_foreseeable, ahead))
