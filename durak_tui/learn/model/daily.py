"""The daily deal: its game setup, results and streaks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date, timedelta
from typing import Final

from durak_core import Record
from durak_core.daily import OPPONENTS, SEAT, DailyDeal, DailyResult
from durak_tui.library.model.store import Library
from durak_tui.play.saves import DAY_TAG, Saves, Unfinished, name_of_day
from durak_tui.play.setup import GameSetup, names_at_table
from durak_tui.players.roster import HUMAN
from durak_tui.storage.settings import Settings

_DAY: Final = timedelta(days=1)


def now() -> date:
    return date.today()  # noqa: DTZ011 - of the clock on the wall


def daily_setup(day: date, settings: Settings) -> GameSetup:
    deal = DailyDeal.of(day)
    players = (HUMAN, *OPPONENTS)
    return GameSetup(deal.rules, players, names_at_table(players, settings), deal.seed, day=day)


def practice_setup(day: date, settings: Settings) -> GameSetup:
    return replace(daily_setup(day, settings), day=None)


def played_days(library: Library) -> dict[date, int]:
    return dict(_dated(library.tagged(DAY_TAG, SEAT)))


def daily_result(day: date, record: Record) -> DailyResult:
    """Return the result of a day's game. Raises `DurakError` if the record is of another game."""
    return DailyResult.of(DailyDeal.of(day), record)


def was_played(day: date, library: Library, saves: Saves) -> bool:
    """Return whether a day's game was finished or given up, even if deleted since."""
    name = name_of_day(day)
    is_finished = not library.new_files((name,)) or (saves.finished / name).exists()
    return is_finished or day in library.days_given_up()


def days_begun(games: tuple[Unfinished, ...]) -> dict[date, Unfinished]:
    return {game.setup.day: game for game in games if game.setup.day is not None}


def streak(days: Mapping[date, object], today: date) -> int:
    """Return the number of consecutive days up to today, or up to yesterday if today's deal is unplayed."""
    day = today if today in days else today - _DAY
    count = 0
    while day in days:
        count, day = count + 1, day - _DAY
    return count


def _dated(numbers: Mapping[str, int]) -> Iterator[tuple[date, int]]:
    for text, number in numbers.items():
        try:
            yield date.fromisoformat(text), number
        except ValueError:
            continue  # another program's tag
