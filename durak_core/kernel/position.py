"""The mutable position that the rules work on.

Every field is an int or a short list of ints, so the same functions run on this class in CPython and on a
record when compiled. Cards are numbers or masks as in `durak_core.kernel.bits`; `NOBODY` means no seat.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from operator import attrgetter
from typing import Any, Final

from durak_core.kernel.compiled import zeros

MAX_SEATS: Final = 6
DECK_SIZE: Final = 52
MAX_ATTACKS: Final = 26
"""Maximum number of attack cards in a bout, since both sides cannot hold more than half the deck."""
MAX_ACTIONS: Final = 64
"""Length of a buffer for the legal codes of any position."""
NO_LIMIT: Final = 64
"""Means "no limit" of attack cards."""
NO_LAST_BOUT: Final = 1 << 62
"""Means that `first_bout_limit` holds until a bout is beaten off."""
NOBODY: Final = -1
DRAWN_GAME: Final = -2
"""``fool`` after a draw."""

# Phases: the kind of action that is due.
OPENING: Final = 0
VOLLEY: Final = 1
DEFENCE: Final = 2
THROW_IN: Final = 3
PILE_ON: Final = 4
OVER: Final = 5

# Who may throw in (rules 5.6).
ALL_MAY_THROW_IN: Final = 0
NEIGHBOURS_MAY_THROW_IN: Final = 1
ATTACKER_MAY_THROW_IN: Final = 2

# Who must play the lowest card (rules 5.10).
NOBODY_PLAYS_LOWEST: Final = 0
DEFENDERS_PLAY_LOWEST: Final = 1
ALL_PLAY_LOWEST: Final = 2


@dataclass(slots=True)
class Position:
    """A game between two actions."""

    # The rules; `new_position` writes them once.
    seats: int = 2
    teams: int = 2  # equal to seats without teams (2.2)
    hand_size: int = 6
    deck_size: int = 36
    deck_mask: int = 0  # all cards of the deck
    trumps: int = 1
    deal_all: int = 0
    redeal_same_suit: int = 0  # 0 for never
    redeal_trump_ace: int = 0
    attack_limit: int = 6  # NO_LIMIT for none
    first_bout_limit: int = NO_LIMIT
    first_limit_bouts: int = 0  # first_bout_limit holds up to this bout at most: 0, 1 or NO_LAST_BOUT
    volleys: int = 0  # 1: attack_style volley (5.4)
    throw_in: int = ALL_MAY_THROW_IN
    forced_play: int = 0
    lowest_card: int = 0  # who must play the lowest card (5.10)
    exchange_trump: int = 0
    pile_on: int = 1
    transfer: int = 0
    transfer_first_bout: int = 1
    show_trump: int = 0
    draws: int = 1
    stall_limit: int = 60

    # The deal; afterwards only an exchange changes `deck`, at its end (5.9).
    trump_mask: int = 0  # mask of the trump suit, 0 without trumps
    drawn: int = 0  # cards dealt and drawn so far: deck[drawn:deck_size] is the talon, top first

    # The game.
    in_mask: int = 0  # bit for each seat still in
    discards: int = 0
    shown: int = 0  # bit for each seat that has transferred by showing (7.4)
    bout: int = 0
    plies: int = 0
    stall: int = 0  # bouts that count towards 8.5
    fool: int = NOBODY  # number of the losing team (the seat, without teams), or DRAWN_GAME
    n_places: int = 0

    # The bout.
    phase: int = OPENING
    turn: int = 0  # NOBODY when the game is over
    attacker: int = 0
    defender: int = 0
    limit: int = 0  # of attack cards, set by 5.2
    table: int = 0  # mask of all cards on the table
    n_attacks: int = 0
    n_open: int = 0  # attack cards not beaten
    passed: int = 0  # bit for each seat that has passed in this round
    n_emptied: int = 0

    # Arrays.
    hands: list[int] = field(default_factory=zeros(MAX_SEATS))  # masks
    deck: list[int] = field(default_factory=zeros(DECK_SIZE))  # card numbers in dealing order
    attacks: list[int] = field(default_factory=zeros(MAX_ATTACKS))  # card numbers, oldest first
    defences: list[int] = field(default_factory=zeros(MAX_ATTACKS))  # 0: not beaten
    emptied: list[int] = field(
        default_factory=lambda: [0] * MAX_SEATS
    )  # seats, in the order their hands ran out in this bout
    places: list[int] = field(default_factory=zeros(MAX_SEATS))  # seats in finishing order


def copy_into(target: Position, source: Position) -> None:
    """Make a position equal to another; nothing is shared."""
    target.seats = source.seats
    target.teams = source.teams
    target.hand_size = source.hand_size
    target.deck_size = source.deck_size
    target.deck_mask = source.deck_mask
    target.trumps = source.trumps
    target.deal_all = source.deal_all
    target.redeal_same_suit = source.redeal_same_suit
    target.redeal_trump_ace = source.redeal_trump_ace
    target.attack_limit = source.attack_limit
    target.first_bout_limit = source.first_bout_limit
    target.first_limit_bouts = source.first_limit_bouts
    target.volleys = source.volleys
    target.throw_in = source.throw_in
    target.forced_play = source.forced_play
    target.lowest_card = source.lowest_card
    target.exchange_trump = source.exchange_trump
    target.pile_on = source.pile_on
    target.transfer = source.transfer
    target.transfer_first_bout = source.transfer_first_bout
    target.show_trump = source.show_trump
    target.draws = source.draws
    target.stall_limit = source.stall_limit
    target.trump_mask = source.trump_mask
    target.plies = source.plies
    target.deck[:] = source.deck
    for i in range(source.n_places):
        target.places[i] = source.places[i]
    copy_play(target, source)


def copy_play(target: Position, source: Position) -> None:
    """Copy what actions change within a deal, except `places`; much faster than `copy_into`."""
    target.drawn = source.drawn
    target.in_mask = source.in_mask
    target.discards = source.discards
    target.shown = source.shown
    target.bout = source.bout
    target.stall = source.stall
    target.fool = source.fool
    target.n_places = source.n_places
    target.phase = source.phase
    target.turn = source.turn
    target.attacker = source.attacker
    target.defender = source.defender
    target.limit = source.limit
    target.table = source.table
    target.n_attacks = source.n_attacks
    target.n_open = source.n_open
    target.passed = source.passed
    target.n_emptied = source.n_emptied
    target.deck[source.deck_size - 1] = source.deck[source.deck_size - 1]
    for seat in range(source.seats):
        target.hands[seat] = source.hands[seat]
    for i in range(source.n_attacks):
        target.attacks[i] = source.attacks[i]
        target.defences[i] = source.defences[i]
    for i in range(source.n_emptied):
        target.emptied[i] = source.emptied[i]


_FIELDS: Final = asdict(Position())
SCALAR_FIELDS: Final = tuple(name for name, value in _FIELDS.items() if isinstance(value, int))
_scalars_of: Final = attrgetter(*SCALAR_FIELDS)


def copy_position(source: Position) -> Position:
    """Return an independent copy (CPython only; faster than `copy_into`)."""
    arrays = source.hands, source.deck, source.attacks, source.defences, source.emptied, source.places
    values: list[Any] = [*_scalars_of(source), *[array.copy() for array in arrays]]
    return Position(*values)
