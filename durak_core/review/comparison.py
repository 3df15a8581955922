"""Two actions of one position side by side, and what their player could know about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile

from durak_core.actions import PASS, TAKE, Action, Attack, Defend, ShowTrump, Transfer
from durak_core.cards import Card, CardSet, Rank
from durak_core.game.observation import Observation, Role
from durak_core.kernel.bits import beating
from durak_core.knowledge.certain import possible_cards


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

    @cached_property
    def throwers(self) -> tuple[int, ...]:
        """The seats that may throw in at the player, who defends."""
        roles = enumerate(self.observation.roles)
        return tuple([seat for seat, role in roles if role in {Role.ATTACKER, Role.HELPER}])

    def is_taken_after(self, ahead: Sequence[Action]) -> bool:
        """Tell whether the search expects the table to be taken before anybody passes."""
        return TAKE in takewhile(lambda action: action != PASS, ahead)


def card_of(action: Action) -> Card | None:
    """Return the card of an action, if it has one."""
    match action:
        case Attack(card) | Defend(card, _) | Transfer(card) | ShowTrump(card):
            return card
        case _:
            return None
