"""Answer time of a searching bot at the table: on an idle, a busy and a fresh machine.

Run it in the project's folder as ``python3 -m benchmarks.answers``. Bots of a level play each other through
the app's engine. Wall time is measured from the request to the answer, if there is a choice. ``busy`` runs
next to processes that this program starts and ends. ``fresh`` does, too, and begins every game with an engine
without compiled code, whose start is part of the first answer. Otherwise compiled code is cached, and the
engine has loaded it.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from typing import Final

from benchmarks.latency import percentile
from durak_core import Rules
from durak_core.interrupts import handle_signals
from durak_core.lab.experiments.results import commit, processor
from durak_tui.engine import Engine, engine_command
from durak_tui.play.bots import seat_bots
from durak_tui.play.setup import GameSetup
from durak_tui.players import resolve_opponent

CACHE: Final = "DURAK_CACHE_DIR"
LOADING: Final = 20.0
"""Seconds in which an engine loads cached compiled code, also on a busy machine."""


@contextlib.contextmanager
def beside(busy: int) -> Iterator[None]:
    """Let processes that do nothing useful run meanwhile."""
    others = [subprocess.Popen([sys.executable, "-c", "while 1: pass"]) for _ in range(busy)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


@contextlib.contextmanager
def without_machine_code() -> Iterator[None]:
    before = os.environ.get(CACHE)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        os.environ[CACHE] = folder
        try:
            yield
        finally:
            del os.environ[CACHE]
            if before is not None:
                os.environ[CACHE] = before


async def play(setup: GameSetup, *, fresh: bool) -> list[float]:
    """Play a game of bots and return the milliseconds of each answer."""
    waits: list[float] = []
    engine = Engine(engine_command())
    try:
        if not fresh:
            engine.warm()
            await asyncio.sleep(LOADING)
        bots = seat_bots(setup, engine, print)
        state = setup.deal()
        while state.turn is not None:
            observation = state.observation(state.turn)
            action = observation.legal_actions[0]
            if len(observation.legal_actions) > 1:
                began = time.perf_counter()
                action = (await bots[state.turn](observation)).action
                waits.append((time.perf_counter() - began) * 1000)
            state = state.apply(action)
    finally:
        await engine.close()
    return waits


def tell(name: str, values: list[float]) -> None:
    middle, high = statistics.median(values), percentile(values, 0.95)
    print(
        f"{name:<34} median {middle:7.1f} ms   95% below {high:7.1f}   most {max(values):7.1f}   "
        f"({len(values)} answers)",
        flush=True,
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--level", default="nina")
    parser.add_argument("--rules", default="podkidnoy")
    parser.add_argument("--seats", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--answers", type=int, default=100)
    parser.add_argument("--busy", type=int, default=4)
    parser.add_argument("--only", choices=("idle", "busy", "fresh"))
    given = parser.parse_args()
    handle_signals()
    version, load = platform.python_version(), os.getloadavg()[0]
    print(f"commit {commit()}, seed {given.seed}, Python {version}, {processor()}, load {load:.1f}")
    print(
        f"{given.level} at a table of {given.seats}, {given.rules}, {os.cpu_count()} processors", flush=True
    )
    rules, player = Rules.preset(given.rules, seats=given.seats), resolve_opponent(given.level)
    names = tuple([f"Bot {seat}" for seat in range(given.seats)])
    for name, busy in (("idle", 0), ("busy", given.busy), ("fresh", given.busy)):
        if given.only not in (None, name):
            continue
        waits: list[float] = []
        seed = given.seed
        with beside(busy):
            while len(waits) < given.answers:
                with without_machine_code() if name == "fresh" else contextlib.nullcontext():
                    setup = GameSetup(rules, (player,) * given.seats, names, seed)
                    waits += asyncio.run(play(setup, fresh=name == "fresh"))
                seed += 1
        tell(f"{name}, {busy} other processes", waits)


if __name__ == "__main__":
    main()
