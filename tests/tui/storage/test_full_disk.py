"""Games, settings and the library on a disk that fails for a while: told once, and nothing is lost."""

import errno
import itertools
import sqlite3
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from full_disk import empty, fill

from durak_core.game.notation.game_text import read_game, write_game
from durak_tui.app import DurakApp
from durak_tui.library.model.service import LibraryService
from durak_tui.library.model.store import Library
from durak_tui.menu import MenuScreen
from durak_tui.play.saves import Saves
from durak_tui.play.session import Session
from durak_tui.players import HUMAN
from durak_tui.setup.screens import SetupScreen
from durak_tui.storage.settings import SettingsFile
from durak_tui.table.screens import HandOverScreen, TableScreen
from durak_tui.ui.screens.dialogs import Ask, NotSaved
from tui.failing_disk import FailingDatabases, FailingDisk
from tui.games import a_record
from tui.helpers import a_setup, an_app, my_turn, on_screen, paused, send, shows, until

ERRORS = (errno.ENOSPC, errno.EIO, errno.EROFS, errno.EDQUOT, errno.EACCES)
EVERY = (1, 2, 5)
GAME_AGAIN = "The game is saved again; nothing of it is missing."
SETTINGS_AGAIN = "The settings are saved again."

SHORT = "podkidnoy:lowest_rank=11,hand_size=4"
"""Rules of games with few moves."""

each_failure = pytest.mark.parametrize(
    ("number", "nth"),
    [
        pytest.param(
            number,
            nth,
            marks=() if number == errno.ENOSPC or at % len(EVERY) == EVERY.index(nth) else pytest.mark.slow,
            id=f"{errno.errorcode[number]}-{nth}",
        )
        for at, number in enumerate(ERRORS)
        for nth in EVERY
    ],
)
"""Each error and each frequency; all pairs if slow tests run."""


def play(saves, disk=None, failing=range(0)):
    """Play a whole game, the disk failing after so many plies; return after which the game was saved.

    The disk works when the game is left.
    """
    setup = a_setup((HUMAN, "greedy"), SHORT)
    session = Session(setup)
    saved = []
    while not session.is_over:
        if disk is not None:
            disk.fails = session.ply in failing
        if session.keeper is None:
            session.keeper = saves.begin(setup, session.state)
        else:
            session.submit(session.state.legal_actions[0], session.state.turn)
        saved.append(session.keeper.unsaved is None)
    if disk is not None:
        disk.fails = False
    session.keeper.release()
    return saved


def history(saves):
    return [replace(read_game(path.read_text("utf-8")), date="") for path in saves.finished.glob("*.durak")]


