"""Encoding ``durak-obs/2``: what a seat may know, as the numbers of its active binary inputs.

Inputs are grouped in planes (docs/environments.md). Suits are relative: trumps first, then ♠ ♥ ♦ ♣. Seats
are counted clockwise from the observer.

Plain functions that also compile. They read only what the seat may know (rules 9): its hand, the table, the
discards, the trump card and the counts. Known cards of other hands come from a `Memory`, kept up to date by
`update_memory` or made from an observation (`durak_core.search.network.encoding`).
"""

from __future__ import annotations

from collections.abc import MutableSequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from durak_core.actions import Action
from durak_core.actions import encode as code_of
from durak_core.cards import Suit
from durak_core.errors import RulesError
from durak_core.game.observation import Observation
from durak_core.kernel.compiled import zeros
from durak_core.kernel.legal import (
    EXCHANGE_CODE,
    KIND_ATTACK,
    KIND_DEFEND,
    KIND_SHOW_TRUMP,
    TAKE_CODE,
    card_of,
    card_used,
    face_up_card,
    kind_of,
    may_transfer,
    target_to_answer,
)
from durak_core.kernel.position import (
    DEFENCE,
    LANE,
    MAX_SEATS,
    NOBODY,
    OVER,
    RANK_COLUMN,
    Position,
    lowest_bit,
    popcount,
)
from durak_core.kernel.transition import apply
from durak_core.knowledge.certain import visible_position
from durak_core.rules import Rules
from durak_core.search.policies.expert import unseen_cards

ENCODING: Final = "durak-obs/2"
"""Name of this encoding; any change of a plane changes it."""

CARDS: Final = 52
"""Width of a plane of cards for any deck: 13 ranks, 2 to A, for each relative suit."""
RANKS: Final = 13
_ACE: Final = 14
TALONS: Final = 53
"""Width of the talon's plane: 0 to 52 cards."""
SIZES: Final = 24
"""Width of a hand's size: 0 to 22 cards, and 23 or more."""
PHASES: Final = 6
ROOMS: Final = 10
"""Width of the room for attack cards: 0 to 8, and 9 or more."""
STALLS: Final = 8
"""Width of the bouts left until a draw by rules 8.5, as their bit length."""

MAX_ACTIVE: Final = 152
"""Maximum number of active inputs: each card in one place and perhaps unbeatable, and 48 others."""

ACTIONS: Final = 2 + 4 * CARDS
"""Size of the action space: pass or exchange, take, then a card to attack, defend, transfer or show."""


@dataclass(slots=True)
class Memory:
    """Public knowledge beyond the position's open facts (rules 9.2)."""

    is_open: int = 0  # 1: all hands are open (rules 9.3)
    known: list[int] = field(default_factory=zeros(MAX_SEATS))  # masks of cards known to be held
    sizes: list[int] = field(default_factory=zeros(MAX_SEATS))  # cards in each hand


def check_encodable(rules: Rules) -> None:
    """Raise `RulesError` for rules with jokers (1.6), which have no place in the planes of cards."""
    if rules.jokers is not None:
        raise RulesError(
            "networks and environments have no jokers: choose jokers=none, or another agent", rule="1.6"
        )


def input_size(seats: int) -> int:
    planes = CARDS * (7 + seats)
    return planes + 2 * RANKS + TALONS + seats * SIZES + PHASES + ROOMS + 6 * seats + 2 + STALLS


def copy_memory(target: Memory, source: Memory) -> None:
    target.is_open = source.is_open
    for seat in range(MAX_SEATS):
        target.known[seat] = source.known[seat]
        target.sizes[seat] = source.sizes[seat]


def reset_memory(p: Position, memory: Memory) -> None:
    """Reset a game's memory at a fresh deal (rules 3.2)."""
    trump = 0
    if p.trump_mask and p.drawn == p.deck_size:
        trump = 1 << p.deck[p.deck_size - 1]
    for seat in range(p.seats):
        memory.known[seat] = p.hands[seat] & trump
    refresh_memory(p, memory)


def refresh_memory(p: Position, memory: Memory) -> None:
    """Refresh the hand sizes and, with open hands, the known cards."""
    for seat in range(p.seats):
        memory.sizes[seat] = popcount(p.hands[seat])
        if memory.is_open:
            memory.known[seat] = p.hands[seat]


