"""The deal of the day in the app: one game of a day counts, the same for everybody, and a month shows it."""

from __future__ import annotations

import asyncio
import time
from datetime import date, timedelta
from pathlib import Path

import pytest

from durak_core import make_agent
from durak_core.daily import OPPONENTS, SEAT, DailyDeal
from durak_core.errors import DealError
from durak_core.lab import play_game
from durak_tui.app import DurakApp
from durak_tui.learn import model
from durak_tui.learn.model import daily_setup, days_begun, played_days, practice_setup, streak, was_played
from durak_tui.learn.screens import daily
from durak_tui.learn.screens.daily import DailyScreen, Month
from durak_tui.learn.view import month_view
from durak_tui.library.model.service import collect
from durak_tui.library.model.store import Library
from durak_tui.menu import MenuScreen
from durak_tui.play.saves import Saves, game_record, name_of_day
from durak_tui.play.session import Session
from durak_tui.play.setup import Launch
from durak_tui.storage.settings import Settings
from durak_tui.table.screens import ResultDialog, TableScreen
from tui.helpers import CALM, my_turn, on_screen, screen_text, send, shows, until

DAY = date(2026, 11, 22)
DEAL = DailyDeal.of(DAY)


def a_game():
    """Play the day's deal to its end by programs that answer alike every time."""
    return play_game(DEAL.rules, [make_agent("smart"), *map(make_agent, OPPONENTS)], DEAL.seed).record


def an_app(**changes):
    return DurakApp(Launch(at_once="daily", changes={**CALM, **changes}))


@pytest.fixture
def today(monkeypatch):
    """Let the clock of the screen be told the date."""
    days = [DAY]
    monkeypatch.setattr(daily, "now", lambda: days[-1])
    return days


async def known(app):
    """Wait until the screen knows what was played."""
    await until(on_screen(app, DailyScreen))
    await until(lambda: app.screen._is_over is not None)
    return app.screen


async def test_whoever_plays_the_same_moves_at_the_table_sees_the_same_game():
    """Also after the game is left and taken up again: the record of the core is played move by move."""
    record = a_game()
    setup = daily_setup(DAY, Settings())
    session = Session(setup)
    for number, move in enumerate(record.moves):
        if number == len(record.moves) // 2:
            await session.close()
            session = Session(setup, session.states)
        session.start()
        await until(lambda number=number, session=session: session.ply >= number)
        if move.seat == SEAT:
            assert session.submit(move.action) is None
        else:
            await until(lambda number=number, session=session: session.ply > number)
    await session.close()
    assert game_record(setup, session.state).moves == record.moves


def test_the_game_that_counts_has_neither_advice_nor_moves_taken_back():
    setup = daily_setup(DAY, Settings())
    session, practice = Session(setup), Session(practice_setup(DAY, Settings()))
    for each in (session, practice):
        assert each.state == DEAL.start
    assert not session.undo()


def test_of_a_day_there_is_one_game_whatever_other_windows_do(tmp_path):
    first, second = Saves(tmp_path), Saves(tmp_path)
    setup = daily_setup(DAY, Settings())
    saved = first.begin(setup, DEAL.start)
    with pytest.raises(DealError, match="the daily deal of 22 Nov 2026 has already begun"):
        second.begin(setup, DEAL.start)
    saved.release()
    with pytest.raises(DealError):
        second.begin(setup, DEAL.start)
    assert days_begun(second.unfinished())[DAY].states == (DEAL.start,)
    _, taken_up = second.resume(second.unfinished()[0])
    taken_up.keep(a_game().end)
    with pytest.raises(DealError):
        first.begin(setup, DEAL.start)


def test_the_library_knows_the_days_and_a_deleted_game_was_played_all_the_same(tmp_path):
    saves, library = Saves(tmp_path), Library(tmp_path)
    assert not was_played(DAY, library, saves)
    saves.begin(daily_setup(DAY, Settings()), DEAL.start).keep(a_game().end)
    assert was_played(DAY, library, saves)

    collect(library, saves.finished, lambda _stored: None)
    ((day, number),) = played_days(library).items()
    assert day == DAY
    library.delete([number])
    (saves.finished / name_of_day(DAY)).unlink()
    assert not played_days(library)
    assert was_played(DAY, library, saves)
    library.close()


def test_a_file_that_says_so_of_another_deal_is_no_deal_of_the_day(tmp_path):
    saves = Saves(tmp_path)
    saves.begin(daily_setup(DAY, Settings()), DEAL.start).release()
    path = saves.running / name_of_day(DAY)
    path.write_text(path.read_text("utf-8").replace(DAY.isoformat(), "2026-11-20"), "utf-8")
    assert [game.setup.day for game in saves.unfinished()] == [None]


