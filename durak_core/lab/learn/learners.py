"""The learners, by name."""

from __future__ import annotations

from pathlib import Path

from durak_core.lab.learn.dmc import DmcTrainer
from durak_core.lab.learn.dqn import DqnTrainer
from durak_core.lab.learn.ppo import PpoTrainer
from durak_core.lab.learn.selfplay import Trainer
from durak_core.lab.learn.settings import (
    DmcSettings,
    DqnSettings,
    LearnerSettings,
    PpoSettings,
    read_settings,
)


def read_learner(name: str, config: Path) -> Trainer[LearnerSettings]:
    """Return the learner of a name in `KINDS` that does what a training file says.

    Raises:
        FileError: If it cannot be read.
        ConfigError: If it is no file of this learner's settings.
        RulesError: If its rules cannot be played.
    """
    if name == DqnTrainer.name:
        return DqnTrainer(read_settings(config, DqnSettings))
    if name == PpoTrainer.name:
        return PpoTrainer(read_settings(config, PpoSettings))
    return DmcTrainer(read_settings(config, DmcSettings))
