"""The folder of an experiment's results: the manifest it belongs to, what was played, and who played it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, Self

from durak_core.arena.experiments.manifest import Experiment
from durak_core.arena.experiments.results import Results, ResultsError
from durak_core.config import ConfigFile, shown
from durak_core.game.files import write_text_atomically

_FORMAT: Final = "durak-experiment/1"
_MANIFEST: Final = "manifest.toml"
_RUNS: Final = "run.json"

_TEXTS: Final = frozenset(
    {
        "title",
        "names",
        "document",
        "question",
        "source",
        "takes",
        "note",
        "published",
        "x_label",
        "log",
        "times",
        "columns",
        "keep_games",
    }
)
"""Keys of a manifest that decide nothing of what is played; they may change while results are there."""


@dataclass
class Run:
    """One call of the command that played something.

    Attributes:
        command: How it was called.
        began: When, in UTC.
        commit: Of the program, with a plus where its files had been changed.
        changed: Whether they had.
        versions: Of Python, the program and its compiler.
        machine: Processor, cores and system.
        jobs: Processes at once.
        seconds: How long it took.
        finished: Whether nothing was left to do.
    """

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
    """A folder of results.

    Attributes:
        path: Where it is.
        results: What was played.
        runs: The calls that played.
        quick: Whether all that was played were a few games.
    """

    path: Path
    results: Results
    runs: list[Run]
    quick: bool

    @classmethod
    def open(cls, path: Path, experiment: Experiment) -> Self:
        """Open a folder for an experiment; an empty one, or one that is not there, is begun.

        Raises:
            ResultsError: If the folder holds results of another experiment, or something else.
            OSError: If it cannot be read or written.
        """
        if path.is_dir() and any(path.iterdir()):
            runs = _check_same(path, experiment)
        else:
            path.mkdir(parents=True, exist_ok=True)
            runs = []
        folder = cls(path, Results.load(path / "results.json", _FORMAT), runs, experiment.quick)
        folder._write_runs()
        write_text_atomically(path / _MANIFEST, experiment.file.text)
        folder.games.mkdir(exist_ok=True)
        return folder

    @property
    def games(self) -> Path:
        return self.path / "games"

    def add_run(self, run: Run) -> None:
        self.runs.append(run)
        self._write_runs()

    def end_run(self, seconds: float, *, finished: bool) -> None:
        self.runs[-1].seconds, self.runs[-1].finished = round(seconds, 1), finished
        self._write_runs()

    def _write_runs(self) -> None:
        told = {"format": _FORMAT, "quick": self.quick, "runs": [asdict(run) for run in self.runs]}
        write_text_atomically(self.path / _RUNS, json.dumps(told, indent=1, ensure_ascii=False) + "\n")


def _check_same(path: Path, experiment: Experiment) -> list[Run]:
    if not (path / _MANIFEST).is_file() or not (path / _RUNS).is_file():
        raise ResultsError(
            "{path} holds other files: expected an empty folder, or one with results", path=path
        )
    try:
        told = json.loads((path / _RUNS).read_text(encoding="utf-8"))
        if told["format"] != _FORMAT:
            raise ResultsError(
                "{file}: format {found!r}: expected {known!r}",
                file=path / _RUNS,
                found=told["format"],
                known=_FORMAT,
            )
        quick, runs = bool(told["quick"]), [Run(**run) for run in told["runs"]]
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        if isinstance(error, ResultsError):
            raise
        raise ResultsError("{file} tells of no experiment: {why!r}", file=path / _RUNS, why=error) from None
    kept = {**_deciding(ConfigFile(path / _MANIFEST).values), "--quick": quick}
    wanted = {**_deciding(experiment.file.values), "--quick": experiment.quick}
    difference = _difference(kept, wanted, "")
    if difference:
        raise ResultsError(
            "{path} holds results of another experiment: {difference}; expected another folder with --out",
            path=path,
            difference=difference,
        )
    return runs


def _deciding(told: Any) -> Any:  # noqa: ANN401 - whatever TOML holds
    """Leave out the keys that decide nothing."""
    if isinstance(told, Mapping):
        return {key: _deciding(value) for key, value in told.items() if key not in _TEXTS}
    return [_deciding(one) for one in told] if isinstance(told, list) else told


def _difference(kept: Any, wanted: Any, path: str) -> str:  # noqa: ANN401 - whatever TOML holds
    """Return where two values first differ, in words, or nothing."""
    if isinstance(kept, Mapping) and isinstance(wanted, Mapping):
        for key in dict.fromkeys([*wanted, *kept]):
            found = _difference(kept.get(key), wanted.get(key), f"{path}.{key}" if path else key)
            if found:
                return found
        return ""
    if isinstance(kept, list) and isinstance(wanted, list) and len(kept) == len(wanted):
        for place, (one, other) in enumerate(zip(kept, wanted, strict=True)):
            found = _difference(one, other, f"{path}[{place}]")
            if found:
                return found
        return ""
    if kept == wanted and isinstance(kept, bool) == isinstance(wanted, bool):
        return ""
    there, here = ["not given" if one is None else shown(one) for one in (kept, wanted)]
    return f"{path} is {there} there and {here} here"
