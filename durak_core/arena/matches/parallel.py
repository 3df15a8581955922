"""A match on several processes at once; the games are those of `play_match`, in the same order.

Every game hangs on its number alone, so how many processes there are and who plays what never
changes a result.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import closing
from time import perf_counter
from typing import Final

from durak_core.arena.matches.match import GameSummary, Match, play_match
from durak_core.arena.matches.players import is_foreign, make_ready
from durak_core.arena.workers.pool import Jobs, Workers, run_in_order, workers_of
from durak_core.game.state import State

_CHUNK_SECONDS: Final = 2.0
"""How long a chunk shall take: much longer than handing it over, and soon done."""

_FOREIGN_CHUNK_SECONDS: Final = 20.0
"""The same where other programs play: they are started anew for each chunk, and may need to get going."""

_SPREAD: Final = 3
"""The last chunks are made so small that each process still gets about so many of them."""


def play_parallel(
    match: Match,
    jobs: Jobs,
    games: range | None = None,
    *,
    with_lines: bool = False,
    previous: State | None = None,
) -> Generator[GameSummary, None, None]:
    """Play a match on several processes and yield its games in the order of their numbers.

    All seatings of a deal are played by the same process. With one process, and where a game may
    depend on the one before (rules 4.2), everything is played here.

    Args:
        match: What is to be played.
        jobs: How many processes, 0 for one each core; or other workers.
        games: Numbers of the games to play, as for `play_match`; by default all.
        with_lines: Whether the summaries shall carry the games as lines of JSON.
        previous: The last state of the game before, as for `play_match`.

    Raises:
        AgentError: As for `play_match`, or if the number of processes is negative.
        DealError: As for `play_match`.
        DurakError: If a process was ended from outside, or a cluster has nobody left.
    """
    workers = workers_of(jobs)
    if workers is None or match.is_series:
        return _play_here(match, games, with_lines=with_lines, previous=previous)
    return _play_there(match, workers, games, with_lines=with_lines)


def _play_here(
    match: Match, games: range | None, *, with_lines: bool, previous: State | None = None
) -> Generator[GameSummary, None, None]:
    with closing(play_match(match, games=games, previous=previous)) as played:
        for game in played:
            yield game.summary(with_line=with_lines)


def _play_there(
    match: Match, workers: Workers, games: range | None, *, with_lines: bool
) -> Generator[GameSummary, None, None]:
    play_match(match, games=games)  # refuses numbers that are none
    make_ready(match.agents)  # compiled once here, the machine's processes load it from the cache
    plan = _Plan(match, range(match.games) if games is None else games, workers.width)
    tasks = ((match, chunk, with_lines) for chunk in plan)
    with closing(run_in_order(_play_chunk, tasks, workers)) as chunks:
        for seconds, summaries in chunks:
            plan.took(seconds, len(summaries))
            yield from summaries


class _Plan:
    """Cuts a match's games into chunks of whole deals that take about `_CHUNK_SECONDS`.

    The first chunks are single deals; how long they took tells how large the next ones may be.
    """

    def __init__(self, match: Match, games: range, jobs: int) -> None:
        self._seats = match.rules.seats
        self._games = games
        self._jobs = jobs
        self._wanted = _FOREIGN_CHUNK_SECONDS if any(map(is_foreign, match.agents)) else _CHUNK_SECONDS
        self._seconds = 0.0
        self._played = 0

    def took(self, seconds: float, games: int) -> None:
        """Learn how long some games took."""
        self._seconds += seconds
        self._played += games

    def __iter__(self) -> Iterator[range]:
        first, stop, deals = self._games.start, self._games.stop, 1
        while first < stop:
            if self._played:
                fitting = int(self._wanted * self._played / max(self._seconds, 1e-9) / self._seats)
                left = (stop - first) // self._seats
                deals = max(1, min(fitting, 4 * deals, left // (_SPREAD * self._jobs)))
            end = min(stop, (first // self._seats + deals) * self._seats)
            yield range(first, end)
            first = end


def _play_chunk(match: Match, games: range, with_lines: bool) -> tuple[float, list[GameSummary]]:
    make_ready(match.agents)
    began = perf_counter()
    summaries = list(_play_here(match, games, with_lines=with_lines))
    return perf_counter() - began, summaries
