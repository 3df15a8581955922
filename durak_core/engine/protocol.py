"""Formatting and parsing of the engine protocol, and its events of a seat (docs/protocol.md).

All functions are pure. Parsers raise `EngineError` if a text is invalid.
"""

from __future__ import annotations

import json
import re
import string
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import NoneType
from typing import Final

from durak_core.actions import Action, Exchange, ShowTrump, Transfer, parse_action
from durak_core.cards import Card, CardSet
from durak_core.errors import DurakError, EngineError, Message, nearest, printable
from durak_core.files import read_json
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
from durak_core.options import OFF_ON, Option
from durak_core.search.search_result import SearchedAction

VERSION: Final = 2

VERSIONS: Final = {"1": 1, "2": 2}
"""Versions that the client supports; version 1 has no events and no end of a game."""

LONGEST_LINE: Final = 16_384
"""Longest line in characters; observations have some hundreds."""

COMMANDS: Final[dict[str, str]] = {
    "durak": "durak",
    "isready": "isready",
    "setoption": "setoption name NAME value VALUE",
    "newgame": "newgame RULES",
    "events": "events SEAT from N [EVENT ...]",
    "observation": "observation TEXT",
    "go": "go [iterations N] [time MS] [lines K] [infinite]",
    "stop": "stop",
    "endgame": "endgame RESULT",
    "quit": "quit",
}

_BARE: Final = ("durak", "isready", "stop", "quit")
_MOST: Final = {"iterations": 10**15, "time": 10**10, "lines": 1000}
_MOST_FIELDS: Final = 20
_FORM: Final = re.compile(r"[,.%\w]{0,3}")


@dataclass(frozen=True, slots=True)
class Budget:
    """The budget of a search.

    Attributes:
        time: Most milliseconds, or None.
        lines: Number of actions in reports, or None for the engine's option.
        infinite: Search until stopped or solved.
    """

    iterations: int | None = None
    time: int | None = None
    lines: int | None = None
    infinite: bool = False


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a search.

    Attributes:
        nodes: Nodes in memory and searched by the solver.
        time: Milliseconds since ``go``.
        backend: ``plain`` or ``compiled``.
    """

    iterations: int
    nodes: int
    time: int
    backend: str


def parse_command(text: str) -> tuple[str, str] | None:
    """Parse a command line without its end into its name and its arguments; an empty one is None."""
    words = text.split(None, 1)
    if not words:
        return None
    name, rest = words[0], words[1].strip() if len(words) > 1 else ""
    if name not in COMMANDS:
        close = nearest(name, COMMANDS)
        known = Message("expected one of {commands}", commands=tuple(COMMANDS))
        hint = Message("did you mean {close}? {known}", close=close, known=known) if close else known
        raise EngineError("unknown command {name}: {hint}", name=repr(name), hint=hint)
    if name in _BARE and rest:
        raise EngineError("{name} takes no arguments: found {found}", name=name, found=repr(rest))
    return name, rest


def parse_go(rest: str) -> Budget:
    words = iter(rest.split())
    numbers: dict[str, int] = {}
    infinite = False
    for word in words:
        if word == "infinite" and not infinite:
            infinite = True
        elif word in _MOST and word not in numbers:
            numbers[word] = _number(next(words, ""), word, 1, _MOST[word])
        else:
            twice = word in (*_MOST, "infinite")
            once = Message("found {word}", word=repr(word))
            found = Message("{word} appears twice", word=word) if twice else once
            raise EngineError("{found}: expected {form}", found=found, form=COMMANDS["go"])
    if infinite and ("iterations" in numbers or "time" in numbers):
        raise EngineError("infinite excludes iterations and time: expected one or the other")
    return Budget(numbers.get("iterations"), numbers.get("time"), numbers.get("lines"), infinite)


def write_go(budget: Budget) -> str:
    words = ["go"]
    for name in _MOST:
        if getattr(budget, name) is not None:
            words += [name, str(getattr(budget, name))]
    return " ".join([*words, "infinite"] if budget.infinite else words)


def parse_setoption(rest: str) -> tuple[str, str]:
    match rest.split():
        case ["name", name, "value", value]:
            return name, value
    raise EngineError("found {found}: expected {form}", found=repr(rest), form=COMMANDS["setoption"])


def is_number(option: Option) -> bool:
    """Return whether an option is a bounded number; others are switches, which have choices, and texts."""
    return option.low is not None


def check_value(option: Option, value: str) -> str:
    if option.choices:
        if value not in option.choices:
            raise EngineError(
                "{name} cannot be {value}: expected on or off", name=option.name, value=repr(value)
            )
        return value
    if not is_number(option):
        return value
    return str(_number(value, option.name, int(option.low or 0), int(option.high or 0)))


def write_option(option: Option) -> str:
    kind = "switch" if option.choices else "number" if is_number(option) else "text"
    ends = f" min {option.low} max {option.high}" if is_number(option) else ""
    return f"option name {option.name} type {kind} default {option.default}{ends}"


def parse_option(text: str) -> Option:
    match text.split():
        case ["option", "name", name, "type", "switch" | "text" as kind, "default", default]:
            return Option(name, "", default, tuple(OFF_ON) if kind == "switch" else ())
        case ["option", "name", name, "type", "number", "default", default, "min", least, "max", most]:
            limit = (1 << 63) - 1
            low, high = _number(least, "min", 0, limit), _number(most, "max", 0, limit)
            return Option(name, "", default, (), low, high)
    raise EngineError(
        "found {text}: expected option name NAME type switch, text or number ...", text=repr(text)
    )


def write_progress(progress: Progress) -> str:
    return (
        f"info iterations {progress.iterations} nodes {progress.nodes} time {progress.time} "
        f"backend {progress.backend}"
    )


def parse_progress(text: str) -> Progress:
    match text.split():
        case ["info", "iterations", iterations, "nodes", nodes, "time", time, "backend", backend]:
            most = 10**18
            return Progress(
                _number(iterations, "iterations", 0, most),
                _number(nodes, "nodes", 0, most),
                _number(time, "time", 0, most),
                backend,
            )
    raise EngineError(
        "found {text}: expected info iterations N nodes N time MS backend NAME", text=repr(text)
    )


def write_line(rank: int, line: SearchedAction) -> str:
    words = [
        f"info line {rank} action {line.action} score {line.score:.4f}",
        f"interval {line.low:.4f} {line.high:.4f} visits {line.visits} exact {'yes' if line.exact else 'no'}",
    ]
    if line.bouts is not None:
        words.append(f"in {line.bouts}")
    if line.continuation:
        words.append("continuation " + " ".join(map(str, line.continuation)))
    return " ".join(words)


def parse_line(text: str) -> tuple[int, SearchedAction]:
    """Parse an action's evaluation and its rank, 1 for the best."""
    known, _, ahead = text.partition(" continuation")
    match known.split():
        case ["info", "line", rank, "action", action, "score", score, "interval", low, high, *others]:
            match others:
                case ["visits", visits, "exact", exact, *facts]:
                    more = dict(zip(facts[::2], facts[1::2], strict=False))  # later versions may add more
                    return _number(rank, "line", 1, 1000), SearchedAction(
                        read_action(action),
                        _share(score),
                        low=_share(low),
                        high=_share(high),
                        visits=_number(visits, "visits", 0, 10**18),
                        exact=exact == "yes",
                        continuation=tuple(map(read_action, ahead.split())),
                        bouts=_number(more["in"], "in", 0, 10_000) if "in" in more else None,
                    )
    raise EngineError(
        "found {text}: expected info line N action A score S interval L H visits N exact yes or no ...",
        text=repr(text),
    )


