"""The events of a game, and its log, from which each seat's view of the events follows.

Every event is public except for the cards of a `Drew`, which `Drew.seen_by` hides from other seats.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from itertools import chain
from typing import Final, TypeAlias

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
    decode,
)
from durak_core.cards import Card, CardSet
from durak_core.kernel.legal import (
    EXCHANGE_CODE,
    KIND_ATTACK,
    KIND_DEFEND,
    card_mask_of,
    card_used,
    face_up_card,
    kind_of,
)
from durak_core.kernel.position import NOBODY, OVER, Position
from durak_core.kernel.transition import last_places, next_to_draw
from durak_core.rules import Rules


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


_BLOCK: Final = 64
"""Events from which on a block is full. A copy of all events in every state would take gigabytes."""

_Rows: TypeAlias = tuple[tuple[Event, ...], ...]
"""The events of all seats together, then each seat's view of them; all have the same length."""


@dataclass(slots=True, eq=False)  # a frozen one takes twice as long to make
class EventLog:
    """The event log up to one state, never changed. Logs of one game share their full blocks.

    Attributes:
        known: For each seat, the mask of its publicly known cards (9.2).
        is_open: Whether all cards are public (9.3).
    """

    _blocks: tuple[_Rows, ...]
    _rest: _Rows
    known: tuple[int, ...]
    is_open: bool

    @classmethod
    def empty(cls, known: tuple[int, ...], *, is_open: bool) -> EventLog:
        return cls((), ((),) * (1 + len(known)), known, is_open)

    @classmethod
    def begin(cls, p: Position, rules: Rules, first_by: FirstBy | None = None) -> EventLog:
        first = (_bout_began(p, first_by),)
        trump = _trump_card_mask(p)
        known = tuple(p.hands[seat] & trump if p.drawn == p.deck_size else 0 for seat in range(rules.seats))
        return cls((), (first,) * (1 + rules.seats), known, rules.visibility == "open")

    @property
    def events(self) -> tuple[Event, ...]:
        return self._row(0)

    def view(self, seat: int) -> tuple[Event, ...]:
        """Return a seat's events (rules 9.1)."""
        return self._row(1 + seat)

    def _row(self, row: int) -> tuple[Event, ...]:
        rest = self._rest[row]
        return (*chain.from_iterable([block[row] for block in self._blocks]), *rest) if self._blocks else rest

    def after(self, before: Position, code: int, p: Position) -> EventLog:
        seat = before.turn
        cards = (_open_card(p), _open_card(before)) if code == EXCHANGE_CODE else ()
        news: list[Event] = [event_of(decode(code), seat, p.defender, cards)]
        known = list(self.known)
        if isinstance(news[0], TrumpShown):
            known[seat] |= card_mask_of(code)
        else:
            known[seat] &= ~card_used(before, code)
        if code == EXCHANGE_CODE:
            known[seat] |= face_up_card(before)
        draws: list[Drew] = []
        if p.bout != before.bout or p.phase == OVER:
            draws = _end_of_bout(before, code, p, news, known)
        added = tuple(news)
        if draws and not self.is_open:
            everything, *views = self._rest
            rest = (
                everything + added,
                *[
                    view + tuple([e.seen_by(viewer) if isinstance(e, Drew) else e for e in news])
                    for viewer, view in enumerate(views)
                ],
            )
        else:
            rest = tuple([row + added for row in self._rest])
        blocks = self._blocks
        if len(rest[0]) >= _BLOCK:
            blocks, rest = (*blocks, rest), ((),) * len(rest)
        return EventLog(blocks, rest, tuple(known), self.is_open)


def _trump_card_mask(p: Position) -> int:
    return 1 << p.deck[p.deck_size - 1] if p.trump_mask else 0


def _open_card(p: Position) -> Card:
    return Card.from_number(p.deck[p.deck_size - 1])


def _bout_began(p: Position, first_by: FirstBy | None = None) -> BoutBegan:
    return BoutBegan(p.bout, p.attacker, p.defender, p.limit, first_by)


def _end_of_bout(before: Position, code: int, p: Position, news: list[Event], known: list[int]) -> list[Drew]:
    """Append the events of a bout's end in order; return its draws."""
    defender = before.defender
    table = before.table
    if kind_of(code) in {KIND_ATTACK, KIND_DEFEND}:
        table |= card_mask_of(code)
    if p.hands[defender] & table:
        news.append(TableTaken(defender, CardSet(table)))
        known[defender] |= table
    else:
        news.append(BeatenOff(defender, CardSet(table)))
        table = 0
    draws = _draws(before, p, table, known) if p.drawn > before.drawn else []
    news.extend(draws)
    last = last_places(p) if p.fool >= 0 else 0
    news.extend(
        WentOut(p.places[i], i + 1) for i in range(before.n_places, p.n_places) if not last >> p.places[i] & 1
    )
    if p.phase == OVER:
        fools = tuple(range(p.fool, p.seats, p.teams)) if p.fool >= 0 else ()
        news.append(GameEnded(fools, p.stall >= p.stall_limit))
    else:
        news.append(_bout_began(p))
    return draws


def _draws(before: Position, p: Position, taken: int, known: list[int]) -> list[Drew]:
    trump = _trump_card_mask(p)
    draws = []
    top = before.drawn
    seat = next_to_draw(before, NOBODY)
    while seat != NOBODY and top < p.drawn:
        count = (p.hands[seat] & ~before.hands[seat]).bit_count()
        if seat == before.defender:
            count -= (taken & ~before.hands[seat]).bit_count()
        if count:
            numbers = p.deck[top : top + count]
            cards = tuple(Card.from_number(number) for number in numbers)
            top += count
            open_card = top == p.deck_size and trump != 0
            draws.append(Drew(seat, count, cards, open_card))
            if open_card:
                known[seat] |= trump
        seat = next_to_draw(before, seat)
    return draws
