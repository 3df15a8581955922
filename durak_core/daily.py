"""The daily deal: one deal and the same opponents for every player on a date.

Equal play gives an equal game on every machine, also after an interruption: the opponents' randomness
depends only on the seed and their observations. Interpreted and compiled code add floats in the same order
and round exponentials coarsely, because these differ between machines.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Final, Self

from durak_core.errors import Message, RecordError
from durak_core.game.record import Record
from durak_core.game.state import State
from durak_core.kernel.position import derive
from durak_core.rules import Rules

if TYPE_CHECKING:
    from durak_core.review import Review

SEAT: Final = 0

OPPONENTS: Final = ("level:boris", "level:olga")
"""Two intermediate opponents that answer at once."""

_STREAM: Final = 1 << 40
"""Offset from a date's ordinal to its seed."""

_PARTS: Final = 4

_MONTHS: Final = (
    *(Message("Jan"), Message("Feb"), Message("Mar"), Message("Apr"), Message("May"), Message("Jun")),
    *(Message("Jul"), Message("Aug"), Message("Sep"), Message("Oct"), Message("Nov"), Message("Dec")),
)
_PLACES: Final = (Message("1st"), Message("2nd"))


@dataclass(frozen=True, slots=True)
class DailyDeal:
    """The deal of a date: podkidnoy on odd days of the month, perevodnoy on even ones.

    ``seed`` is the game's seed, as in `durak_core.lab.play_game`, for the deal and the opponents.
    """

    day: date
    rules: Rules
    seed: int

    @classmethod
    def of(cls, day: date) -> Self:
        preset = "podkidnoy" if day.day % 2 else "perevodnoy"
        return cls(day, Rules.preset(preset, seats=1 + len(OPPONENTS)), derive(day.toordinal(), _STREAM))

    @property
    def start(self) -> State:
        return State.deal(self.rules, self.seed)


@dataclass(frozen=True, slots=True)
class DailyResult:
    """The result of a daily deal, without its cards.

    Attributes:
        place: The finishing place, from 1; None for the fool and in a draw.
        accuracy: 0 to 100; None without an analysis.
        parts: Whether each quarter of the choices that mattered was free of mistakes; shorter with fewer
            choices, empty without an analysis.
    """

    day: date
    seats: int
    place: int | None
    is_draw: bool
    bouts: int
    accuracy: float | None = None
    parts: tuple[bool, ...] = ()

    @classmethod
    def of(cls, deal: DailyDeal, record: Record, review: Review | None = None) -> Self:
        """Summarise a game and its review; raise `RecordError` or `DealError` if it is not this deal's."""
        result = record.result
        if record.rules != deal.rules or record.start != deal.start:
            raise RecordError("this game is not the daily deal of {day}", day=deal.day)
        if result is None:
            raise RecordError("the game of {day} is not finished", day=deal.day)
        is_safe = SEAT not in result.fools and not result.draw
        place = result.places.index(SEAT) + 1 if is_safe else None
        accuracy = review.player(SEAT).accuracy if review else None
        parts = _parts(review) if review else ()
        return cls(deal.day, deal.rules.seats, place, result.draw, result.bouts, accuracy, parts)

    @property
    def line(self) -> Message:
        if self.place is not None:
            outcome = Message("out {place} of {seats}", place=_PLACES[self.place - 1], seats=self.seats)
        else:
            outcome = Message("a draw") if self.is_draw else Message("the fool")
        day = day_words(self.day)
        line = Message("Durak {day} · {outcome} · {bouts} bouts", day=day, outcome=outcome, bouts=self.bouts)
        if self.accuracy is None:
            return line
        signs = "".join(["◆" if part else "◇" for part in self.parts])
        return Message("{line} · {accuracy:.0f}% · {signs}", line=line, accuracy=self.accuracy, signs=signs)


def day_words(day: date) -> Message:
    """Format a date as ``22 Nov 2026``."""
    return Message("{day} {month} {year}", day=day.day, month=_MONTHS[day.month - 1], year=day.year)


def _parts(review: Review) -> tuple[bool, ...]:
    own = [one for one in review.evaluations.values() if one.seat == SEAT and one.accuracy is not None]
    parts = [
        [one.is_grave for number, one in enumerate(own) if number * _PARTS // len(own) == part]
        for part in range(_PARTS)
    ]
    return tuple([not any(costly) for costly in parts if costly])
