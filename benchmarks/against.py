"""Compares this working tree with an earlier commit: compiling, search, random games, memory.

python3 -m benchmarks.against COMMIT [--only NAMES] [--rounds 3] [--seconds 2] [--seed 1]

COMMIT is cloned into a temporary folder and runs with the packages of this Python. Every figure is taken in
turns, commit and working tree, then the other way round. Compiling counts CPU seconds of a process and its
children from an empty cache; speeds are per CPU second; memory is resident. Only speeds take several rounds,
and the last column is the median of their ratios. Rows that measure speed or memory compile first, once for
each side. Without PyTorch the row ``pages`` leaves training out. The app's memory needs tmux. On an idle
machine all rows take a quarter of an hour.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import math
import os
import platform
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Final

from benchmarks.exits import with_exit_codes
from benchmarks.figures import check_numbers
from benchmarks.latency import CARDS, Screen
from durak_core import DurakError
from durak_core.lab.experiments.results import commit, processor

ROOT: Final = Path(__file__).parents[1]
README: Final = """
from durak_core import Rules, State, analyse
state = State.deal(Rules.preset("podkidnoy"), seed=7)
print(analyse(state.observation(1), iterations=2000).lines()[0].action)
"""
SAVE: Final = """
from durak_core import Rules, write_game
from durak_core.lab import play_game
print(write_game(play_game(Rules(), ["greedy", "greedy"], seed=1).record))
"""
GUIDED: Final = """
import sys, time
from durak_core import Rules, State
from durak_core.search.backend.backend import backend
from durak_core.search.ismcts.tree_search import SearchSettings
try:
    from durak_core.agents.learned import NetworkSelector
    from durak_core.search.ismcts.tree_search import TreeSearch
except ImportError:  # earlier commits
    from durak_core.agents.network_selector import NetworkSelector
    from durak_core.search.ismcts.root_parallel import RootParallelSearch as TreeSearch
seconds, seed = float(sys.argv[1]), int(sys.argv[2])
settings = NetworkSelector("dmc").fit(SearchSettings(), Rules())
state = State.deal(Rules(), seed)
search = TreeSearch(state.observation(state.turn), seed, backend(settings.group), settings)
search.run(500)
done, began = search.iterations, time.process_time()
while time.process_time() - began < seconds:
    search.run(500)
