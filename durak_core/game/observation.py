"""What one seat may know of a game (rules 9), and nothing else.

Agents get an `Observation` and never a state. Two states that differ only in cards the seat cannot
see give equal observations.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from durak_core.actions import Action
from durak_core.cards import Card, CardSet, Suit
from durak_core.game.events import Event
from durak_core.game.position_html import cards_text, position_html
from durak_core.rules import Rules


class Phase(IntEnum):
    """What the game is waiting for; the values are the kernel's."""

    OPENING = 0
    """The principal attacker opens the bout (rules 5.1)."""
    VOLLEY = 1
    """The attacker whose turn it is may lay more cards before the answer (5.4)."""
    DEFENCE = 2
    """The defender answers (5.5)."""
    THROW_IN = 3
    """All attack cards are beaten; the others may throw in (5.6)."""
    PILE_ON = 4
    """The defender takes; the others may still throw in (6.2)."""
    OVER = 5
    """The game has ended (8.2)."""


class Role(IntEnum):
    """What a seat is in the running bout."""

    ATTACKER = 0
    """The principal attacker."""
    DEFENDER = 1
    """The one who answers."""
    HELPER = 2
    """Another seat that may throw in."""
    BYSTANDER = 3
    """A seat that may not throw in under the rules in force."""
    OUT = 4
    """A seat that has left the game."""


@dataclass(frozen=True, slots=True)
class TablePair:
    """An attack card and what lies on it.

    Attributes:
        attack: The attack card.
        defence: The card that beat it, or None while it is open.
    """

    attack: Card
    defence: Card | None = None


@dataclass(frozen=True, slots=True)
class Observation:
    """The game as one seat sees it.

    Attributes:
        rules: The rules of the game.
        seat: Who looks, 0 to ``rules.seats - 1``.
        hand: That seat's cards.
        hand_sizes: Cards held, by seat.
        table: The running bout's attack cards in the order they were played.
        trump_suit: None without trumps (1.4).
        trump_card: The open card at the bottom of the talon, or the one that showed the suit (3.2);
            it is named here for the whole game, also when it has been drawn. None without trumps.
        talon_size: Cards left to draw, the trump card included.
        discard_size: Cards in the discard pile.
        phase: What the game is waiting for.
        turn: Whose turn it is, or None when the game is over.
        attacker: The principal attacker's seat.
        defender: The defender's seat.
        limit: Most attack cards this bout may have (5.2).
        bout: Number of the bout, from 1.
        passed: Seats that have passed in this round of throwing in.
        roles: Each seat's role.
        places: Seats in the order in which they got rid of their cards; at the end the fool last.
        fool: The number of the team that lost, without teams its seat; None before the end and after a
            draw.
        shown: Seats that have used their one transfer by showing (7.4).
        stall: Taken bouts in a row that count towards rules 8.5.
        known: For each seat, cards everybody knows to be in its hand (9.2).
        gone: Cards in the discard pile, as a perfect memory recalls them (9.2).
        legal_actions: What this seat may do now; empty when it is another's turn.
        events: All public events so far, with this seat's own draws (with open visibility, with all);
            empty for an observation that was read from its text.
        hands: All hands, by seat, where ``rules.visibility`` is ``open`` (9.3); else None.
        talon: The talon from top to bottom, likewise.
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
        """Return the cards of a seat as far as they are known, and how many others it has."""
        cards = self.known[seat] if self.hands is None else self.hands[seat]
        cards = self.hand if seat == self.seat else cards
        hidden = self.hand_sizes[seat] - len(cards)
        return f"{cards_text(cards)} {f'{hidden} hidden' if hidden else ''}".strip()

    @property
    def role(self) -> Role:
        return self.roles[self.seat]

    @property
    def last(self) -> tuple[int, ...]:
        """The seats of `fools` that come last in `places`: with teams those that hold cards (rules 2.2.6)."""
        return tuple([seat for seat in self.fools if self.rules.teams is None or self.hand_sizes[seat]])

    @property
    def fools(self) -> tuple[int, ...]:
        """The seats that have lost, with teams all of one; none before the end and in a draw."""
        return () if self.fool is None else self.rules.members(self.fool)

    @property
    def is_over(self) -> bool:
        return self.turn is None

    @property
    def is_draw(self) -> bool:
        """Whether the game has ended without a fool (rules 8.3, 8.5)."""
        return self.turn is None and self.fool is None

    @property
    def trump_mask(self) -> int:
        """The mask of all trumps, 0 without (rules 1.4)."""
        return 0 if self.trump_suit is None else self.trump_suit.mask

    @property
    def open_attacks(self) -> tuple[Card, ...]:
        """Attack cards that are not beaten, oldest first."""
        return tuple(pair.attack for pair in self.table if pair.defence is None)

    @property
    def table_cards(self) -> CardSet:
        """All cards on the table, attack and defence."""
        return CardSet.of(card for pair in self.table for card in (pair.attack, pair.defence) if card)
