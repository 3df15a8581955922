"""The app for hours: thousands of random keys, hundreds of games, and the end at any moment."""

import asyncio
import gc
import os
import pty
import random
import signal
import subprocess
import sys
import threading
from itertools import chain
from pathlib import Path

import pytest
from textual import events
from textual.app import App
from textual.keys import key_to_character
from textual.worker import WorkerFailed
from waiting import a_while, let_pass, wait_for_end, wait_until

from durak_core import Rules, State
from durak_core.game.notation.game_text import read_game
from durak_tui.app import DurakApp
from durak_tui.keys.actions import ACTIONS
from durak_tui.keys.keymap import twins
from durak_tui.menu import MenuScreen
from durak_tui.play.saves import Saves
from durak_tui.play.session import Session
from durak_tui.play.setup import Launch
from durak_tui.players import HUMAN
from durak_tui.storage.paths import config_dir, data_dir
from durak_tui.text.i18n import LANGUAGES
from durak_tui.watch.screen import WatchScreen
from tui.helpers import CALM, a_setup, an_app, my_turn, on_screen, shows, until
from tui.reviewing import Oracle, a_game

PLAYED = Path(__file__).parents[1] / "played.py"

# Random keys

LEAVING = {"ctrl+q", "ctrl+c"}
TYPED = (*"0123456789abcxyz,:=.-/~ \x00", "backspace", "delete", "tab", "shift+tab", "enter", "escape")
BOUND = {key for action in ACTIONS.values() for key in action.keys}
EVERY_KEY = sorted(BOUND | set("abcdefghijklmnopqrstuvwxyz") | set(TYPED))
KEYS = [key for key in [*EVERY_KEY, *chain(*map(twins, EVERY_KEY))] if key not in LEAVING]
PLACES = ("p", "c", "w", "n", "l", "t", "f2", "f3", "question_mark", "ctrl+p")
"""Keys that lead on from the menu, pressed now and then so that no screen is left out."""
BEGINNINGS = (
    lambda looks: an_app("podkidnoy:seats=2", at_once="", **looks),
    lambda looks: an_app("perevodnoy:seats=4", at_once="", **looks),
    lambda looks: an_app("podkidnoy:seats=6", at_once="", **looks),
    lambda looks: an_app("perevodnoy:seats=3", at_once="watch", **looks),
    lambda looks: DurakApp(Launch(at_once="review", changes={**CALM, **looks}, games=(a_game(),))),
)
"""What the app is started with: with the menu, with a watched game, with a review."""
PEOPLE = a_setup((HUMAN, "greedy", HUMAN))
"""Now and then several people begin a game at once."""
SIZES = ((80, 24), (120, 36), (60, 20), (40, 10), (200, 60))


def press(app, key):
    """Press a key as the terminal would."""
    app.post_message(events.Key(key, key if len(key) == 1 else key_to_character(key)))


async def settle(app, pilot):
    """Wait until the keys so far are dealt with."""
    seen = asyncio.Event()
    app.call_later(seen.set)
    await until(lambda: seen.is_set() or app._exit)
    if not app._exit:
        await pilot.pause(0)
    if app._exception is not None:
        raise app._exception


def note_screens(app, seen):
    """Add the name of every screen that is laid on another one, however soon it is gone."""
    push = app.push_screen

    def pushed(screen, *rest, **more):
        seen.add(type(screen).__name__)
        return push(screen, *rest, **more)

    app.push_screen = pushed


async def monkey(chance, number, seen):
    """Press random keys, click and resize in one run of the app; return how many until it was left."""
    looks = {"ascii": chance.random() < 0.2, "language": chance.choice(list(LANGUAGES))}
    app = chance.choice(BEGINNINGS)(looks)
    app.engines.adviser = Oracle()
    note_screens(app, seen)
    pressed = 0
    last = []
    async with app.run_test(size=(80, 24), tooltips=True, notifications=True) as pilot:
        try:
            await settle(app, pilot)
            if chance.random() < 0.2:
                app.begin(PEOPLE)
                await settle(app, pilot)
            while pressed < number and app.is_running and app._exit is False:
                if pressed and pressed % 60 == 0:
                    for key in (*["escape"] * 3, chance.choice(PLACES), chance.choice(("enter", "down"))):
                        press(app, key)
                for _ in range(20):
                    key = chance.choice(KEYS)
                    last = [*last[-60:], key]
                    press(app, key)
                pressed += 20
                await settle(app, pilot)
                if app._exit:
                    break
                if chance.random() < 0.1:
                    await pilot.resize_terminal(*chance.choice(SIZES))
                if chance.random() < 0.2:
                    width, height = app.size
                    await pilot.click(offset=(chance.randrange(width), chance.randrange(height)))
                await settle(app, pilot)
                seen.update(type(screen).__name__ for screen in app.screen_stack)
        except Exception as error:
            error.add_note(f"seen on {app.screen_stack}, the last keys were {' '.join(last)}")
            raise
    return pressed


