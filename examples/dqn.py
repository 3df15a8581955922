"""Deep Q-learning in one file, as in CleanRL, with Gymnasium's environment and torch only.

    python3 -m pip install '.[learn]'
    python3 examples/dqn.py [--opponents greedy] [--steps 300000] [--games 2000] [--seed 1]

Double deep Q-learning with a replay buffer and a target network. Illegal actions are masked in play and in
targets. The score is the share of games won; a draw counts half.

Source: S. Huang et al., "CleanRL: High-quality Single-file Implementations of Deep Reinforcement Learning
Algorithms", JMLR 23, 2022.
"""

from __future__ import annotations

import argparse
from time import process_time

import gymnasium
import numpy as np
import torch
from torch import nn

import durak_core.lab.learn  # noqa: F401 - registers Durak-v0

BUFFER = 100_000
START = 2_000
EVERY = 8
BATCH = 256
TARGET_EVERY = 1_000


def network(inputs: int, actions: int) -> nn.Sequential:
    return nn.Sequential(
        *(nn.Linear(inputs, 256), nn.ReLU()), *(nn.Linear(256, 128), nn.ReLU()), nn.Linear(128, actions)
    )


def best(values: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
    """Return the legal action with the highest value in each row."""
    return values.masked_fill(~masks, -torch.inf).argmax(1)


def chosen(model: nn.Module, planes: np.ndarray, mask: np.ndarray) -> int:
    with torch.no_grad():
        values = model(torch.from_numpy(planes).float().unsqueeze(0))
    return int(best(values, torch.from_numpy(mask).bool().unsqueeze(0)))


class Replay:
    """A ring buffer of the last steps."""

    def __init__(self, inputs: int, actions: int) -> None:
        kinds = [(inputs, np.int8), (0, np.int64), (0, np.float32)]
        kinds += [(inputs, np.int8), (actions, np.int8), (0, np.float32)]
        self.arrays = [np.zeros((BUFFER, width) if width else BUFFER, kind) for width, kind in kinds]
        self.size = 0

    def add(self, *step: object) -> None:
        """Store an observation, action, reward, next observation and legal actions, and whether it ended."""
        for array, value in zip(self.arrays, step, strict=True):
            array[self.size % BUFFER] = value
        self.size += 1

    def sample(self, chance: np.random.Generator) -> list[torch.Tensor]:
        places = chance.integers(min(self.size, BUFFER), size=BATCH)
        return [torch.from_numpy(array[places]) for array in self.arrays]


def loss_of(model: nn.Module, target: nn.Module, batch: list[torch.Tensor]) -> torch.Tensor:
    seen, actions, rewards, then, masks, ended = batch
    with torch.no_grad():
        next_actions = best(model(then.float()), masks.bool()).unsqueeze(1)
        next_values = target(then.float()).gather(1, next_actions).squeeze(1)
        goals = rewards + (1 - ended) * next_values
    return nn.functional.smooth_l1_loss(model(seen.float()).gather(1, actions.unsqueeze(1)).squeeze(1), goals)


def train(opponents: str, steps: int, seed: int) -> nn.Module:
    """Train for a number of decisions."""
    torch.manual_seed(seed)
    chance = np.random.default_rng(seed)
    game = gymnasium.make("Durak-v0", opponents=opponents, flat=True, skip_forced=True)
    inputs, actions = game.observation_space.shape[0], int(game.action_space.n)
    model, target = network(inputs, actions), network(inputs, actions)
    target.load_state_dict(model.state_dict())
    adam = torch.optim.Adam(model.parameters(), lr=0.0005)
    replay = Replay(inputs, actions)
    seen, info = game.reset(seed=seed)
    for step in range(steps):
        mask = info["action_mask"]
        if chance.random() < max(0.05, 1 - step / (0.3 * steps)):
            action = int(chance.choice(mask.nonzero()[0]))
        else:
            action = chosen(model, seen, mask)
        then, reward, ended, _, info = game.step(action)
        replay.add(seen, action, float(reward), then, info["action_mask"], ended)
        seen = then
        if ended:
            seen, info = game.reset()
        if replay.size >= START and step % EVERY == 0:
            loss = loss_of(model, target, replay.sample(chance))
            adam.zero_grad()
            loss.backward()
            adam.step()
        if step % TARGET_EVERY == 0:
            target.load_state_dict(model.state_dict())
    return model


def score(model: nn.Module, opponents: str, games: int, seed: int) -> float:
    """Return the share of games won by the actions with the highest values, 0 to 1."""
    game = gymnasium.make("Durak-v0", opponents=opponents, flat=True, skip_forced=True)
    points = 0.0
    for number in range(games):
        seen, info = game.reset(seed=seed + number)
        ended = False
        while not ended:
            seen, reward, ended, _, info = game.step(chosen(model, seen, info["action_mask"]))
        points += (float(reward) + 1) / 2
    return points / games


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--opponents", default="greedy", help="agent spec")
    parser.add_argument("--steps", type=int, default=300_000)
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
