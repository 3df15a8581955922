"""Waiting times in the app: first picture, first card, Learn, and the response to a key.

Run it in the project's folder as ``python3 -m benchmarks.latency``; it needs tmux. The app runs in a
terminal of its own tmux server in control mode, which passes on all output at once. The key is measured three
times: without an engine, with an idle one, and while it searches with all its threads. Hints are measured
with and without cached compiled code. Times are wall times, so an idle machine is needed; the load is
printed.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import os
import platform
import queue
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from durak_core import Rules, State, make_agent
from durak_core.lab import play_game
from durak_core.lab.experiments.results import commit, processor
from durak_tui.library.model.entries import entry_of
from durak_tui.library.model.store import Library
from durak_tui.players import HUMAN

CURSOR: Final = "┓"
"""The corner of the card under the cursor, which shows the key's effect; a trump's left one is folded."""
SETTINGS: Final = '[play]\nfigures = true\ncursor = "middle"\n'
"""Settings of the measured app: hints have figures, and a card is chosen at once."""
CARDS: Final = "trumps"
"""What a table with its first cards shows; no card is under the cursor yet."""
HINTED: Final = ("probably", "safe")
"""A hint's first words on a move; the mark of the hint's card comes when the search ends."""
TARGETS: Final = {
    "first paint": 1000.0,
    "menu to first card": 3000.0,
    "Enter to Learn": 300.0,
    "key to paint": 50.0,
    "first hint": 2000.0,
    "later hint": 300.0,
}
"""Milliseconds; of keys the 95th percentile."""
PATIENCE: Final = 300.0
"""Seconds for what is drawn at last, with nothing compiled on a busy machine."""
KEYS_A_QUESTION: Final = 40
LOADING: Final = 6.0
"""Seconds in which an engine loads cached compiled code."""


class Screen:
    """The app in a tmux window; what it draws arrives in a queue.

    Args:
        folder: For the socket and the app's files.
        engine: The variable ``DURAK_ENGINE``; empty for the app's own engine.
        arguments: Options of ``durak-tui``.
        variables: Other environment variables, such as another folder for compiled code.
        program: The module that runs the app.
        root: Where it starts; Python looks for the module there first.
    """

    def __init__(
        self,
        folder: Path,
        engine: str,
        *arguments: str,
        variables: Mapping[str, str] | None = None,
        program: str = "durak_tui",
        root: Path | None = None,
    ) -> None:
        self._socket = folder / "tmux"
        data = str(folder / "data")
        Path(data).mkdir(parents=True, exist_ok=True)
        Path(data, "settings.toml").write_text(SETTINGS, encoding="utf-8")
        environment = os.environ | {"DURAK_DATA_DIR": data, "DURAK_CONFIG_DIR": data, "LC_ALL": "C.UTF-8"}
        environment |= {"DURAK_ENGINE": engine, **(variables or {})}
        app = f"exec {sys.executable} -m {program} {' '.join(arguments)}"
        tmux = ["tmux", "-u", "-S", str(self._socket), "-f", os.devnull, "-C"]
        self.begun = time.perf_counter()
        alone = ";", "set-option", "-s", "exit-unattached", "on"  # however this program ends
        self._process = subprocess.Popen(
            [*tmux, "new-session", "-x", "120", "-y", "36", "sh", "-c", app, *alone],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            cwd=root,
        )
        self._drawn: queue.Queue[tuple[float, str]] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in self._process.stdout or ():
            now = time.perf_counter()
            kind, _, rest = line.decode("utf-8", "replace").partition(" ")
            if kind == "%output":
                self._drawn.put((now, rest.partition(" ")[2]))

    def see(self, *words: str) -> float:
        """Wait until one of some words is drawn, and return when it was.

        Raises:
            TimeoutError: If none is.
        """
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            with contextlib.suppress(queue.Empty):
                now, drawn = self._drawn.get(timeout=1)
                if any(word in drawn for word in words):
                    return now
        raise TimeoutError(f"{' or '.join(words)} was not drawn within {PATIENCE} seconds")

    def settle(self, seconds: float = 0.15) -> None:
        """Wait until nothing that matters has been drawn for so long."""
        quiet = time.monotonic() + seconds
        while time.monotonic() < quiet:
            with contextlib.suppress(queue.Empty):
                _now, drawn = self._drawn.get(timeout=0.01)
                if CURSOR in drawn or CARDS in drawn:
                    quiet = time.monotonic() + seconds

    def press(self, key: str) -> float:
        """Press a key by tmux's name, and return when."""
        stream = self._process.stdin
        if stream is None:
            raise BrokenPipeError("tmux does not read")
        now = time.perf_counter()
        stream.write(f"send-keys {key}\n".encode())
        stream.flush()
        return now

    def app(self) -> Path:
        """Return the folder of the app's process in ``/proc``."""
        command = ["tmux", "-S", str(self._socket), "list-panes", "-a", "-F", "#{pane_pid}"]
        return Path(
            "/proc", subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
        )

    def app_seconds(self) -> float:
        """Return the processor seconds that the app has used so far."""
        return seconds_of(self.app())

    def close(self) -> None:
        """End the server and all in it."""
        subprocess.run(["tmux", "-S", str(self._socket), "kill-server"], check=False, capture_output=True)
        self._process.wait()


