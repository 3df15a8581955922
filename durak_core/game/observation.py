"""One seat's observation of a game (rules 9).

States that differ only in hidden cards give equal observations.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from durak_core.actions import Action
from durak_core.cards import Card, CardSet, Suit
from durak_core.game.events import Event
from durak_core.html_text import cards_text, position_html
from durak_core.kernel.position import ace_beaters, beating
from durak_core.kernel.transition import FALLING_ACES, JOKERS_BEAT
from durak_core.rules import Rules


class Phase(IntEnum):
    """The phase of a bout; the values are the kernel's."""

    OPENING = 0
    """The principal attacker opens the bout (rules 5.1)."""
    VOLLEY = 1
    """The attacker to act can lead more cards before the answer (5.4)."""
    DEFENCE = 2
    """The defender answers (5.5)."""
    THROW_IN = 3
    """All attack cards are beaten; the others can throw in (5.6)."""
    PILE_ON = 4
    """The defender takes; the others can pile on (6.2)."""
    OVER = 5
    """The game is over (8.2)."""


class Role(IntEnum):
    """A seat's role in the bout."""

    ATTACKER = 0
    DEFENDER = 1
    HELPER = 2
    """Another seat that can throw in."""
    BYSTANDER = 3
    """A seat that cannot throw in under these rules."""
    OUT = 4
    """A seat without cards that has left the game."""


@dataclass(frozen=True, slots=True)
class TablePair:
    """An attack card, and the card that beat it or None."""

    attack: Card
    defence: Card | None = None


@dataclass(frozen=True, slots=True)
class Observation:
    """The game as one seat sees it.

    Attributes:
        seat: The observing seat, 0 to ``rules.seats - 1``.
        hand: The seat's cards.
        hand_sizes: Number of cards, by seat.
        table: The bout's attack cards in order.
        trump_suit: None without trumps (1.4).
        trump_card: The card that showed the trump suit (3.2), or the lowest trump once that lies in its place
            (5.9), wherever it is; None without trumps.
        talon_size: Number of cards to draw, the trump card included.
        turn: The seat to act; None when the game is over.
        limit: Largest number of attack cards in this bout (5.2).
        bout: Number of the bout, from 1.
        passed: Seats that have passed in this round of throwing in.
        places: The finishing order of the seats; at the end the fool comes last.
        fool: The losing team's number, which is its seat without teams; None before the end and in a draw.
        shown: Seats that have transferred by showing (7.4).
        stall: Consecutive taken bouts for rules 8.5.
        known: Publicly known cards, by seat (9.2).
        gone: Cards in the discard pile, as perfect recall gives them (9.2).
        legal_actions: This seat's legal actions; empty if another seat is to act.
        events: All public events and this seat's draws, or all draws with open visibility; empty if the
            observation was read from text.
        hands: All hands with ``rules.visibility`` ``open`` (9.3); otherwise None.
        talon: The talon, top first, with ``open`` visibility; otherwise None.
    """

    rules: Rules
    seat: int
    hand: CardSet
    hand_sizes: tuple[int, ...]
    table: tuple[TablePair, ...]
    trump_suit: Suit | None
    trump_card: Card | None
    talon_size: int
    discard_size: int
    phase: Phase
    turn: int | None
    attacker: int
    defender: int
    limit: int
    bout: int
    passed: tuple[int, ...]
    roles: tuple[Role, ...]
    places: tuple[int, ...]
    fool: int | None
    shown: tuple[int, ...]
    stall: int
    known: tuple[CardSet, ...]
    gone: CardSet
    legal_actions: tuple[Action, ...]
    events: tuple[Event, ...]
    hands: tuple[CardSet, ...] | None
    talon: tuple[Card, ...] | None

    def _repr_html_(self) -> str:
        hands = [self._hand_text(seat) for seat in range(self.rules.seats)]
        return position_html(self, hands, self.talon_size)

    def _hand_text(self, seat: int) -> str:
        cards = self.known[seat] if self.hands is None else self.hands[seat]
        cards = self.hand if seat == self.seat else cards
        hidden = self.hand_sizes[seat] - len(cards)
        return f"{cards_text(cards)} {f'{hidden} hidden' if hidden else ''}".strip()

    @property
    def role(self) -> Role:
        return self.roles[self.seat]

    @property
    def last(self) -> tuple[int, ...]:
        """The seats of `fools` that come last in `places`: with teams, those with cards (rules 2.2.6)."""
        return tuple([seat for seat in self.fools if self.rules.teams is None or self.hand_sizes[seat]])

    @property
    def fools(self) -> tuple[int, ...]:
        """The seats of the losing team; none before the end and in a draw."""
        return () if self.fool is None else self.rules.members(self.fool)

    @property
    def is_over(self) -> bool:
        return self.turn is None

    @property
    def is_draw(self) -> bool:
        """Whether the game ended without a fool (rules 8.3, 8.5)."""
        return self.turn is None and self.fool is None

    @property
    def trump_mask(self) -> int:
        """The mask of all trumps; 0 without trumps (rules 1.4)."""
        return 0 if self.trump_suit is None else self.trump_suit.mask

    @property
    def ace_beaters(self) -> int:
        """The mask of the cards that beat the ace of their suit (rules 1.5)."""
        return ace_beaters(self.rules.deck_mask, self.trump_mask, FALLING_ACES[self.rules.lowest_beats_ace])

    def beating(self, card: Card) -> CardSet:
        """Return the cards of any deck that beat a card (rules 1.4 to 1.6)."""
        jokers = JOKERS_BEAT[self.rules.jokers]
        return CardSet(beating(card.number, self.trump_mask, self.ace_beaters, jokers))

    @property
    def lowest_trump(self) -> Card | None:
        """The lowest trump of the deck (rules 5.9); None without trumps."""
        return next((card for card in self.rules.deck if card.is_of(self.trump_suit)), None)

    @property
    def open_attacks(self) -> tuple[Card, ...]:
        return tuple(pair.attack for pair in self.table if pair.defence is None)

    @property
    def table_cards(self) -> CardSet:
        return CardSet.of(card for pair in self.table for card in (pair.attack, pair.defence) if card)