def update_memory(p: Position, memory: Memory, code: int) -> None:
    """Play a legal action and update the memory (rules 9.2)."""
    kind = kind_of(code)
    card = card_used(p, code)
    seat = p.turn
    defender = p.defender
    drawn = p.drawn
    bout = p.bout
    table = p.table
    if kind == KIND_SHOW_TRUMP:
        memory.known[seat] |= card
    else:
        memory.known[seat] &= ~card
    if code == EXCHANGE_CODE:
        memory.known[seat] |= face_up_card(p)
    if kind in (KIND_ATTACK, KIND_DEFEND):
        table |= card
    apply(p, code)
    if p.bout != bout or p.phase == OVER:
        if p.hands[defender] & table:
            memory.known[defender] |= table
        if p.drawn > drawn and p.drawn == p.deck_size and p.trump_mask:
            trump = 1 << p.deck[p.deck_size - 1]
            for other in range(p.seats):
                memory.known[other] |= p.hands[other] & trump
    refresh_memory(p, memory)


def trump_place(p: Position) -> int:
    if p.trump_mask == 0:
        return -1
    return lowest_bit(p.trump_mask) >> 4


def card_input(card: int, trump: int) -> int:
    """Return a card's index in a plane of cards, 0 to 51; ``trump`` is the suit's number, or -1."""
    suit = card >> 4
    place = suit
    if suit == trump:
        place = 0
    elif suit < trump:
        place = suit + 1
    return RANKS * place + (card & 15) - 2


def code_index(code: int, trump: int) -> int:
    """Return an action's index in the action space, 0 to `ACTIONS` - 1; ``trump`` as for `card_input`.

    A defence's target has a plane of its own, because `legal` lists the answers to one card. An exchange has
    the index of passing, which is never legal at the same time.
    """
    if code == EXCHANGE_CODE:
        return 0
    kind = kind_of(code)
    if code <= TAKE_CODE:
        return kind
    return 2 + CARDS * (kind - KIND_ATTACK) + card_input(card_of(code), trump)


def _write_cards(cards: int, trump: int, base: int, out: MutableSequence[int], n: int) -> int:
    """Append the inputs of a plane of cards after ``n`` others; return the new count."""
    while cards:
        out[n] = base + card_input(lowest_bit(cards), trump)
        n += 1
        cards &= cards - 1
    return n


def _ranks_of(cards: int) -> int:
    """Return the ranks that occur in a mask, as bits from 0 for a 2."""
    return ((cards | cards >> 16 | cards >> 32 | cards >> 48) & LANE) >> 2


def _write_bits(bits: int, base: int, out: MutableSequence[int], n: int) -> int:
    """Append a set of small numbers, as `_write_cards` does."""
    while bits:
        out[n] = base + lowest_bit(bits)
        n += 1
        bits &= bits - 1
    return n


def turned(seats: int, looking: int, count: int) -> int:
    """Return a mask of seats, rotated so that the observer is 0."""
    return (seats >> looking | seats << (count - looking)) & ((1 << count) - 1)


def _unbeatable(p: Position, hand: int, others: int) -> int:
    """Return the cards of a hand that no card of another mask beats (rules 1.4 and 1.5)."""
    falls = others >> 1  # and below, suit by suit
    for shift in (1, 2, 4, 8):
        falls |= falls >> shift & (LANE >> shift) * RANK_COLUMN
    beaters = others & p.ace_beaters  # of one rank
    if beaters:
        falls |= beaters << (_ACE - (lowest_bit(beaters) & 15))
    if others & p.trump_mask:
        falls |= ~p.trump_mask
    return hand & ~falls


def bit_length(number: int) -> int:
    length = 0
    while number:
        length += 1
        number >>= 1
    return length


def encode(p: Position, memory: Memory, looking: int, out: MutableSequence[int]) -> int:
    """Write the active inputs for a seat, up to `MAX_ACTIVE`, and return their number.

    Other hands and the hidden talon are not read; known cards and hand sizes come from the memory.
    """
    n = _encode_table(p, looking, out)
    n = _encode_hidden(p, memory, looking, out, n)
    n = _encode_counts(p, memory, looking, out, n)
    return _encode_bout(p, looking, out, n)


def _encode_table(p: Position, looking: int, out: MutableSequence[int]) -> int:
    """Write the open cards, the observer's hand first."""
    trump = trump_place(p)
    attacks_open = 0
    attacks_beaten = 0
    for i in range(p.n_attacks):
        if p.defences[i]:
            attacks_beaten |= 1 << p.attacks[i]
        else:
            attacks_open |= 1 << p.attacks[i]
    n = _write_cards(p.hands[looking], trump, 0, out, 0)
    n = _write_cards(attacks_open, trump, CARDS, out, n)
    n = _write_cards(attacks_beaten, trump, 2 * CARDS, out, n)
    n = _write_cards(p.table & ~(attacks_open | attacks_beaten), trump, 3 * CARDS, out, n)
    return _write_cards(p.discards, trump, 4 * CARDS, out, n)


