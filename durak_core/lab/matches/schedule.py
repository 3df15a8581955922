"""Matches on several processes, with the same games in the same order as `play_match`.

A game depends only on its number and the seed, so the number of processes never changes a result.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import islice, repeat
from time import perf_counter
from typing import Any, Final

from durak_core.agents.base import Decision
from durak_core.game.state import State
from durak_core.lab.matches.compiled_games import CompiledGames, compiled_games_backend, line_up
from durak_core.lab.matches.game import FINDINGS, GameSummary, OnDecision
from durak_core.lab.matches.match import Match, play_with
from durak_core.lab.matches.players import ENGINE, load_compiled
from durak_core.lab.matches.saved_games import SavedGames
from durak_core.lab.own_agents.origins import with_origins
from durak_core.lab.workers import Jobs, Workers, run_in_order, workers_of

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