def percentile(values: list[float], share: float) -> float:
    """Return the value below which this share lies."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def engine_seconds() -> float:
    """Return the processor seconds of all engine processes of this machine's user so far."""
    seconds = 0.0
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            with contextlib.suppress(OSError):
                if b"durak_core" in (folder / "cmdline").read_bytes():
                    seconds += seconds_of(folder)
    return seconds


def seconds_of(process: Path) -> float:
    """Return the processor seconds of a process by its folder in ``/proc``."""
    fields = (process / "stat").read_text("ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def keys(screen: Screen, number: int) -> list[float]:
    """Move the cursor to and fro and return the milliseconds until it is drawn elsewhere."""
    waits: list[float] = []
    for index in range(number):
        screen.settle(0.03)
        pressed = screen.press("Right" if index % 2 == 0 else "Left")
        waits.append((screen.see(CURSOR) - pressed) * 1000)
    return waits


def measure_start(engine: str, times: int) -> tuple[list[float], list[float]]:
    """Return the milliseconds to the first picture, and from Enter to the first card."""
    firsts: list[float] = []
    cards: list[float] = []
    for _ in range(times):
        with tempfile.TemporaryDirectory() as folder:
            screen = Screen(Path(folder), engine, "--pace", "instant")
            try:
                firsts.append((screen.see("Play") - screen.begun) * 1000)
                screen.settle(0.3)
                pressed = screen.press("Enter")
                cards.append((screen.see(CARDS) - pressed) * 1000)
            finally:
                screen.close()
    return firsts, cards


def fill(folder: Path, games: int, seed: int) -> None:
    """Fill a library with games that differ only in their keys."""
    library = Library(folder / "data")
    game = play_game(Rules(seats=2), [make_agent("greedy"), make_agent("greedy")], seed).record
    entry = entry_of(replace(game, tags={"Player0": HUMAN, "Player1": "greedy"}))
    library.add_all([replace(entry, key=f"game {number}") for number in range(games)])
    library.close()


def measure_learn(games: int, seed: int, times: int) -> tuple[list[float], list[float]]:
    """Return the milliseconds from its key in the menu until Learn is drawn, and until its lines are."""
    drawn: list[float] = []
    known: list[float] = []
    for _ in range(times):
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            fill(Path(folder), games, seed)
            screen = Screen(Path(folder), "off")
            try:
                screen.see("quit")
                time.sleep(LOADING)  # a large library is read for the menu first
                pressed = screen.press("e")
                drawn.append((screen.see("Learn from your mistakes") - pressed) * 1000)
                known.append((screen.see("find the only move") - pressed) * 1000)
            finally:
                screen.close()
    return drawn, known


def a_game(seed: int) -> tuple[str, ...]:
    """Return the options that begin a game at once."""
    return ("--seed", str(seed), "--bots", "greedy", "--pace", "instant", "--name", "Anna")


def measure_hint(seed: int, times: int, *, fresh: bool) -> list[float]:
    """Return the milliseconds until a hint is drawn, in a new game each time.

    Args:
        seed: Seed of the first game; games in which the bot attacks first are skipped.
        times: Number of games.
        fresh: Whether to ask at once and without cached compiled code, or when the engine has loaded it.
    """
    waits: list[float] = []
    begins = (number for number in itertools.count(seed) if State.deal(Rules(seats=2), number).turn == 0)
    for number in itertools.islice(begins, times):
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            variables = {"DURAK_CACHE_DIR": str(Path(folder, "cache"))} if fresh else None
            screen = Screen(Path(folder), "", *a_game(number), variables=variables)
            try:
                screen.see(CARDS)
                screen.settle(0.2 if fresh else LOADING)
                pressed = screen.press("h")
                waits.append((screen.see(*HINTED) - pressed) * 1000)
            finally:
                screen.close()
    return waits


def measure_keys(engine: str, seed: int, number: int, *, search: bool) -> tuple[list[float], float]:
    """Return the milliseconds from keys to paint, and how many processors the engine used meanwhile."""
    with tempfile.TemporaryDirectory() as folder:
        screen = Screen(Path(folder), engine, *a_game(seed))
        try:
            screen.see(CARDS)
            screen.settle(1.0)
            waits: list[float] = []
            used = begun = 0.0
            while len(waits) < number:
                if search:
                    screen.press("h")
                    screen.see(*HINTED)
                    if not begun:
                        used, begun = engine_seconds(), time.perf_counter()
                waits += keys(screen, min(KEYS_A_QUESTION, number - len(waits)))
                if search:
                    screen.press("h")
            return waits, (engine_seconds() - used) / (time.perf_counter() - begun) if search else 0.0
        finally:
            screen.close()


def tell(name: str, values: list[float], share: float, target: float) -> None:
    """Print a line of figures."""
    middle, high = statistics.median(values), percentile(values, share)
    print(
        f"{name:<42} median {middle:6.1f} ms   {share:.0%} below {high:6.1f}"
        f"   most {max(values):6.1f}   target {target:.0f}   ({len(values)} times)"
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--starts", type=int, default=5)
    parser.add_argument("--keys", type=int, default=120)
    given = parser.parse_args()
    if shutil.which("tmux") is None:
        parser.exit(2, "tmux is not installed\n")
    load = os.getloadavg()[0]
    version = platform.python_version()
    print(f"commit {commit()}, seed {given.seed}, Python {version}, {processor()}, load {load:.1f}")
    for name, engine in (("engine off", "off"), ("engine on", "")):
        firsts, cards = measure_start(engine, given.starts)
        tell(f"first paint, {name}", firsts, 0.95, TARGETS["first paint"])
        tell(f"menu to first card, {name}", cards, 0.95, TARGETS["menu to first card"])
        waits, _ = measure_keys(engine, given.seed, given.keys, search=False)
        tell(f"key to paint, {name}", waits, 0.95, TARGETS["key to paint"])
    for games in (0, 10_000):
        drawn, known = measure_learn(games, given.seed, given.starts)
        for name, waits in (("Learn", drawn), ("Learn's lines", known)):
            tell(f"{name}, {games:,} games in the library", waits, 0.95, TARGETS["Enter to Learn"])
    for name, fresh in (("first hint", True), ("later hint", False)):
        waits = measure_hint(given.seed, given.starts, fresh=fresh)
        tell(f"{name}, {'nothing compiled' if fresh else 'engine ready'}", waits, 0.95, TARGETS[name])
    waits, used = measure_keys("", given.seed, given.keys, search=True)
    tell(f"key to paint, engine searches on {used:.1f} cores", waits, 0.95, TARGETS["key to paint"])


if __name__ == "__main__":
    main()
