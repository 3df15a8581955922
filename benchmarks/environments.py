"""Environment steps a second of CPU time, next to other libraries' card games, in turns in one run.

python3 -m benchmarks.environments [--seconds 0.2] [--rounds 40] [--seed 1]

Every step chooses a random legal action and yields an observation and a legal-action mask. Choosing is not
measured. The fastest of many short rounds counts, because other work only slows a round down. Libraries that
are not installed are skipped: OpenSpiel, RLCard, pgx and PettingZoo's games.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from importlib import import_module
from time import process_time
from typing import Any

import gymnasium
import numpy as np

from benchmarks.speed_plain import commit, processor
from durak_core.lab.learn import durak_v0
from durak_core.search.backend.backend import backend

GAMES = (1, 64, 1024)
OPEN_SPIEL = ("leduc_poker", "hearts")

Steps = Iterator[tuple[int, float]]
"""Numbers of steps, and the CPU time of choosing their actions."""


def single(seed: int) -> Steps:
    """Step one Gymnasium environment."""
    env = gymnasium.make("Durak-v0").unwrapped
    chance = np.random.default_rng(seed)
    info = env.reset(seed=seed)[1]
    while True:
        began = process_time()
        action = int(chance.choice(info["action_mask"].nonzero()[0]))
        chosen = process_time() - began
        _, _, over, _, info = env.step(action)
        if over:
            info = env.reset()[1]
        yield 1, chosen


def vector(seed: int, games: int) -> Steps:
    """Step many games."""
    envs = gymnasium.make_vec("Durak-v0", num_envs=games, autoreset_mode="SameStep")
    chance = np.random.default_rng(seed)
    info = envs.reset(seed=seed)[1]
    while True:
        began = process_time()
        masks = info["action_mask"]
        actions = (masks * chance.random(masks.shape, np.float32)).argmax(axis=1)
        chosen = process_time() - began
        info = envs.step(actions)[4]
        yield games, chosen


def open_spiel(seed: int, name: str) -> Steps:
    """Step a game of OpenSpiel's C++ from Python."""
    game = import_module("pyspiel").load_game(name)
    has_tensor = game.get_type().provides_observation_tensor
    chance = np.random.default_rng(seed)
    while True:
        state = game.new_initial_state()
        while not state.is_terminal():
            began = process_time()
            action, moves = None, 0
            if state.is_chance_node():
                action = int(chance.choice([one for one, _ in state.chance_outcomes()]))
            else:
                player, moves = state.current_player(), 1
                action = int(chance.choice(state.legal_actions()))
            chosen = process_time() - began
            if moves:
                (state.observation_tensor if has_tensor else state.information_state_tensor)(player)
                state.legal_actions_mask(player)
            state.apply_action(action)
            yield moves, chosen


def pettingzoo(seed: int, make: Callable[[], Any]) -> Steps:
    """Step a PettingZoo environment."""
    env = make()
    chance = np.random.default_rng(seed)
    env.reset(seed=seed)
    while True:
        seen, _, over, cut, _ = env.last()
        if over or cut:
            env.reset()
            continue
        began = process_time()
        action = int(chance.choice(seen["action_mask"].nonzero()[0]))
        chosen = process_time() - began
        env.step(action)
        yield 1, chosen


def rlcard(seed: int) -> Steps:
    """Step RLCard's Leduc poker."""
    env = import_module("rlcard").make("leduc-holdem", config={"seed": seed})
    chance = np.random.default_rng(seed)
    while True:
        state, _ = env.reset()
        while not env.is_over():
            began = process_time()
            action = int(chance.choice(list(state["legal_actions"])))
            chosen = process_time() - began
            state, _ = env.step(action)
            yield 1, chosen


def pgx(seed: int, games: int) -> Steps:
    """Step pgx's Leduc poker on the processor."""
    jax, env = import_module("jax"), import_module("pgx").make("leduc_holdem")
    step, init = jax.jit(jax.vmap(env.step)), jax.jit(jax.vmap(env.init))
    chance = np.random.default_rng(seed)
    key = jax.random.PRNGKey(seed)
    state = init(jax.random.split(key, games))
    while True:
        began = process_time()
        masks = np.asarray(state.legal_action_mask)
        actions = (masks * chance.random(masks.shape, np.float32)).argmax(axis=1)
        chosen = process_time() - began
        state = jax.block_until_ready(step(state, actions))
        if bool(state.terminated.all()):
            state = init(jax.random.split(key, games))
        yield games, chosen


def speed(steps: Steps, seconds: float) -> float:
    """Return steps a second of CPU time, without the time of choosing."""
    done, chose, began = 0, 0.0, process_time()
    while process_time() - began < seconds:
        count, chosen = next(steps)
        done += count
        chose += chosen
    return done / (process_time() - began - chose)


def main() -> None:
    """Measure in turns and print the fastest round of each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=0.2)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    backend("learn")  # not only once it pays
    ways: dict[str, Steps] = {"Durak, Gymnasium against greedy": single(given.seed)}
    ways |= {f"Durak, {n} games against greedy": vector(given.seed, n) for n in GAMES}
    ways |= {"Durak, PettingZoo": pettingzoo(given.seed, durak_v0.env)}
    ways |= {f"OpenSpiel, {name}": open_spiel(given.seed, name) for name in OPEN_SPIEL}
    ways |= {
        "RLCard, leduc-holdem": rlcard(given.seed),
        "pgx, leduc_holdem, 1024 games": pgx(given.seed, 1024),
    }
    leduc = "pettingzoo.classic.leduc_holdem_v4"
    ways |= {"PettingZoo, leduc_holdem": pettingzoo(given.seed, lambda: import_module(leduc).env())}
    for name, steps in list(ways.items()):
        try:
            next(steps)  # compiles, or fails to import
        except ImportError as error:
            print(f"{name}: skipped, {error}")
            del ways[name]
    best = dict.fromkeys(ways, 0.0)
    for _ in range(given.rounds):
        best = {name: max(best[name], speed(steps, given.seconds)) for name, steps in ways.items()}
    print(f"commit {commit()}, seed {given.seed}, {processor()}")
    for name, found in best.items():
        print(f"{name}: {found:,.0f} steps a second")


if __name__ == "__main__":
    main()
