"""Benchmarks of this machine: plies and games per second, start-up times, memory.

Timings are noisy; compare ratios within one run.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Final

from durak_core.game.state_view import no_deal_stands
from durak_core.kernel.transition import new_position
from durak_core.rules import Rules
from durak_core.search.backend.backend import Backend
from durak_core.search.policies.playouts import COLUMNS, POLICIES, PlayoutBuffers

_GAMES_A_CALL: Final = {"plain": 20, "compiled": 2000}


@dataclass(frozen=True, slots=True)
class Batch:
    """Games by policies, one of `POLICIES` per seat, seeded as in `durak_core.lab.matches.match`."""

    rules: Rules
    policies: Sequence[str]
    seed: int


@dataclass(frozen=True, slots=True)
class SpeedMeasurement:
    """One measurement: wall time in ``seconds`` on the backend ``plain`` or ``compiled``."""

    rules: str
    policy: str
    backend: str
    threads: int
    games: int
    plies: int
    seconds: float

    @property
    def games_per_second(self) -> float:
        return self.games / self.seconds

    @property
    def plies_per_second(self) -> float:
        return self.plies / self.seconds


@dataclass(frozen=True, slots=True)
class StartUp:
    """Seconds in a fresh process after the interpreter has started, to ``import durak_core``.

    ``cold_compile`` and ``cached_start`` get the compiled backend with an empty and a filled cache; they are
    None without numba.
    """

    import_core: float
    cold_compile: float | None
    cached_start: float | None


def play_chunk(runner: Backend, batch: Batch, first: int, count: int) -> list[list[int]]:
    """Play games of a batch in one call and return the rows of `play_games`.

    Raises:
        DealError: If every deal is void (rules 3.4).
    """
    desk = PlayoutBuffers()
    desk.policies[: batch.rules.seats] = [POLICIES[name] for name in batch.policies]
    table = runner.integers(count, COLUMNS)
    position, desks = runner.records(new_position(batch.rules), 1), runner.records(desk, 1)
    if runner.functions["play_games"](position[0], desks[0], batch.seed, first, table) < count:
        raise no_deal_stands(batch.rules)
    rows: list[list[int]] = table if isinstance(table, list) else table.tolist()
    return rows


def measure_speed(batch: Batch, runner: Backend, threads: int, seconds: float) -> SpeedMeasurement:
    """Play games of a batch on ``threads`` threads for about ``seconds``, at least one call each."""
    count = _GAMES_A_CALL[runner.name]
    play_chunk(runner, batch, 0, 1)
    began = perf_counter()

    def play(thread: int) -> tuple[int, int]:
        games = plies = 0
        while games == 0 or perf_counter() - began < seconds:
            rows = play_chunk(runner, batch, (thread << 40) + games, count)
            games += count
            plies += sum([row[2] for row in rows])
        return games, plies

    with ThreadPoolExecutor(threads) as pool:
        totals = list(pool.map(play, range(threads)))
    elapsed = perf_counter() - began
    games, plies = (sum(column) for column in zip(*totals, strict=True))
    return SpeedMeasurement(batch.rules.text, batch.policies[0], runner.name, threads, games, plies, elapsed)


def measure_memory(runner: Backend, plies: int) -> int:
    """Play random games for two seats, for ``plies``; return resident memory in KiB, or 0 if unknown."""
    batch = Batch(Rules(), ["random:uniform"] * 2, seed=1)
    played = first = 0
    while played < plies:
        rows = play_chunk(runner, batch, first, 50)
        first += len(rows)
        played += sum([row[2] for row in rows])
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGESIZE") // 1024


_IMPORT_CORE: Final = """
from time import perf_counter
began = perf_counter()
import durak_core
print(perf_counter() - began)
"""

_GET_BACKEND: Final = """
from time import perf_counter
began = perf_counter()
from durak_core.search.backend.backend import backend
name = backend().name
print(perf_counter() - began if name == "compiled" else "none")
"""


def measure_start_up() -> StartUp:
    """Time fresh processes; the cold compile takes some seconds."""
    with tempfile.TemporaryDirectory() as folder:
        cold = _seconds(_GET_BACKEND, folder)
        cached = min((_seconds(_GET_BACKEND, folder) for _ in range(3)), key=lambda took: took or 0.0)
        imported = min(_seconds(_IMPORT_CORE, folder) or 0.0 for _ in range(3))
    return StartUp(imported, cold, cached)


def _seconds(program: str, cache: str) -> float | None:
    done = subprocess.run(  # noqa: S603 - our own program text
        [sys.executable, "-c", program],
        env={**os.environ, "DURAK_CACHE_DIR": cache},
        capture_output=True,
        text=True,
        check=True,
    )
    printed = done.stdout.strip()
    return None if printed == "none" else float(printed)
