"""Settings of training runs, read from TOML files."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import MISSING, asdict, dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar

from durak_core.agents.learned import NetworkAgent, shipped_network
from durak_core.config import (
    ConfigError,
    ConfigFile,
    OneOf,
    Range,
    check_fields,
    expected,
    meaning,
    read,
    shown,
    taken,
)
from durak_core.errors import AgentError, DurakError
from durak_core.kernel.position import MASK63
from durak_core.lab.matches.players import read_local_player
from durak_core.rules import Rules
from durak_core.search.policies.playouts import POLICIES

CHECKPOINT: Final = "checkpoint.pt"
"""A run's file of all its state."""

_ROUNDING: Final = 1e-9

Kind = TypeVar("Kind", bound="LearnerSettings")


def _playable(rules: str) -> str:
    Rules.parse(rules)
    return rules


def _layers(hidden: tuple[int, ...]) -> tuple[int, ...]:
    if not 1 <= len(hidden) <= 3 or not all(8 <= width <= 1024 for width in hidden):
        raise expected("1 to 3 numbers from 8 to 1024", hidden)
    return hidden


def _shares(opponents: Mapping[str, float]) -> Mapping[str, float]:
    for name in opponents:
        if name == "past" or name in POLICIES:
            continue
        try:
            read_local_player(name)
        except AgentError as error:
            raise ConfigError(f"{error}; expected past, {', '.join(POLICIES)}, or another agent") from None
    if math.fsum(opponents.values()) > 1 + _ROUNDING:
        raise ConfigError("the shares' sum is above 1; what is left are games with itself")
    return opponents


@dataclass(frozen=True, slots=True)
class LearnerSettings:
    """Settings common to all learners."""

    rules: Annotated[str, _playable, "Rules spec, including the number of seats."]
    seed: Annotated[int, Range(0, MASK63), "Seed of all randomness."]
    games: Annotated[int, Range(1, 10**12), "Number of training games."]
    tables: Annotated[int, Range(1, 65_536), "Number of games played side by side."]
    hidden: Annotated[tuple[int, ...], _layers, "Widths of the hidden layers: 1 to 3 numbers from 8 to 1024."]
    batch: Annotated[int, Range(1, 65_536), "Decisions in a training step."]
    rate: Annotated[float, Range(0, 1), "Initial learning rate of Adam."]
    rate_games: Annotated[
        int,
        Range(1, 10**12),
        "Games after which the learning rate has halved: rate / (1 + games / rate_games).",
    ]
    average: Annotated[
        float,
        Range(0, 1),
        "Share of the way by which a training step moves the averaged weights towards the current ones; "
        "agents play with the average.",
    ]
    opponents: Annotated[
        Mapping[str, Annotated[float, Range(0, 1)]],
        _shares,
        "Share of the games against each opponent: `past` for past checkpoints, otherwise the spec of a "
        "frozen agent. The rest is self-play. Policies and networks play at the speed of training, and "
        "`ismcts` without inference in two-seat games in compiled code; other agents play one by one.",
    ]
    past: Annotated[int, Range(1, 100), "Number of past checkpoints in the opponent pool."]
    past_games: Annotated[int, Range(1, 10**12), "Games between two past checkpoints."]
    evaluate_games: Annotated[
        int, Range(1, 10**12), "Games between two evaluations of the averaged network against policies."
    ]
    evaluate_length: Annotated[int, Range(2, 10**6), "Games against each policy in an evaluation."]
    checkpoint_minutes: Annotated[float, Range(0, 10_000), "Minutes between two checkpoints of the run."]
    actors: Annotated[
        int,
        Range(1, 1000),
        "Number of actors, each with `tables` games of its own. With more than one, workers (`--jobs`, "
        "`--backend dask`) play while the learner learns from the round before. The weights depend on this "
        "number and not on the workers.",
    ] = field(default=1, kw_only=True)
    round_steps: Annotated[
        int,
        Range(1, 10**6),
        "Decisions that each game of several actors plays with the same weights: a round.",
    ] = field(default=200, kw_only=True)

    def __post_init__(self) -> None:
        check_fields(self)

    def as_plain(self) -> dict[str, Any]:
        return {**asdict(self), "hidden": list(self.hidden), "opponents": dict(self.opponents)}


