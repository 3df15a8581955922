"""Two actions of one position side by side, and what their player could know about them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import or_
from typing import TypeAlias

from durak_core.actions import PASS, TAKE, Action, Attack, Defend, ShowTrump, Transfer
from durak_core.cards import Card, CardSet, Rank
from durak_core.game.observation import Observation, Phase, Role
from durak_core.kernel.bits import beating
from durak_core.knowledge.certain import possible_cards
from durak_core.messages import Message


@dataclass(frozen=True, slots=True)
class Seat:
    """A seat as a value of a message, so that whoever shows it can name who sits there."""

    number: int

    def __str__(self) -> str:
        return f"seat {self.number}"


@dataclass(frozen=True)
class Comparison:
    """What was played and what was better, with what the search expects after each.

    Attributes:
        observation: What the player knew.
        proved: What both are worth where that is proved, the played one first; else None.
    """

    observation: Observation
    played: Action
    better: Action
    after_played: Sequence[Action] = ()
    after_better: Sequence[Action] = ()
    proved: tuple[float, float] | None = None

    @property
    def card(self) -> Card | None:
        """The card that was played."""
        return card_of(self.played)

    @property
    def better_card(self) -> Card | None:
        return card_of(self.better)

    @property
    def talon(self) -> int:
        return self.observation.talon_size

    @property
    def defender(self) -> Seat:
        return Seat(self.observation.defender)

    def is_trump(self, card: Card) -> bool:
        return card.suit == self.observation.trump_suit

    def is_good(self, card: Card) -> bool:
        """Tell whether it is a card that anybody is glad to hold."""
        return self.is_trump(card) or card.rank >= Rank.KING

    def is_spare(self, card: Card) -> bool:
        """Tell whether it is a card that nobody is sorry for."""
        return not self.is_trump(card) and card.rank <= Rank.JACK

    def beaten_by(self, cards: CardSet, target: Card) -> CardSet:
        """Return those of some cards that beat a card."""
        return CardSet(cards.mask & beating(target.number, self.observation.trump_mask))

    def shown(self, seat: int) -> CardSet:
        """Return what everybody knows a seat to hold."""
        return self.observation.known[seat]

    @cached_property
    def possible(self) -> CardSet:
        """What the defender may hold as far as the player can tell."""
        return possible_cards(self.observation, self.observation.defender)

    def alike(self, card: Card, cards: CardSet) -> CardSet:
        """Return the cards of a card's rank among others, itself left out."""
        return CardSet.of(other for other in cards if other.rank == card.rank and other != card)

    def is_new(self, card: Card) -> bool:
        """Tell whether no card of its rank lies on the table."""
        return not self.alike(card, self.observation.table_cards)

    @property
    def is_piling_on(self) -> bool:
        """Whether the defender takes, so that nothing is beaten any more (rules 6.2)."""
        return self.observation.phase == Phase.PILE_ON

    @property
    def is_last_open(self) -> bool:
        """Whether a single attack card is left to be answered."""
        return len(self.observation.open_attacks) == 1

    @property
    def room(self) -> int:
        """How many more attack cards this bout may have."""
        return self.observation.limit - len(self.observation.table)

    @cached_property
    def throwers(self) -> tuple[int, ...]:
        """The seats that may throw in at the player, who defends; none where the bout is full."""
        roles = enumerate(self.observation.roles) if self.room else ()
        return tuple([seat for seat, role in roles if role in {Role.ATTACKER, Role.HELPER}])

    def followers(self, card: Card) -> CardSet:
        """Return the cards of a card's rank that may be thrown in at the player."""
        masks = (possible_cards(self.observation, seat).mask for seat in self.throwers)
        return self.alike(card, CardSet(reduce(or_, masks, 0)))

    def is_taken_after(self, action: Action, ahead: Sequence[Action]) -> bool:
        """Tell whether the search expects the table to be taken after an action, before anybody passes.

        What is expected leaves out moves without a choice, so an attack with another rank, or by the
        defender, belongs to the next bout.
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
"""A reason, where it holds."""

Kinds: TypeAlias = dict[tuple[type[Action], type[Action]], tuple[Kind, ...]]
"""Reasons by what was played and what was better, in the order in which they are looked for."""


def card_of(action: Action) -> Card | None:
    """Return the card of an action, if it has one."""
    match action:
        case Attack(card) | Defend(card, _) | Transfer(card) | ShowTrump(card):
            return card
        case _:
            return None
