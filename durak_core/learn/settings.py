"""What a training run is to do, read from a TOML file."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Final, TypeVar

from durak_core.errors import DurakError
from durak_core.kernel.random import MASK63
from durak_core.rules import Rules
from durak_core.search.backend.batch import POLICIES

Kind = TypeVar("Kind", bound="LearnerSettings")


class SettingsError(DurakError):
    """A training file with something that cannot be."""


@dataclass(frozen=True, slots=True)
class LearnerSettings:
    """What every learner has to be told.

    Attributes:
        rules: The rules' text.
        seed: Of everything, 0 to 2^63 - 1.
        games: How many games to train on.
        tables: How many games are played side by side.
        hidden: Units of the network's layers, 1 to 3 layers.
        batch: Decisions in a step of learning.
        rate: Adam's step size at the beginning.
        rate_games: After so many games it has halved, after three times as many halved again, and so
            on: it is proportional to 1 / (1 + games / rate_games).
        average: Share of the averaged weights that a step of learning leaves, 0 to 1; the average plays.
        opponents: Shares of games against others than the learner itself: ``past`` for earlier selves,
            else a policy's name.
        past: How many earlier selves are remembered.
        past_games: After so many games another one is.
        evaluate_games: After so many games the averaged network plays against policies.
        evaluate_length: How many games it plays against each.
        checkpoint_minutes: After so many minutes everything is saved.
    """

    rules: str
    seed: int
    games: int
    tables: int
    hidden: tuple[int, ...]
    batch: int
    rate: float
    rate_games: int
    average: float
    opponents: Mapping[str, float]
    past: int
    past_games: int
    evaluate_games: int
    evaluate_length: int
    checkpoint_minutes: float

    def __post_init__(self) -> None:
        Rules.parse(self.rules)
        if not self.hidden or len(self.hidden) > 3 or not all(8 <= width <= 1024 for width in self.hidden):
            raise SettingsError(f"hidden={list(self.hidden)}: expected 1 to 3 numbers from 8 to 1024")
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name not in _RANGES:
                continue
            low, high = _RANGES[field.name]
            if not low <= value <= high:
                raise SettingsError(f"{field.name}={value}: expected a number from {low:g} to {high:g}")
        for name, share in self.opponents.items():
            if name != "past" and name not in POLICIES:
                raise SettingsError(f"opponents: there is no {name!r}; expected past, {', '.join(POLICIES)}")
            if share < 0:
                raise SettingsError(f"opponents: {name}={share}: expected 0 or more")
        if sum(self.opponents.values()) > 1:
            raise SettingsError("opponents: the shares' sum is above 1; what is left are games with itself")

    def as_plain(self) -> dict[str, Any]:
        """Return the settings as plain values, to be kept in a checkpoint."""
        return {**asdict(self), "hidden": list(self.hidden), "opponents": dict(self.opponents)}


@dataclass(frozen=True, slots=True)
class ExploringSettings(LearnerSettings):
    """What learners of values have to be told: they explore by playing anything now and then.

    Attributes:
        teacher: The policy that plays the learner's part in the first games.
        teacher_games: How many these are; 0 for none.
        epsilon: How often any action is tried at the beginning, 0 to 1.
        last_epsilon: The same at the end.
        epsilon_games: Over so many games, counted after the teacher's, it changes from one to the other.
    """

    teacher: str
    teacher_games: int
    epsilon: float
    last_epsilon: float
    epsilon_games: int

    def __post_init__(self) -> None:
        LearnerSettings.__post_init__(self)
        if self.teacher not in POLICIES:
            raise SettingsError(f"teacher={self.teacher}: expected {' or '.join(POLICIES)}")


@dataclass(frozen=True, slots=True)
class DmcSettings(ExploringSettings):
    """A deep Monte Carlo run.

    Attributes:
        start: A file of weights to begin with, for the same number of seats and the same layers; empty for
            fresh ones.
        trace: Lambda, 0 to 1: with 1 decisions are fitted to the game's outcome, below it partly to what was
            expected at the same seat's later decisions (`durak_core.learn.rollout.traced`).
        keep: Share of the decisions that are learnt from, above 0 to 1.
    """

    start: str
    trace: float
    keep: float


@dataclass(frozen=True, slots=True)
class DqnSettings(ExploringSettings):
    """A run of deep Q-learning.

    Attributes:
        replay: How many decisions the replay buffer holds.
        replay_start: How many it holds before learning begins.
        reuse: How often each decision is learnt from, on average.
        n_steps: After so many decisions of the seat the target network's value stands for the rest.
        discount: What an outcome one decision later is worth, above 0 to 1.
        target_updates: After so many steps of learning the target network is copied anew.
    """

    replay: int
    replay_start: int
    reuse: float
    n_steps: int
    discount: float
    target_updates: int

    def __post_init__(self) -> None:
        ExploringSettings.__post_init__(self)
        if not self.batch <= self.replay_start <= self.replay:
            raise SettingsError(f"replay_start={self.replay_start}: expected batch or more, replay or less")


@dataclass(frozen=True, slots=True)
class PpoSettings(LearnerSettings):
    """A run of proximal policy optimisation.

    Attributes:
        start: A file of weights to begin with, for the same number of seats and the same layers; empty for
            fresh ones. Where its outputs are outcomes, see `durak_core.learn.ppo.preferring`.
        horizon: After so many decisions there is a round of learning from them.
        epochs: How often it goes through them.
        clip: The probability of an action counts up to a change by this share.
        discount: What an outcome one decision later is worth, above 0 to 1.
        trace: Lambda of generalised advantage estimation, 0 to 1.
        entropy: Weight of the entropy of the policy.
        value: Weight of the value's loss.
        max_gradient: A gradient that is longer than this is shortened to it.
    """

    start: str
    horizon: int
    epochs: int
    clip: float
    discount: float
    trace: float
    entropy: float
    value: float
    max_gradient: float

    def __post_init__(self) -> None:
        LearnerSettings.__post_init__(self)
        if self.horizon < self.batch:
            raise SettingsError(f"horizon={self.horizon}: expected batch or more")


_RANGES: Final[Mapping[str, tuple[float, float]]] = {
    "seed": (0, MASK63),
    "games": (1, 10**12),
    "tables": (1, 65_536),
    "teacher_games": (0, 10**12),
    "epsilon": (0, 1),
    "last_epsilon": (0, 1),
    "epsilon_games": (1, 10**12),
    "keep": (0.001, 1),
    "batch": (1, 65_536),
    "rate": (0, 1),
    "rate_games": (1, 10**12),
    "average": (0, 1),
    "past": (1, 100),
    "past_games": (1, 10**12),
    "evaluate_games": (1, 10**12),
    "evaluate_length": (2, 10**6),
    "checkpoint_minutes": (0, 10_000),
    "replay": (1, 10**7),
    "replay_start": (1, 10**7),
    "reuse": (0.001, 100),
    "n_steps": (1, 1000),
    "discount": (0.01, 1),
    "target_updates": (1, 10**9),
    "horizon": (1, 10**7),
    "epochs": (1, 100),
    "clip": (0.001, 1),
    "trace": (0, 1),
    "entropy": (0, 10),
    "value": (0, 100),
    "max_gradient": (0.001, 10**6),
}


KINDS: Final[Mapping[str, type[LearnerSettings]]] = {
    "dmc": DmcSettings,
    "dqn": DqnSettings,
    "ppo": PpoSettings,
}
"""The settings of each learner, by the name in `durak train NAME`."""


def read_settings(path: Path, kind: type[Kind]) -> Kind:
    """Read a training file.

    Args:
        path: Of the file.
        kind: Whose settings it should have.

    Raises:
        OSError: If it cannot be read.
        SettingsError: If it is no TOML, or a setting is missing, unknown or out of range.
        RulesError: If its rules cannot be played.
    """
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} is no TOML: {error}") from None
    try:
        return settings_from(table, kind)
    except SettingsError as error:
        raise SettingsError(f"{path}: {error}") from None


def settings_from(table: Mapping[str, Any], kind: type[Kind]) -> Kind:
    """Make settings from plain values.

    Args:
        table: The values.
        kind: Whose settings they should be.

    Raises:
        SettingsError: If one is missing, unknown, of another kind or out of range.
        RulesError: If its rules cannot be played.
    """
    known = {field.name: field for field in fields(kind)}
    for name, other in KINDS.items():
        if other is not kind and {field.name for field in fields(other)} == set(table):
            raise SettingsError(f"these are settings of another learner: take durak train {name}")
    for name in table:
        if name not in known:
            close = difflib.get_close_matches(name, known, n=1)
            hint = f"; did you mean {close[0]}?" if close else ""
            raise SettingsError(f"there is no setting {name!r}{hint} There are: {', '.join(known)}")
    missing = [name for name in known if name not in table]
    if missing:
        raise SettingsError(f"{', '.join(missing)} is missing")
    values: dict[str, Any] = {}
    for name, field in known.items():
        values[name] = _checked(name, str(field.type), table[name])
    return kind(**values)


def _checked(name: str, kind: str, value: object) -> object:
    if kind == "str" and isinstance(value, str):
        return value
    if kind == "int" and isinstance(value, int) and not isinstance(value, bool):
        return value
    if kind == "float" and isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    if kind.startswith("tuple") and isinstance(value, list) and all(type(one) is int for one in value):
        return tuple(value)
    if kind.startswith("Mapping") and isinstance(value, dict):
        return {key: _checked(f"{name}.{key}", "float", share) for key, share in value.items()}
    words = {"str": "a text", "int": "a whole number", "float": "a number"}
    expected = words.get(kind, "a list of whole numbers" if kind.startswith("tuple") else "a table")
    raise SettingsError(f"{name}={value!r}: expected {expected}")
