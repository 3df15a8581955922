"""Work in other processes, and its results in order; who does the work is one small interface.

`Processes` are those of this machine, `durak_core.lab.workers.cluster` has those of a Dask cluster.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Future
from contextlib import contextmanager
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
    """A function that is called somewhere else: a future of `concurrent.futures`, or of distributed."""

    def done(self) -> bool: ...

    def add_done_callback(self, fn: Callable[[Any], object], /) -> object: ...


class Workers(Protocol):
    """What calls functions: processes of this machine, or of a cluster."""

    @property
    def width(self) -> int:
        """How many calls can run at once, 1 or more."""

    def submit(self, function: Callable[..., Any], task: tuple[Any, ...]) -> Call:
        """Have a function called; it and its arguments have to survive the way to another process.

        Raises:
            DurakError: If nobody can work.
        """

    def result(self, call: Any) -> Any:  # noqa: ANN401 - one of `submit`, and whatever its function returns
        """Return what the function of a call returned, or raise what it raised.

        Raises:
            DurakError: If the worker is gone.
        """

    def look(self) -> None:
        """Look after the work in hand, of which nothing was heard for a while.

        Raises:
            DurakError: If nobody is left to do it.
        """

    def abandon(self, calls: Sequence[Any]) -> None:
        """End all work in hand, which these calls of `submit` are."""


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
    """Return the workers, or None if everything runs in this process.

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
                    call.add_done_callback(lambda _: news.put(None))
                results = [workers.result(calls.popleft())] if calls and calls[0].done() else []
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
                workers.abandon(calls)
        raise


def _has_room(calls: deque[Call], width: int) -> bool:
    return len(calls) < _KEPT * width and sum([not call.done() for call in calls]) < _IN_HAND * width


class Processes:
    """Processes of this machine, 2 or more, which stay for the next work and end with this one."""

    def __init__(self, number: int) -> None:
        self.width = number
        self._executor: Any = None

    def submit(self, function: Callable[..., Any], task: tuple[Any, ...]) -> Future[Any]:
        """Have a function called; the first one starts the processes."""
        if self._executor is None:
            self._executor = _start_executor(self.width)
        with self._unbroken():
            future: Future[Any] = self._executor.submit(function, *task)
            return future

    def result(self, call: Future[Any]) -> Any:  # noqa: ANN401 - whatever the function returns
        with self._unbroken():
            return call.result()

    def look(self) -> None:
        """Do nothing: a process that is ended is heard of."""

    def abandon(self, calls: Sequence[Future[Any]]) -> None:
        if self._executor is None:
            return
        deadline = monotonic() + _HANDING_SECONDS
        while not all(one.done() or one.running() for one in calls) and monotonic() < deadline:
            sleep(0.001)  # the executor would stumble over a call on its way to the processes
        self._executor.shutdown(wait=True, kill_workers=True)
        self._executor = None

    @contextmanager
    def _unbroken(self) -> Iterator[None]:
        try:
            yield
        except BrokenExecutor as error:
            raise DurakError(
                "a process was ended from outside, perhaps for want of memory: expected it to go "
                "on; try fewer than {jobs} jobs",
                jobs=self.width,
            ) from error


def _start_executor(number: int) -> Any:  # noqa: ANN401 - an executor of loky
    from multiprocessing import resource_tracker  # noqa: PLC0415 - takes its time

    from joblib.externals.loky import get_reusable_executor  # noqa: PLC0415 - as above
    from joblib.externals.loky.backend import resource_tracker as loky_tracker  # noqa: PLC0415 - as above

    for tracker in (resource_tracker, loky_tracker):
        with childproof():
            tracker.ensure_running()  # lets signals through again, so not when processes are started
    with childproof():
        return get_reusable_executor(
            number, timeout=_IDLE_SECONDS, initializer=_settle, initargs=(os.getpid(),)
        )


def _settle(parent: int) -> None:
    """Prepare a process that only works: when it ends is its parent's matter, and it ends with its parent."""
    obey_nothing()
    threading.Thread(target=_end_with, args=(parent,), name="durak-orphan", daemon=True).start()


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        sleep(_PARENT_SECONDS)
    os._exit(1)