print((search.iterations - done) / (time.process_time() - began))
"""
RANDOM: Final = """
import sys, time
from durak_core import Rules
from durak_core.lab.speed import Batch, measure_speed
from durak_core.search.backend.backend import backend
seconds, seed, seats = float(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
batch = Batch(Rules.preset("podkidnoy", seats=seats), ["random:uniform"] * seats, seed)
runner = backend()
measure_speed(batch, runner, 1, 0.01)
began = time.process_time()
found = measure_speed(batch, runner, 1, seconds)
print(found.games / (time.process_time() - began))
"""
TRAINING: Final = (
    ("-m", "durak_core.cli", *shlex.split("train dmc --config first.toml --out run")),
    ("-m", "durak_core.cli", *shlex.split("evaluate run --against greedy,expert --games 100 --seed 7")),
)
"""Needs PyTorch."""
PAGES: Final = (
    *(TRAINING if importlib.util.find_spec("torch") else ()),
    ("-c", README),
    ("-m", "durak_core.cli", *shlex.split("match expert greedy --games 200 --seed 1")),
    ("-m", "durak_core.cli", *shlex.split("match lowest.py:Lowest greedy --games 200 --seed 1")),
    ("-m", "durak_core.cli", "solve", "podkidnoy:suits=1,lowest_rank=9,hand_size=2", "--agents", "greedy"),
    (
        *("-m", "durak_core.cli"),
        *shlex.split("match ismcts:iterations=200,net=dmc greedy --games 10 --seed 7"),
    ),
)
"""What readers of the README, the quickstart and the pages on training and search run, one after another."""
TABLE: Final = 45.0
"""Seconds in which an engine has loaded everything; earlier commits did nothing for 20 of them."""
LOAD: Final = """
from durak_core.search.backend.backend import backend
for group in ("guided", "network", "opponents"):
    backend(group)
"""
"""Compiles what Baba Nina needs."""


@dataclass(frozen=True, slots=True)
class Side:
    """A tree of sources, and the folder of its caches."""

    root: Path
    folder: Path

    def run(self, *words: str, cache: Path | None = None, work: Path | None = None) -> tuple[str, float]:
        """Run Python with these sources, and return the output and the CPU seconds, children included.

        Raises:
            DurakError: If the program fails.
        """
        began = os.times()
        done = subprocess.run(
            [sys.executable, *words],
            cwd=work or self.folder,
            env=self.environment(cache),
            capture_output=True,
            text=True,
            check=False,
        )
        ended = os.times()
        if done.returncode:
            last = (done.stderr.strip().splitlines() or ["no message"])[-1]
            raise DurakError(
                "{program} fails in {folder}: {message}",
                program=" ".join(words[:4]).strip().partition("\n")[0],
                folder=str(self.root),
                message=last,
            )
        spent = ended.children_user + ended.children_system - began.children_user - began.children_system
        return done.stdout, spent

    def environment(self, cache: Path | None = None) -> dict[str, str]:
        """Return a program's variables; Python keeps byte code beside sources, as after an installation."""
        without = "DURAK_", "PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX"
        return {
            **{name: value for name, value in os.environ.items() if not name.startswith(without)},
            "PYTHONPATH": str(self.root),
            "DURAK_CACHE_DIR": str(cache or self.folder / "cache"),
            "DURAK_DATA_DIR": str(self.folder / "data"),
            "TERM": "xterm-256color",
        }


@dataclass(frozen=True, slots=True)
class Effort:
    """How long a speed is measured, and from which seed."""

    seconds: float
    seed: int


@dataclass(frozen=True, slots=True)
class Row:
    """A figure: its unit, how it is measured, and whether one pair is enough."""

    unit: str
    measure: Callable[[Side, Effort], float]
    once: bool = True


def cold(*programs: Sequence[str]) -> Callable[[Side, Effort], float]:
    """Return a measurement of the CPU seconds of programs that share a cache, which is empty at first."""

    def measure(side: Side, _effort: Effort) -> float:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
            work = Path(name)
            _prepare(side, work)
            return sum(side.run(*words, cache=work / "cache", work=work)[1] for words in programs)

    return measure


def _prepare(side: Side, work: Path) -> None:
    """Write what the pages read: a game, a short training, an agent of one's own."""
    settings = (side.root / "examples" / "first-agent.toml").read_text("utf-8")
    for name in ("games", "teacher_games", "evaluate_games", "evaluate_length"):
        value = 2000 if name.endswith("games") else 100
        settings = re.sub(rf"^{name} = .*", f"{name} = {value}", settings, flags=re.MULTILINE)
    (work / "first.toml").write_text(settings, "utf-8")
    agent = "class Lowest:\n    def choose(self, seen):\n        return seen.legal_actions[0]\n"
    (work / "lowest.py").write_text(agent, "utf-8")
    game, _spent = side.run("-c", SAVE, cache=work / "none")
    (work / "game.durak").write_text(game, "utf-8")


def speed(code: str, *more: str) -> Callable[[Side, Effort], float]:
    """Return a measurement by a program that prints a figure; it runs once before, to compile."""

    def measure(side: Side, effort: Effort) -> float:
        words = ("-c", code, str(effort.seconds), str(effort.seed), *more)
        side.run("-c", code, "0.01", str(effort.seed), *more)
        return float(side.run(*words)[0].split()[-1])

    return measure


def memory(*, of_engine: bool) -> Callable[[Side, Effort], float]:
    """Return a measurement of the app's memory, or of its engines', at a table with Baba Nina, in MB."""

    def measure(side: Side, effort: Effort) -> float:
        side.run("-c", LOAD)  # compiled code is loaded, not made
        app, engines = _at_a_table(side, effort.seed)
        return engines if of_engine else app

    return measure


def _at_a_table(side: Side, seed: int) -> tuple[float, float]:
    """Open the app and return its memory and its greatest child's in MB, once all is loaded."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        words = ("--bots", "level:nina", "--seed", str(seed))
        screen = Screen(Path(name), "", *words, variables=side.environment(), root=side.root)
        try:
            screen.see(CARDS)
            app = screen.app()
            time.sleep(TABLE)
            engines = list(map(_resident, _children(app)))
            return _resident(app), max(engines, default=0.0)
        finally:
            screen.close()


def _children(process: Path) -> list[Path]:
    tasks = (process / "task").glob("*/children")
    return [Path("/proc", word) for task in tasks for word in task.read_text("ascii").split()]


def _resident(process: Path) -> float:
    pages = int((process / "statm").read_text("ascii").split()[1])
    return pages * os.sysconf("SC_PAGESIZE") / 1e6


ROWS: Final = {
    "warm-up": Row("CPU s", cold(("-m", "durak_core.cli", "warm-up"))),
    "readme": Row("CPU s", cold(("-c", README))),
    "analyse": Row(
        "CPU s",
        cold(
            ("-m", "durak_core.cli", *shlex.split("analyse game.durak --ply 10 --iterations 2000 --seed 1"))
        ),
    ),
    "pages": Row("CPU s", cold(*PAGES)),
    "guided": Row("iterations a CPU s", speed(GUIDED), once=False),
    **{f"random-{seats}": Row("games a CPU s", speed(RANDOM, str(seats)), once=False) for seats in (2, 4, 6)},
    "app": Row("MB", memory(of_engine=False)),
    "engine": Row("MB", memory(of_engine=True)),
}
"""What can be compared, by the names of ``--only``."""


@contextlib.contextmanager
def sides(earlier: str) -> Iterator[tuple[Side, Side]]:
    """Clone a commit, and yield its side and this working tree's.

    Raises:
        DurakError: If there is no such commit.
    """
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        clone = Path(name, "commit")
        _git(earlier, "clone", "-q", "--shared", "--no-checkout", str(ROOT), str(clone))
        _git(earlier, "-C", str(clone), "checkout", "-q", "--detach", earlier)
        both = Side(clone, Path(name, "before")), Side(ROOT, Path(name, "now"))
        for side in both:
            side.folder.mkdir()
            packages = [str(side.root / package) for package in ("durak_core", "durak_tui")]
            side.run("-m", "compileall", "-q", *packages)
        yield both


def _git(earlier: str, *words: str) -> None:
    done = subprocess.run(["git", *words], capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["git fails"])[-1]
        raise DurakError("commit {commit} cannot be had: {message}", commit=earlier, message=last)


def compare(row: Row, both: tuple[Side, Side], effort: Effort, rounds: int) -> str:
    """Measure in turns and return the cells of a row: before, now, ratio."""
    pairs = []
    for number in range(1 if row.once else rounds):
        order = both if number % 2 == 0 else both[::-1]
        figures = {id(side): row.measure(side, effort) for side in order}
        pairs.append((figures[id(both[0])], figures[id(both[1])]))
    before, now = (median(column) for column in zip(*pairs, strict=True))
    ratios = sorted(later / earlier for earlier, later in pairs)
    spread = f" ({ratios[0]:.2f} to {ratios[-1]:.2f})" if len(ratios) > 1 else ""
    return f"{before:,.1f} | {now:,.1f} | {median(ratios):.2f}{spread} | {row.unit}"


@with_exit_codes("the rows above are complete")
def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print, and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python3 -m benchmarks.against",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("commit", metavar="COMMIT")
    parser.add_argument("--only", default=",".join(ROWS), metavar="NAMES", help="rows: " + ", ".join(ROWS))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=2.0, help="for each measurement of a speed")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    check_numbers((), (given.rounds, math.ceil(given.seconds)))
    names = given.only.split(",")
    if not set(names) <= set(ROWS):
        raise DurakError("rows {names}: expected some of {rows}", names=given.only, rows=", ".join(ROWS))
    with sides(given.commit) as both:
        version, load = platform.python_version(), os.getloadavg()[0]
        print(f"commit {commit()} against {given.commit}, seed {given.seed}, {given.rounds} rounds in turns")
        print(f"Python {version}, {processor()}, load {load:.1f}\n")
        print("| row | before | now | now : before | unit |\n| --- | ---: | ---: | ---: | --- |", flush=True)
        for name in names:
            cells = compare(ROWS[name], both, Effort(given.seconds, given.seed), given.rounds)
            print(f"| {name} | {cells} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
