"""A training run on disk.

``checkpoint.pt`` holds all state, ``weights.npz`` the network for play
(`durak_core.search.network.weights`), and ``log`` the TensorBoard curves.
"""

from __future__ import annotations

import io
import os
import pickle
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from socket import gethostname
from time import monotonic, monotonic_ns, time
from typing import Any, Final

import numpy as np

from durak_core.errors import DurakError, FileError
from durak_core.files import MEGABYTE, FileLock, open_regular, reading, sweep, write_bytes_atomically, writing
from durak_core.lab.learn._torch import Event, RecordWriter, SessionLog, Summary, torch
from durak_core.lab.learn.arrays import network_bytes
from durak_core.lab.learn.learners import DmcTrainer, DqnTrainer, PpoTrainer
from durak_core.lab.learn.selfplay import Tally, Trainer, compiled
from durak_core.lab.learn.settings import CHECKPOINT, KINDS, LearnerSettings, read_settings, settings_from
from durak_core.lab.matches.players import read_player
from durak_core.lab.own_agents.origins import AgentOrigin
from durak_core.lab.own_agents.reading import origins_of
from durak_core.lab.workers import Jobs
from durak_core.search.network.encoding import ENCODING
from durak_core.search.network.weights import FILE_NAME, About
from durak_core.statistics import wilson_interval

_TRAINERS: Final[Mapping[str, type[Trainer[Any]]]] = {"dmc": DmcTrainer, "dqn": DqnTrainer, "ppo": PpoTrainer}

LOG: Final = "log"
_LOCK: Final = ".lock"

_LARGEST: Final = 16_384 * MEGABYTE
"""Maximum checkpoint size in bytes; a replay buffer is most of it."""

_TALLY_SECONDS: Final = 30.0
"""Seconds between two points of the training curves."""

_BASELINES: Final = ("greedy", "expert")


def read_learner(name: str, config: Path) -> Trainer[LearnerSettings]:
    """Create a learner, one of `KINDS`, from a training file.

    Raises:
        FileError: If the file cannot be read.
        ConfigError: If its settings are not this learner's, or the initial network does not fit.
        AgentError: If the initial network cannot be read, or an opponent cannot play by the rules.
        RulesError: If its rules are not playable, or have jokers.
    """
    return _TRAINERS[name](read_settings(config, KINDS[name]))


class RunError(DurakError):
    """A run that cannot be begun or resumed."""


@contextmanager
def locked_run(
    trainer: Trainer[LearnerSettings], folder: Path, report: Callable[[str], None]
) -> Iterator[TrainingRun]:
    """Return a `TrainingRun` that keeps other processes out of its folder; errors as there.

    Raises:
        RunError: If another process is training in this folder.
        DurakError: If there is no compiled code.
    """
    compiled()
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock.acquire(folder / _LOCK)
    if lock is None:
        raise RunError(
            "{folder}: another process is training in this folder: expected it to have ended, or another "
            "folder",
            folder=folder,
        )
    try:
        yield TrainingRun(trainer, folder, report)
    finally:
        lock.release()


class _Curves:
    """Appends curves to a new file in TensorBoard's folder; raises `FileError`.

    TensorBoard's own writer works in a thread, where it fails without the name of the file.
    """

    def __init__(self, folder: Path, step: int) -> None:
        name = f"events.out.tfevents.{int(time()):010}.{gethostname()}.{os.getpid()}.{monotonic_ns()}"
        self._path = folder / name
        self._pending = io.BytesIO()
        with writing(folder):
            folder.mkdir(exist_ok=True)
        self._write(step, file_version="brain.Event:2")
        self._write(step, session_log=SessionLog(status=SessionLog.START))  # hides later points
        self.flush()

    def add(self, name: str, value: float, step: int) -> None:
        self._write(step, summary=Summary(value=[Summary.Value(tag=name, simple_value=float(value))]))

    def _write(self, step: int, **what: object) -> None:
        event = Event(wall_time=time(), step=step, **what)
        RecordWriter(self._pending).write(event.SerializeToString())

    def flush(self) -> None:
        left = self._pending.getvalue()
        with writing(self._path), self._path.open("ab", buffering=0) as file:
            before = file.tell()
            try:
                while left:
                    left = left[file.write(left) :]
            except OSError:
                file.truncate(before)
                raise
        self._pending = io.BytesIO()