def _encode_hidden(p: Position, memory: Memory, looking: int, out: MutableSequence[int], n: int) -> int:
    """Write the others' known and possible cards, own cards these cannot beat, and the card to answer."""
    seats = p.seats
    trump = trump_place(p)
    known = face_up_card(p)
    for seat in range(seats):
        if seat != looking:
            known |= memory.known[seat]
    unseen = unseen_cards(p, looking) & ~known
    holder = _certain_holder(p, memory, looking, unseen)
    if holder == NOBODY:
        n = _write_cards(unseen, trump, 5 * CARDS, out, n)
    n = _write_cards(_unbeatable(p, p.hands[looking], unseen | known), trump, 6 * CARDS, out, n)
    if p.phase == DEFENCE and p.turn == looking:
        n = _write_cards(1 << target_to_answer(p), trump, 7 * CARDS, out, n)
    for i in range(1, seats):
        seat = looking + i
        if seat >= seats:
            seat -= seats
        held = memory.known[seat]
        if seat == holder:
            held |= unseen
        n = _write_cards(held, trump, (7 + i) * CARDS, out, n)
    return n


def _encode_counts(p: Position, memory: Memory, looking: int, out: MutableSequence[int], n: int) -> int:
    """Write ranks and sizes: the trump card's, the table's, the talon's and the hands'."""
    seats = p.seats
    base = CARDS * (7 + seats)
    n = _write_bits(_ranks_of(face_up_card(p)), base, out, n)
    base += RANKS
    n = _write_bits(_ranks_of(p.table), base, out, n)
    base += RANKS
    out[n] = base + p.deck_size - p.drawn
    n += 1
    base += TALONS
    for i in range(seats):
        seat = looking + i
        if seat >= seats:
            seat -= seats
        size = memory.sizes[seat]
        if size >= SIZES:
            size = SIZES - 1
        out[n] = base + size
        n += 1
        base += SIZES
    return n


def _certain_holder(p: Position, memory: Memory, looking: int, unseen: int) -> int:
    """Return the seat that must hold all unseen cards, or `NOBODY`."""
    if unseen == 0:
        return NOBODY
    count = popcount(unseen)
    for seat in range(p.seats):
        if seat != looking and memory.sizes[seat] - popcount(memory.known[seat]) == count:
            return seat
    return NOBODY


def _encode_bout(p: Position, looking: int, out: MutableSequence[int], n: int) -> int:
    """Write the bout's phase and roles."""
    seats = p.seats
    base = CARDS * (7 + seats) + 2 * RANKS + TALONS + SIZES * seats
    out[n] = base + p.phase
    n += 1
    base += PHASES
    room = p.limit - p.n_attacks
    if room >= ROOMS:
        room = ROOMS - 1
    room = max(room, 0)
    out[n] = base + room
    n += 1
    base += ROOMS
    if p.turn >= 0:
        n = _write_bits(turned(1 << p.turn, looking, seats), base, out, n)
    n = _write_bits(turned(1 << p.attacker, looking, seats), base + seats, out, n)
    n = _write_bits(turned(1 << p.defender, looking, seats), base + 2 * seats, out, n)
    n = _write_bits(turned(p.in_mask, looking, seats), base + 3 * seats, out, n)
    n = _write_bits(turned(p.passed, looking, seats), base + 4 * seats, out, n)
    n = _write_bits(turned(p.shown, looking, seats), base + 5 * seats, out, n)
    base += 6 * seats
    if p.phase == DEFENCE and may_transfer(p):
        out[n] = base
        n += 1
    if p.bout == 1:
        out[n] = base + 1
        n += 1
    base += 2
    if p.stall > 0:
        left = bit_length(p.stall_limit - p.stall)
        if left >= STALLS:
            left = STALLS - 1
        out[n] = base + left
        n += 1
    return n


def memory_of(observation: Observation) -> Memory:
    memory = Memory(is_open=int(observation.hands is not None))
    for seat, size in enumerate(observation.hand_sizes):
        held = observation.known if observation.hands is None else observation.hands
        memory.known[seat] = held[seat].mask
        memory.sizes[seat] = size
    return memory


def seen_by(observation: Observation) -> tuple[Position, Memory]:
    """Return the visible position and the public knowledge of the hands."""
    return visible_position(observation), memory_of(observation)


def active_inputs(observation: Observation) -> list[int]:
    position, memory = seen_by(observation)
    out = [0] * MAX_ACTIVE
    return out[: encode(position, memory, observation.seat, out)]


class Choice(Protocol):
    """A pending decision, such as an `Observation`."""

    @property
    def trump_suit(self) -> Suit | None: ...

    @property
    def legal_actions(self) -> tuple[Action, ...]: ...


def indexed_actions(choice: Choice) -> dict[int, Action]:
    """Return the legal actions by their index in the action space, in legal order."""
    suit = -1 if choice.trump_suit is None else int(choice.trump_suit)
    return {code_index(code_of(action), suit): action for action in choice.legal_actions}
