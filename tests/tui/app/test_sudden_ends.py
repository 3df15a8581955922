"""The program killed at random moments in a real terminal: nothing is lost, and nothing is left behind.

``DURAK_KILLS=200 DURAK_KILLS_SEED=7 python3 -m pytest -m slow tests/tui/app/test_sudden_ends.py -s`` kills it
200 times and prints what was found.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import sqlite3
from collections import Counter
from contextlib import closing

import psutil
import pytest
from waiting import let_pass, wait_until

from durak_core import CardSet
from durak_core.game.notation.game_text import read_game, write_game
from durak_tui.library.model.file import FILE_NAME
from durak_tui.play.saves import Saves
from durak_tui.players import HUMAN, recorded_players
from durak_tui.storage.paths import config_dir, data_dir
from durak_tui.storage.settings import Settings, SettingsFile
from tui.games import a_record
from tui.terminal import Terminal, is_running

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed: nothing was killed"),
]

SEED = int(os.environ.get("DURAK_KILLS_SEED", "1"))
KILLS = int(os.environ.get("DURAK_KILLS", "8"))
LATEST = 8.0
"""Seconds after the start by which the program is killed."""
IMPORTED = 150
PLAYING = (*"1234561234567890", *["Space", "Enter", "Right"] * 2, "t", "r", "h", "i", "s", "Escape", "c", "p")
TRYING = (*"123456", "Space", "Enter", "n", "n", "a", "BSpace")
BEGINNINGS = {
    "game": ((), ("c", "p"), PLAYING),
    "new game": ((), ("n", "F5"), ("Escape", "n", "F5", "1", "t", "Space")),
    "puzzle": ((), ("e", "Down", "Enter"), TRYING),
    "lesson": ((), ("e", "Enter", "Enter"), TRYING),
    "day's deal": (("--daily",), ("Left", "Enter"), (*PLAYING, "Left")),
    "import": (("--import", "{games}"), (), ()),
    "settings": ((), ("F2",), ("Up", "Down", "Down", "Left", "Right", "Right")),
    "watching": (("--watch", "--bots", "greedy,smart,viktor"), (), ("Space", "K", "n", "Right", "]")),
}
"""What is killed: the program's options, the first keys and the keys pressed at random after them."""
TABLES = {"progress": "kind, name", "puzzles": "position, place, solved", "games": "key", "files": "name"}
HAND = re.compile(r"You ─.*─ (\d+) cards ─")
CARD = re.compile(r"[│┃](10|[2-9JQKA])([♠♥♦♣])")
LETTERS = dict(zip("♠♥♦♣", "shdc", strict=True))


