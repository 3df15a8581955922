"""What was played: a JSON file with one entry for each piece of work, written anew after each of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar

from durak_core.config import Range, expected, read
from durak_core.errors import DurakError, FileError
from durak_core.files import MEGABYTE, read_text, write_text_atomically
from durak_core.json_text import read_json
from durak_core.lab.experiments.outcomes import check_outcomes
from durak_core.lab.experiments.works import Work, key_of

FORMAT: Final = "durak-experiment/1"
"""What the files of a folder of results name their format."""

_LARGEST: Final = 64 * MEGABYTE

Kind = TypeVar("Kind")


class ResultsError(DurakError):
    """A file that holds no results."""


def load_json(path: Path, parse: Callable[[Any], Kind]) -> Kind:
    """Read a file of this format.

    Raises:
        ResultsError: If the file holds something else.
        FileError: If it cannot be read.
    """
    text = read_text(path, _LARGEST)
    try:
        told: Any = read_json(text, _LARGEST)
        found = told["format"]
        if found == FORMAT:
            return parse(told)
    except DurakError as error:
        raise ResultsError("{path} holds no results: {why}", path=path, why=error) from None
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ResultsError("{path} holds no results: {why!r}", path=path, why=error) from None
    raise ResultsError("{path}: format {found!r}: expected {known!r}", path=path, found=found, known=FORMAT)


@dataclass(frozen=True)
class Result:
    """Work that was done.

    Attributes:
        commit: Of the program, with a plus where files had changed.
        machine: The processor.
        jobs: On how many processes at once.
        tally: What was counted; of a match what `durak_core.lab.tally_json` said, and ``outcomes``, by
            `durak_core.lab.experiments.outcomes`.
    """

    settings: Mapping[str, Any]
    commit: str
    machine: str
    jobs: int
    seconds: float
    tally: Mapping[str, Any]

    @classmethod
    def checked(cls, key: str, entry: Mapping[str, Any]) -> Result:
        """Take an entry of a file as it stands, if all that is shown of it is what it should be."""
        read(_Entry, entry)
        if key != key_of(entry["settings"]):
            raise ResultsError("{key} is not the key of its settings", key=key)
        read(_Searched if "pruning" in entry["settings"] else _Played, entry["tally"])
        return cls(**entry)

    def agent(self, text: str) -> Mapping[str, Any]:
        """Return the figures of a player, by its text; of two with the same text those of the first."""
        for agent in self.tally["agents"]:
            if agent["agent"] == text:
                found: Mapping[str, Any] = agent
                return found
        message = "{text} did not play in the match of {players}"
        raise ResultsError(message, text=text, players=tuple(one["agent"] for one in self.tally["agents"]))


_Count = Annotated[int, Range(0, 10**15)]
_Seconds = Annotated[float, Range(0, 10**12)]
_Share = Annotated[float, Range(0, 1)]


def _ends(values: tuple[float, ...]) -> tuple[float, ...]:
    if len(values) != 2:
        raise expected("the two ends of an interval", values)
    return values


_Interval = Annotated[tuple[Annotated[float, Range(-1, 2)], ...], _ends]


@dataclass(frozen=True)
class _Entry:
    settings: Mapping[str, object]
    commit: str
    machine: str
    jobs: _Count
    seconds: _Seconds
    tally: Mapping[str, object]


@dataclass(frozen=True)
class _Agent:
    agent: str
    games: _Count
    wins: _Count
    draws: _Count
    losses: _Count
    forfeits: _Count
    score: _Share
    interval: _Interval
    wilson: _Interval
    fool_share: _Share
    fool_interval: _Interval
    par: _Share
    decisions: _Count
    seconds: _Seconds
    milliseconds_a_move: float


@dataclass(frozen=True)
class _Played:
    games: _Count
    agents: tuple[_Agent, ...]
    deals: _Count = 0
    bouts: _Count = 0
    plies: _Count = 0
    outcomes: str = ""


@dataclass(frozen=True)
class _Ways:
    pruned: _Seconds
    whole: _Seconds


@dataclass(frozen=True)
class _Searched:
    positions: Annotated[int, Range(1, 10**9)]
    nodes: _Ways
    seconds: _Ways
    equal_values: _Count
    same_choice: _Count


@dataclass
class Results:
    """All results of a file, by the keys of their works."""

    path: Path
    by_key: dict[str, Result] = field(default_factory=dict)

    @classmethod
    def load(cls, path: Path) -> Results:
        """Read a file; one that does not exist holds no results.

        Raises:
            ResultsError: If the file holds something else.
            FileError: If it cannot be read.
        """
        try:
            return load_json(
                path,
                lambda told: cls(
                    path, {key: Result.checked(key, one) for key, one in told["entries"].items()}
                ),
            )
        except FileError as error:
            if error.is_missing:
                return cls(path)
            raise

    def get(self, work: Work) -> Result | None:
        """Return the result of work with these settings, whatever the commit; None if there is none."""
        return self.by_key.get(work.key)

    def with_other_seeds(self, work: Work) -> list[Result]:
        """Return the results of the same work with other seeds, by however many games."""
        wanted = _but_luck(work.settings)
        return [
            result
            for result in self.by_key.values()
            if result.settings["seed"] != work.seed and _but_luck(result.settings) == wanted
        ]

    def recounted(self) -> tuple[int, int]:
        """Count all matches again whose outcomes are there; return of how many, and of how many matches.

        Raises:
            ResultsError: If a result says something else than the outcomes of its games.
        """
        matches = {key: result for key, result in self.by_key.items() if "players" in result.settings}
        found = 0
        for key, result in matches.items():
            try:
                found += check_outcomes(result.settings, result.tally)
            except DurakError as error:
                raise ResultsError("{path}, {key}: {why}", path=self.path, key=key, why=error) from None
        return found, len(matches)

    def add(self, work: Work, result: Result) -> None:
        """Keep a result, in the file too, beside what another run may have written meanwhile.

        Raises:
            ResultsError: If the file holds something else by now.
            FileError: If the file cannot be written; it is then as it was.
        """
        self.by_key = {**self.by_key, **Results.load(self.path).by_key, work.key: result}
        told = {"format": FORMAT, "entries": {key: vars(one) for key, one in self.by_key.items()}}
        write_text_atomically(self.path, json.dumps(told, indent=1, ensure_ascii=False) + "\n")


def _but_luck(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings without those that decide nothing but chance."""
    return {name: value for name, value in settings.items() if name not in ("seed", "games", "positions")}