def write_message(message: Message) -> str:
    return "info message " + json.dumps(_as_plain(message))


def _as_plain(value: object) -> object:
    if isinstance(value, Message):
        values = {name: _as_plain(one) for name, one in value.values}
        return {"template": value.template, "values": values}
    return value if isinstance(value, (str, int, float, NoneType)) else str(value)


def parse_message(text: str) -> Message:
    try:
        value = _from_plain(read_json(text.removeprefix("info message ")))
        str(value)  # raises for values that do not fit the template
    except (ValueError, TypeError, OverflowError):
        value = None
    if not isinstance(value, Message):
        raise EngineError("found {text}: expected info message JSON", text=repr(text))
    return value


def _from_plain(value: object) -> object:
    match value:
        case {"template": str(template), "values": dict(values), **rest} if not rest:
            fields = [field for field in string.Formatter().parse(template) if field[1] is not None]
            for _, name, form, _ in fields:
                if not (name and name.isidentifier() and name in values) or not _FORM.fullmatch(form or ""):
                    raise ValueError(template)
            if len(fields) > _MOST_FIELDS:
                raise ValueError(template)
            given = {name: _from_plain(one) for name, one in values.items()}
            return Message(printable(template), **given)
        case str() | int() | float() | None:
            return value
    raise ValueError(value)


def read_action(text: str) -> Action:
    try:
        return parse_action(text)
    except DurakError as error:
        raise EngineError(error.message) from None


def _number(text: str, name: str, least: int, most: int) -> int:
    """Parse a bounded number; longer texts than the largest number are not converted."""
    if text.isascii() and text.isdigit() and len(text) <= len(str(most)) and least <= int(text) <= most:
        return int(text)
    raise EngineError(
        "{name} cannot be {text}: expected a number from {least} to {most}",
        name=name,
        text=repr(text),
        least=least,
        most=most,
    )


def _share(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise EngineError("found {text}: expected a share from 0 to 1", text=repr(text))
    return share


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
            return BoutBegan(_natural(bout), _natural(attacker), _natural(defender), _natural(limit), found)
        case ["beaten", seat, cards]:
            return BeatenOff(_natural(seat), CardSet.parse(cards))
        case ["taken", seat, cards]:
            return TableTaken(_natural(seat), CardSet.parse(cards))
        case ["drew", seat, count, cards, *trump] if trump in ([], ["trump"]):
            return Drew(_natural(seat), _natural(count), _drawn(cards), bool(trump))
        case ["out", seat, place]:
            return WentOut(_natural(seat), _natural(place))
        case ["end", fools, *stalled] if stalled in ([], ["stall"]):
            seats = () if fools == "draw" else tuple(map(_natural, fools.split(",")))
            return GameEnded(seats, bool(stalled))
        case [seat, action, *more] if len(more) < 3:
            return _chosen(_natural(seat), action, more)
    return None


def _chosen(seat: int, text: str, more: list[str]) -> Event | None:
    match parse_action(text), more:
        case Exchange() as action, [given, taken]:
            return event_of(action, seat, 0, (Card.parse(given), Card.parse(taken)))
        case (ShowTrump() | Transfer()) as action, [defender]:
            return event_of(action, seat, _natural(defender))
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


def _natural(text: str) -> int:
    if not _is_number(text):
        raise ValueError(text)
    return int(text)
