"""The month of daily deals, and the line to share."""

from __future__ import annotations

import calendar
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Final

from durak_core.daily import OPPONENTS, DailyDeal, DailyResult, day_words
from durak_tui.players.opponents import called
from durak_tui.text.core_messages import core_words
from durak_tui.text.i18n import gettext, ngettext, pgettext
from durak_tui.text.phrases import DOT, preset_text

if TYPE_CHECKING:
    from durak_tui.review.model.review_game import ReviewGame

BEGUN: Final = "begun"
"""The outcome of a day whose game is unfinished."""
_OPEN: Final = "open"

_SIGNS: Final = {"first": "★", "second": "☆", "fool": "✗", "draw": "=", BEGUN: "…", _OPEN: "○"}
_ASCII_SIGNS: Final = {"first": "*", "second": "+", "fool": "x", "draw": "=", BEGUN: "~", _OPEN: "o"}
_ASCII_LINE: Final = str.maketrans("·◆◇", "-*.")


@dataclass(frozen=True, slots=True)
class DayView:
    """A day of the calendar.

    Attributes:
        sign: The result's sign; empty if unplayed.
        is_there: Whether the deal is available.
    """

    day: date
    sign: str
    is_today: bool
    is_chosen: bool
    is_there: bool


@dataclass(frozen=True, slots=True)
class MonthView:
    """A month of weeks. Days of other months are None."""

    heading: str
    weekdays: tuple[str, ...]
    weeks: tuple[tuple[DayView | None, ...], ...]


def outcome_of(result: DailyResult) -> str:
    """Return a result's name: ``first``, ``second``, ``fool`` or ``draw``."""
    if result.place is None:
        return "draw" if result.is_draw else "fool"
    return ("first", "second")[result.place - 1]


def month_view(chosen: date, today: date, outcomes: Mapping[date, str], *, ascii_only: bool) -> MonthView:
    signs = _ASCII_SIGNS if ascii_only else _SIGNS
    names = pgettext(
        "calendar",
        "January February March April May June July August September October November December",
    ).split()
    weeks = [
        tuple(
            DayView(
                day,
                signs.get(outcomes.get(day, _OPEN if day == today else ""), ""),
                is_today=day == today,
                is_chosen=day == chosen,
                is_there=day <= today or day in outcomes,
            )
            if day.month == chosen.month
            else None
            for day in week
        )
        for week in calendar.Calendar().monthdatescalendar(chosen.year, chosen.month)
    ]
    heading = f"{names[chosen.month - 1]} {chosen.year}"
    return MonthView(heading, tuple(pgettext("calendar", "Mo Tu We Th Fr Sa Su").split()), tuple(weeks))


def legend(*, ascii_only: bool, is_narrow: bool = False) -> str:
    """Explain the signs on one line, or on two if narrow."""
    signs = _ASCII_SIGNS if ascii_only else _SIGNS
    meanings = {
        "first": pgettext("day", "first"),
        "second": pgettext("day", "second"),
        "fool": pgettext("day", "fool"),
        "draw": pgettext("day", "draw"),
        BEGUN: pgettext("day", "begun"),
    }
    told = [f"{signs[name]} {meaning}" for name, meaning in meanings.items()]
    lines = (told[:3], told[3:]) if is_narrow else (told,)
    return "\n".join(["  ".join(line) for line in lines])


def shared_line(day: date, game: ReviewGame, *, ascii_only: bool) -> str:
    """Return the line to share of a finished daily game, with the accuracy if it is fully reviewed."""
    review = None if game.open_choices else game.review
    line = core_words(DailyResult.of(DailyDeal.of(day), game.record, review).line)
    return line.translate(_ASCII_LINE) if ascii_only else line


def streak_words(days: int) -> str:
    return ngettext("{count} day in a row", "{count} days in a row", days) if days else ""


def daily_line(days: int, *, is_played: bool, ascii_only: bool) -> str:
    today = gettext("today's is played") if is_played else gettext("today's is still to be played")
    return DOT[ascii_only].join(filter(None, (today, streak_words(days))))


def deal_words(day: date) -> str:
    game = preset_text(DailyDeal.of(day).rules.base)
    names = gettext("{first} and {second}", first=called(OPPONENTS[0]), second=called(OPPONENTS[1]))
    return gettext("{day}: {game} against {names}.", day=core_words(day_words(day)), game=game, names=names)
