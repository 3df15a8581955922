"""MaskablePPO of sb3-contrib learns to beat an opponent in Gymnasium's environment.

    python3 -m pip install '.[learn,examples]'
    python3 examples/maskable_ppo.py [--opponents greedy] [--steps 1500000] [--games 2000] [--seed 1]

Illegal actions are masked. The score is the share of games won, on deals not used in training; a draw counts
half.
"""

from __future__ import annotations

import argparse
from time import process_time

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import VecEnv

import durak_core.lab.learn  # noqa: F401 - registers Durak-v0


def side_by_side(opponents: str, tables: int, seed: int) -> VecEnv:
    """Return a vector of environments; by default Stable-Baselines3 would request images of them."""
    kinds = {"opponents": opponents, "flat": True, "skip_forced": True, "render_mode": None}
    return make_vec_env("Durak-v0", tables, seed=seed, env_kwargs=kinds)


def train(opponents: str, steps: int, seed: int, tables: int = 64) -> MaskablePPO:
    """Train for a number of the learner's decisions, on many games in parallel."""
    model = MaskablePPO(
        "MlpPolicy",
        side_by_side(opponents, tables, seed),
        learning_rate=lambda left: 0.001 * left,
        n_steps=128,
        batch_size=1024,
        n_epochs=4,
        gamma=1.0,
        ent_coef=0.01,
        policy_kwargs={"net_arch": [256, 256], "activation_fn": torch.nn.ReLU},
        seed=seed,
        device="cpu",
    )
    return model.learn(steps)


def score(model: MaskablePPO, opponents: str, games: int, seed: int) -> float:
    """Return the share of games won by the policy's most probable actions, 0 to 1."""
    tables = side_by_side(opponents, 50, seed)
    seen, points, ended = tables.reset(), 0.0, 0
    while ended < games:
        masks = np.stack(tables.env_method("action_masks"))
        seen, rewards, over, _ = tables.step(model.predict(seen, action_masks=masks, deterministic=True)[0])
        points += ((rewards[over] + 1) / 2).sum()
        ended += over.sum()
    return points / ended


def main() -> None:
    """Train, and print the score."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--opponents", default="greedy", help="agent spec")
    parser.add_argument("--steps", type=int, default=1_500_000)
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    torch.set_num_threads(1)
    began = process_time()
    model = train(given.opponents, given.steps, given.seed)
    spent = (process_time() - began) / 60
    reached = score(model, given.opponents, given.games, given.seed + 1_000_000)
    print(f"{reached:.3f} against {given.opponents} after {given.steps:,} decisions, {spent:.1f} minutes")


if __name__ == "__main__":
    main()
