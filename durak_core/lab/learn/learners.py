"""Learners by name."""

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
    """Create a learner, one of `KINDS`, from a training file.

    Raises:
        FileError: If the file cannot be read.
        ConfigError: If it does not hold this learner's settings, or the initial network does not fit.
        AgentError: If the initial network cannot be read, or an opponent cannot play by the rules.
        RulesError: If its rules are not playable.
    """
    return _TRAINERS[name](read_settings(config, KINDS[name]))
