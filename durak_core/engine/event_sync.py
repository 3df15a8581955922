"""The events of a seat in the engine protocol (docs/protocol.md)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from durak_core.actions import Exchange, ShowTrump, Transfer, parse_action
from durak_core.cards import Card, CardSet
from durak_core.errors import DurakError, EngineError
from durak_core.game.events import (
    Attacked,
    BeatenOff,
    BoutBegan,
    Defended,
    Drew,
    Event,
    Exchanged,
    FirstBy,
    GameEnded,
    Passed,
    TableTaken,
    TookUp,
    Transferred,
    TrumpShown,
    WentOut,
    action_of,
    event_of,
)
from durak_core.game.observation import Observation

_EVENTS_A_LINE: Final = 100
"""Keeps lines within the limit: an event has at most 160 characters."""

MOST_EVENTS: Final = 100_000


class EventSync:
    """The events sent to an engine, by seat."""

    def __init__(self) -> None:
        self._events: dict[int, tuple[Event, ...]] = {}

    def news(self, observation: Observation) -> Iterator[str]:
        """Yield the commands for a seat's new events, or for all if earlier ones differ."""
        events = observation.events
        told = self._events.get(observation.seat, ())
        start = len(told) if events[: len(told)] == told else 0
        if events:
            yield from write_events(observation.seat, start, events)
            self._events[observation.seat] = events


def write_events(seat: int, start: int, events: Sequence[Event]) -> Iterator[str]:
    """Yield the commands for a seat's events from index ``start``."""
    for place in range(start, max(len(events), start + 1), _EVENTS_A_LINE):
        words = map(write_event, events[place : place + _EVENTS_A_LINE])
        yield " ".join([f"events {seat} from {place}", *words])


def parse_events(rest: str) -> tuple[int, int, tuple[Event, ...]]:
    """Parse the arguments of ``events``: seat, first index, events; raise `EngineError` if invalid."""
    match rest.split():
        case [seat, "from", start, *words] if _is_number(seat) and _is_number(start):
            return int(seat), int(start), tuple(map(parse_event, words))
    raise EngineError("found {found}: expected events SEAT from N [EVENT ...]", found=repr(rest[:100]))


def write_event(event: Event) -> str:  # noqa: PLR0911 - one for each type of event
    match event:
        case BoutBegan(bout, attacker, defender, limit, first_by):
            return f"bout:{bout}:{attacker}:{defender}:{limit}" + (f":{first_by}" if first_by else "")
        case Transferred(seat, _, defender) | TrumpShown(seat, _, defender):
            return f"{seat}:{action_of(event)}:{defender}"
        case Exchanged(seat, given, taken):
            return f"{seat}:{action_of(event)}:{given}:{taken}"
        case BeatenOff(seat, cards):
            return f"beaten:{seat}:{cards}"
        case TableTaken(seat, cards):
            return f"taken:{seat}:{cards}"
        case Drew(seat, count, drawn, trump):
            seen = "?" if drawn is None else "".join(map(str, drawn))
            return f"drew:{seat}:{count}:{seen}" + ":trump" * trump
        case WentOut(seat, place):
            return f"out:{seat}:{place}"
        case GameEnded(fools, stalled):
            return f"end:{','.join(map(str, fools)) or 'draw'}" + ":stall" * stalled
        case Attacked(seat) | Defended(seat) | Passed(seat) | TookUp(seat):
            return f"{seat}:{action_of(event)}"


def parse_event(word: str) -> Event:
    try:
        event = _event(word.split(":"))
    except (DurakError, ValueError):
        event = None
    if event is None:
        raise EngineError("found {word}: expected an event, as in 0:6c or drew:1:2:?", word=repr(word[:100]))
    return event


def _event(parts: list[str]) -> Event | None:  # noqa: PLR0911 - one for each type of event
    match parts:
        case ["bout", bout, attacker, defender, limit, *first_by] if len(first_by) < 2:
            found = FirstBy(first_by[0]) if first_by else None
            return BoutBegan(_number(bout), _number(attacker), _number(defender), _number(limit), found)
        case ["beaten", seat, cards]:
            return BeatenOff(_number(seat), CardSet.parse(cards))
        case ["taken", seat, cards]:
            return TableTaken(_number(seat), CardSet.parse(cards))
        case ["drew", seat, count, cards, *trump] if trump in ([], ["trump"]):
            return Drew(_number(seat), _number(count), _drawn(cards), bool(trump))
        case ["out", seat, place]:
            return WentOut(_number(seat), _number(place))
        case ["end", fools, *stalled] if stalled in ([], ["stall"]):
            seats = () if fools == "draw" else tuple(map(_number, fools.split(",")))
            return GameEnded(seats, bool(stalled))
        case [seat, action, *more] if len(more) < 3:
            return _chosen(_number(seat), action, more)
    return None


def _chosen(seat: int, text: str, more: list[str]) -> Event | None:
    match parse_action(text), more:
        case Exchange() as action, [given, taken]:
            return event_of(action, seat, 0, (Card.parse(given), Card.parse(taken)))
        case (ShowTrump() | Transfer()) as action, [defender]:
            return event_of(action, seat, _number(defender))
        case ((Exchange() | ShowTrump() | Transfer()), _):
            return None
        case action, []:
            return event_of(action, seat, 0)
    return None


def _drawn(text: str) -> tuple[Card, ...] | None:
    if text == "?":
        return None
    return tuple([Card.parse(text[place : place + 2]) for place in range(0, len(text), 2)])


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 7


def _number(text: str) -> int:
    if not _is_number(text):
        raise ValueError(text)
    return int(text)