class TrainingRun:
    """A run in a folder, which is created if missing.

    If the folder has a checkpoint, the run resumes from it. Then only the trainer's ``games``,
    ``evaluate_games``, ``evaluate_length``, ``checkpoint_minutes`` and, for more than one actor, ``actors``
    and ``round_steps`` may differ.

    Raises:
        RunError: If the checkpoint cannot be resumed, an opponent's file has changed, or there are weights
            without one.
        FileError: If the folder cannot be created, read or written.
    """

    def __init__(
        self, trainer: Trainer[LearnerSettings], folder: Path, report: Callable[[str], None]
    ) -> None:
        with writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
        sweep(folder)
        self.folder = folder
        self._report = report
        self.trainer = trainer
        self._seconds = 0.0
        self._origins = origins_of(map(read_player, trainer.opponents))
        checkpoint = folder / CHECKPOINT
        if os.path.lexists(checkpoint):
            with _sound(checkpoint):
                self._resume(checkpoint)
            report(f"going on after {self.trainer.counts.games:,} games from {checkpoint}")
        elif os.path.lexists(folder / FILE_NAME):
            raise RunError(
                "{folder} holds {weights} and no {checkpoint}: expected another folder",
                folder=folder,
                weights=FILE_NAME,
                checkpoint=CHECKPOINT,
            )
        self._curves = _Curves(folder / LOG, self.trainer.counts.games)
        self._saved = self._logged = monotonic()

    @property
    def hours(self) -> float:
        """Wall time spent training, including earlier sessions."""
        return (self._seconds + monotonic() - self._saved) / 3600

    def go(
        self, is_stopped: Callable[[], bool], jobs: Jobs = 1, count: Callable[[int], object] = bool
    ) -> None:
        """Train until the run is done or ``is_stopped``, called after every step, returns True; then save.

        ``jobs`` are the workers of several actors. ``count`` gets the number of games of each step.

        Raises:
            DurakError: If the workers are lost; with several actors, after saving.
        """
        trainer = self.trainer
        every = trainer.settings.evaluate_games
        pause = 60 * trainer.settings.checkpoint_minutes
        try:
            with trainer.playing(jobs):
                while not trainer.is_done and not is_stopped():
                    before = trainer.counts.games
                    try:
                        trainer.step()
                    except DurakError:
                        if trainer.settings.actors > 1:
                            self.save()
                        raise
                    count(trainer.counts.games - before)
                    now = monotonic()
                    if now - self._logged >= _TALLY_SECONDS:
                        self._log_tally(now)
                    if trainer.counts.games // every != before // every:
                        self._evaluate()
                    if now - self._saved >= pause:
                        self.save()
        finally:
            self._curves.flush()
        self.save()

    def save(self) -> None:
        now = monotonic()
        self._seconds += now - self._saved
        self._saved = now
        trainer = self.trainer
        payload = {
            "version": trainer.version,
            "encoding": ENCODING,
            "settings": trainer.settings.as_plain(),
            "origins": self._origins,
            "seconds": self._seconds,
            "state": trainer.state(),
        }
        file = io.BytesIO()
        torch.save(payload, file)
        write_bytes_atomically(self.folder / CHECKPOINT, file.getvalue())
        self._curves.flush()
        write_bytes_atomically(self.folder / FILE_NAME, _weights_file(trainer))

    def _resume(self, checkpoint: Path) -> None:
        trainer, payload = self.trainer, _loaded(checkpoint)
        version, encoding = payload["version"], payload["encoding"]
        if version != trainer.version or encoding != ENCODING:
            raise RunError(
                "{checkpoint} was written as {version} with the encoding {encoding}; this learner "
                "goes on with {new_version} and {known}: give it another folder",
                checkpoint=checkpoint,
                version=version,
                encoding=encoding,
                new_version=trainer.version,
                known=ENCODING,
            )
        began = settings_from({**trainer.later_settings, **payload["settings"]}, type(trainer.settings))
        given, kept = trainer.settings.as_plain(), began.as_plain()
        free = {*_FREE, "actors"} if trainer.settings.actors > 1 else _FREE
        fixed = [name for name in given if name not in free]
        changed = [name for name in fixed if _in_order(given[name]) != _in_order(kept[name])]
        if changed:
            listed = ", ".join(f"{name}={kept[name]}, now {given[name]}" for name in changed)
            message = "{checkpoint} was begun with {listed}: give it another folder, or the old values"
            raise RunError(message, checkpoint=checkpoint, listed=listed)
        for text, origin in payload.get("origins", {}).items():
            was, now = AgentOrigin(**origin), AgentOrigin(**self._origins[text])
            if was != now:
                message = "{checkpoint} was begun against {was}: expected it, not {now}, or another folder"
                raise RunError(message, checkpoint=checkpoint, was=f"{was}", now=f"{now}")
        trainer.restore(payload["state"])
        self._seconds = float(payload["seconds"])

    def _log_tally(self, now: float) -> None:
        trainer, tally = self.trainer, self.trainer.tally
        games = trainer.counts.games
        self._logged = now
        for name, total in tally.sums.items():
            self._curves.add(f"train/{name}", total / tally.updates, games)
        for name, value in trainer.gauges().items():
            self._curves.add(f"train/{name}", value, games)
        for kind, outcomes in tally.outcomes.items():
            self._curves.add(f"train/score_{kind}", float(np.mean(outcomes)), games)
        self._curves.flush()
        trainer.tally = Tally()

    def _evaluate(self) -> None:
        trainer = self.trainer
        games = trainer.counts.games
        parts = []
        for opponent in trainer.opponents or _BASELINES:
            outcomes = trainer.evaluate(opponent, trainer.settings.evaluate_length)
            score = float(np.mean(outcomes))
            low, high = wilson_interval(score, len(outcomes))
            self._curves.add(f"evaluation/{opponent}", score, games)
            parts.append(f"{opponent} {score:.3f} ({low:.3f} to {high:.3f})")
        self._curves.add("evaluation/hours", self.hours, games)
        self._curves.flush()
        self._report(f"{games:,} games, {self.hours:.2f} hours: {', '.join(parts)}")


