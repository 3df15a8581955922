"""Speed of the learning environments: steps a second of CPU time on one core.

python3 -m benchmarks.learning.speed [--seconds 3] [--games 512] [--seed 1] [--open-spiel MODULE]

Actions are random. "observations" writes the active inputs; "planes" also writes rows of zeros and ones and
the masks of legal actions. The PettingZoo environment is measured with and without PettingZoo's checks. The
Gymnasium environment is measured raw and as `gymnasium.make` returns it, against `greedy`, `smart`, `dmc` and
a short search, which does not run compiled. A step there is an action of the learner. The training loop has
the rule book as learner, against searches. A step there is an action of either seat. With OpenSpiel
installed, its environment is measured with the Durak that MODULE registers as ``python_durak``, by default
this package's. Nothing here passes or fails.
"""

from __future__ import annotations

import argparse
import importlib
import random
from time import thread_time
from typing import Any

import gymnasium
import numpy as np

from durak_core import Rules
from durak_core.lab.experiments.results import commit, processor
from durak_core.lab.learn.durak_v0 import env, raw_env
from durak_core.lab.learn.rollout import FROZEN, Rollout, Teacher
from durak_core.lab.learn.selfplay import FrozenAgent, against
from durak_core.lab.learn.single_agent import DurakEnv
from durak_core.lab.learn.vector import Setting, VectorGames
from durak_core.lab.matches.players import read_player
from durak_core.search.policies.playouts import POLICIES

RULES = ("podkidnoy", "perevodnoy:seats=4")
OPPONENTS = ("greedy", "smart", "dmc", "level:olga", "ismcts:iterations=10")
SEARCHERS = tuple([f"ismcts:iterations={n},mix=0,simulation=greedy" for n in (100, 300, 1000)])
OPEN_SPIEL = "durak_core.lab.learn.adapters.open_spiel_game"


def vector_speed(rules: str, games: int, seed: int, seconds: float, *, planes: bool) -> float:
    """Return the vectorised environment's steps a second."""
    table = VectorGames(Setting(Rules.parse(rules), seed), games)
    table.reset()
    chance = np.random.default_rng(seed)
    steps, began = 0, thread_time()
    while (spent := thread_time() - began) < seconds:
        table.step_places((chance.random(games) * table.counts).astype(np.int64))
        if planes:
            table.observations()
            table.masks()
        steps += games
    return steps / spent


def wrapper_speed(game: Any, seed: int, seconds: float) -> float:  # noqa: ANN401 - PettingZoo's
    """Return a PettingZoo environment's steps a second."""
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


def gymnasium_speed(game: Any, seed: int, seconds: float) -> float:  # noqa: ANN401 - Gymnasium's
    """Return a Gymnasium environment's steps a second."""
    info = game.reset(seed=seed)[1]
    chance = random.Random(seed)
    steps, began = 0, thread_time()
    while (spent := thread_time() - began) < seconds:
        _, _, over, _, info = game.step(int(chance.choice(info["action_mask"].nonzero()[0])))
        steps += 1
        if over:
            info = game.reset()[1]
    return steps / spent


def loop_speed(opponent: str, seed: int, seconds: float) -> tuple[float, float]:
    """Return the learner's loop's steps and games a second against a search."""
    cast = against(opponent, 2)
    table = VectorGames(Setting(Rules(), seed, cast.line_ups, skips=True), 64)
    table.reset()
    policy = Teacher(POLICIES["expert"])
    rollout = Rollout(table, cast.cast, 1)
    choosers = (policy, policy, FrozenAgent(read_player(opponent), FROZEN, cast.cast, table))
    rollout.step(choosers, 0.0)  # loads the code before timing
    steps, ended, began = 0, 0, thread_time()
    while (spent := thread_time() - began) < seconds:
        finished = rollout.step(choosers, 0.0)
        rollout.harvest(finished)
        ended += len(finished)
        steps += table.games
    return steps / spent, ended / spent


def open_spiel_speed(module: str, seed: int, seconds: float) -> float:
    """Return the steps a second of OpenSpiel's environment of ``python_durak``.

    Raises:
        ImportError: If OpenSpiel or the module is not there.
    """
    rl_environment = importlib.import_module("open_spiel.python.rl_environment")
    importlib.import_module(module)
    game = rl_environment.Environment("python_durak")
    chance = random.Random(seed)
    seen = game.reset()
    steps, began = 0, thread_time()
    while (spent := thread_time() - began) < seconds:
        if seen.last():
            seen = game.reset()
            continue
        legal = seen.observations["legal_actions"][seen.observations["current_player"]]
        seen = game.step([chance.choice(legal)])
        steps += 1
    return steps / spent


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--games", type=int, default=512)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--open-spiel", default=OPEN_SPIEL, metavar="MODULE")
    given = parser.parse_args()
    print(f"commit {commit()}, seed {given.seed}, {given.games} games side by side, {processor()}")
    for rules in RULES:
        shared = (rules, given.games, given.seed, given.seconds)
        active = vector_speed(*shared, planes=False)
        planes = vector_speed(*shared, planes=True)
        checked = wrapper_speed(env(rules), given.seed, given.seconds)
        bare = wrapper_speed(raw_env(rules), given.seed, given.seconds)
        print(
            f"{rules}: observations {active:,.0f} steps/s, planes {planes:,.0f} steps/s, "
            f"PettingZoo {checked:,.0f} steps/s, bare {bare:,.0f} steps/s, "
            f"planes : PettingZoo {planes / checked:.0f}, bare {planes / bare:.0f}"
        )
        for opponent in OPPONENTS:
            kinds = {"opponents": opponent, "rules": rules}
            bare = gymnasium_speed(DurakEnv(**kinds), given.seed, given.seconds)
            made = gymnasium_speed(gymnasium.make("Durak-v0", **kinds), given.seed, given.seconds)
            print(f"{rules}: Gymnasium against {opponent} {made:,.0f} steps/s, bare {bare:,.0f} steps/s")
    for opponent in SEARCHERS:
        steps, ended = loop_speed(opponent, given.seed, given.seconds)
        print(f"learner's loop against {opponent}: {steps:,.0f} steps/s, {ended:.1f} games/s")
    try:
        speed = open_spiel_speed(given.open_spiel, given.seed, given.seconds)
        print(f"podkidnoy: OpenSpiel {speed:,.0f} steps/s")
    except ImportError as error:
        print(f"podkidnoy: OpenSpiel is not here: {error}")


if __name__ == "__main__":
    main()
