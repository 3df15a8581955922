"""MaskablePPO of sb3-contrib learns to beat an opponent on many games side by side.

    python3 -m pip install '.[learn,examples]'
    python3 examples/maskable_ppo.py [--opponents greedy] [--games 1024] [--minutes 30] [--out ppo.zip]

Illegal actions are masked. The policy is saved every minute of CPU time, and plays in a match afterwards
(docs/bring-your-model.md).
"""

from __future__ import annotations

import argparse
from time import process_time

import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback

from durak_core.lab.learn.adapters.sb3_games import sb3_games


class Curve(BaseCallback):
    """Prints the score of the latest games, saves the policy, and stops after some minutes of CPU time.

    Until then `rate` falls to a twentieth.
    """

    def __init__(self, minutes: float, path: str) -> None:
        super().__init__()
        self._minutes, self._path = minutes, path
        self._began = self._printed = process_time()
        self._points, self.games = 0.0, 0

    def rate(self, _: float = 0.0) -> float:
        """Return the learning rate now."""
        return 0.001 * max(0.05, 1 - (process_time() - self._began) / (60 * self._minutes))

    def _on_step(self) -> bool:
        over = self.locals["dones"]
        self._points += float(((self.locals["rewards"][over] + 1) / 2).sum())
        self.games += int(over.sum())
        now = process_time()
        if now - self._printed >= 60:
            spent, score = (now - self._began) / 60, self._points / max(self.games, 1)
            print(f"{spent:.1f} min, {self.num_timesteps:,} steps: score {score:.3f}", flush=True)
            self._on_training_end()
            self._printed, self._points, self.games = now, 0.0, 0
        return now - self._began < 60 * self._minutes

    def _on_training_end(self) -> None:
        self.model.save(self._path, exclude=["learning_rate", "lr_schedule"])  # these would bring all games


def train(opponents: str, games: int, seed: int, curve: Curve, steps: int = 10**9) -> MaskablePPO:
    """Train on many games, with the learner's forced actions skipped."""
    model = MaskablePPO(
        "MlpPolicy",
        sb3_games(games, opponents=opponents, skip_forced=True),
        learning_rate=curve.rate,
        n_steps=32,
        batch_size=2048,
        n_epochs=3,
        gamma=1.0,
        ent_coef=0.01,
        policy_kwargs={"net_arch": [128, 128], "activation_fn": torch.nn.ReLU},
        seed=seed,
        device="cpu",
    )
    return model.learn(steps, curve)


def main() -> None:
    """Train, print the curve and save the policy."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--opponents", default="greedy", help="agent spec")
    parser.add_argument("--games", type=int, default=1024)
    parser.add_argument("--minutes", type=float, default=30, help="CPU time")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", default="ppo.zip")
    given = parser.parse_args()
    torch.set_num_threads(1)
    train(given.opponents, given.games, given.seed, Curve(given.minutes, given.out))


if __name__ == "__main__":
    main()
