"""Matches on several processes at once; the games are those of `play_match`, in the same order.

Every game depends on its number alone, so how many processes there are and who plays what never
changes a result.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import islice, repeat
from time import perf_counter
from typing import Final

from durak_core.lab.matches.game import FindingsKeeper, GameSummary, OnDecision
from durak_core.lab.matches.machine_games import MachineGames, line_up, machine_code_for
from durak_core.lab.matches.match import Match, play_with
from durak_core.lab.matches.players import ENGINE, load_machine_code
from durak_core.lab.matches.saved_games import SavedGames
from durak_core.lab.workers.pool import Jobs, Workers, run_in_order, workers_of

_CHUNK_SECONDS: Final = 2.0
"""The time for a chunk: much longer than handing it over, and soon done."""

_FOREIGN_CHUNK_SECONDS: Final = 20.0
"""The same for other programs, which are started for each chunk and may be slow at first."""

_SPREAD: Final = 3
"""The last chunks are made so small that each process still gets about so many of them."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is wanted of games besides their summaries.

    Attributes:
        lines: Whether they carry their lines of JSON, which those read from a file never do.
        findings: Whether these lines tell what agents that search have found out.
        on_decision: Hears of each decision; everything is played in this process then.
    """

    lines: bool = False
    findings: bool = False
    on_decision: OnDecision | None = None


_NOTHING: Final = Wanted()


@dataclass(frozen=True, slots=True)
class Run:
    """Games of a match that follow each other, with the game before them where it was played already."""

    place: int
    games: range
    previous: GameSummary | None = None


def play_matches(
    matches: Sequence[Match],
    jobs: Jobs = 1,
    saved: SavedGames | None = None,
    wanted: Wanted = _NOTHING,
) -> Generator[tuple[int, GameSummary], None, None]:
    """Play matches, and yield all games with their match's place, match by match and by their numbers.

    All seatings of a deal are played by the same process. A single match in which a game may depend on
    the one before (rules 4.2) is played here.

    Args:
        matches: What is to be played.
        jobs: How many processes, 0 for one each core and 1 for this one; or other workers.
        saved: A file of these matches. Its games are not played again, and all others are written
            there before they are yielded.
        wanted: What the games bring besides.

    Raises:
        AgentError: As for `play_match`, or if the number of processes is out of range.
        DealError: As for `play_match`.
        FileError: If a game cannot be written.
        DurakError: If a process was ended from outside, or a cluster has nobody left.
    """
    workers = workers_of(jobs)
    if wanted.on_decision is not None or (len(matches) == 1 and matches[0].is_series):
        workers = None
    return _play(matches, workers, saved, replace(wanted, lines=wanted.lines or saved is not None))


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
        next(played, None)  # ends it, so that processes stay for the next match; closed, it would end them


def _missing(place: int, match: Match, finished: Mapping[tuple[int, int], GameSummary]) -> Iterator[Run]:
    start = 0
    for number in range(match.games + 1):
        if number == match.games or (place, number) in finished:
            if start < number:
                yield Run(place, range(start, number), finished.get((place, start - 1)))
            start = number + 1


def _play_runs(
    matches: Sequence[Match], runs: Sequence[Run], workers: Workers | None, wanted: Wanted
) -> Generator[GameSummary, None, None]:
    if workers is None:
        for run in runs:
            with closing(_play_here(matches[run.place], run, wanted)) as games:
                yield from games
        return
    load_machine_code([one for run in runs for one in matches[run.place].named])  # compiled once, then cached
    plan = Plan(matches, runs, workers.width)
    tasks = ((matches[run.place], run, wanted) for run in plan)
    with closing(run_in_order(_play_chunk, tasks, workers)) as chunks:
        for place, seconds, summaries in chunks:
            plan.took(place, seconds, len(summaries))
            yield from summaries


def _play_here(match: Match, run: Run, wanted: Wanted) -> Generator[GameSummary, None, None]:
    keeper = FindingsKeeper(wanted.on_decision) if wanted.findings else None
    hears = keeper.decided if keeper else wanted.on_decision
    with match.built() as players:
        known = line_up(match, players) if hears is None else None
        runner = machine_code_for(match) if known else None
        if known and runner:
            yield from MachineGames(match, known, runner, wanted.lines).play(run.games)
            return
        for game in play_with(players, match, hears, run.games, run.previous):
            yield game.summary(with_line=wanted.lines, **(keeper.taken() if keeper else {}))


def _play_chunk(match: Match, run: Run, wanted: Wanted) -> tuple[int, float, list[GameSummary]]:
    load_machine_code(match.named)
    began = perf_counter()
    summaries = list(_play_here(match, run, wanted))
    return run.place, perf_counter() - began, summaries


class Plan:
    """Cuts games into chunks of whole deals that take about `_CHUNK_SECONDS`; a series stays whole.

    A match's first chunks are single deals; how long they took tells how large its next ones may be.

    Args:
        width: How many chunks are played at once.
    """

    def __init__(self, matches: Sequence[Match], runs: Sequence[Run], width: int) -> None:
        self._matches = matches
        self._runs = runs
        self._width = width
        self._seconds = [0.0] * len(matches)
        self._played = [0] * len(matches)
        self._left = sum([len(run.games) for run in runs])

    def took(self, place: int, seconds: float, games: int) -> None:
        self._seconds[place] += seconds
        self._played[place] += games

    def __iter__(self) -> Iterator[Run]:
        for run in self._runs:
            yield from self._chunks(run)

    def _chunks(self, run: Run) -> Iterator[Run]:
        match = self._matches[run.place]
        seats = match.rules.seats
        first, stop, deals = run.games.start, run.games.stop, 1
        while first < stop:
            deals = stop if match.is_series else self._deals(run.place, deals)
            end = min(stop, (first // seats + deals) * seats)
            yield replace(run, games=range(first, end))
            self._left -= end - first
            first = end

    def _deals(self, place: int, before: int) -> int:
        if not self._played[place]:
            return before
        match = self._matches[place]
        seats = match.rules.seats
        has_programs = any(one.info is ENGINE for one in match.named)
        wanted = _FOREIGN_CHUNK_SECONDS if has_programs else _CHUNK_SECONDS
        fitting = int(wanted * self._played[place] / max(self._seconds[place], 1e-9) / seats)
        return max(1, min(fitting, 4 * before, self._left // seats // (_SPREAD * self._width)))
