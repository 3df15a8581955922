"""The app without compiled code: time to the first picture, and longest stall of the event loop.

Run it in the project's folder as ``python3 -m benchmarks.cold_start``; it needs tmux and Linux. Every start
has an empty ``DURAK_CACHE_DIR``, and the engine compiles meanwhile. Python's byte code is cached, as after an
installation, by a first start that is not measured. The first picture is timed from the start of the process,
or from the key that opens the screen. The longest stall is the longest callback of the event loop since the
start. Medians of wall time are printed next to CPU time, which other processes affect less.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from benchmarks.latency import Screen
from durak_core import Rules, make_agent, write_game
from durak_core.agents.personas import OPPONENTS
from durak_core.lab import play_game
from durak_core.lab.experiments.results import commit, processor
from durak_tui.play.saves import Saves
from durak_tui.play.setup import GameSetup
from durak_tui.players import HUMAN

FIRST_GOAL: Final = 1000.0
STALL_GOAL: Final = 100.0
"""Milliseconds."""
_BOT_BEGINS: Final = 1
"""The seed of a deal for two in which the opponent attacks first."""
_LOADING: Final = 4.0
"""Seconds in which the app has loaded the modules of all screens."""
_WATCHED: Final = ("olga", "viktor", "nina")


@dataclass(frozen=True, slots=True)
class Start:
    """One way to open the app.

    Attributes:
        name: For the table.
        options: Options of ``durak-tui``.
        first: A word of the first picture.
        keys: Keys to press after it, each with a word of the picture that follows. The last one counts.
        prepare: Writes files into the folder before the start, and returns more options.
    """

    name: str
    options: tuple[str, ...]
    first: str
    keys: tuple[tuple[str, str], ...] = ()
    prepare: Callable[[Path], tuple[str, ...]] = lambda _folder: ()


@dataclass(frozen=True, slots=True)
class Waits:
    """Milliseconds of one start, or medians of several."""

    first: float
    first_cpu: float
    stall: float
    stall_cpu: float
    stack: str = ""


def _unfinished(folder: Path) -> tuple[str, ...]:
    """Save a game against Baba Nina in which she is to move."""
    setup = GameSetup(Rules(seats=2), (HUMAN, "level:nina"), ("You", "Baba Nina"), _BOT_BEGINS)
    Saves(folder / "data").begin(setup, setup.deal()).release()
    return ()


def _finished(folder: Path) -> tuple[str, ...]:
    """Write a game to a file."""
    record = play_game(Rules(seats=2), [make_agent("greedy"), make_agent("greedy")], _BOT_BEGINS).record
    (folder / "game.durak").write_text(write_game(record), encoding="utf-8")
    return (str(folder / "game.durak"),)


def starts() -> Iterator[Start]:
    """Yield the ways to open the app, in the order of the table."""
    yield Start("menu", (), "Play")
    for opponent in OPPONENTS:
        game = ("--bots", opponent.key, "--seed", str(_BOT_BEGINS))
        yield Start(f"new game against {opponent.name}", game, "trumps")
    yield Start("--watch --bots " + ",".join(_WATCHED), ("--watch", "--bots", ",".join(_WATCHED)), "trumps")
    yield Start("--continue against Baba Nina", ("--continue",), "trumps", prepare=_unfinished)
    keys = (("e", "Puzzles"), ("Down", "Endgames with open cards"), ("Enter", ", open cards"))
    yield Start("puzzle", (), "Play", keys)
    yield Start("review", (), "trumps", prepare=_finished)


def measure(start: Start, seconds: float) -> Waits:
    """Open the app once, and watch it for some seconds after the last picture."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        options = (*start.options, *start.prepare(folder))
        log = folder / "stalls"
        cache = {"DURAK_CACHE_DIR": str(folder / "cache")}
        screen = Screen(folder, "", str(log), *options, variables=cache, program="benchmarks.stalls")
        try:
            begun, used = screen.begun, 0.0
            shown = screen.see(start.first)
            for key, word in start.keys:
                screen.settle(0.5)
                begun, used = screen.press(key), screen.app_seconds()
                shown = screen.see(word)
            first_cpu = screen.app_seconds() - used
            time.sleep(seconds)
            stalls = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
        finally:
            screen.close()
    longest = max(stalls, key=lambda stall: stall["seconds"], default={"seconds": 0.0, "stack": ""})
    work = max((stall["work"] for stall in stalls), default=0.0)
    waits = (shown - begun, first_cpu, longest["seconds"], work)
    return Waits(*(round(1000 * wait, 1) for wait in waits), longest["stack"])


def medians(found: Sequence[Waits]) -> Waits:
    names = ("first", "first_cpu", "stall", "stall_cpu")
    middles = (statistics.median(getattr(one, name) for one in found) for name in names)
    return Waits(*middles, stack=max(found, key=lambda one: one.stall).stack)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--times", type=int, default=5, help="starts of each kind")
    parser.add_argument("--seconds", type=float, default=4.0, help="how long stalls are watched for")
    parser.add_argument("--only", default="", help="measure only starts with this in their names")
    parser.add_argument("--stacks", action="store_true", help="print the stacks of stalls over the goal")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures")
    given = parser.parse_args()
    if shutil.which("tmux") is None:
        parser.exit(2, "tmux is not installed\n")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as byte_code:  # an engine may still write
        os.environ["PYTHONPYCACHEPREFIX"] = byte_code
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        measure(next(starts()), max(given.seconds, _LOADING))
        _measure_all(given)


def _measure_all(given: argparse.Namespace) -> None:
    version, load = platform.python_version(), os.getloadavg()[0]
    machine = f"commit {commit()}, Python {version}, {processor()}, load {load:.1f}"
    print(f"{machine}; medians of {given.times} starts in ms, CPU time in brackets\n", flush=True)
    print(f"| start | first picture (goal {FIRST_GOAL:.0f}) | longest stall (goal {STALL_GOAL:.0f}) |")
    print("| --- | --- | --- |", flush=True)
    table: dict[str, Waits] = {}
    for start in starts():
        if given.only not in start.name:
            continue
        found = medians([measure(start, given.seconds) for _ in range(given.times)])
        table[start.name] = found
        first, stall = (
            f"{found.first:.0f} ({found.first_cpu:.0f})",
            f"{found.stall:.0f} ({found.stall_cpu:.0f})",
        )
        print(f"| {start.name} | {first} | {stall} |", flush=True)
        if given.stacks and found.stall > STALL_GOAL:
            print(found.stack)
    if given.json is not None:
        rows = {name: asdict(waits) for name, waits in table.items()}
        report = {"machine": machine, "times": given.times, "seconds": given.seconds, "starts": rows}
        given.json.write_text(json.dumps(report, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
