"""How fast learning's environments are: steps a second of one core, by processor time.

python3 benchmarks/learning/speed.py [--seconds 3] [--games 512] [--seed 1]

Actions are drawn at random; "observations" means that the active inputs are written, "planes" that rows
of zeros and ones and the masks of legal actions are, too. Nothing here passes or fails.
"""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path
from time import thread_time

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
from speed_plain import commit, processor

from durak_core import Rules
from durak_core.learn.durak_v0 import raw_env
from durak_core.learn.vector import Setting, VectorGames

RULES = ("podkidnoy", "perevodnoy:seats=4")


def vector_speed(rules: str, games: int, seed: int, seconds: float, *, planes: bool) -> float:
    """Return the vectorised environment's steps a second."""
    table = VectorGames(Setting(Rules.parse(rules), seed), games)
    table.reset()
    chance = np.random.default_rng(seed)
    steps, began = 0, thread_time()
    while (spent := thread_time() - began) < seconds:
        table.step((chance.random(games) * table.counts).astype(np.int64))
        if planes:
            table.observations()
            table.masks()
        steps += games
    return steps / spent


def wrapper_speed(rules: str, seed: int, seconds: float) -> float:
    """Return the PettingZoo environment's steps a second, without its checks."""
    game = raw_env(rules)
    game.reset(seed=seed)
    chance = random.Random(seed)
    steps, began = 0, thread_time()
    while (spent := thread_time() - began) < seconds:
        seen, _, over, _, _ = game.last()
        if over:
            game.reset()
            continue
        game.step(int(chance.choice(seen["action_mask"].nonzero()[0])))
        steps += 1
    return steps / spent


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--games", type=int, default=512)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    print(f"commit {commit()}, seed {given.seed}, {given.games} games side by side, {processor()}")
    for rules in RULES:
        shared = (rules, given.games, given.seed, given.seconds)
        active = vector_speed(*shared, planes=False)
        planes = vector_speed(*shared, planes=True)
        wrapper = wrapper_speed(rules, given.seed, given.seconds)
        print(
            f"{rules}: observations {active:,.0f} steps/s, planes {planes:,.0f} steps/s, "
            f"PettingZoo {wrapper:,.0f} steps/s, planes : PettingZoo {planes / wrapper:.0f}"
        )


if __name__ == "__main__":
    main()
