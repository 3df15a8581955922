"""The results of an experiment: one JSON entry per task, their provenance, and the folder that keeps them."""

from __future__ import annotations

import json
import math
import platform
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, astuple, dataclass, field, fields, replace
from datetime import UTC, datetime
from importlib import metadata
from itertools import product
from pathlib import Path
from typing import Any, Final, Self, TypeVar

from durak_core.config import ConfigFile, shown
from durak_core.errors import DurakError, FileError
from durak_core.files import MEGABYTE, read_json, read_text, sweep, write_text_atomically, writing
from durak_core.installation import version
from durak_core.lab.experiments.manifest import Experiment
from durak_core.lab.experiments.tables import DRAW, Task, key_of
from durak_core.lab.matches.match import GameSummary, Match, filled
from durak_core.lab.stats.match_results import MatchTally, ResultMeasure, agent_json, tally_match
from durak_core.lab.workers import cores
from durak_core.rules import Rules
from durak_core.statistics import Share

_PACKAGE: Final = Path(__file__).resolve().parents[2]

_RESULTS: Final = ":(top,exclude)docs"
"""Git pathspec without the results, which do not affect play."""


def commit() -> str:
    """Return the commit, with a plus if files other than results changed, or ``unknown``."""
    try:
        _git("ls-files", "--error-unmatch", "errors.py")  # fails if another repository contains this folder
        changes = _git("status", "--porcelain", "--", ":/", _RESULTS)
        return _git("rev-parse", "--short", "HEAD") + ("+" if changes else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _git(*words: str) -> str:
    command = ["git", "-C", str(_PACKAGE), *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()  # noqa: S603


def processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.is_file():
        for line in info.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def machine() -> dict[str, Any]:
    return {"processor": processor(), "cores": cores(), "system": f"{platform.system()} {platform.machine()}"}


def versions() -> dict[str, str]:
    """Return the versions of Python, this program and its compiler; ``none`` if missing."""
    found = {"python": platform.python_version(), "durak": version()}
    for name in ("numba", "numpy"):
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "none"
    return found


FORMAT: Final = "durak-experiment/1"
"""Format name in the files of a results folder."""

_LARGEST: Final = 64 * MEGABYTE

Kind = TypeVar("Kind")


class ResultsError(DurakError):
    """An invalid results file."""


def load_json(path: Path, parse: Callable[[Any], Kind]) -> Kind:
    """Read a file of this format; `ResultsError` if it has other content, `FileError` if it is unreadable."""
    text = read_text(path, _LARGEST)
    try:
        told: Any = read_json(text, _LARGEST)
        found = told["format"]
        if found == FORMAT:
            return parse(told)
    except DurakError as error:
        raise ResultsError("{path} holds no results: {why}", path=path, why=error) from None
    except KeyError as error:
        raise ResultsError("{path} holds no results: there is no {key}", path=path, key=error) from None
    except (ArithmeticError, AttributeError, TypeError, ValueError) as error:
        raise ResultsError("{path} holds no results: {why!r}", path=path, why=error) from None
    raise ResultsError("{path}: format {found!r}: expected {known!r}", path=path, found=found, known=FORMAT)


@dataclass(frozen=True)
class Figure:
    """A player's score or loss rate in a match; ``decisions`` counts timed decisions.

    ``otherwise`` is a contradicting figure of the same match with another seed and at least as many games.
    """

    share: Share
    games: int
    forfeits: int
    decisions: int
    seconds: float
    otherwise: Figure | None = None

    @classmethod
    def of(cls, agent: Mapping[str, Any], measure: ResultMeasure) -> Self:
        share = Share(float(agent[measure.key]), *map(float, agent[measure.interval_key]))
        games, forfeits, decisions = (int(agent[name]) for name in ("games", "forfeits", "decisions"))
        if agent["seconds"] is None:  # an external engine without psutil
            return cls(share, games, forfeits, 0, 0.0)
        return cls(share, games, forfeits, decisions, float(agent["seconds"]))

    def contradicts(self, other: Figure) -> bool:
        """Return whether two figures differ significantly (p < 0.05)."""
        low, high = sorted([self.share, other.share], key=lambda share: share.value)
        return high.value - low.value > math.hypot(low.high - low.value, high.value - high.low)


@dataclass(frozen=True)
class TaskResult:
    """A completed task with its `Task.play` output in ``tally``; ``jobs`` is the number of processes."""

    settings: Mapping[str, Any]
    commit: str
    machine: str
    jobs: int
    seconds: float
    tally: Mapping[str, Any]

    @classmethod
    def checked(cls, key: str, entry: Mapping[str, Any]) -> Self:
        result = cls(**entry)
        if key != key_of(result.settings):
            raise ResultsError("{key} is not the key of its settings", key=key)
        tally, agents = result.tally, []
        if "pruning" in result.settings:
            for what, way in product(("nodes", "seconds"), ("pruned", "whole")):
                float(tally[what][way]) / int(tally["positions"])
        else:
            int(tally["games"])
            agents = tally["agents"]
        for agent, measure in product(agents, ResultMeasure):
            share = Figure.of(agent, measure).share
            if not 0 <= share.low <= share.value <= share.high <= 1:
                raise ResultsError(
                    "a share of {value} from {low} to {high}: expected a share within its interval",
                    value=share.value,
                    low=share.low,
                    high=share.high,
                )
        texts = (result.commit, result.machine, *[agent["agent"] for agent in agents])
        numbers = (result.jobs, result.settings["seed"])
        for kind, told in [*product([str], texts), *product([int], numbers)]:
            if not isinstance(told, kind):
                raise ResultsError("{told!r}: expected {kind}", told=told, kind=kind.__name__)
        return result

    def agent(self, text: str) -> Mapping[str, Any]:
        """Return a player's figures by spec, the first ones if two players share it."""
        in_turn = reversed(self.tally["agents"])
        agents: Mapping[str, Mapping[str, Any]] = {one["agent"]: one for one in in_turn}
        if text not in agents:
            message = "{text} did not play in the match of {players}"
            raise ResultsError(
                message, text=text, players=tuple(one["agent"] for one in self.tally["agents"])
            )
        return agents[text]

    def figure(self, player: str, measure: ResultMeasure) -> Figure:
        return Figure.of(self.agent(player), measure)

    def tally_again(self) -> MatchTally | None:
        """Count a match again from its losers; None if they are missing."""
        losers = self.tally.get("losers")
        if not losers:
            return None
        settings = self.settings
        rules = Rules.parse(settings["rules"])
        stand_ins = filled(rules, ["greedy"] * len(settings["players"]))  # own agents may be gone
        match = Match(rules, stand_ins, settings["games"], settings["seed"])
        if len(losers) != match.games:
            message = "losers of {found} games: expected {games}"
            raise ResultsError(message, found=len(losers), games=match.games)
        return tally_match(match, (_game(match, number, lost) for number, lost in enumerate(losers)))

    def recounted(self) -> bool:
        """Recount a match from its losers; False if they are missing, `ResultsError` if a figure differs."""
        counted = self.tally_again()
        if counted is None:
            return False
        for told, agent in zip(self.tally["agents"], counted.agents, strict=True):
            for measure in ResultMeasure:
                kept, again = Figure.of(told, measure).share, Figure.of(agent_json(agent), measure).share
                pairs = zip(astuple(kept), astuple(again), strict=True)
                if not all(math.isclose(*pair, abs_tol=1e-9) for pair in pairs):
                    raise ResultsError(
                        "{player}: {name} {kept}, but by the losers of the games {again}",
                        player=told["agent"],
                        name=measure.phrase,
                        kept=kept,
                        again=again,
                    )
        return True


def _game(match: Match, number: int, lost: str) -> GameSummary:
    seating = match.seating(number)
    seats = len(seating)
    if lost != DRAW and lost not in map(str, seating):
        raise ResultsError(
            "game {number} lost by {lost!r}: expected 0 to {last}, or - for a draw",
            number=number,
            lost=lost,
            last=max(seating),
        )
    fool = None if lost == DRAW else seating.index(int(lost))
    return GameSummary(number, seating, fool, 0, 0, (0,) * seats, (0.0,) * seats)


@dataclass
class ResultsFile:
    """All results of a file by task key."""

    path: Path
    by_key: dict[str, TaskResult] = field(default_factory=dict)

    @classmethod
    def load(cls, path: Path) -> ResultsFile:
        """Read a file; a missing one has no results. Raises as `load_json` does."""
        try:
            return cls(path, load_json(path, _entries))
        except FileError as error:
            if error.is_missing:
                return cls(path)
            raise

    def get(self, work: Task) -> TaskResult | None:
        return self.by_key.get(work.key)

    def figure(self, work: Task, player: str, measure: ResultMeasure) -> Figure | None:
        """Return a player's figure with any contradicting one, or None if not played."""
        result = self.get(work)
        if result is None:
            return None
        figure = result.figure(player, measure)
        others = [other.figure(player, measure) for other in self.with_other_seeds(work.settings)]
        contradicting = [one for one in others if one.games >= figure.games and figure.contradicts(one)]
        return replace(figure, otherwise=max(contradicting, key=lambda one: one.games, default=None))

    def with_other_seeds(self, settings: Mapping[str, Any]) -> list[TaskResult]:
        wanted = _but_luck(settings)
        return [
            result
            for result in self.by_key.values()
            if result.settings["seed"] != settings["seed"] and _but_luck(result.settings) == wanted
        ]

    def recounted(self) -> tuple[int, int]:
        """Recount all matches whose losers are kept; return their number and the total number."""
        matches = {key: result for key, result in self.by_key.items() if "players" in result.settings}
        found = 0
        for key, result in matches.items():
            try:
                found += result.recounted()
            except DurakError as error:
                raise ResultsError("{path}, {key}: {why}", path=self.path, key=key, why=error) from None
        return found, len(matches)

    def add(self, work: Task, result: TaskResult) -> None:
        """Add a result and rewrite the file, keeping entries from concurrent runs.

        Raises as `load_json` does. If the file cannot be written, it is unchanged.
        """
        self.by_key = {**self.by_key, **ResultsFile.load(self.path).by_key, work.key: result}
        told = {"format": FORMAT, "entries": {key: vars(one) for key, one in self.by_key.items()}}
        write_text_atomically(self.path, json.dumps(told, indent=1, ensure_ascii=False) + "\n")


def _entries(told: Any) -> dict[str, TaskResult]:  # noqa: ANN401 - JSON
    return {key: TaskResult.checked(key, entry) for key, entry in told["entries"].items()}


def _but_luck(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings without seed and sample size."""
    return {name: value for name, value in settings.items() if name not in ("seed", "games", "positions")}


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
    results: ResultsFile
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
        folder = cls(path, ResultsFile.load(path / "results.json"), runs, experiment.quick)
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
    return load_json(path / _RUNS, lambda told: (bool(told["quick"]), list(map(_run, told["runs"]))))


def _run(told: Mapping[str, Any]) -> Run:
    """Return a stored run; `KeyError` names what is missing."""
    known = {field.name: told[field.name] for field in fields(Run)}
    for name in ("processor", "cores", "system"):
        _ = known["machine"][name]
    return Run(**known)


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