@dataclass(frozen=True, slots=True)
class ExploringSettings(LearnerSettings):
    """Settings of value-based learners, which explore epsilon-greedily."""

    teacher: Annotated[
        str,
        OneOf(POLICIES),
        "Behaviour policy of the warm start: it plays the learner's part in the first games.",
    ]
    teacher_games: Annotated[int, Range(0, 10**12), "Games of the warm start."]
    epsilon: Annotated[float, Range(0, 1), "Initial share of random actions."]
    last_epsilon: Annotated[float, Range(0, 1), "Final share of random actions."]
    epsilon_games: Annotated[
        int,
        Range(1, 10**12),
        "Games after the warm start over which the share falls from epsilon to last_epsilon.",
    ]


@dataclass(frozen=True, slots=True)
class DmcSettings(ExploringSettings):
    """Settings of deep Monte Carlo."""

    start: Annotated[
        str,
        "Initial weights: a file of a network that estimates outcomes, for the same number of seats and "
        "the same layers, or `dmc` if the package has one for the rules; empty for random weights.",
    ]
    trace: Annotated[
        float,
        Range(0, 1),
        "Lambda of TD(lambda): with 1 the target is the game's outcome, below 1 partly the values at the "
        "same seat's later decisions (`durak_core.lab.learn.rollout.traced`).",
    ]
    keep: Annotated[float, Range(0.001, 1), "Share of the decisions used for training."]
    others: Annotated[
        bool, "Train the loser-prediction head (which other seat will lose) for searches; not with teams."
    ] = False
    freeze: Annotated[
        bool, "Train only the loser-prediction head, so that the initial network's play does not change."
    ] = False

    def __post_init__(self) -> None:
        LearnerSettings.__post_init__(self)
        if self.others and Rules.parse(self.rules).teams is not None:
            raise expected("false with teams", self.others).under("others")
        if self.freeze and not (self.others and self.start):
            raise expected("false without start and others = true", self.freeze).under("freeze")


@dataclass(frozen=True, slots=True)
class DqnSettings(ExploringSettings):
    """Settings of deep Q-learning."""

    replay: Annotated[int, Range(1, 10**7), "Capacity of the replay buffer in decisions."]
    replay_start: Annotated[int, Range(1, 10**7), "Decisions in the replay buffer before training begins."]
    reuse: Annotated[float, Range(0.001, 100), "Average number of times that each decision is used."]
    n_steps: Annotated[
        int,
        Range(1, 1000),
        "Length of n-step returns in decisions of the seat; the target network's value replaces the rest.",
    ]
    discount: Annotated[float, Range(0.01, 1), "Discount factor for each decision."]
    target_updates: Annotated[
        int, Range(1, 10**9), "Training steps between two updates of the target network."
    ]
    double: Annotated[
        bool,
        "Use double Q-learning: the online network selects the later action and the target network "
        "evaluates it; otherwise the target network does both.",
    ]
    dueling: Annotated[
        bool,
        "Use a dueling network: a state value and an advantage for each action; otherwise one value for "
        "each action.",
    ]

    def __post_init__(self) -> None:
        LearnerSettings.__post_init__(self)
        if not self.batch <= self.replay_start <= self.replay:
            raise expected("batch or more, replay or less", self.replay_start).under("replay_start")


@dataclass(frozen=True, slots=True)
class PpoSettings(LearnerSettings):
    """Settings of proximal policy optimisation."""

    start: Annotated[
        str,
        "Initial weights: a file for the same number of seats and the same layers, or the name of a "
        "learner whose network for the rules is shipped; empty for random weights. For networks that "
        "estimate outcomes, see `durak_core.lab.learn.learners.preferring`.",
    ]
    horizon: Annotated[int, Range(1, 10**7), "Decisions collected for each update."]
    epochs: Annotated[int, Range(1, 100), "Passes over these decisions in each update."]
    clip: Annotated[float, Range(0.001, 1), "Clipping range of the probability ratio."]
    discount: Annotated[float, Range(0.01, 1), "Discount factor for each decision."]
    trace: Annotated[float, Range(0, 1), "Lambda of generalised advantage estimation."]
    entropy: Annotated[float, Range(0, 10), "Weight of the policy's entropy."]
    value: Annotated[float, Range(0, 100), "Weight of the value loss."]
    max_gradient: Annotated[
        float, Range(0.001, 10**6), "Maximum norm of the gradient; longer gradients are scaled down."
    ]

    def __post_init__(self) -> None:
        LearnerSettings.__post_init__(self)
        if self.horizon < self.batch:
            raise expected("batch or more", self.horizon).under("horizon")


