"""What happens in a game, as frozen dataclasses in the order in which it happens.

Every event is public except for the cards of a `Drew`: `Drew.seen_by` hides them from the other seats.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from durak_core.actions import PASS, TAKE, Action, Attack, Defend, Pass, ShowTrump, Take, Transfer
from durak_core.cards import Card, CardSet


class FirstBy(StrEnum):
    """How rules 4.1 found who attacks first, as everybody sees; no trump is shown for it."""

    TRUMP = "trump"
    """The seat that was dealt the lowest trump of all hands."""
    CHANCE = "chance"
    """Drawn, because nobody was dealt a trump."""


@dataclass(frozen=True, slots=True)
class BoutBegan:
    """A bout begins.

    Attributes:
        bout: Its number, from 1.
        attacker: The principal attacker's seat.
        defender: The defender's seat.
        limit: Most attack cards it may have (rules 5.2).
        first_by: How the attacker of a game's first bout was found; None in other bouts, and where rules 4.1
            did not say it: by rules 4.2, or in a position that was set up.
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
    """The defender transferred the attack with a card; ``defender`` has to answer now (rules 7.1)."""

    seat: int
    card: Card
    defender: int


@dataclass(frozen=True, slots=True)
class TrumpShown:
    """The defender transferred the attack by showing a trump, which stays in hand (rules 7.4)."""

    seat: int
    card: Card
    defender: int


@dataclass(frozen=True, slots=True)
class Passed:
    """A seat threw nothing in, or ended its volley."""

    seat: int


@dataclass(frozen=True, slots=True)
class TookUp:
    """The defender said "I take" (rules 6.2); the others may still pile on."""

    seat: int


@dataclass(frozen=True, slots=True)
class BeatenOff:
    """The bout was beaten off and its cards went to the discard pile (rules 6.1)."""

    seat: int
    cards: CardSet


@dataclass(frozen=True, slots=True)
class TableTaken:
    """The defender took these cards into the hand (rules 6.2)."""

    seat: int
    cards: CardSet


@dataclass(frozen=True, slots=True)
class Drew:
    """A seat drew from the talon (rules 6.3).

    Attributes:
        seat: Who drew.
        count: How many cards.
        cards: Which, top card first; None for those who do not see them. The trump card at the
            bottom is seen by all: ``trump`` says that it was among them.
        trump: Whether the open trump card was drawn.
    """

    seat: int
    count: int
    cards: tuple[Card, ...] | None
    trump: bool

    def seen_by(self, seat: int) -> Drew:
        """Return the event as this seat sees it."""
        return self if seat == self.seat else Drew(self.seat, self.count, None, self.trump)


@dataclass(frozen=True, slots=True)
class WentOut:
    """A seat got rid of all its cards; ``place`` counts from 1 (rules 8.1)."""

    seat: int
    place: int


@dataclass(frozen=True, slots=True)
class GameEnded:
    """The game is over.

    Attributes:
        fools: The seats that have lost: the fool, with teams all of its team; none in a draw.
        stalled: Whether it ended by the stall limit (rules 8.5).
    """

    fools: tuple[int, ...]
    stalled: bool


ActionEvent: TypeAlias = Attacked | Defended | Transferred | TrumpShown | Passed | TookUp
"""What tells of an action; everything else follows from actions."""

Event: TypeAlias = BoutBegan | ActionEvent | BeatenOff | TableTaken | Drew | WentOut | GameEnded


def event_of(action: Action, seat: int, defender: int) -> ActionEvent:
    """Return the event of a seat's action; `defender` is the seat that answers a transfer."""
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


def action_of(event: ActionEvent) -> Action:
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
