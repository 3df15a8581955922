"""Speed of matches: decision by decision, as `durak match` plays them, and on two processes.

python3 benchmarks/speed_match.py [--games 400] [--rounds 7] [--seed 1] [--jobs 2] [AGENT AGENT]

`durak match` plays whole games in compiled code if both agents have a compiled player, and otherwise decision
by decision. Machines are noisy, so all ways play the same match in turn, every second round in reverse order.
The mean of the rounds' ratios is printed with its 95 % interval (Student's t over the rounds). A first round
starts the processes and is not counted. If games take long, two jobs on two free cores should be at least
1.7 times as fast as one; nothing here passes or fails.

Last comes the share of CPU time that the agents spend in compiled code when they play decision by decision.
"""

from __future__ import annotations

import argparse
import os
import platform
from collections.abc import Callable, Generator
from contextlib import ExitStack, closing
from statistics import fmean, median, stdev
from time import perf_counter, thread_time
from typing import Any
from unittest.mock import patch

from durak_core import AgentError, Rules
from durak_core.kernel.compiled import GROUPS
from durak_core.lab import Match, play_match, play_matches
from durak_core.lab.experiments.results import commit, processor
from durak_core.search.backend.backend import backend, backend_now

_T_975 = (12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.20, 2.18, 2.16, 2.14)
"""Student's t for 95 % and 1, 2, ... degrees of freedom; 1.96 and a little beyond them."""


def games_a_second(games: Generator[Any, None, None]) -> float:
    """Play a match and return its speed."""
    began = perf_counter()
    with closing(games):
        played = sum(1 for _ in games)
    return played / (perf_counter() - began)


def interval(values: list[float]) -> tuple[float, float]:
    """Return the 95 % interval of the mean of two values or more."""
    freedom = len(values) - 1
    t = _T_975[freedom - 1] if freedom <= len(_T_975) else 2.13
    half = t * stdev(values) / len(values) ** 0.5
    return fmean(values) - half, fmean(values) + half


def ways(match: Match, jobs: int) -> dict[str, Callable[[], Generator[Any, None, None]]]:
    """Return what plays the match, by name; the first one is what others are compared with."""
    return {
        "agents": lambda: play_match(match),
        "match": lambda: play_matches([match]),
        f"{jobs} jobs": lambda: play_matches([match], jobs),
    }


class Watch:
    """Adds up the CPU time of calls."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def on(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*given: object) -> object:
            began = thread_time()
            found = function(*given)
            self.seconds += thread_time() - began
            return found

        return timed


def compiled_share(match: Match) -> float:
    """Play a match again decision by decision; return the share of its CPU time in compiled code."""
    watch = Watch()
    with ExitStack() as replaced:
        for group in GROUPS:
            functions: Any = backend_now(group).functions
            timed = {name: watch.on(function) for name, function in functions.items()}
            replaced.enter_context(patch.dict(functions, timed))
        began = thread_time()
        games_a_second(play_match(match))
        return watch.seconds / (thread_time() - began)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("agents", nargs="*", default=["dmc", "expert"])
    parser.add_argument("--games", type=int, default=400, help="of each match")
    parser.add_argument("--rounds", type=int, default=7, help="2 or more")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2, help="2 or more")
    given = parser.parse_args()
    if given.rounds < 2 or given.jobs < 2:
        parser.error("expected --rounds and --jobs of 2 or more")
    try:
        match = Match(Rules(), tuple(given.agents), given.games, given.seed)
    except AgentError as error:
        parser.error(str(error))
    print(
        f"commit {commit()}, seed {given.seed}, Python {platform.python_version()}, "
        f"{os.cpu_count()} cores, {processor()}"
    )
    print(f"{', '.join(match.agents)}: {match.games} games, {given.rounds} rounds, games a second")
    played = ways(match, given.jobs)
    speeds: dict[str, list[float]] = {name: [] for name in played}
    for number in range(-1, given.rounds):
        for name in played if number % 2 == 0 else reversed(played):
            speed = games_a_second(played[name]())
            if number >= 0:
                speeds[name].append(speed)
    first, *others = played
    for name in played:
        least, most = min(speeds[name]), max(speeds[name])
        print(f"{name:8} {median(speeds[name]):12,.1f} ({least:,.1f} to {most:,.1f})")
    for before, name in zip([first, *others], others, strict=False):
        ratios = [many / one for one, many in zip(speeds[before], speeds[name], strict=True)]
        low, high = interval(ratios)
        print(f"{name} : {before:8} {fmean(ratios):6.2f} ({low:.2f} to {high:.2f})")
    if backend().name == "compiled":
        print(f"{compiled_share(match):.1%} of the agents' CPU time in compiled code")


if __name__ == "__main__":
    main()
