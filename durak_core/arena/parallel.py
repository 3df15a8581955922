"""A match on several processes at once; the games are those of `play_match`, in the same order.

Every game hangs on its number alone, so how many processes there are and who plays what never
changes a result.
"""

from __future__ import annotations

import signal
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from time import perf_counter
from typing import Any, Final, TypeVar, TypeVarTuple, Unpack

from durak_core.arena.match import GameSummary, Match, play_match
from durak_core.arena.players import is_foreign, thinks
from durak_core.errors import AgentError, DurakError
from durak_core.game.state import State
from durak_core.search.backend import backend

__all__ = ["cores", "play_parallel", "run_in_order"]

_Arguments = TypeVarTuple("_Arguments")
_Result = TypeVar("_Result")

_CHUNK_SECONDS: Final = 2.0
"""How long a chunk shall take: much longer than handing it over, and soon done."""

_FOREIGN_CHUNK_SECONDS: Final = 20.0
"""The same where other programs play: they are started anew for each chunk, and may need to get going."""

_SPREAD: Final = 3
"""The last chunks are made so small that each process still gets about so many of them."""


def cores() -> int:
    """Return how many processes can run at once on this machine."""
    import joblib  # noqa: PLC0415 - takes its time, and only parallel matches need it

    return int(joblib.cpu_count())


def play_parallel(
    match: Match,
    jobs: int,
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
        jobs: How many processes; 0 for one each core.
        games: Numbers of the games to play, as for `play_match`; by default all.
        with_lines: Whether the summaries shall carry the games as lines of JSON.
        previous: The last state of the game before, as for `play_match`.

    Raises:
        AgentError: As for `play_match`, or if the number of processes is negative.
        DealError: As for `play_match`.
        DurakError: If a process was ended from outside.
    """
    if jobs < 0:
        raise AgentError(f"{jobs} jobs: expected 1 or more, or 0 for one each core")
    if jobs == 1 or match.is_series:
        return _play_here(match, games, with_lines=with_lines, previous=previous)
    return _play_there(match, jobs or cores(), games, with_lines=with_lines)


def _play_here(
    match: Match, games: range | None, *, with_lines: bool, previous: State | None = None
) -> Generator[GameSummary, None, None]:
    with closing(play_match(match, games=games, previous=previous)) as played:
        for game in played:
            yield game.summary(with_line=with_lines)


def _play_there(
    match: Match, jobs: int, games: range | None, *, with_lines: bool
) -> Generator[GameSummary, None, None]:
    play_match(match, games=games)  # refuses numbers that are none
    if any(map(thinks, match.agents)):
        backend("search")  # compiled once here, the processes load it from the cache
    plan = _Plan(match, range(match.games) if games is None else games, jobs)
    tasks = ((match, chunk, with_lines) for chunk in plan)
    with closing(run_in_order(_play_chunk, tasks, jobs)) as chunks:
        for seconds, summaries in chunks:
            plan.took(seconds, len(summaries))
            yield from summaries


def run_in_order(
    function: Callable[[Unpack[_Arguments]], _Result], tasks: Iterable[tuple[*_Arguments]], jobs: int
) -> Generator[_Result, None, None]:
    """Call a function in other processes and yield what it returns, in the order of the tasks.

    Tasks are taken up as processes become free. Where the iterator is closed, or something is raised,
    all work in hand is ended; Ctrl+C is heard here only.

    Args:
        function: What is called; it and its arguments have to survive the way to another process.
        tasks: Its arguments.
        jobs: How many processes, 2 or more; with 1 everything runs here.

    Raises:
        DurakError: If a process was ended from outside.
    """
    from joblib import Parallel, delayed  # noqa: PLC0415 - takes its time, only needed here
    from joblib.externals.loky.process_executor import BrokenProcessPool  # noqa: PLC0415 - likewise

    if jobs == 1:
        yield from (function(*task) for task in tasks)
        return
    with _signals_held():
        calls = (delayed(_call_unheard)(function, task) for task in tasks)
        results = Parallel(n_jobs=jobs, batch_size=1, return_as="generator")(calls)
    try:
        for result in results:  # noqa: UP028 - yield from would close them itself, and hear warnings
            yield result
    except BrokenProcessPool as error:
        raise DurakError(
            "a process was ended from outside, perhaps for want of memory: expected it to go on; "
            f"try fewer than {jobs} jobs"
        ) from error
    finally:
        _close(results)


def _call_unheard(function: Callable[[Unpack[_Arguments]], _Result], task: tuple[*_Arguments]) -> _Result:
    """Call a function in a process that only works: Ctrl+C is its parent's matter."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return function(*task)


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
    began = perf_counter()
    summaries = list(_play_here(match, games, with_lines=with_lines))
    return perf_counter() - began, summaries


@contextmanager
def _signals_held() -> Iterator[None]:
    """Start processes in which Ctrl+C never arrives; here it arrives when they have been started."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _close(chunks: Iterator[Any]) -> None:
    """End the work in hand; that there is some is no news."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        close = getattr(chunks, "close", None)
        if close:
            close()
