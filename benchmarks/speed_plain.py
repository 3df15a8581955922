"""Speed of the interpreted rules, and start-up times.

python3 benchmarks/speed_plain.py [--seconds 2] [--seed 1]
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
from pathlib import Path
from time import perf_counter

from durak_core import Rules
from durak_core.kernel.legal import legal
from durak_core.kernel.position import CHANCE_STREAM, DEAL_STREAM, MAX_ACTIONS, derive
from durak_core.kernel.transition import apply, deal, new_position
from durak_core.lab import Match, play_match
from durak_core.lab.experiments.results import commit, processor
from durak_core.search.policies.policies import uniform_policy

ROOT = Path(__file__).parents[1]
CHUNK = 50
"""Games between two looks at the clock."""


def kernel_games(rules: Rules, seed: int, first: int, games: int) -> int:
    """Play games of uniformly random actions inside the kernel; return their plies."""
    codes = [0] * MAX_ACTIONS
    plies = 0
    for game in range(first, first + games):
        game_seed = derive(seed, game)
        position = new_position(rules)
        deal(position, [derive(game_seed, DEAL_STREAM)])
        rng = [derive(game_seed, CHANCE_STREAM)]
        while n := legal(position, codes):
            apply(position, uniform_policy(codes, n, rng))
        plies += position.plies
    return plies


def measure_kernel(rules: Rules, seed: int, seconds: float) -> str:
    """Play for some seconds and return a row of the table."""
    games = plies = 0
    began = perf_counter()
    while (spent := perf_counter() - began) < seconds:
        plies += kernel_games(rules, seed, games, CHUNK)
        games += CHUNK
    return f"{rules!s:22} {games / spent:10,.0f} {plies / spent:12,.0f} {plies / games:10.1f}"


def measure_match(agents: tuple[str, str], seed: int, seconds: float) -> str:
    """Play a match for some seconds, with states, observations and events; return a row."""
    games = plies = 0
    began = perf_counter()
    spent = 0.0
    for game in play_match(Match(Rules(), agents, 1_000_000, seed)):
        games += 1
        plies += game.plies
        spent = perf_counter() - began
        if spent > seconds:
            break
    return f"{' '.join(agents):22} {games / spent:10,.0f} {plies / spent:12,.0f} {plies / games:10.1f}"


def milliseconds(*arguments: str) -> float:
    """Return how long a Python process takes, the best of seven."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    best = float("inf")
    for _ in range(7):
        began = perf_counter()
        subprocess.run([sys.executable, *arguments], env=environment, stdout=subprocess.DEVNULL, check=True)
        best = min(best, perf_counter() - began)
    return 1000 * best


def main() -> None:
    """Measure everything and print it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seconds", type=float, default=2.0, help="for each row")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    print(f"commit {commit()}, seed {given.seed}, Python {platform.python_version()}, {processor()}")
    print(f"\n{'kernel, random:uniform':22} {'games/s':>10} {'plies/s':>12} {'plies/game':>10}")
    for preset in ("podkidnoy", "perevodnoy"):
        for seats in (2, 3, 4, 6):
            print(measure_kernel(Rules.preset(preset, seats=seats), given.seed, given.seconds))
    print(f"\n{'durak match':22} {'games/s':>10} {'plies/s':>12} {'plies/game':>10}")
    for agents in (("random", "random"), ("random:uniform",) * 2, ("greedy", "random"), ("smart", "greedy")):
        print(measure_match(agents, given.seed, given.seconds))
    bare = milliseconds("-c", "pass")
    print(f"\nbare interpreter       {bare:7.0f} ms")
    print(f"import durak_core      {milliseconds('-c', 'import durak_core') - bare:7.0f} ms more")
    print(f"durak --help           {milliseconds('-m', 'durak_core.cli', '--help') - bare:7.0f} ms more")


if __name__ == "__main__":
    main()