KINDS: Final[Mapping[str, type[LearnerSettings]]] = {
    "dmc": DmcSettings,
    "dqn": DqnSettings,
    "ppo": PpoSettings,
}
"""Settings class of each learner, by its name in `durak train NAME`."""


def reference(kind: type) -> dict[str, tuple[str, str]]:
    """Return the values, with the default if any, and the meaning of each setting added to the base."""
    inherited = {field.name for base in kind.__bases__ if is_dataclass(base) for field in fields(base)}
    own = [field for field in fields(kind) if field.name not in inherited]
    defaults = ["" if one.default is MISSING else f", by default {shown(one.default)}" for one in own]
    return {
        field.name: (taken(kind, field.name) + default, meaning(kind, field.name))
        for field, default in zip(own, defaults, strict=True)
    }


def read_settings(path: Path, kind: type[Kind]) -> Kind:
    """Read a training file.

    Raises:
        FileError: If it cannot be read.
        ConfigError: If it is not TOML, or a setting is missing, unknown or out of range.
    """
    file = ConfigFile(path)
    with file.located():
        return settings_from(file.values, kind)


def settings_from(table: Mapping[str, Any], kind: type[Kind]) -> Kind:
    """Build settings from plain values; `ConfigError` as for `read_settings`."""
    for name, other in KINDS.items():
        needed = {field.name for field in fields(other) if field.default is MISSING}
        if other is not kind and needed <= set(table) <= {field.name for field in fields(other)}:
            raise ConfigError(f"these are settings of another learner: take durak train {name}")
    return read(kind, table)


_FIRST: Final = "dmc"
"""Learner whose shipped network, if there is one for the rules, initialises a run."""

_LEARNING: Final[dict[str, Any]] = {
    "trace": 0.5,
    "keep": 1.0,
    "batch": 1024,
    "past": 1,
    "past_games": 10**12,
    "evaluate_games": 100_000,
    "evaluate_length": 1000,
    "checkpoint_minutes": 3.0,
    "teacher": "expert",
}

_FROM_A_NETWORK: Final[dict[str, Any]] = {
    "teacher_games": 0,
    "epsilon": 0.05,
    "last_epsilon": 0.01,
    "epsilon_games": 300_000,
    "rate": 0.0005,
    "rate_games": 500_000,
    "average": 0.0005,
}

_FROM_NOTHING: Final[dict[str, Any]] = {
    "hidden": (256, 256, 256),
    "start": "",
    "teacher_games": 100_000,
    "epsilon": 0.15,
    "last_epsilon": 0.02,
    "epsilon_games": 500_000,
    "rate": 0.001,
    "rate_games": 1_500_000,
    "average": 0.001,
}


def exploiter_settings(agent: str, rules: Rules, games: int, seed: int) -> DmcSettings:
    """Return settings for training an exploiter (approximate best response) of one agent by deep Monte Carlo.

    Training starts from the shipped network for the rules, or from random weights if there is none.

    Raises:
        AgentError: If there is no such agent.
        DurakError: If there are more than two seats.
        ConfigError: If a number is out of range.
    """
    if rules.seats != 2:
        raise DurakError(
            "an exploiter plays one against one: expected 2 seats, not {seats}", seats=rules.seats
        )
    named = read_local_player(agent)
    text, built = named.text, named.build()
    at_once = text in POLICIES or (isinstance(built, NetworkAgent) and built.is_deterministic)
    network = shipped_network(_FIRST, rules)
    beginning: dict[str, Any] = _FROM_NOTHING
    if network is not None:
        beginning = {**_FROM_A_NETWORK, "start": _FIRST, "hidden": network.about.widths[1:-1]}
    return DmcSettings(
        rules=rules.text,
        seed=seed,
        games=games,
        tables=512 if at_once else 64,
        opponents={text: 1.0},
        **_LEARNING,
        **beginning,
    )
