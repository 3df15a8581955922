"""A match that is kept in a file game by game, so that it goes on wherever it was ended.

Each finished game is a line of JSON (docs/notation.md) with one key more: ``match`` names the match's
rules, agents and seed, and the game's number in it.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Final, Self

from durak_core.arena.matches.game import Outcome
from durak_core.arena.matches.match import GameSummary, Match
from durak_core.arena.matches.parallel import play_parallel
from durak_core.arena.workers.pool import Jobs
from durak_core.errors import DurakError, RecordError
from durak_core.game.files import write_text_atomically
from durak_core.game.json_form import FORMAT, from_json
from durak_core.game.locks import FileLock
from durak_core.game.record import Record
from durak_core.kernel.random import derive

_BEGINNING: Final = f'{{"format": "{FORMAT}"'.encode()
"""How every line begins; what ends a file and begins otherwise was written by something else."""


class SavedMatch:
    """The file of a match: its finished games, and where the next ones go.

    Nobody else can open the match's file meanwhile: beside it stands a lock, which the system takes
    back however the process ends. A last line that is damaged, as a full disk or a killed process
    leaves it, is dropped; that game is played again. To be used as a context; when it is left, the
    lines stand by their numbers.

    Args:
        path: The file; it is made if it is not there.
        match: The match; with more games than when the file was begun it is continued all the same.

    Attributes:
        finished: The games of the file by number. Nothing is known of the time they took.

    Raises:
        RecordError: If the file is of another match, which is named by the field that differs, or a
            line that is not the last is damaged.
        OSError: If the file cannot be read or written; a `BlockingIOError` while another process, or
            another match of this one, plays into it.
    """

    finished: dict[int, GameSummary]

    def __init__(self, path: str | os.PathLike[str], match: Match) -> None:
        self._path = Path(path)
        self._match = match
        self._places: dict[int, int] = {}
        self.finished = {}
        self._lock = _locked(self._path)
        try:
            self._file = self._open()
        except BaseException:
            self._lock.release()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._file.close()
            numbers = list(self._places)
            if error is None and numbers != sorted(numbers):
                self._sort()
        finally:
            self._lock.release()

    def add(self, game: GameSummary) -> None:
        """Write a finished game; the file holds it when this returns.

        Args:
            game: A game of the match with its line.

        Raises:
            OSError: If it cannot be written; a part of it may stand in the file then.
        """
        told = json.dumps({**_fields(self._match), "game": game.number}, ensure_ascii=False)
        self._places[game.number] = self._file.tell()
        self._file.write(f'{game.line[:-1]}, "match": {told}}}\n'.encode())
        self._file.flush()
        self.finished[game.number] = game

    def record(self, number: int) -> Record:
        """Return a finished game whole.

        Args:
            number: One of `finished`.
        """
        end = self._file.tell()
        self._file.seek(self._places[number])
        record = from_json(json.loads(self._file.readline()))
        self._file.seek(end)
        return record

    def _open(self) -> BinaryIO:
        try:
            file = self._path.open("r+b")
        except FileNotFoundError:
            file = self._path.open("x+b")
        try:
            file.truncate(self._read(file))
            file.seek(0, os.SEEK_END)
        except BaseException:
            file.close()
            raise
        return file

    def _read(self, file: BinaryIO) -> int:
        """Read the file; return where its good lines end."""
        end = 0
        for place, line in enumerate(file, 1):
            try:
                number, game = self._game(line)
            except DurakError as error:
                if isinstance(error, _OtherMatchError) or file.read(1):
                    raise RecordError(f"{self._path}, line {place}: {error}") from None
                if not end and not line.startswith(_BEGINNING[: len(line)]):
                    raise RecordError(
                        f"{self._path}: expected the games of a match, one JSON object a line"
                    ) from None
                break
            if number in self.finished:
                raise RecordError(f"{self._path}, line {place}: game {number} stands there twice")
            self.finished[number], self._places[number] = game, end
            end += len(line)
        return end

    def _game(self, line: bytes) -> tuple[int, GameSummary]:
        if not line.endswith(b"\n"):
            raise RecordError("the line does not end: expected a whole game")
        try:
            game = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise RecordError(f"this is no JSON: {error}") from None
        record = from_json(game, with_end=True)
        number = self._number(record)
        return number, _summary(self._match, number, record)

    def _number(self, record: Record) -> int:
        told = record.extra.get("match")
        if not isinstance(told, dict):
            raise _OtherMatchError("no key match: expected games that were written by durak match --resume")
        for name, wanted in _fields(self._match).items():
            if told.get(name) != wanted:
                found = json.dumps(told.get(name), ensure_ascii=False)
                expected = json.dumps(wanted, ensure_ascii=False)
                raise _OtherMatchError(f"another match: {name} {found}: expected {expected}")
        number = told.get("game")
        if not isinstance(number, int) or not 0 <= number < self._match.games:
            raise _OtherMatchError(
                f"another match: game {number}: expected a number from 0 to {self._match.games - 1}, "
                "or a match of more games"
            )
        players = tuple([self._match.agents[agent] for agent in self._match.seating(number)])
        seed = derive(self._match.seed, number // self._match.rules.seats)
        if (record.seed, record.players) != (seed, players):
            raise RecordError(
                f"game {number} has the deal {record.seed} of {', '.join(record.players)}: "
                f"expected {seed} of {', '.join(players)}"
            )
        return number

    def _sort(self) -> None:
        lines = self._path.read_bytes().splitlines(keepends=True)
        by_number = sorted(zip(self._places, lines, strict=True))
        write_text_atomically(self._path, b"".join([line for _, line in by_number]).decode())


def _locked(path: Path) -> FileLock:
    """Lock a match's file by one beside it, for the file itself may be replaced."""
    target = Path(os.path.realpath(path))
    try:
        lock = FileLock.acquire(target.with_name(f".{target.name}.lock"))
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
    if lock is None:
        why = "another process is playing a match into this file: expected it to have ended, or another file"
        raise BlockingIOError(errno.EAGAIN, why, str(path))
    return lock


