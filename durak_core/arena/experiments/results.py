"""What was played: a JSON file with one entry for each piece of work, written anew after each of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from durak_core.errors import DurakError
from durak_core.game.files import write_text_atomically


class ResultsError(DurakError):
    """A file that holds no results."""


class HasKey(Protocol):
    """A piece of work."""

    @property
    def key(self) -> str:
        """A name for its settings, whatever the commit."""
        ...


@dataclass(frozen=True)
class Result:
    """Work that was done.

    Attributes:
        settings: Those of the work.
        commit: Of the program, with a plus where files had changed.
        machine: The processor.
        jobs: On how many processes at once.
        seconds: How long it took.
        tally: What was counted; of a match what `durak_core.arena.tally_json` said.
    """

    settings: Mapping[str, Any]
    commit: str
    machine: str
    jobs: int
    seconds: float
    tally: Mapping[str, Any]

    def agent(self, text: str) -> Mapping[str, Any]:
        """Return the figures of a player, by its text; of two with the same text those of the first."""
        for agent in self.tally["agents"]:
            if agent["agent"] == text:
                found: Mapping[str, Any] = agent
                return found
        raise ResultsError(
            "{text} did not play in the match of {players}",
            text=text,
            players=", ".join(self.settings["players"]),
        )


@dataclass
class Results:
    """All results of a file.

    Attributes:
        path: Where they are kept.
        format: What the file names its format.
        by_key: Each result by its work's key.
    """

    path: Path
    format: str
    by_key: dict[str, Result] = field(default_factory=dict)

    @classmethod
    def load(cls, path: Path, format: str) -> Results:  # noqa: A002 - the file's key
        """Read a file; one that does not exist holds no results.

        Raises:
            ResultsError: If the file holds something else.
            OSError: If it cannot be read.
        """
        if not path.exists():
            return cls(path, format)
        try:
            told = json.loads(path.read_text(encoding="utf-8"))
            if told["format"] != format:
                raise ResultsError(
                    "{path}: format {found!r}: expected {known!r}",
                    path=path,
                    found=told["format"],
                    known=format,
                )
            return cls(path, format, {key: Result(**one) for key, one in told["entries"].items()})
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            if isinstance(error, ResultsError):
                raise
            raise ResultsError("{path} holds no results of matches: {why!r}", path=path, why=error) from None

    def get(self, work: HasKey) -> Result | None:
        """Return the result of work with these settings, whatever the commit; None if there is none."""
        return self.by_key.get(work.key)

    def add(self, work: HasKey, result: Result) -> None:
        """Keep a result, in the file too, beside what another run may have written meanwhile.

        Raises:
            ResultsError: If the file holds something else by now.
            OSError: If the file cannot be written; it is then as it was.
        """
        self.by_key = {**self.by_key, **Results.load(self.path, self.format).by_key, work.key: result}
        told = {"format": self.format, "entries": {key: vars(one) for key, one in self.by_key.items()}}
        write_text_atomically(self.path, json.dumps(told, indent=1, ensure_ascii=False) + "\n")
