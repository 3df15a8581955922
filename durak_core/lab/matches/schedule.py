"""Matches on several processes at once; the games are those of `play_match`, in the same order.

Every game depends on its number alone, so how many processes there are and who plays what never
changes a result.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Final

from durak_core.game.state import State
from durak_core.lab.matches.game import FindingsKeeper, GameSummary
from durak_core.lab.matches.machine_games import MachineGames, line_up, machine_code_for
from durak_core.lab.matches.match import Match, play_match
from durak_core.lab.matches.players import is_foreign, make_ready
from durak_core.lab.matches.saved_games import SavedGames
from durak_core.lab.workers.pool import Jobs, Workers, run_in_order, workers_of

_CHUNK_SECONDS: Final = 2.0
"""How long a chunk shall take: much longer than handing it over, and soon done."""

_FOREIGN_CHUNK_SECONDS: Final = 20.0
"""The same where other programs play: they are started anew for each chunk, and may need to get going."""

_SPREAD: Final = 3
"""The last chunks are made so small that each process still gets about so many of them."""


@dataclass(frozen=True, slots=True)
class Lines:
    """Whether games carry their lines of JSON, and these what agents that search have found out."""

    wanted: bool
    with_findings: bool = False


@dataclass(frozen=True, slots=True)
class Run:
    """Games of a match that follow each other; in a series, with the last state of the game before."""

    place: int
    games: range
    previous: State | None = None


def play_matches(
    matches: Sequence[Match],
    jobs: Jobs = 1,
    saved: SavedGames | None = None,
    *,
    with_lines: bool = False,
    with_findings: bool = False,
) -> Generator[tuple[int, GameSummary], None, None]:
    """Play matches, and yield all games with their match's place, match by match and by their numbers.

    Args:
        matches: What is to be played.
        jobs: How many processes, as for `play_parallel`.
        saved: A file of these matches. Its games are not played again, and all others are written
            there before they are yielded.
        with_lines: Whether the games shall carry their lines of JSON, which those of a file never do.
        with_findings: Whether these lines shall tell what agents that search have found out.

    Raises:
        DurakError: As for `play_parallel`.
        FileError: If a game cannot be written.
    """
    workers = workers_of(jobs)
    if saved is None:
        runs = [Run(place, range(match.games)) for place, match in enumerate(matches)]
        return _play_runs(matches, runs, workers, Lines(with_lines, with_findings))
    return _play_on(matches, workers, saved, Lines(True, with_findings))


def play_parallel(
    match: Match, jobs: Jobs, games: range | None = None, *, with_lines: bool = False
) -> Generator[GameSummary, None, None]:
    """Play a match on several processes and yield its games in the order of their numbers.

    All seatings of a deal are played by the same process. With one process, and where a game may
    depend on the one before (rules 4.2), everything is played here.

    Args:
        match: What is to be played.
        jobs: How many processes, 0 for one each core; or other workers.
        games: Numbers of the games to play, as for `play_match`; by default all.
        with_lines: Whether the summaries shall carry the games as lines of JSON.

    Raises:
        AgentError: As for `play_match`, or if the number of processes is negative.
        DealError: As for `play_match`.
        DurakError: If a process was ended from outside, or a cluster has nobody left.
    """
    play_match(match, games=games)  # refuses numbers that are none
    runs = [Run(0, range(match.games) if games is None else games)]
    workers = workers_of(jobs)

    def play() -> Generator[GameSummary, None, None]:
        with closing(_play_runs([match], runs, workers, Lines(with_lines))) as played:
            for _, game in played:
                yield game

    return play()


def _play_on(
    matches: Sequence[Match], workers: Workers | None, saved: SavedGames, lines: Lines
) -> Generator[tuple[int, GameSummary], None, None]:
    runs = [run for place, match in enumerate(matches) for run in _missing(place, match, saved)]
    with closing(_play_runs(matches, runs, workers, lines)) as played:
        for place, match in enumerate(matches):
            for number in range(match.games):
                if (place, number) not in saved.finished:
                    saved.add(*next(played))
                yield place, saved.finished[place, number]


def _missing(place: int, match: Match, saved: SavedGames) -> Iterator[Run]:
    start = 0
    for number in range(match.games + 1):
        if number == match.games or (place, number) in saved.finished:
            if start < number:
                follows = match.is_series and start > 0
                previous = saved.record(place, start - 1).end if follows else None
                yield Run(place, range(start, number), previous)
            start = number + 1


def _play_runs(
    matches: Sequence[Match], runs: Sequence[Run], workers: Workers | None, lines: Lines
) -> Generator[tuple[int, GameSummary], None, None]:
    if workers is None or (len(matches) == 1 and matches[0].is_series):
        for run in runs:
            with closing(_play_here(matches[run.place], run, lines)) as games:
                for game in games:
                    yield run.place, game
        return
    make_ready(
        [player for run in runs for player in matches[run.place].players]
    )  # compiled once, then cached
    plan = Plan(matches, runs, workers.width)
    tasks = ((matches[run.place], run, lines) for run in plan)
    with closing(run_in_order(_play_chunk, tasks, workers)) as chunks:
        for place, seconds, summaries in chunks:
            plan.took(place, seconds, len(summaries))
            for game in summaries:
                yield place, game


def _play_here(match: Match, run: Run, lines: Lines) -> Generator[GameSummary, None, None]:
    players = None if lines.with_findings else line_up(match)
    runner = machine_code_for(match) if players else None
    if players and runner:
        yield from MachineGames(match, players, runner, lines.wanted).play(run.games)
        return
    keeper = FindingsKeeper() if lines.with_findings else None
    hears = keeper.decided if keeper else None
    with closing(play_match(match, hears, run.games, run.previous)) as played:
        for game in played:
            yield game.summary(with_line=lines.wanted, **(keeper.taken() if keeper else {}))


def _play_chunk(match: Match, run: Run, lines: Lines) -> tuple[int, float, list[GameSummary]]:
    make_ready(match.players)
    began = perf_counter()
    summaries = list(_play_here(match, run, lines))
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
        wanted = _FOREIGN_CHUNK_SECONDS if any(map(is_foreign, match.players)) else _CHUNK_SECONDS
        fitting = int(wanted * self._played[place] / max(self._seconds[place], 1e-9) / seats)
        return max(1, min(fitting, 4 * before, self._left // seats // (_SPREAD * self._width)))