async def all_day(seed, number, monkeypatch, tmp_path):
    """Let the monkey press so many keys, starting the app again whenever it has left it."""
    # What it writes stays in the folder of games.
    monkeypatch.setenv("DURAK_CONFINED", "1")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    chance = random.Random(seed)
    seen = set()
    left = number
    while left > 0:
        left -= await monkey(chance, left, seen)
        assert not list(tmp_path.glob("*.jsonl")), "something was written outside the folder of games"
    return seen


async def test_a_key_that_arrives_when_the_screens_are_gone_does_no_harm():
    app = an_app(at_once="")
    async with app.run_test():
        pass
    await app.on_event(events.Key("escape", None))


async def test_who_waits_for_an_app_that_has_failed_is_told_why_at_once():
    app, told = App(), []

    async def fail():
        raise OSError("lost")

    async def wait_in_vain():
        async with app.run_test():
            app.run_worker(fail())
            try:
                await until(lambda: False)
            except WorkerFailed as error:
                told.append(error)

    with pytest.raises(WorkerFailed, match="lost"):
        await wait_in_vain()
    assert told == [app._exception]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("place", ["p", "n", "f2", "ctrl+p"])
async def test_keys_pressed_before_a_screen_is_there_and_after_it_is_gone_do_no_harm(place):
    app = an_app(at_once="")
    async with app.run_test(size=(80, 24)) as pilot:
        await until(on_screen(app, MenuScreen))
        for key in (
            place,
            "left",
            "escape",
            "right",
            "enter",
            place,
            "escape",
            "ctrl+p",
            "escape",
            "ctrl+q",
            "x",
        ):
            press(app, key)
            await settle(app, pilot) if key == "enter" else None
        await settle(app, pilot)


async def test_the_coach_speaks_at_a_first_turn_of_the_person():
    seed = next(seed for seed in range(99) if State.deal(Rules(seats=2), seed).turn == 0)
    app = an_app(seed=seed, bots=("greedy",), coach=True)
    async with app.run_test(size=(80, 24)):
        table = await my_turn(app)
        assert table.advice.found is not None


async def test_60_random_keys_do_no_harm(monkeypatch, tmp_path):
    assert "MenuScreen" in await all_day(1, 60, monkeypatch, tmp_path)


@pytest.mark.slow
async def test_20000_random_keys_on_all_screens_do_no_harm(monkeypatch, tmp_path):
    """Ten runs of 2,000 keys, each of which can be repeated by its seed."""
    seen = set()
    for seed in range(2, 12):
        seen |= await all_day(seed, 2000, monkeypatch, tmp_path)
    assert seen >= {
        "HandOverScreen",
        "LibraryScreen",
        "MenuScreen",
        "ReviewScreen",
        "SetupScreen",
        "StatisticsScreen",
        "TableScreen",
        "WatchScreen",
    }


# Hundreds of games