_DAMAGED: Final = (
    *(zipfile.BadZipFile, zlib.error, pickle.UnpicklingError, RuntimeError),
    *(LookupError, EOFError, ValueError, TypeError, AttributeError),
)


@contextmanager
def _sound(checkpoint: Path) -> Iterator[None]:
    try:
        yield
    except (FileError, RunError):
        raise
    except _DAMAGED:
        raise RunError(
            "{checkpoint} is damaged, or no checkpoint of this program", checkpoint=checkpoint
        ) from None


def _loaded(checkpoint: Path) -> Any:  # noqa: ANN401 - not validated yet
    with reading(checkpoint), open_regular(checkpoint, _LARGEST) as file:
        with zipfile.ZipFile(file) as archive:
            if archive.testzip():  # torch does not check, and compiled code trusts its input
                raise ValueError
        file.seek(0)
        return torch.load(file, weights_only=True)


def _in_order(value: object) -> object:
    """Return a value that also compares the order of opponents, which decides who plays which game."""
    return list(value.items()) if isinstance(value, dict) else value


_FREE: Final = ("round_steps", "games", "evaluate_games", "evaluate_length", "checkpoint_minutes")


def _weights_file(trainer: Trainer[LearnerSettings]) -> bytes:
    player = trainer.player()
    about = About(
        encoding=ENCODING,
        outputs=trainer.outputs,
        rules=trainer.rules.text,
        widths=(len(player[0]), *[len(biases) for biases in player[1::2]]),
        games=trainer.counts.games,
        learner=trainer.name,
    )
    return network_bytes(about, np.concatenate([one.numpy().ravel() for one in player]).tolist())
