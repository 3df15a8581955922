"""The learners, by name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from durak_core.lab.learn.dmc import DmcTrainer
from durak_core.lab.learn.dqn import DqnTrainer
from durak_core.lab.learn.ppo import PpoTrainer
from durak_core.lab.learn.selfplay import Trainer
from durak_core.lab.learn.settings import KINDS, LearnerSettings, read_settings

_TRAINERS: Final[Mapping[str, type[Trainer[Any]]]] = {"dmc": DmcTrainer, "dqn": DqnTrainer, "ppo": PpoTrainer}


def read_learner(name: str, config: Path) -> Trainer[LearnerSettings]:
    """Return the learner of a name in `KINDS` that does what a training file says.

    Raises:
        FileError: If it cannot be read.
        ConfigError: If it is no file of this learner's settings.
        RulesError: If its rules cannot be played.
    """
    return _TRAINERS[name](read_settings(config, KINDS[name]))
