"""Matches on several processes, with the same games in the same order as `play_match`.

A game depends only on its number and the seed, so the number of processes never changes a result.

A resume file keeps the finished games, one JSON line each; docs/notation.md describes the format. An extra
key ``match`` has rules, agents, seed and game number; in tournaments there is another key ``tournament``.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import islice, repeat
from pathlib import Path
from time import perf_counter
from typing import Any, BinaryIO, Final, Self

from durak_core.agents.base import Decision
from durak_core.engine.replays import compile_replays
from durak_core.errors import DurakError, FileError, RecordError
from durak_core.files import (
    FileLock,
    end_of_lines,
    is_replaced,
    reading,
    unwritable,
    write_text_atomically,
    writing,
)
from durak_core.game.files import RawGame, numbered_lines
from durak_core.game.json_form import FORMAT, from_json_line
from durak_core.game.state import State
from durak_core.lab.matches.compiled_games import CompiledGames, compiled_games_backend, line_up
from durak_core.lab.matches.match import FINDINGS, DrawnSeats, GameSummary, Match, OnDecision, play_with
from durak_core.lab.matches.players import ENGINE, load_compiled
from durak_core.lab.own_agents.origins import with_origins
from durak_core.lab.own_agents.reading import OwnAgent
from durak_core.lab.workers import Jobs, Workers, run_in_order, workers_of

_BEGINNING: Final = f'{{"format": "{FORMAT}"'.encode()
"""Start of every line, including a truncated one."""

_LOG_CHOICES: Final = "log_choices"
"""Key of `GameSummary.log_choices`, stored because recomputing it needs a replay."""

_SHOWN: Final = 3
"""Maximum number of values listed in an error."""


class SavedGames:
    """Context manager for the resume file of one or more matches.

    A lock file excludes other processes. A truncated last line, as a full disk or a killed process leaves it,
    is dropped and its game replayed. On exit the lines are sorted by match and game number.

    Args:
        path: The file; created if missing.
        matches: The matches, all with the same rules. The number of games can differ between runs.
        tournament: Fields stored under ``tournament`` in each line.
        after_each: Called after each game that is read at the beginning.

    Attributes:
        finished: The games in file order, by match index and game number, without times.

    Raises:
        RecordError: If the file belongs to other matches, a line before the last is damaged, or the path
            is not a regular file.
        AgentError: If an agent is an object without the attribute ``text``.
        FileError: If the file cannot be read or written, or another process has locked it.
    """

    finished: dict[tuple[int, int], GameSummary]

    def __init__(
        self,
        path: str | os.PathLike[str],
        matches: Sequence[Match],
        tournament: Mapping[str, Any] | None = None,
        after_each: Callable[[], object] = lambda: None,
    ) -> None:
        self._path = Path(path)
        self._matches = matches
        self._tournament = tournament
        self._known = [_fields(match) for match in matches]
        self._place_of = {json.dumps(fields): place for place, fields in enumerate(self._known)}
        self.finished = {}
        self._is_cut = False
        if not is_replaced(self._path):
            raise RecordError("{path} keeps no games: expected a file, or a new name", path=self._path)
        self._lock = _locked(self._path)
        try:
            with writing(self._path):
                self._file = self._open(after_each)
        except BaseException:
            self._lock.release()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        try:
            with writing(self._path):
                self._close()
            places = list(self.finished)
            if error is None and places != sorted(places):
                with reading(self._path):
                    lines = self._path.read_bytes().splitlines(keepends=True)
                in_order = [line for _, line in sorted(zip(places, lines, strict=True))]
                write_text_atomically(self._path, b"".join(in_order).decode())
        finally:
            self._lock.release()

    def _close(self) -> None:
        try:
            self._file.close()
        finally:
            if self._is_cut:
                with self._path.open("r+b") as file:
                    file.truncate(end_of_lines(file))

    def add(self, place: int, game: GameSummary) -> GameSummary:
        """Append and flush a game of the match with index ``place``; return it without its JSON line.

        Raises:
            FileError: If writing fails, possibly after a part of the line.
        """
        told: dict[str, Any] = {"match": {**self._known[place], "game": game.number}}
        if self._tournament is not None:
            told["tournament"] = {**self._tournament, _LOG_CHOICES: game.log_choices}
        with writing(self._path):
            self._is_cut = True
            self._file.write(f"{game.line[:-1]}, {json.dumps(told, ensure_ascii=False)[1:]}\n".encode())
            self._file.flush()
            self._is_cut = False
        self.finished[place, game.number] = stripped = replace(game, line="")
        return stripped

    def _open(self, after_each: Callable[[], object]) -> BinaryIO:
        try:
            file = self._path.open("r+b")
        except FileNotFoundError:
            file = self._path.open("x+b")
        try:
            file.truncate(self._read(file, after_each))
            file.seek(0, os.SEEK_END)
        except BaseException:
            file.close()
            raise
        return file

    def _read(self, file: BinaryIO, after_each: Callable[[], object]) -> int:
        """Read all games; return the offset after the last valid line."""
        end = 0
        compile_replays(os.fstat(file.fileno()).st_size)
        for number, line in numbered_lines(file):
            try:
                place, game = self._game(line)
            except DurakError as error:
                # A killed process leaves at most one damaged line, the last. It is only cut off if the file
                # has a valid line before it, or it begins like a game: another file is never changed.
                if isinstance(error, _OtherMatchError) or file.read(1):
                    raise RecordError(
                        "{path}, line {number}: {why}", path=self._path, number=number, why=error
                    ) from None
                if not end and (line.endswith(b"\n") or not line.startswith(_BEGINNING[: len(line)])):
                    raise RecordError(
                        "{path}: expected the games of a match, one JSON object a line", path=self._path
                    ) from None
                break
            key = place, game.number
            if key in self.finished:
                message = "{path}, line {number}: game {game} appears twice"
                raise RecordError(message, path=self._path, number=number, game=game.number)
            self.finished[key] = game
            end += len(line)
            after_each()
        return end

    def _game(self, line: bytes) -> tuple[int, GameSummary]:
        """Return the match index and the game of a line."""
        if not line.endswith(b"\n"):
            raise RecordError("the line does not end: expected a whole game")
        record = from_json_line(RawGame(self._path, 1, line, is_json=True).text, with_end=True)
        told = _told(record.extra, "match")
        if self._tournament is not None:
            of = _told(record.extra, "tournament")
            belongs_to = {name: of.get(name) for name in self._tournament}
            if belongs_to != self._tournament:
                raise _other("tournament", belongs_to, [self._tournament])
        optional = [name for name in ("seating", "origins") if name in told]
        fields = {name: told.get(name) for name in ("rules", "agents", "seed", *optional)}
        place = self._place_of.get(json.dumps(fields))
        if place is None:
            raise _other("match", fields, self._known)
        match, number = self._matches[place], told.get("game")
        if not isinstance(number, int) or not 0 <= number < match.games:
            raise _OtherMatchError(
                "another match: game {number}: expected a number from 0 to {last}, or a match of more games",
                number=number,
                last=match.games - 1,
            )
        players = match.seated(number)
        if (record.seed, record.players) != (match.deal_seed(number), players):
            raise RecordError(
                "game {number} has the deal {seed} of {players}: expected {deal_seed} of {wanted_players}",
                number=number,
                seed=record.seed,
                players=", ".join(record.players),
                deal_seed=match.deal_seed(number),
                wanted_players=", ".join(players),
            )
        summary = GameSummary.of(record, number, match.seating(number))
        if summary is None:
            raise RecordError("game {number} has no result: expected a finished game", number=number)
        if self._tournament is not None:
            found = of.get(_LOG_CHOICES)
            if not isinstance(found, float):
                message = "tournament: {log_choices} {found}: expected a number"
                raise RecordError(message, log_choices=_LOG_CHOICES, found=found)
            summary = replace(summary, log_choices=found)
        return place, summary


def _locked(path: Path) -> FileLock:
    """Acquire a separate lock file, because sorting replaces the resume file."""
    target = Path(os.path.realpath(path))
    try:
        lock = FileLock.acquire(target.with_name(f".{target.name}.lock"))
    except OSError as error:
        raise unwritable(path, error) from None
    if lock is None:
        raise FileError(
            "{path}: another process is playing a match into this file: expected it to have ended, or "
            "another file",
            path=path,
        )
    return lock


class _OtherMatchError(RecordError):
    """A valid line of another match."""


def _told(keys: Mapping[str, Any], what: str) -> dict[str, Any]:
    told = keys.get(what)
    if not isinstance(told, dict):
        message = "no key {what}: expected games that were written by durak {what} --resume"
        raise _OtherMatchError(message, what=what)
    return told


def _other(what: str, found: Mapping[str, Any], known: Sequence[Mapping[str, Any]]) -> RecordError:
    """Return an error that names the first field no known match shares."""
    for name in dict.fromkeys([*found, *[name for fields in known for name in fields]]):
        value = found.get(name)
        fitting = [fields for fields in known if fields.get(name) == value]
        if not fitting:
            break
        known = fitting
    different = list(dict.fromkeys([json.dumps(fields.get(name), ensure_ascii=False) for fields in known]))
    more = f" or one of {len(different) - _SHOWN} more" if len(different) > _SHOWN else ""
    return _OtherMatchError(
        "another {what}: {name} {shown}: expected {expected}",
        what=what,
        name=name,
        shown=json.dumps(value, ensure_ascii=False),
        expected=" or ".join(different[:_SHOWN]) + more,
    )


def _fields(match: Match) -> dict[str, Any]:
    for player in match.named:
        if isinstance(player, OwnAgent):
            player.check_lasting()
    fields = {"rules": match.rules.text, "agents": list(match.agents), "seed": match.seed}
    if isinstance(match, DrawnSeats):
        fields["seating"] = "random"
    return with_origins(fields, match.origins)


_CHUNK_SECONDS: Final = 2.0
"""Target duration of a chunk, long compared with its scheduling overhead."""

_FOREIGN_CHUNK_SECONDS: Final = 20.0
"""Target duration with external engines, which start once per chunk."""

_SPREAD: Final = 3
"""Number of remaining chunks per process towards the end."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Optional output of a game in addition to its summary.

    Attributes:
        lines: Whether to add JSON lines, except to games read from a file.
        search_info: Whether the JSON lines contain search info.
        on_decision: Called after each decision; all games are then played in this process.
    """

    lines: bool = False
    search_info: bool = False
    on_decision: OnDecision | None = None


_NOTHING: Final = Wanted()


@dataclass(frozen=True, slots=True)
class GameRange:
    """Consecutive games of a match, with the preceding game if it was played before."""

    place: int
    games: range
    previous: GameSummary | None = None


def play_matches(
    matches: Sequence[Match],
    jobs: Jobs = 1,
    saved: SavedGames | None = None,
    wanted: Wanted = _NOTHING,
) -> Generator[tuple[int, GameSummary], None, None]:
    """Play matches and yield all games with their match index, in order.

    One process plays all seatings of a deal. A single series (rules 4.2) is played in this process.

    Args:
        matches: Matches to play.
        jobs: Number of processes, 0 for one per core, 1 for this process; or other workers.
        saved: Resume file. Its games are reused, and new games are written before they are yielded.
        wanted: Optional output.

    Raises:
        AgentError: As for `play_match`, or if the number of processes is out of range.
        DealError: As for `play_match`.
        FileError: If a game cannot be written.
        DurakError: If a process is killed, or a cluster has no workers left.
    """
    if len(matches) > 1:
        check_rules(matches)
    workers = workers_of(jobs)
    if wanted.on_decision is not None or (len(matches) == 1 and matches[0].is_series):
        workers = None
    return _play(matches, workers, saved, replace(wanted, lines=wanted.lines or saved is not None))


def check_rules(matches: Iterable[Match]) -> None:
    """Begin a game with each player of matches, to find rules that it cannot play before the first match.

    External engines are not started.

    Raises:
        AgentError: If an agent does not support the rules of its match.
    """
    begun: set[tuple[str, str]] = set()
    for match in matches:
        for player in match.named:
            key = match.rules.text, player.text
            if key not in begun and player.info is not ENGINE:
                begun.add(key)
                player.build().begin(match.rules, 0, 0)


def _play(
    matches: Sequence[Match], workers: Workers | None, saved: SavedGames | None, wanted: Wanted
) -> Generator[tuple[int, GameSummary], None, None]:
    finished = saved.finished if saved else {}
    runs = [run for place, match in enumerate(matches) for run in _missing(place, match, finished)]
    with closing(_play_runs(matches, runs, workers, wanted)) as played:
        for place, match in enumerate(matches):
            if saved is None:
                yield from zip(repeat(place), islice(played, match.games), strict=False)
                continue
            for number in range(match.games):
                game = finished.get((place, number))
                yield place, saved.add(place, next(played)) if game is None else game
        next(played, None)  # exhausts it; closing would stop the processes


def _missing(
    place: int, match: Match, finished: Mapping[tuple[int, int], GameSummary]
) -> Iterator[GameRange]:
    start = 0
    for number in range(match.games + 1):
        if number == match.games or (place, number) in finished:
            if start < number:
                yield GameRange(place, range(start, number), finished.get((place, start - 1)))
            start = number + 1


def _play_runs(
    matches: Sequence[Match], runs: Sequence[GameRange], workers: Workers | None, wanted: Wanted
) -> Generator[GameSummary, None, None]:
    if workers is None:
        for run in runs:
            with closing(_play_here(matches[run.place], run, wanted)) as games:
                yield from games
        return
    load_compiled([one for run in runs for one in matches[run.place].named])  # compiled once, then cached
    plan = ChunkPlan(matches, runs, workers.width)
    tasks = ((matches[run.place], run, wanted) for run in plan)
    with closing(run_in_order(_play_chunk, tasks, workers)) as chunks:
        for place, seconds, summaries in chunks:
            plan.took(place, seconds, len(summaries))
            yield from summaries


def _play_here(match: Match, run: GameRange, wanted: Wanted) -> Generator[GameSummary, None, None]:
    search_info: list[dict[str, Any] | None] = []

    def collect(state: State, decision: Decision) -> None:
        if wanted.on_decision is not None:
            wanted.on_decision(state, decision)
        search_info.append(decision.search_info().as_json() if decision.search_info else None)

    on_decision = collect if wanted.search_info else wanted.on_decision
    with match.built() as players:
        known = line_up(match, players) if on_decision is None else None
        runner = compiled_games_backend(match, players, run.games.start) if known else None
        if known and runner:
            yield from CompiledGames(match, known, runner, wanted.lines).play(run.games)
            return
        origins = match.origins
        for game in play_with(players, match, on_decision, run.games, run.previous):
            extra = with_origins({FINDINGS: list(search_info)} if wanted.search_info else {}, origins)
            search_info.clear()
            yield game.summary(with_line=wanted.lines, **extra)


def _play_chunk(match: Match, run: GameRange, wanted: Wanted) -> tuple[int, float, list[GameSummary]]:
    load_compiled(match.named)
    began = perf_counter()
    summaries = list(_play_here(match, run, wanted))
    return run.place, perf_counter() - began, summaries


class ChunkPlan:
    """Splits runs into chunks of whole deals that take about `_CHUNK_SECONDS`; a series is one chunk.

    A match starts with single deals, whose times determine the size of later chunks for ``width`` workers.
    """

    def __init__(self, matches: Sequence[Match], runs: Sequence[GameRange], width: int) -> None:
        self._matches = matches
        self._runs = runs
        self._width = width
        self._seconds = [0.0] * len(matches)
        self._played = [0] * len(matches)
        self._left = sum([len(run.games) for run in runs])

    def took(self, place: int, seconds: float, games: int) -> None:
        self._seconds[place] += seconds
        self._played[place] += games

    def __iter__(self) -> Iterator[GameRange]:
        for run in self._runs:
            yield from self._chunks(run)

    def _chunks(self, run: GameRange) -> Iterator[GameRange]:
        match = self._matches[run.place]
        seats = match.rules.seats
        first, stop, deals = run.games.start, run.games.stop, 1
        while first < stop:
            deals = stop if match.is_series else self._deals(run.place, deals)
            end = min(stop, (first // seats + deals) * seats)
            yield replace(run, games=range(first, end))  # until a worker is free, with more times known
            self._left -= end - first
            first = end

    def _deals(self, place: int, before: int) -> int:
        if not self._played[place]:
            return before
        match = self._matches[place]
        seats = match.rules.seats
        has_programs = any(one.info is ENGINE for one in match.named)
        wanted = _FOREIGN_CHUNK_SECONDS if has_programs else _CHUNK_SECONDS
        # First times are noisy, so chunks grow at most fourfold. Towards the end they shrink again, because
        # every worker waits for the slowest last one.
        fitting = int(wanted * self._played[place] / max(self._seconds[place], 1e-9) / seats)
        return max(1, min(fitting, 4 * before, self._left // seats // (_SPREAD * self._width)))