def a_terminal():
    kept = {name: value for name, value in os.environ.items() if name not in {"LANG", "DURAK_ENGINE"}}
    return Terminal({**kept, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"})


def saved_games():
    """Return the states of people's games by file name. Unfinished games of bots are dropped when left."""
    games = {}
    for folder in (Saves().running, Saves().finished):
        for path in sorted(folder.glob("*.durak")):
            record = read_game(path.read_text("utf-8"))
            if HUMAN in recorded_players(record):
                games[path.name] = record.replay()
    return games


def stored_rows(path=None):
    """Return what the library holds, read from a copy, so that the program itself recovers the file."""
    path = path or data_dir() / FILE_NAME
    if not path.exists():
        return {table: set() for table in TABLES}
    copy = path.parent.parent / "copy"
    shutil.rmtree(copy, ignore_errors=True)
    copy.mkdir()
    for each in path.parent.glob(f"{FILE_NAME}*"):
        shutil.copy(each, copy)
    with closing(sqlite3.connect(copy / FILE_NAME)) as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert db.execute("PRAGMA foreign_key_check").fetchall() == []
        if not db.execute("PRAGMA user_version").fetchone()[0]:
            return {table: set() for table in TABLES}
        half = "id NOT IN (SELECT game FROM records) OR seats <> (SELECT count(*) FROM seats WHERE game = id)"
        assert not db.execute(f"SELECT id FROM games WHERE {half}").fetchall()  # noqa: S608 - own words
        return {
            table: set(db.execute(f"SELECT {columns} FROM {table}").fetchall())  # noqa: S608 - own words
            for table, columns in TABLES.items()
        }


def shown_hand(text):
    """Return the cards of the player's hand on a screen, if all are seen."""
    title = HAND.search(text)
    if title is None:
        return None
    found = CARD.findall(text[title.end() :])
    cards = {rank.replace("10", "T") + LETTERS[suit] for rank, suit in found}
    return CardSet.parse(" ".join(sorted(cards))) if len(cards) == int(title[1]) else None


class Killer:
    """Starts the program over and over in the same folders, kills it, and compares what is there."""

    def __init__(self, seed: int, games: str) -> None:
        self.chance = random.Random(seed)
        self.games = games
        self.counts: Counter[str] = Counter()
        self.settings = Settings()
        self.rows = stored_rows()
        self.saved = saved_games()

    def kill_one(self, kind: str) -> None:
        options, first, keys = BEGINNINGS[kind]
        terminal = a_terminal()
        try:
            terminal.start(*[option.format(games=self.games) for option in options], *self._pace(kind))
            wait_until(lambda: terminal.tmux("list-panes", "-F", "#{pane_pid}").strip())
            self._press(terminal, first, keys)
            text, children = self._kill(terminal)
            wait_until(lambda: not any(map(is_running, children)), lambda: f"for {children} after {kind}")
        finally:
            terminal.close()
        self.counts[kind] += 1
        self._check(kind, text)

    @staticmethod
    def _pace(kind: str) -> tuple[str, ...]:
        return () if kind in {"import", "settings"} else ("--pace", "instant")

    def _press(self, terminal: Terminal, first, keys) -> None:
        """Press keys until the moment has come, one that is drawn at random."""
        rest = self.chance.uniform(0, LATEST)
        for key in first:
            if rest > 0.7:
                let_pass(0.7)
                rest -= 0.7
                terminal.press(key)
        while rest > 0:
            pause = min(rest, self.chance.uniform(0.01, 0.25))
            let_pass(pause)
            rest -= pause
            if keys:
                terminal.press(self.chance.choice(keys))

    def _kill(self, terminal: Terminal) -> tuple[str, list[int]]:
        """Kill the program; return what it showed and its children."""
        try:
            program = psutil.Process(terminal.program())
            children = [child.pid for child in program.children(recursive=True)]
            program.send_signal(signal.SIGKILL)
        except (IndexError, psutil.Error):
            self.counts["ended before"] += 1
            return terminal.text(), []
        self.counts["with engines"] += bool(children)
        wait_until(lambda: not is_running(program.pid))
        return terminal.text(), children

    def _check(self, kind: str, text: str) -> None:
        """Compare what is there with what was there before, and with what was shown."""
        assert "Traceback" not in text, text
        saved, rows = saved_games(), stored_rows()
        for name, states in self.saved.items():
            assert name in saved, f"{kind}: the game {name} is gone"
            assert saved[name][: len(states)] == states, f"{kind}: {name} lost moves"
        for table, before in self.rows.items():
            assert before <= rows[table], f"{kind}: rows of {table} are gone"
        hand = shown_hand(text)
        if hand is not None and kind in {"game", "new game", "day's deal"}:
            self.counts["hands compared"] += 1
            hands = [state.hands[0] for states in saved.values() for state in states[-60:]]
            assert hand in hands, f"{kind}: the hand {hand} was shown and not saved\n{text}"
        file = SettingsFile()
        settings = file.load()
        assert file.problems == []
        self.counts["settings changed"] += settings != self.settings
        self.counts["plies"] += sum(map(len, saved.values())) - sum(map(len, self.saved.values()))
        self.settings, self.saved, self.rows = settings, saved, rows

    def check_the_end(self, terminal: Terminal) -> None:
        """Start and leave in order; then everything is in its place, and nothing else."""
        terminal.start()
        terminal.see("Settings")
        terminal.press("l")  # the library takes up what has been finished
        wait_until(lambda: self._finished() <= {name for (name,) in stored_rows()["files"]})
        terminal.press("C-q")
        terminal.see("exit code 0")
        terminal.close()
        self._check("the end", "")
        everything = [path.name for path in (*data_dir().rglob("*"), *config_dir().rglob("*"))]
        left = [name for name in everything if ".tmp" in name or "damaged" in name]
        assert left == []
        assert not {name for name in everything if name.endswith(".lock")}
        self.counts["games finished"] = len(self._finished())
        self.counts |= Counter({f"rows of {table}": len(rows) for table, rows in self.rows.items()})

    @staticmethod
    def _finished() -> set[str]:
        return {path.name for path in Saves().finished.glob("*.durak")}


@pytest.fixture
def games(tmp_path):
    """Write a file of games to be imported."""
    path = tmp_path / "games.durak"
    path.write_text("\n".join(write_game(a_record(seed=seed)) for seed in range(IMPORTED)), "utf-8")
    return path


def test_killed_at_random_moments_nothing_is_lost_and_nothing_left_behind(games):
    killer = Killer(SEED, str(games))
    kinds = [*BEGINNINGS] * (KILLS // len(BEGINNINGS) + 1)
    for kind in kinds[:KILLS]:
        killer.kill_one(kind)
    killer.check_the_end(a_terminal())
    print(f"\nseed {SEED}, {KILLS} kills:", dict(killer.counts))  # noqa: T201 - with -s, its figures
