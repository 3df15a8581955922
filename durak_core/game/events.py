"""The events of a game, as frozen dataclasses.

Every event is public except for the cards of a `Drew`, which `Drew.seen_by` hides from other seats.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from durak_core.actions import (
    EXCHANGE,
    PASS,
    TAKE,
    Action,
    Attack,
    Defend,
    Exchange,
    Pass,
    ShowTrump,
    Take,
    Transfer,
)
from durak_core.cards import Card, CardSet


class FirstBy(StrEnum):
    """How the first attacker was chosen (rules 4.1); public, although no trump is shown."""

    TRUMP = "trump"
    """By the lowest trump of all hands."""
    CHANCE = "chance"
    """At random, because no hand has a trump."""


@dataclass(frozen=True, slots=True)
class BoutBegan:
    """A bout begins.

    Attributes:
        bout: Its number, from 1.
        limit: Largest number of attack cards (rules 5.2).
        first_by: How rules 4.1 chose the first attacker; None in later bouts, by rules 4.2 and in set-up
            positions.
    """

    bout: int
    attacker: int
    defender: int
    limit: int
    first_by: FirstBy | None = None


@dataclass(frozen=True, slots=True)
class Attacked:
    """A seat played an attack card: opened, threw in, or piled on."""

    seat: int
    card: Card


@dataclass(frozen=True, slots=True)
class Defended:
    """The defender beat an attack card."""

    seat: int
    card: Card
    target: Card


@dataclass(frozen=True, slots=True)
class Transferred:
    """The defender transferred the attack with a card to the next ``defender`` (rules 7.1)."""

    seat: int
    card: Card
    defender: int


@dataclass(frozen=True, slots=True)
class TrumpShown:
    """The defender transferred the attack by showing a trump, which stays in the hand (rules 7.4)."""

    seat: int
    card: Card
    defender: int


@dataclass(frozen=True, slots=True)
class Passed:
    """A seat threw nothing in, or ended its volley."""

    seat: int


@dataclass(frozen=True, slots=True)
class TookUp:
    """The defender announced the take (rules 6.2); the others can pile on."""

    seat: int


@dataclass(frozen=True, slots=True)
class Exchanged:
    """The attacker put the lowest trump, ``given``, under the talon and took the open card (rules 5.9)."""

    seat: int
    given: Card
    taken: Card


@dataclass(frozen=True, slots=True)
class BeatenOff:
    """The bout was beaten off and its cards went to the discard pile (rules 6.1)."""

    seat: int
    cards: CardSet


@dataclass(frozen=True, slots=True)
class TableTaken:
    """The defender took these cards into its hand (rules 6.2)."""

    seat: int
    cards: CardSet


@dataclass(frozen=True, slots=True)
class Drew:
    """A seat drew ``count`` cards from the talon (rules 6.3).

    ``cards`` is None in the views of other seats. ``trump`` is public: whether the open trump card was drawn.
    """

    seat: int
    count: int
    cards: tuple[Card, ...] | None
    trump: bool

    def seen_by(self, seat: int) -> Drew:
        return self if seat == self.seat else Drew(self.seat, self.count, None, self.trump)


@dataclass(frozen=True, slots=True)
class WentOut:
    """A seat got rid of all its cards; ``place`` counts from 1 (rules 8.1)."""

    seat: int
    place: int


@dataclass(frozen=True, slots=True)
class GameEnded:
    """The game ended with one fool, a losing team, or a draw; ``stalled`` by rules 8.5."""

    fools: tuple[int, ...]
    stalled: bool


ActionEvent: TypeAlias = Attacked | Defended | Transferred | TrumpShown | Passed | TookUp | Exchanged
"""Events of actions; all other events follow from them."""

Event: TypeAlias = BoutBegan | ActionEvent | BeatenOff | TableTaken | Drew | WentOut | GameEnded


def event_of(  # noqa: PLR0911 - one for each type of action
    action: Action, seat: int, defender: int, cards: tuple[Card, ...] = ()
) -> ActionEvent:
    """Return the event of a seat's action.

    ``defender`` is the seat after a transfer. ``cards`` are the two of an exchange, given and taken.
    """
    match action:
        case Attack(card):
            return Attacked(seat, card)
        case Defend(card, target):
            return Defended(seat, card, target)
        case Transfer(card):
            return Transferred(seat, card, defender)
        case ShowTrump(card):
            return TrumpShown(seat, card, defender)
        case Pass():
            return Passed(seat)
        case Take():
            return TookUp(seat)
        case Exchange():
            given, taken = cards
            return Exchanged(seat, given, taken)


def action_of(event: ActionEvent) -> Action:  # noqa: PLR0911 - one for each type of event
    match event:
        case Attacked(_, card):
            return Attack(card)
        case Defended(_, card, target):
            return Defend(card, target)
        case Transferred(_, card):
            return Transfer(card)
        case TrumpShown(_, card):
            return ShowTrump(card)
        case Passed():
            return PASS
        case TookUp():
            return TAKE
        case Exchanged():
            return EXCHANGE
