"""The results folder of an experiment: manifest copy, results and runs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Self

from durak_core.config import ConfigFile, shown
from durak_core.files import sweep, write_text_atomically, writing
from durak_core.lab.experiments.manifest import Experiment
from durak_core.lab.experiments.provenance import commit, machine, versions
from durak_core.lab.experiments.results import FORMAT, Results, ResultsError, load_json

_MANIFEST: Final = "manifest.toml"
_RUNS: Final = "run.json"

_TEXTS: Final = (
    *("title", "names", "document", "question", "source", "takes", "note", "published"),
    *("x_label", "log", "times", "columns", "keep_games"),
)
"""Manifest keys that do not affect play; they may change while results exist."""


@dataclass
class Run:
    """A run of the command; ``commit`` has a plus if the program's files were modified."""

    command: str
    began: str
    commit: str
    changed: bool
    versions: Mapping[str, str]
    machine: Mapping[str, Any]
    jobs: int
    seconds: float = 0.0
    finished: bool = False


@dataclass
class Folder:
    """A results folder; a quick one has only a few games per match."""

    path: Path
    results: Results
    runs: list[Run]
    quick: bool

    @classmethod
    def open(cls, path: Path, experiment: Experiment) -> Self:
        """Open an experiment's folder, or create it if missing or empty.

        Raises:
            ResultsError: If it belongs to another experiment or holds other files.
            FileError: If it cannot be read or written.
        """
        with writing(path):
            path.mkdir(parents=True, exist_ok=True)
            sweep(path)
            is_new = not any(path.iterdir())
        runs = [] if is_new else _check_same(path, experiment)
        folder = cls(path, Results.load(path / "results.json"), runs, experiment.quick)
        if is_new:
            folder._write_runs()
        write_text_atomically(path / _MANIFEST, experiment.file.text)
        with writing(folder.games):
            folder.games.mkdir(exist_ok=True)
        return folder

    @property
    def games(self) -> Path:
        return self.path / "games"

    def begin_run(self, command: str, jobs: int) -> Run:
        made, now = commit(), datetime.now(UTC).isoformat(timespec="seconds")
        run = Run(command, now, made, made.endswith("+"), versions(), machine(), jobs)
        self._add_run(run)
        return run

    def end_run(self, run: Run, seconds: float, *, finished: bool) -> None:
        run.seconds, run.finished = round(seconds, 1), finished
        self._add_run(run)

    def _add_run(self, run: Run) -> None:
        """Add or update a run in the file, keeping concurrent runs."""
        _, runs = _load_runs(self.path)
        others = [other for other in runs if (other.command, other.began) != (run.command, run.began)]
        self.runs = sorted([*others, run], key=lambda one: one.began)
        self._write_runs()

    def _write_runs(self) -> None:
        told = {"format": FORMAT, "quick": self.quick, "runs": [asdict(run) for run in self.runs]}
        write_text_atomically(self.path / _RUNS, json.dumps(told, indent=1, ensure_ascii=False) + "\n")


def _load_runs(path: Path) -> tuple[bool, list[Run]]:
    """Return whether the folder is a quick one, and its runs."""
    return load_json(path / _RUNS, lambda told: (bool(told["quick"]), [Run(**run) for run in told["runs"]]))


def _check_same(path: Path, experiment: Experiment) -> list[Run]:
    """Return the folder's runs; `ResultsError` if it belongs to another experiment."""
    if not (path / _MANIFEST).is_file() or not (path / _RUNS).is_file():
        raise ResultsError(
            "{path} holds other files: expected an empty folder, or one with results", path=path
        )
    quick, runs = _load_runs(path)
    kept = dict(_deciding(ConfigFile(path / _MANIFEST).values)) | {"--quick": shown(quick)}
    wanted = dict(_deciding(experiment.file.values)) | {"--quick": shown(experiment.quick)}
    for key in dict.fromkeys([*wanted, *kept]):
        if kept.get(key) != wanted.get(key):
            raise ResultsError(
                "{path} holds results of another experiment: {key} is {there} there and {here} here; "
                "expected another folder with --out",
                path=path,
                key=key,
                there=kept.get(key, "not given"),
                here=wanted.get(key, "not given"),
            )
    return runs


def _deciding(told: object, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield the manifest's values by path, without keys that do not affect play."""
    if isinstance(told, Mapping):
        for key, value in told.items():
            if key not in _TEXTS:
                yield from _deciding(value, f"{path}.{key}" if path else key)
    elif isinstance(told, list):
        for place, value in enumerate(told):
            yield from _deciding(value, f"{path}[{place}]")
    else:
        yield path, shown(told)