def test_days_in_a_row_end_today_or_yesterday():
    days = {DAY - timedelta(before): 0 for before in (0, 1, 2, 4)}
    assert streak(days, DAY) == 3
    assert streak(days, DAY + timedelta(1)) == 3
    assert streak(days, DAY + timedelta(2)) == 0


@pytest.mark.parametrize("ascii_only", [False, True])
def test_a_month_shows_what_became_of_each_day(ascii_only):
    view = month_view(DAY, DAY, {DAY - timedelta(1): "fool"}, ascii_only=ascii_only)
    days = {day.day.day: day for week in view.weeks for day in week if day is not None}
    assert (view.heading, len(days), view.weeks[0][:6]) == ("November 2026", 30, (None,) * 6)
    assert [days[number].sign for number in (20, 21, 22, 23)] == ["", *("xo" if ascii_only else "✗○"), ""]
    assert days[22].is_there
    assert not days[23].is_there
    assert "".join(day.sign for day in days.values()).isascii() == ascii_only


async def test_the_deal_is_played_once_for_its_day_and_its_line_is_copied(today):
    """It is the day's on which it began, and later only for practice."""
    app = an_app()
    copied = []
    app.copy_to_clipboard = copied.append
    async with app.run_test(size=(80, 24)):
        await known(app)
        await until(shows(app, "Perevodnoy against Boris and Olga"))
        await until(shows(app, "no hints"))
        send(app, "enter")
        await until(on_screen(app, TableScreen))
        await my_turn(app)
        send(app, "h", "u")
        await until(shows(app, "In the daily deal there are no hints"))
        today.append(DAY + timedelta(1))
        while not (table := await my_turn(app)).session.is_over:
            table.session.submit(table.session.state.legal_actions[0])
        await until(on_screen(app, ResultDialog))
        await until(shows(app, "Durak 22 Nov 2026 · "))
        send(app, "y")
        await until(lambda: copied and copied[0].startswith("Durak 22 Nov 2026 · "))
        assert isinstance(app.screen, ResultDialog)
        send(app, "m")
        await until(on_screen(app, MenuScreen))
        send(app, "d")
        await until(on_screen(app, DailyScreen))
        send(app, "left")
        await until(lambda: app.screen._line)
        send(app, "y")
        await until(lambda: len(copied) == 2)
        await until(shows(app, "for practice"))
        send(app, "enter")
        await until(on_screen(app, TableScreen))
        assert app.screen.session.setup.day is None


async def test_a_deal_begun_before_the_library_is_read_counts_for_its_day(today, monkeypatch):
    """It was dealt for practice, with hints, so that its cards were known before the rated try."""
    app = an_app()
    may_read = asyncio.Event()
    monkeypatch.setattr(app.library, "collect", may_read.wait)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(on_screen(app, DailyScreen))
        await until(shows(app, "Perevodnoy against Boris and Olga"))
        await pilot.press("enter")
        assert isinstance(app.screen, DailyScreen)
        may_read.set()
        await until(on_screen(app, TableScreen))
        assert app.screen.session.setup.day == DAY


@pytest.mark.sampled(1)
@pytest.mark.parametrize("size", [(60, 20), (46, 41)])
async def test_days_and_months_are_chosen_by_keys_and_by_touch(size, today, tmp_path):
    app = an_app()
    async with app.run_test(size=size) as pilot:
        screen = await known(app)
        month = screen.query_one(Month)
        await until(lambda: month._marks)
        region = next(region for region, day in month._marks if day == DAY - timedelta(3))
        await pilot.click(Month, offset=(region.x + 1, region.y))
        await until(shows(app, "19 Nov 2026: Podkidnoy"))
        send(app, "up", "right")
        await until(shows(app, "13 Nov 2026"))
        await pilot.click(Month, offset=(1, 0))
        await until(shows(app, "October 2026"))
        send(app, "home", "right", "pagedown")
        await until(shows(app, "22 Nov 2026"))
        assert "for practice" not in screen_text(app)


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="this system cannot change its time zone")
def test_the_day_is_that_of_the_players_clock(monkeypatch):
    """In the far east it is already tomorrow, or still yesterday in the far west, at every moment."""
    days = []
    try:
        for zone in ("EAST-14", "WEST12"):
            monkeypatch.setenv("TZ", zone)
            time.tzset()
            days.append(model.today())
    finally:
        monkeypatch.undo()
        time.tzset()
    assert days[0] > days[1]


def test_a_folder_that_may_not_be_entered_ends_nothing(tmp_path, monkeypatch):
    library = Library(tmp_path)

    def refused(*_arguments, **_more):
        raise PermissionError

    monkeypatch.setattr(Path, "stat", refused)
    assert not was_played(date(2026, 1, 1), library, Saves(tmp_path / "locked"))
    monkeypatch.undo()
    library.close()
