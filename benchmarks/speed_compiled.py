"""Compiled against interpreted code: ratios of speed, start-up times and memory.

python3 benchmarks/speed_compiled.py [--seconds 0.5] [--rounds 7] [--seed 1]

Machines are noisy, so both ways are compared within one run. In each round each of them plays for some time,
every second round in reverse order. The median, least and greatest of the rounds' ratios are printed. Nothing
here passes or fails.
"""

from __future__ import annotations

import argparse
import os
import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from durak_core import Rules
from durak_core.lab.experiments.results import commit, processor
from durak_core.lab.speed import Batch, SpeedMeasurement, measure_memory, measure_speed, measure_start_up
from durak_core.search.backend.backend import Backend, backend, plain_backend

POLICY = "random:uniform"
START_UP_ROUNDS = 3
"""At most so many: each one compiles everything once, which takes seconds."""


@dataclass(frozen=True)
class Way:
    """A way to play.

    Attributes:
        name: What the row is called.
        rules: What is played.
        runner: Where it runs.
        threads: How many at once.
    """

    name: str
    rules: Rules
    runner: Backend
    threads: int = 1


@dataclass(frozen=True, slots=True)
class Effort:
    """How long and from which seed to measure."""

    seconds: float
    rounds: int
    seed: int


def alternate(ways: Sequence[Way], effort: Effort) -> list[list[SpeedMeasurement]]:
    """Measure all ways in every round; return the rounds' figures by way."""
    figures: list[list[SpeedMeasurement]] = [[] for _ in ways]
    for number in range(effort.rounds):
        for place in range(len(ways)) if number % 2 == 0 else reversed(range(len(ways))):
            way = ways[place]
            batch = Batch(way.rules, [POLICY] * way.rules.seats, effort.seed)
            figures[place].append(measure_speed(batch, way.runner, way.threads, effort.seconds))
    return figures


def seconds_a_ply(speed: SpeedMeasurement) -> float:
    """Return the time that one action takes."""
    return speed.seconds / speed.plies


def plies_a_second(speed: SpeedMeasurement) -> float:
    """Return how many actions are played in a second."""
    return speed.plies_per_second


def compare(
    title: str, ways: tuple[Way, Way], figure: Callable[[SpeedMeasurement], float], effort: Effort
) -> None:
    """Measure two ways and print both, then the second's figure as a multiple of the first's.

    Args:
        title: What the ratio is called.
        ways: The two ways.
        figure: What is compared.
        effort: How long to measure.
    """
    figures = alternate(ways, effort)
    print(f"\n{'':32} {'games/s':>10} {'plies/s':>12} {'ns/ply':>8}")
    for way, speeds in zip(ways, figures, strict=True):
        games = median([speed.games_per_second for speed in speeds])
        plies = median([speed.plies_per_second for speed in speeds])
        print(f"{way.name:32} {games:10,.0f} {plies:12,.0f} {1e9 / plies:8,.1f}")
    ratios = [figure(second) / figure(first) for first, second in zip(*figures, strict=True)]
    print(f"{title:32} {median(ratios):10.2f} ({min(ratios):.2f} to {max(ratios):.2f})")


def compare_all(runner: Backend, effort: Effort) -> None:
    """Print the ratios that matter."""
    two = Rules.preset("podkidnoy", seats=2)
    compiled = Way("podkidnoy, 2 seats, compiled", two, runner)
    plain = Way("podkidnoy, 2 seats, interpreted", two, plain_backend())
    compare("compiled : plain, speed", (plain, compiled), plies_a_second, effort)
    threads = Way("the same in two threads", two, runner, 2)
    compare("two threads : one, speed", (compiled, threads), plies_a_second, effort)
    six = Way("podkidnoy, 6 seats, compiled", Rules.preset("podkidnoy", seats=6), runner)
    compare("6 seats : 2, time a ply", (compiled, six), seconds_a_ply, effort)
    transfers = Way("perevodnoy, 2 seats, compiled", Rules.preset("perevodnoy", seats=2), runner)
    compare("perevodnoy : podkidnoy, a ply", (compiled, transfers), seconds_a_ply, effort)


def show_start_up(rounds: int) -> None:
    """Print how long fresh processes take to get ready."""
    starts = [measure_start_up() for _ in range(min(rounds, START_UP_ROUNDS))]
    print(f"\nimport durak_core                {median([one.import_core for one in starts]):10.3f} s")
    cold = [one.cold_compile for one in starts if one.cold_compile is not None]
    cached = [one.cached_start for one in starts if one.cached_start is not None]
    if cold and cached:
        print(f"compiled, empty cache            {median(cold):10.2f} s")
        print(f"compiled, filled cache           {median(cached):10.2f} s")


def show_memory(runner: Backend) -> None:
    """Print how much memory this process has after few and after many games; to be called first."""
    few, many = measure_memory(runner, 10_000), measure_memory(runner, 10_000_000)
    print(f"\nmemory after 10 thousand plies   {few:10,} KiB")
    print(f"memory after 10 million plies    {many:10,} KiB, {many - few:+,} KiB")


def main() -> None:
    """Measure everything and print it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seconds", type=float, default=0.5, help="for each measurement of a round")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    effort = Effort(given.seconds, max(1, given.rounds), given.seed)
    print(
        f"commit {commit()}, seed {effort.seed}, Python {platform.python_version()}, "
        f"{os.cpu_count()} cores, {processor()}"
    )
    print(f"{POLICY}, {effort.rounds} rounds of {effort.seconds:g} s, medians (least to greatest)")
    runner = backend()
    if runner.name == "compiled":
        show_memory(runner)
        compare_all(runner, effort)
        show_start_up(effort.rounds)
    else:
        print(f"\nnothing to compare, everything runs interpreted: {runner.note}")
        show_start_up(effort.rounds)


if __name__ == "__main__":
    main()
