"""The event log of a game: all events, each seat's view of them, and the publicly known cards."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import Final, TypeAlias

from durak_core.actions import decode
from durak_core.cards import Card, CardSet
from durak_core.game import events
from durak_core.game.events import Event, FirstBy
from durak_core.kernel.codes import EXCHANGE_CODE, KIND_ATTACK, KIND_DEFEND, card_mask_of, kind_of
from durak_core.kernel.legal import card_used, face_up_card
from durak_core.kernel.position import NOBODY, OVER, Position
from durak_core.kernel.transition import last_places, next_to_draw
from durak_core.rules import Rules

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
        news: list[Event] = [events.event_of(decode(code), seat, p.defender, cards)]
        known = list(self.known)
        if isinstance(news[0], events.TrumpShown):
            known[seat] |= card_mask_of(code)
        else:
            known[seat] &= ~card_used(before, code)
        if code == EXCHANGE_CODE:
            known[seat] |= face_up_card(before)
        draws: list[events.Drew] = []
        if p.bout != before.bout or p.phase == OVER:
            draws = _end_of_bout(before, code, p, news, known)
        added = tuple(news)
        if draws and not self.is_open:
            everything, *views = self._rest
            rest = (
                everything + added,
                *[
                    view + tuple([e.seen_by(viewer) if isinstance(e, events.Drew) else e for e in news])
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


def _bout_began(p: Position, first_by: FirstBy | None = None) -> events.BoutBegan:
    return events.BoutBegan(p.bout, p.attacker, p.defender, p.limit, first_by)


def _end_of_bout(
    before: Position, code: int, p: Position, news: list[Event], known: list[int]
) -> list[events.Drew]:
    """Append the events of a bout's end in order; return its draws."""
    defender = before.defender
    table = before.table
    if kind_of(code) in {KIND_ATTACK, KIND_DEFEND}:
        table |= card_mask_of(code)
    if p.hands[defender] & table:
        news.append(events.TableTaken(defender, CardSet(table)))
        known[defender] |= table
    else:
        news.append(events.BeatenOff(defender, CardSet(table)))
        table = 0
    draws = _draws(before, p, table, known) if p.drawn > before.drawn else []
    news.extend(draws)
    last = last_places(p) if p.fool >= 0 else 0
    news.extend(
        events.WentOut(p.places[i], i + 1)
        for i in range(before.n_places, p.n_places)
        if not last >> p.places[i] & 1
    )
    if p.phase == OVER:
        fools = tuple(range(p.fool, p.seats, p.teams)) if p.fool >= 0 else ()
        news.append(events.GameEnded(fools, p.stall >= p.stall_limit))
    else:
        news.append(_bout_began(p))
    return draws


def _draws(before: Position, p: Position, taken: int, known: list[int]) -> list[events.Drew]:
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
            draws.append(events.Drew(seat, count, cards, open_card))
            if open_card:
                known[seat] |= trump
        seat = next_to_draw(before, seat)
    return draws