def files(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.sampled(5)
@each_failure
@pytest.mark.parametrize("failing", [range(8), range(3, 12)], ids=["from the beginning", "later"])
async def test_a_game_on_a_disk_that_fails_for_a_while_is_told_of_once_and_saved_whole(
    tmp_path, monkeypatch, number, nth, failing
):
    told = []
    calm = Saves(tmp_path / "calm")
    play(calm)
    saves = Saves(tmp_path / "failing", told.append)
    disk = FailingDisk(monkeypatch, number, nth)
    saved = play(saves, disk, failing)
    assert disk.refused
    turns = [now for before, now in zip([True, *saved], saved, strict=False) if now != before]
    assert [text == GAME_AGAIN for text in told] == turns
    assert (len(told) == 2) or nth == 5, "with others, no attempt works before the disk does"
    assert history(saves) == history(calm)
    assert files(saves.running) == []


@pytest.mark.sampled(3)
@each_failure
async def test_a_finished_game_that_could_not_be_saved_is_tried_again_when_it_is_left(
    tmp_path, monkeypatch, number, nth
):
    told = []
    calm = Saves(tmp_path / "calm")
    plies = len(play(calm)) - 1
    saves = Saves(tmp_path / "failing", told.append)
    saved = play(saves, FailingDisk(monkeypatch, number, nth), range(plies - 5, plies))
    assert not saved[-1] or nth == 5
    assert told[-1] == GAME_AGAIN
    assert history(saves) == history(calm)
    assert files(saves.running) == []


def test_a_game_left_while_the_disk_fails_goes_on_from_what_was_saved(tmp_path, monkeypatch):
    saves = Saves(tmp_path, lambda _text: None)
    setup = a_setup((HUMAN, "greedy"))
    states = [setup.deal()]
    saved = saves.begin(setup, states[0])
    disk = FailingDisk(monkeypatch, errno.ENOSPC)
    for _ in range(3):
        states.append(states[-1].apply(states[-1].legal_actions[0]))
        saved.keep(states[-1])
    saved.release()
    disk.fails = False
    (game,) = saves.unfinished()
    assert list(game.states) == states[:1]
    saved.release()
    assert len(saves.unfinished()[0].states) == 1, "who has let go of a game does not write to it any more"


# Settings


@each_failure
def test_settings_on_a_disk_that_fails_for_a_while_are_told_of_once_and_saved(monkeypatch, number, nth):
    app = DurakApp()
    disk = FailingDisk(monkeypatch, number, nth)
    told, saved = [], []
    monkeypatch.setattr(app, "notify", lambda text, **_: told.append(text))
    for change in range(24):
        disk.fails = 3 <= change < 17
        app.change_settings(name=f"Anna {change}", coach=not app.settings.coach)
        saved.append(SettingsFile().load() == app.settings)
        assert app.settings.name == f"Anna {change}"
    turns = [now for before, now in zip([True, *saved], saved, strict=False) if now != before]
    assert [text == SETTINGS_AGAIN for text in told] == turns
    assert turns == [False, True] or nth == 5
    assert SettingsFile().load() == app.settings


async def test_settings_that_could_not_be_saved_are_tried_again_at_the_end(monkeypatch):
    app = an_app(at_once="")
    async with app.run_test(size=(80, 24), notifications=True):
        await until(on_screen(app, MenuScreen))
        disk = FailingDisk(monkeypatch, errno.ENOSPC)
        app.change_settings(name="Anna")
        await until(shows(app, "The settings cannot be saved"))
        app.simulate_key("q")
        await until(on_screen(app, NotSaved))
        assert app.return_code is None
        disk.fails = False
        app.simulate_key("enter")
        await until(lambda: app.return_code == 0)
    assert SettingsFile().load().name == "Anna"


async def test_settings_that_nobody_could_be_asked_about_are_tried_again_too(monkeypatch):
    app = an_app(at_once="")
    async with app.run_test(size=(80, 24)):
        await until(on_screen(app, MenuScreen))
        disk = FailingDisk(monkeypatch, errno.EROFS)
        app.change_settings(name="Anna")
        disk.fails = False
        app.exit(return_code=143)
    assert SettingsFile().load().name == "Anna"


# The library


STORED_AGAIN = "The library stores games again."
REFUSED = {
    "full": sqlite3.SQLITE_FULL,
    "failing": sqlite3.SQLITE_IOERR_WRITE,
    "read-only": sqlite3.SQLITE_READONLY,
    "in use": sqlite3.SQLITE_BUSY,
}


def finish(saves, *seeds):
    """Leave finished games for the library to take up."""
    saves.finished.mkdir(parents=True, exist_ok=True)
    for seed in seeds:
        (saves.finished / f"{seed}.durak").write_text(write_game(a_record(seed)), "utf-8")


@pytest.mark.sampled(2)
@pytest.mark.parametrize("code", REFUSED.values(), ids=REFUSED)
async def test_whichever_write_to_the_library_fails_is_told_once_and_nothing_is_lost(
    tmp_path, monkeypatch, code
):
    for nth in itertools.count(1):
        saves, told = Saves(tmp_path / str(nth)), []
        finish(saves, 1, 2)
        with monkeypatch.context() as patch:
            databases = FailingDatabases(patch, code, nth)
            patch.setattr(Library, "copy_daily", lambda *_: None)
            library = LibraryService(tmp_path / str(nth), saves.finished, told.append)
            assert not library.store.problem or told
            await library.keep_evaluation(a_record(1), ("Durak", 300, "lines"), {0: 50.0})
            for _ in range(2):
                await library.collect()
            assert [text == STORED_AGAIN for text in told] == ([False, True] if databases.has_refused else [])
            assert library.store.count() == 2
            assert library.evaluation(a_record(1)) == ("Durak", 300, "lines")
            assert [game.accuracy for game in library.store.played_by(HUMAN)] == [50.0, None]
            library.close()
        if not databases.has_refused:
            break
    assert nth > 10


async def keeps_until_there_is_room(library, told, disk):
    """Fill the disk, and see the library take its games up once there is room again."""
    fill(disk)
    for _ in range(3):
        await library.collect()
    (text,) = told
    assert "disk is full" in text
    empty(disk)
    await library.collect()
    assert told[1:] == [STORED_AGAIN]


async def test_a_new_library_on_a_disk_that_is_full_has_the_games_once_there_is_room(small_disk):
    saves, told = Saves(), []
    library = LibraryService(small_disk / "data", saves.finished, told.append)
    finish(saves, 1, 2)
    await keeps_until_there_is_room(library, told, small_disk)
    assert library.store.count() == 2
    library.close()


async def test_an_open_library_on_a_disk_that_is_full_has_the_game_once_there_is_room(small_disk):
    saves, told = Saves(), []
    library = LibraryService(small_disk / "data", saves.finished, told.append)
    finish(saves, 1, 2)
    await library.collect()
    finish(saves, 3)
    await keeps_until_there_is_room(library, told, small_disk)
    assert library.store.count() == 3
    library.close()


# Leaving


def play_one(table):
    assert table.session.submit(table.session.state.legal_actions[0]) is None


def saved_ends():
    """Return where the saved games end, finished or not."""
    saves = Saves()
    return [game.states[-1] for game in saves.unfinished()] + [game.end for game in history(saves)]


@asynccontextmanager
async def one_move_unsaved(monkeypatch, *, confirm=True):
    """Play a move while the disk is full. Once the block has left the game, the move must be saved."""
    app = an_app(f"{SHORT},seats=2", confirm=confirm)
    async with app.run_test(size=(80, 24), notifications=True):
        table = await my_turn(app)
        disk = FailingDisk(monkeypatch, errno.ENOSPC)
        play_one(table)
        await until(shows(app, "Couldn't save", "not saved"))
        yield app, table, disk
        end = table.session.state
    assert end in saved_ends()


@asynccontextmanager
async def a_game_unsaved(monkeypatch):
    """Play to the result while the disk is full. Once the block has left the game, it must be saved."""
    app = an_app(f"{SHORT},seats=2")
    async with app.run_test(size=(80, 24), notifications=True):
        table = await my_turn(app)
        disk = FailingDisk(monkeypatch, errno.ENOSPC)
        while not table.session.is_over:
            play_one(await my_turn(app))
        await until(on_screen(app, Ask))
        yield app, table, disk
        end = table.session.state
    assert end in saved_ends()


async def asked(app):
    """Wait for the question that keeps a game on the table."""
    await until(on_screen(app, NotSaved))
    assert app.screen._text.startswith(
        "What was played last cannot be saved: the disk is full; make room on it."
    )


async def stay(app, table):
    """Answer that the game is not left."""
    send(app, "escape")
    await until(lambda: app.screen is table)


async def try_in_vain(app):
    """Answer that saving is tried again, which fails."""
    send(app, "enter")
    await until(shows(app, "Still not saved"))
    await until(on_screen(app, NotSaved))


def try_with_room(app, disk):
    """Answer that saving is tried again, which works."""
    disk.fails = False
    send(app, "enter")


async def ask_twice(app, table, *keys):
    """Leave a game with keys, stay, leave it with the same keys, and try to save it in vain."""
    send(app, *keys)
    await asked(app)
    await stay(app, table)
    send(app, *keys)
    await asked(app)
    await try_in_vain(app)


async def ask_twice_after_the_game(app, table, *keys):
    """Do so from the result, which is shown again before the second time."""
    send(app, *keys)
    await asked(app)
    await stay(app, table)
    table._is_result_due = True
    table._show_due_result()
    await until(on_screen(app, Ask))
    send(app, *keys)
    await asked(app)
    await try_in_vain(app)


@pytest.mark.parametrize("confirm", [pytest.param(True, marks=pytest.mark.slow), False])
async def test_leaving_an_unsaved_game_for_the_menu_asks_whatever_the_settings_say(monkeypatch, confirm):
    async with one_move_unsaved(monkeypatch, confirm=confirm) as (app, table, disk):
        await ask_twice(app, table, "escape")
        try_with_room(app, disk)
        await until(lambda: isinstance(app.screen, MenuScreen))


@pytest.mark.parametrize("key", ["ctrl+q", pytest.param("ctrl+c", marks=pytest.mark.slow)])
async def test_ending_the_app_in_an_unsaved_game_asks(monkeypatch, key):
    async with one_move_unsaved(monkeypatch) as (app, table, disk):
        await ask_twice(app, table, key)
        try_with_room(app, disk)
        await until(lambda: app.return_code is not None)


async def test_ending_the_app_by_the_palette_in_an_unsaved_game_asks(monkeypatch):
    async with one_move_unsaved(monkeypatch) as (app, table, disk):
        (leave,) = (it for it in app.get_system_commands(table) if it.title.startswith("Leave the"))
        await leave.callback()
        await asked(app)
        await stay(app, table)
        await leave.callback()
        await asked(app)
        await try_in_vain(app)
        try_with_room(app, disk)
        await until(lambda: app.return_code is not None)


async def test_the_game_after_an_unsaved_one_waits_until_that_is_saved(monkeypatch):
    async with a_game_unsaved(monkeypatch) as (app, table, disk):
        await ask_twice_after_the_game(app, table, "enter")
        try_with_room(app, disk)
        await until(lambda: isinstance(app.screen, TableScreen) and app.screen is not table)


@pytest.mark.parametrize(
    ("keys", "screen"),
    [
        pytest.param(("right", "enter"), SetupScreen, marks=pytest.mark.slow),
        (("escape", "escape"), MenuScreen),
    ],
)
async def test_leaving_an_unsaved_game_after_its_end_asks(monkeypatch, keys, screen):
    async with a_game_unsaved(monkeypatch) as (app, table, disk):
        await ask_twice_after_the_game(app, table, *keys)
        try_with_room(app, disk)
        await until(lambda: isinstance(app.screen, screen))


async def test_between_two_people_leaving_asks_without_showing_a_hand(monkeypatch):
    app = an_app(at_once="")
    async with app.run_test(size=(80, 24)):
        await until(on_screen(app, MenuScreen))
        disk = FailingDisk(monkeypatch, errno.ENOSPC)
        app.begin(a_setup((HUMAN, HUMAN), SHORT))
        await until(on_screen(app, HandOverScreen))
        hidden = app.screen
        send(app, "escape")
        await until(on_screen(app, NotSaved))
        send(app, "escape")
        await until(lambda: app.screen is hidden)
        send(app, "escape")
        await until(on_screen(app, NotSaved))
        assert app.screen_stack[-2] is hidden
        disk.fails = False
        send(app, "enter")
        await until(on_screen(app, MenuScreen))
    assert len(Saves().unfinished()) == 1


async def test_a_game_that_nobody_can_be_asked_about_is_tried_once_more_at_the_end(monkeypatch):
    app = an_app(f"{SHORT},seats=2")
    async with app.run_test(size=(80, 24)):
        table = await my_turn(app)
        disk = FailingDisk(monkeypatch, errno.ENOSPC)
        play_one(table)
        await until(lambda: table.session.keeper.unsaved is not None)
        disk.fails = False
        app.exit(return_code=143)
    assert Saves().unfinished()[0].states[-1] == table.session.state


async def test_a_watched_game_that_is_left_before_its_end_is_forgotten_without_a_question(monkeypatch):
    app = an_app(at_once="watch")
    async with app.run_test(size=(80, 24)):
        watch = await paused(app)
        disk = FailingDisk(monkeypatch, errno.ENOSPC)
        watch.session.step()
        await until(lambda: watch.session.keeper.unsaved is not None)
        disk.fails = False
        send(app, "escape")
        await until(on_screen(app, MenuScreen))
    assert not list(Saves().running.glob("*"))
