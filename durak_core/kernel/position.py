"""The mutable position of the rules, its card masks, and its random numbers.

A mask is a signed 64-bit integer with bit ``16 * suit + rank`` for each card, rank 2 to 14. The jokers are 15
and 31 (rules 1.6), in no suit's mask. The sign bit is never used. Only `popcount` and `lowest_bit` have a
compiled twin.

Multiply-with-carry with base 2^32; the output is the xor of the two halves. Every product stays below 2^63
because compiled code assumes no signed overflow. The state is one integer in a list or array of length one,
owned by the caller and made by `derive`.

Source: G. Marsaglia, "Random number generators", Journal of Modern Applied Statistical Methods 2 (2003).

Every field is an int or a short list of ints, so the same functions run on this class in CPython and on a
record when compiled. Cards are numbers or masks as in `durak_core.kernel.position`; `NOBODY` means no seat.
"""

from __future__ import annotations

from collections.abc import MutableSequence
from dataclasses import asdict, dataclass, field
from operator import attrgetter
from typing import Any, Final

from durak_core.kernel.compiled import zeros

LANE: Final = 0xFFFF
"""Bits of the lowest suit."""

RANK_COLUMN: Final = 0x0001_0001_0001_0001
"""One bit for each suit; shifted by a rank it masks all cards of that rank."""

JOKER: Final = 15
"""The jokers' rank, and the black joker's number."""
JOKERS: Final = 0x8000_8000
"""Mask of both jokers, black and red (rules 1.6)."""

_SUIT: Final = 0x7FFF
_THREE_SUITS: Final = RANK_COLUMN >> 16


def popcount(mask: int) -> int:
    return mask.bit_count()


def lowest_bit(mask: int) -> int:
    """Return the number of the lowest card in a non-empty mask."""
    return (mask & -mask).bit_length() - 1


def above(card: int) -> int:
    """Return the mask of the higher cards of a card's suit."""
    return ((_SUIT << ((card & 15) + 1)) & _SUIT) << (card & 48)


def beating(card: int, trump_mask: int, ace_beaters: int, jokers: int) -> int:
    """Return the mask of the cards that beat a card (rules 1.4 to 1.6); see `ace_beaters`."""
    higher = above(card)
    if higher == 0:
        higher = ace_beaters & (LANE << (card & 48))
    if jokers:
        if card & 15 == JOKER:
            return 0
        # Bit 4 of the card's number differs from bit 5 for hearts and diamonds, as the jokers' numbers do.
        higher |= JOKERS if jokers == ANY_JOKER_BEATS else 1 << (JOKER | ((card ^ card >> 1) & 16))
    if trump_mask >> card & 1:
        return higher
    return higher | trump_mask


def ace_beaters(deck_mask: int, trump_mask: int, lowest_beats_ace: int) -> int:
    """Return the mask of the cards that beat the ace of their suit (rules 1.5)."""
    if lowest_beats_ace == NO_ACE_FALLS:
        return 0
    lowest = deck_mask & RANK_COLUMN << (lowest_bit(deck_mask) & 15)
    return lowest if lowest_beats_ace == ANY_ACE_FALLS else lowest & trump_mask


def rank_mates(mask: int) -> int:
    """Return the mask of all cards, of any suit, whose rank occurs in a mask."""
    ranks = (mask | mask >> 16 | mask >> 32 | mask >> 48) & LANE
    return ranks * _THREE_SUITS | (ranks & _SUIT) << 48


def lowest_cards(mask: int, trump_mask: int) -> int:
    """Return the cards of lowest rank in a mask, first plain cards, then trumps, then jokers (rules 5.10)."""
    cards = mask & ~(trump_mask | JOKERS)
    if cards == 0:
        cards = mask
    ranks = (cards | cards >> 16 | cards >> 32 | cards >> 48) & LANE
    return cards & rank_mates(ranks & -ranks)


def low_rank(mask: int) -> int:
    """Return the card of lowest rank in a non-empty mask without jokers; the first suit breaks ties."""
    ranks = (mask | mask >> 16 | mask >> 32 | mask >> 48) & LANE
    return lowest_bit(mask & (RANK_COLUMN << lowest_bit(ranks)))


MASK63: Final = 0x7FFF_FFFF_FFFF_FFFF
"""The largest seed."""

# Streams of `derive`: the purpose of a seed.
DEAL_STREAM: Final = 0
"""From a deal's seed: the shuffle."""
FIRST_SEAT_STREAM: Final = 1
"""From a deal's seed: the first seat with a given deck if there are no trumps in hand."""
CHANCE_STREAM: Final = 0
"""From an agent's seed: its choices."""
AGENTS_STREAM: Final = 1 << 32
"""From a deal's seed: the agents of a single game."""
SEATS_STREAM: Final = 1 << 33
"""From a deal's seed: the seats of the players, if they are drawn."""
GAMES_STREAM: Final = 1 << 48
"""From a match's seed, the game's number added: that game's agents."""