def rss():
    """Return the bytes of memory that the process holds."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def alive(kind):
    """Count the objects of a class."""
    return sum(isinstance(item, kind) for item in gc.get_objects())


async def watch_game(app, last):
    """Watch the game that follows another session, and return its session."""
    await until(lambda: on_screen(app, WatchScreen)() and app.screen.session is not last)
    session = app.screen.session
    await until(lambda: session.is_over)
    await until(lambda: not app.screen._is_drawing)
    return session


async def watch_games(app, number, take):
    """Watch so many games one after the other, and call a function after each."""
    session = None
    for game in range(number):
        session = await watch_game(app, session)
        await take(game)
        if game < number - 1:
            press(app, "n")


@pytest.mark.slow
async def test_200_watched_games_leave_nothing_behind():
    """The first games fill caches; what comes after must not grow with the number of games.

    Short games: how many there are counts here, and drawing their moves takes nearly all the time.
    """
    app = an_app(
        "podkidnoy:seats=3,lowest_rank=11,hand_size=4", ("greedy", "smart", "greedy"), at_once="watch"
    )
    figures = []

    async def take(game):
        if game % 20 == 19:
            await a_while()
            gc.collect()
            figures.append(
                (
                    game + 1,
                    len(asyncio.all_tasks()),
                    sys.getallocatedblocks(),
                    rss(),
                    alive(Session),
                    threading.active_count(),
                )
            )

    async with app.run_test(size=(80, 24)):
        await watch_games(app, 200, take)
    print(*figures, sep="\n")  # noqa: T201 - shown when the test fails
    (_, *before), (_, *after) = figures[3], figures[-1]
    assert after[0] <= before[0] + 2, "tasks"
    assert after[1] - before[1] < 120 * 60, "blocks of memory a game"
    assert after[2] - before[2] < 120 * 40_000, "bytes of memory a game"
    assert after[3] <= before[3] + 1, "sessions"
    assert after[4] <= before[4] + 1, "threads"


# The end at any moment


class Player:
    """The app on a pseudo terminal, with somebody who presses keys faster than anybody could."""

    def __init__(self, *arguments):
        self.shown = []
        self.drawn = bytearray()
        reading, writing = os.pipe()
        self.terminal, slave = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, str(PLAYED), str(writing), "--pace", "instant", *arguments],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            pass_fds=(writing,),
            env={**os.environ, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"},
        )
        os.close(slave)
        os.close(writing)
        self._said = os.fdopen(reading, "r", encoding="utf-8")
        threading.Thread(target=self._swallow, daemon=True).start()

    def _swallow(self):
        """Read what is drawn, lest the app wait for it."""
        try:
            while piece := os.read(self.terminal, 65536):
                self.drawn += piece
        except OSError:
            pass

    def watch(self):
        """Return the next list of actions that was shown to the person; empty at the end."""
        line = self._said.readline()
        if line:
            self.shown = line.split()
        return line

    def press(self, keys):
        os.write(self.terminal, keys.encode())

    def kill(self):
        """End it without a warning, and read what it said before."""
        os.kill(self.process.pid, signal.SIGKILL)
        wait_for_end(self.process)
        while self.watch():
            pass
        self._said.close()
        os.close(self.terminal)


def play_until_killed(chance, *arguments):
    """Play, kill the app within 20 ms of a key, and return the actions last shown.

    What the program before it left must be gone soon after the start.
    """
    player = Player(*arguments)
    assert player.watch(), f"the app did not come to a game: {bytes(player.drawn[-2000:]).decode()}"
    wait_until(lambda: not left_by_others(player))
    for _ in range(chance.randint(1, 20)):
        player.press(chance.choice("123456  t"))
        let_pass(chance.uniform(0.0, 0.02))
    player.kill()
    return player.shown


def left_by_others(player):
    """Return the temporary files of programs that are no more, and locks beside that of the game played."""
    folders = (data_dir(), data_dir() / "running", data_dir() / "games", config_dir())
    temporary = [path.name for folder in folders for path in folder.glob(".*.tmp")]
    locks = sorted(path.name for path in (data_dir() / "running").glob("*.lock"))
    return [name for name in temporary if f".{player.process.pid}-" not in name] + locks[1:]


def written_games():
    """Return the records of all games, unfinished ones first."""
    saves = Saves()
    paths = [*saves.running.glob("*.durak"), *saves.finished.glob("*.durak")]
    return [read_game(path.read_text("utf-8")) for path in paths]


def killed_again_and_again(times, seed):
    """Return how long the longest game was, and how many temporary files and locks were found at starts."""
    chance = random.Random(seed)
    longest = found = 0
    for number in range(times):
        goes_on = any(not game.end.is_over for game in written_games())
        begin = ("--continue",) if goes_on else ("--seed", str(number), "--bots", "greedy,smart")
        found += len(list(data_dir().rglob(".*.tmp"))) + len(list(data_dir().glob("running/*.lock")))
        shown = play_until_killed(chance, *begin)
        games = [[str(move.action) for move in game.moves] for game in written_games()]
        # What was shown is there; one action more may have been saved and not been shown yet.
        there = [game for game in games if game[: len(shown)] == shown and len(game) <= len(shown) + 1]
        assert there, f"after end {number} there are {games} without {shown}"
        longest = max(longest, len(shown))
    return longest, found


def test_a_game_survives_its_programs_sudden_ends():
    killed_again_and_again(2, seed=1)


@pytest.mark.slow
def test_a_game_goes_on_after_100_sudden_ends_with_every_action_that_was_shown():
    longest, found = killed_again_and_again(100, seed=2)
    print(f"100 ends, {longest} actions in the longest game, {found} files left and removed")  # noqa: T201
    assert longest > 20
    assert found > 90, "a lock is left by nearly every end"


@pytest.mark.sampled(1)
@pytest.mark.parametrize("size", [(1, 1), (1, 40), (200, 1), (2, 2)])
async def test_a_window_of_one_cell_ends_nothing(size):
    app = an_app(at_once="")
    async with app.run_test(size=size) as pilot:
        await pilot.press("v", "escape", "n", "escape", "l", "escape")
        await pilot.resize_terminal(80, 24)
        await until(lambda: on_screen(app, MenuScreen))
        await until(shows(app, "Settings"))