class _OtherMatchError(RecordError):
    """A line that is sound, but not of this match."""


def play_saved(match: Match, saved: SavedMatch, jobs: Jobs) -> Generator[GameSummary, None, None]:
    """Yield all games of a match by their numbers: the saved ones, and the others as they are played.

    What is played is saved before it is yielded.

    Args:
        match: The match.
        saved: Its file.
        jobs: How many processes, as for `play_parallel`.

    Raises:
        AgentError: As for `play_parallel`.
        DealError: As for `play_parallel`.
        OSError: If a game cannot be written.
    """
    for numbers in _runs(match.games, saved):
        if numbers[0] in saved.finished:
            yield from (saved.finished[number] for number in numbers)
            continue
        previous = saved.record(numbers[0] - 1).end if match.is_series and numbers[0] else None
        games = play_parallel(match, jobs, numbers, with_lines=True, previous=previous)
        with closing(games):
            for game in games:
                saved.add(game)
                yield replace(game, line="")


def _runs(games: int, saved: SavedMatch) -> Iterator[range]:
    """Cut the numbers into runs of games that are all finished, or all to be played."""
    start = 0
    for number in range(1, games + 1):
        if number == games or (number in saved.finished) != (start in saved.finished):
            yield range(start, number)
            start = number


def _fields(match: Match) -> dict[str, Any]:
    return {"rules": match.rules.text, "agents": list(match.agents), "seed": match.seed}


def _summary(match: Match, number: int, record: Record) -> GameSummary:
    seats = match.rules.seats
    outcome = Outcome.of(record)
    if outcome is None:
        raise RecordError(f"game {number} has no result: expected a finished game")
    return GameSummary(
        number=number,
        seating=match.seating(number),
        fool=outcome.fool,
        bouts=outcome.bouts,
        plies=outcome.plies,
        decisions=(0,) * seats,
        seconds=(0.0,) * seats,
        forfeit=outcome.forfeit,
    )