_WORD: Final = 0xFFFF_FFFF
_MULTIPLIER: Final = 698_769_069  # 2^32 times it, less 1, is a safe prime: period near 2^60
_MIX_1: Final = 0x21F0_AAAD
_MIX_2: Final = 0x735A_2D97
_KEY: Final = 0x1E37_79B9


def next_random(state: MutableSequence[int]) -> int:
    """Advance a state of 1 to 2^61, made by `derive`, and return 32 random bits."""
    value = state[0]
    state[0] = _MULTIPLIER * (value & _WORD) + (value >> 32)
    return (value & _WORD) ^ (value >> 32)


def random_below(state: MutableSequence[int], n: int) -> int:
    """Return a random number from 0 to n - 1, for n up to 2^31; the bias is below n / 2^32."""
    return (next_random(state) * n) >> 32


def scramble(word: int) -> int:
    """Hash 32 bits, one to one (a multiply-xorshift hash as in Wellons' prospector)."""
    word = ((word ^ (word >> 16)) * _MIX_1) & _WORD
    word = ((word ^ (word >> 15)) * _MIX_2) & _WORD
    return word ^ (word >> 15)


def mixed(seen: int, word: int) -> int:
    """Extend a 63-bit sequence hash by one word of up to 63 bits."""
    high = scramble((seen ^ word) & _WORD)
    return (high << 31) ^ scramble((seen >> 31 ^ word >> 32 ^ high) & _WORD)


def derive(seed: int, stream: int) -> int:
    """Return the seed, 1 to 2^61, of a stream: one for each game, seat and purpose; also a random state.

    Seed and stream, 0 to 2^63 - 1, are each mixed by four Feistel rounds.
    """
    low = seed & _WORD
    high = seed >> 32
    for i in range(8):
        if i == 4:
            low ^= stream & _WORD
            high ^= stream >> 32
        mixed = high ^ scramble((low + (i + 1) * _KEY) & _WORD)
        high = low
        low = mixed
    return ((high >> 3) << 32 | low) + 1


MAX_SEATS: Final = 6
DECK_SIZE: Final = 54
MAX_ATTACKS: Final = 27
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

# Which aces the lowest card of their suit beats (rules 1.5).
NO_ACE_FALLS: Final = 0
TRUMP_ACE_FALLS: Final = 1
ANY_ACE_FALLS: Final = 2

# What jokers beat (rules 1.6).
NO_JOKERS: Final = 0
ANY_JOKER_BEATS: Final = 1
JOKERS_BEAT_THEIR_COLOUR: Final = 2

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
    partner_plays_on: int = 0  # 1: also in the place of a partner who is out (2.2.8)
    hand_size: int = 6
    deck_size: int = 36
    deck_mask: int = 0  # all cards of the deck
    trumps: int = 1
    lowest_beats_ace: int = NO_ACE_FALLS
    jokers: int = NO_JOKERS
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
    shows_each_bout: int = 0  # 1: a seat may transfer by showing once a bout, 0: once a game (7.4)
    draws: int = 1
    stall_limit: int = 60

    # The deal; afterwards only an exchange changes `deck`, at its end (5.9).
    trump_mask: int = 0  # mask of the trump suit, 0 without trumps
    ace_beaters: int = 0  # mask of the cards that beat the ace of their suit (1.5)
    drawn: int = 0  # cards dealt and drawn so far: deck[drawn:deck_size] is the talon, top first

    # The game.
    in_mask: int = 0  # bit for each seat still in
    discards: int = 0
    shown: int = 0  # bit for each seat that may not transfer by showing any more, as it has (7.4)
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


def set_trumps(p: Position, suit: int) -> None:
    """Make a suit, as a mask, trumps; 0 for none (rules 1.4)."""
    p.trump_mask = suit
    p.ace_beaters = ace_beaters(p.deck_mask, suit, p.lowest_beats_ace)


def copy_into(target: Position, source: Position) -> None:
    """Make a position equal to another; nothing is shared."""
    target.seats = source.seats
    target.teams = source.teams
    target.partner_plays_on = source.partner_plays_on
    target.hand_size = source.hand_size
    target.deck_size = source.deck_size
    target.deck_mask = source.deck_mask
    target.trumps = source.trumps
    target.lowest_beats_ace = source.lowest_beats_ace
    target.jokers = source.jokers
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
    target.shows_each_bout = source.shows_each_bout
    target.draws = source.draws
    target.stall_limit = source.stall_limit
    target.trump_mask = source.trump_mask
    target.ace_beaters = source.ace_beaters
    target.plies = source.plies
    for i in range(DECK_SIZE):  # not a slice: its check of the shapes would compile the texts of an error
        target.deck[i] = source.deck[i]
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
