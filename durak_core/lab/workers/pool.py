"""Work in other processes, and its results in order; who does the work is one small interface.

`Processes` are those of this machine, `durak_core.lab.workers.cluster` has those of a Dask cluster.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from time import monotonic, sleep
from typing import Any, Final, Protocol, TypeAlias, TypeVar, TypeVarTuple, Unpack

from durak_core.errors import AgentError, DurakError
from durak_core.extras import require
from durak_core.interrupts import childproof, obey_nothing, uninterrupted

_Arguments = TypeVarTuple("_Arguments")
_Result = TypeVar("_Result")

_IN_HAND: Final = 2
"""Calls for each worker that are not finished: one that runs, and one that waits for its turn."""

_KEPT: Final = 32
"""Calls for each worker at most, with those that are finished and wait for an earlier one."""

_LOOK_SECONDS: Final = 1.0
"""How long nothing may be heard until the workers are looked after."""

_HANDING_SECONDS: Final = 1.0
"""How long it may take to hand over a call; it takes less than a thousandth."""

_IDLE_SECONDS: Final = 300
"""How long processes without work stay, for the next match of a tournament or a tuning."""

_MOST_A_CORE: Final = 4
"""Processes for each core at most."""

_PARENT_SECONDS: Final = 1.0
"""How often a process looks whether its parent is still there."""


class Call(Protocol):
    """A function that is called somewhere else."""

    def done(self) -> bool:
        """Return whether the result, or an error, is there."""

    def result(self) -> Any:  # noqa: ANN401 - whatever the function returns
        """Return what the function returned, or raise what it raised.

        Raises:
            DurakError: If whoever worked is no more.
        """

    def when_done(self, tell: Callable[[], None]) -> None:
        """Have something called, in whatever thread, when the result is there."""


class Workers(Protocol):
    """Whoever calls functions: processes of this machine, or of a cluster."""

    @property
    def width(self) -> int:
        """How many calls can run at once, 1 or more."""

    def submit(self, function: Callable[..., Any], task: tuple[Any, ...]) -> Call:
        """Have a function called; it and its arguments have to survive the way to another process.

        Raises:
            DurakError: If nobody can work.
        """

    def look(self) -> None:
        """Look after the work in hand, of which nothing was heard for a while.

        Raises:
            DurakError: If nobody is left to do it.
        """

    def abandon(self) -> None:
        """End all work in hand."""


Jobs: TypeAlias = int | Workers
"""How many processes of this machine, 0 for one each core and 1 for this one; or other workers."""


def cores() -> int:
    try:
        import joblib  # noqa: PLC0415 - optional, takes its time, and only parallel matches need it
    except ImportError:
        return os.cpu_count() or 1
    return int(joblib.cpu_count())


def check_jobs(jobs: int) -> None:
    """Refuse a number of processes that is none, or more than this machine can make use of.

    Raises:
        AgentError: If it is negative, or more than four for each core.
    """
    if jobs < 0:
        raise AgentError("{jobs} jobs: expected 1 or more, or 0 for one each core", jobs=jobs)
    if jobs > _MOST_A_CORE and jobs > (most := _MOST_A_CORE * cores()):
        raise AgentError(
            "{jobs} jobs: expected at most {most}, {each} for each core; more would only take memory",
            jobs=jobs,
            most=most,
            each=_MOST_A_CORE,
        )


def workers_of(jobs: Jobs) -> Workers | None:
    """Return who shall work, or None where everything shall run in this process.

    Raises:
        AgentError: As for `check_jobs`.
        MissingExtraError: If there is nothing that starts processes.
    """
    if not isinstance(jobs, int):
        return jobs
    check_jobs(jobs)
    jobs = jobs or cores()
    if jobs == 1:
        return None
    require("Playing on several processes", "lab", "joblib")
    return Processes(jobs)


def run_in_order(
    function: Callable[[Unpack[_Arguments]], _Result], tasks: Iterable[tuple[*_Arguments]], jobs: Jobs
) -> Generator[_Result, None, None]:
    """Call a function in other processes and yield what it returns, in the order of the tasks.

    Tasks are taken up as workers become free. Where the iterator is closed, or something is raised,
    all work in hand is ended; Ctrl+C is heard here only.

    Args:
        function: What is called; it and its arguments have to survive the way to another process.
        tasks: Its arguments.
        jobs: How many processes, 0 for one each core; with 1 everything runs here. Or other workers.

    Raises:
        AgentError: As for `check_jobs`.
        DurakError: If a process was ended from outside, or a cluster has nobody left.
    """
    workers = workers_of(jobs)
    if workers is None:
        return (function(*task) for task in tasks)
    return _in_order(workers, function, iter(tasks))


def _in_order(
    workers: Workers, function: Callable[..., _Result], tasks: Iterator[tuple[Any, ...]]
) -> Generator[_Result, None, None]:
    calls: deque[Call] = deque()
    news: SimpleQueue[None] = SimpleQueue()
    left = True
    try:
        while left or calls:
            with uninterrupted():  # a lock of the executor that stayed taken would never let it end
                while left and _has_room(calls, workers.width):
                    task = next(tasks, None)
                    if task is None:
                        left = False
                        break
                    with childproof():
                        call = workers.submit(function, task)
                    calls.append(call)
                    call.when_done(lambda: news.put(None))
                results = [calls.popleft().result()] if calls and calls[0].done() else []
            yield from results
            if calls and not results:
                try:
                    news.get(timeout=_LOOK_SECONDS)
                except Empty:
                    with uninterrupted():
                        workers.look()
    except BaseException as error:
        if calls or not isinstance(error, GeneratorExit):  # else all is done, and the workers stay
            with uninterrupted():
                workers.abandon()
        raise


def _has_room(calls: deque[Call], width: int) -> bool:
    return len(calls) < _KEPT * width and sum([not call.done() for call in calls]) < _IN_HAND * width


class Processes:
    """Processes of this machine, 2 or more, which stay for the next work and end with this one."""

    def __init__(self, number: int) -> None:
        self.width = number
        self._executor: Any = None
        self._in_hand: list[Future[Any]] = []

    def submit(self, function: Callable[..., Any], task: tuple[Any, ...]) -> Call:
        """Have a function called; the first one starts the processes."""
        from joblib.externals.loky.process_executor import BrokenProcessPool  # noqa: PLC0415 - takes its time

        if self._executor is None:
            self._executor = _start_executor(self.width)
        try:
            future = self._executor.submit(function, *task)
        except BrokenProcessPool as error:
            raise _ended(self.width) from error
        self._in_hand = [one for one in self._in_hand if not one.done()]
        self._in_hand.append(future)
        return _ProcessCall(future, self.width)

    def look(self) -> None:
        """Do nothing: a process that is ended is heard of."""

    def abandon(self) -> None:
        if self._executor is not None:
            self._wait_for_handing_over()
            self._executor.shutdown(wait=True, kill_workers=True)
            self._executor = None

    def _wait_for_handing_over(self) -> None:
        """Wait until no call is on its way to the processes; the executor would stumble over it."""
        deadline = monotonic() + _HANDING_SECONDS
        while not all(one.done() or one.running() for one in self._in_hand) and monotonic() < deadline:
            sleep(0.001)


def _start_executor(number: int) -> Any:  # noqa: ANN401 - an executor of loky
    from multiprocessing import resource_tracker  # noqa: PLC0415 - takes its time

    from joblib.externals.loky import get_reusable_executor  # noqa: PLC0415 - likewise
    from joblib.externals.loky.backend import resource_tracker as loky_tracker  # noqa: PLC0415 - likewise

    for tracker in (resource_tracker, loky_tracker):
        with childproof():
            tracker.ensure_running()  # lets signals through again, so not when processes are started
    with childproof():
        return get_reusable_executor(
            number, timeout=_IDLE_SECONDS, initializer=_settle, initargs=(os.getpid(),)
        )


class _ProcessCall:
    def __init__(self, future: Future[Any], jobs: int) -> None:
        self._future = future
        self._jobs = jobs

    def done(self) -> bool:
        return self._future.done()

    def result(self) -> Any:  # noqa: ANN401 - whatever the function returns
        from joblib.externals.loky.process_executor import BrokenProcessPool  # noqa: PLC0415 - as above

        try:
            return self._future.result()
        except BrokenProcessPool as error:
            raise _ended(self._jobs) from error

    def when_done(self, tell: Callable[[], None]) -> None:
        self._future.add_done_callback(lambda _: tell())


def _ended(jobs: int) -> DurakError:
    return DurakError(
        "a process was ended from outside, perhaps for want of memory: expected it to go "
        "on; try fewer than {jobs} jobs",
        jobs=jobs,
    )


def _settle(parent: int) -> None:
    """Prepare a process that only works: when it ends is its parent's matter, and it ends with its parent."""
    obey_nothing()
    threading.Thread(target=_end_with, args=(parent,), name="durak-orphan", daemon=True).start()


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        sleep(_PARENT_SECONDS)
    os._exit(1)
