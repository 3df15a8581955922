"""Runs of all learners that are over in a second, for tests of learning."""

from __future__ import annotations

from typing import Any

from durak_core.lab.learn.settings import DmcSettings, DqnSettings, PpoSettings

__all__ = ["DMC", "DQN", "PPO"]

COMMON: dict[str, Any] = {
    "rules": "podkidnoy:lowest_rank=9,hand_size=3",
    "seed": 3,
    "games": 600,
    "tables": 8,
    "hidden": (16, 8),
    "batch": 64,
    "rate": 0.003,
    "rate_games": 1000,
    "average": 0.05,
    "opponents": {"past": 0.2, "greedy": 0.2},
    "past": 3,
    "past_games": 100,
    "evaluate_games": 200,
    "evaluate_length": 20,
    "checkpoint_minutes": 100.0,
}

EXPLORING: dict[str, Any] = {
    "teacher": "greedy",
    "teacher_games": 20,
    "epsilon": 0.2,
    "last_epsilon": 0.05,
    "epsilon_games": 300,
}

DMC = DmcSettings(**COMMON, **EXPLORING, start="", trace=0.8, keep=0.5)

DQN = DqnSettings(
    **COMMON,
    **EXPLORING,
    replay=1000,
    replay_start=100,
    reuse=0.5,
    n_steps=2,
    discount=0.99,
    target_updates=5,
    double=True,
    dueling=True,
)

PPO = PpoSettings(
    **COMMON,
    start="",
    horizon=256,
    epochs=2,
    clip=0.2,
    discount=0.99,
    trace=0.9,
    entropy=0.01,
    value=0.5,
    max_gradient=0.5,
)
