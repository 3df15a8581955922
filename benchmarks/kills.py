"""Kill programs while they write, and check that everything they reported as written is there.

    python3 -m benchmarks.kills [--kills 50] [--seed 1] [--only library match]

Each child process prints a number after each thing that it has written, and is killed after a random time.
Then the files are opened again, and temporary files must be swept. A row has the kills, what was written and
what was lost.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final, cast

from benchmarks.exits import with_exit_codes
from durak_core import DurakError, load_records
from durak_core.files import sweep
from durak_core.lab.matches.match import Match
from durak_core.lab.matches.saved_games import SavedGames
from durak_tui.friends.store import TableStore
from durak_tui.library.model.store import Library
from durak_tui.play.saves import Saves
from durak_tui.storage.settings import SettingsFile

_LONGEST: Final = 1.0
"""Seconds until a kill, after the first thing was written."""

_BEGIN: Final = """
import itertools, sys
from pathlib import Path
from benchmarks.damage import some_record, write_table
folder = Path(sys.argv[1])
def done(count): print(count, flush=True)
"""


@dataclass(frozen=True)
class _Work:
    """A child's program or command, and what opens its files and returns how many things are there."""

    program: str
    count: Callable[[Path], int]


def _games(folder: Path) -> int:
    library = Library(folder)
    try:
        return sum(library.record(number) is not None for number in library.find())
    finally:
        library.close()


def _learnt(folder: Path) -> int:
    library = Library(folder)
    try:
        return len(library.remembered("lesson"))
    finally:
        library.close()


def _named(folder: Path) -> int:
    file = SettingsFile(folder / "settings.toml")
    name = file.load().name
    file.sweep()
    return int(name.removeprefix("N")) if not file.problems else -1


def _plies(folder: Path) -> int:
    saves = Saves(folder)
    saves.sweep()
    games = saves.unfinished()
    return -1 if saves.problems else sum(len(game.states) for game in games)


def _tables(folder: Path) -> int:
    store = TableStore(folder)
    try:
        return len(store.tables())
    finally:
        store.close()


def _finished(folder: Path) -> int:
    with SavedGames(folder / "games.jsonl", [Match("podkidnoy", ("random", "greedy"), 100_000, 1)]) as saved:
        return len(saved.finished)


def _old(folder: Path) -> int:
    """Return whether the file of before is whole."""
    sweep(folder)
    return len(load_records(folder / "games.jsonl"))


_WORKS: Final = {
    "library": _Work(
        """
from durak_tui.library.model.entries import entry_of
from durak_tui.library.model.store import Library
library = Library(folder)
for count in itertools.count(1):
    library.add(entry_of(some_record(count)))
    done(count)
""",
        _games,
    ),
    "learn": _Work(
        """
from durak_tui.library.model.store import Library
library = Library(folder)
for count in itertools.count(1):
    library.remember("lesson", str(count))
    done(count)
""",
        _learnt,
    ),
    "settings": _Work(
        """
from durak_tui.storage.settings import SettingsFile
file = SettingsFile(folder / "settings.toml")
for count in itertools.count(1):
    file.change(name=f"N{count}")
    done(count)
""",
        _named,
    ),
    "play": _Work(
        """
from durak_core import Rules, State
from durak_tui.play.saves import Saves
from durak_tui.play.setup import GameSetup
saves = Saves(folder)
plies = 0
for seed in itertools.count(1):
    state = State.deal(Rules(), seed)
    setup = GameSetup(Rules(), ("human", "greedy"), ("You", "greedy"), seed)
    saved = saves.begin(setup, state)
    while not state.is_over:
        state = state.apply(state.legal_actions[0])
        if state.is_over:
            break
        saved.keep(state)
        plies += 1
        done(plies)
""",
        _plies,
    ),
    "friends": _Work(
        """
from durak_tui.friends.store import TableStore
store = TableStore(folder)
for count in itertools.count(1):
    write_table(store, f"C{count}")
    done(count)
""",
        _tables,
    ),
    "resume": _Work(
        """
from durak_core.lab.matches.match import Match
from durak_core.lab.matches.saved_games import SavedGames
from durak_core.lab.matches.schedule import play_matches
match = Match("podkidnoy", ("random", "greedy"), 100_000, 1)
with SavedGames(folder / "games.jsonl", [match]) as saved:
    for count, _ in enumerate(play_matches([match], saved=saved), 1):
        done(count)
""",
        _finished,
    ),
    "match": _Work(
        """
from durak_core.files import GrowingFile
from durak_core.game.json_form import write_json_line
line = write_json_line(some_record(1))
(folder / "games.jsonl").write_text(line * 5)
done(5)
while True:
    with GrowingFile(folder / "games.jsonl") as file:
        for _ in range(5000):
            file.write_line(line[:-1])
""",
        _old,
    ),
}


def _kill(work: _Work, seconds: float) -> tuple[int, int]:
    """Return what a killed child had written, and what is found."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        command = [sys.executable, "-c", _BEGIN + work.program, made]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
            stdout = cast("IO[str]", child.stdout)
            first = stdout.readline()
            if not first:
                raise DurakError("a child ended before it wrote anything")
            time.sleep(seconds)
            child.kill()
            told = [first, *stdout.read().splitlines()]
        written = max(int(line) for line in told if line.strip().isdecimal())
        found = work.count(folder)
        if list(folder.rglob(".*.tmp")):
            raise DurakError("a temporary file was left")
        return written, found


@with_exit_codes("the rows above are whole")
def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--kills", type=int, default=50, help="kills of each work")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="+", choices=_WORKS, default=list(_WORKS))
    options = parser.parse_args(arguments)
    print(f"{'work':10}{'kills':>7}{'written':>10}{'lost':>7}")
    lost_at_all = 0
    for name in options.only:
        chooser = random.Random(f"{options.seed} {name}")
        written = lost = 0
        for _ in range(options.kills):
            told, found = _kill(_WORKS[name], chooser.random() * _LONGEST)
            written += told
            lost += max(0, told - found)
        lost_at_all += lost
        print(f"{name:10}{options.kills:7}{written:10}{lost:7}", flush=True)
    if lost_at_all:
        raise DurakError("things that were written are lost")


if __name__ == "__main__":
    sys.exit(main())
