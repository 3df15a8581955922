"""Ordered parallel map over local processes, or over the workers of `durak_core.lab.workers.cluster`."""

from __future__ import annotations

import os
import threading
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Future
from contextlib import contextmanager
from pickle import PicklingError
from queue import Empty, SimpleQueue
from time import monotonic, sleep
from typing import Any, Final, Protocol, TypeAlias, TypeVar, TypeVarTuple, Unpack

from durak_core.errors import AgentError, DurakError
from durak_core.extras import require
from durak_core.interrupts import block_signals, ignore_signals, uninterrupted

_Arguments = TypeVarTuple("_Arguments")
_Result = TypeVar("_Result")

_IN_HAND: Final = 2
"""Unfinished calls per worker: one running, one queued."""

_KEPT: Final = 32
"""Maximum calls per worker, including finished ones behind a slower call."""

_LOOK_SECONDS: Final = 1.0
"""Interval of health checks without results."""

_HANDING_SECONDS: Final = 1.0
"""Timeout for the executor to pass on a call."""

_IDLE_SECONDS: Final = 300
"""Lifetime of idle processes, which the next match reuses."""

_MOST_A_CORE: Final = 4
"""Maximum processes per core."""

_PARENT_SECONDS: Final = 1.0
"""Interval at which a process checks its parent."""


class Call(Protocol):
    """A future of `concurrent.futures` or of distributed."""

    def done(self) -> bool: ...

    def add_done_callback(self, fn: Callable[[Any], object], /) -> object: ...


class Workers(Protocol):
    """Interface of workers."""

    @property
    def width(self) -> int:
        """Number of parallel calls, 1 or more."""

    def submit(self, function: Callable[..., Any], task: tuple[Any, ...]) -> Call:
        """Schedule a picklable call; raises `DurakError` without workers."""

    def result(self, call: Any) -> Any:  # noqa: ANN401 - any call, any result
        """Return or raise the outcome of a call; raises `DurakError` if its worker is lost."""

    def look(self) -> None:
        """Check the workers' health; raises `DurakError` if none is left."""

    def abandon(self, calls: Sequence[Any]) -> None:
        """Cancel all unfinished calls."""


Jobs: TypeAlias = int | Workers
"""Number of local processes, 0 for one per core, 1 for this process; or other workers."""


def cores() -> int:
    try:
        import joblib  # noqa: PLC0415 - optional and slow to import
    except ImportError:
        return os.cpu_count() or 1
    return int(joblib.cpu_count())


def check_jobs(jobs: int) -> None:
    """Raise `AgentError` if the number of processes is negative or above four per core."""
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
    """Return the workers, or None for this process.

    Raises:
        AgentError: As for `check_jobs`.
        MissingExtraError: If joblib is not installed.
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
    """Apply a picklable function to tasks in parallel and yield the results in order.

    Tasks are consumed as workers become free. Closing the iterator, or an error, cancels unfinished calls.
    Only this process handles Ctrl+C.

    Raises:
        AgentError: As for `check_jobs`.
        DurakError: If a process is killed, or a cluster has no workers left.
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
            with uninterrupted():  # an interrupt could leave an executor lock held
                while left and _has_room(calls, workers.width):
                    task = next(tasks, None)
                    if task is None:
                        left = False
                        break
                    with block_signals():
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
        if calls or not isinstance(error, GeneratorExit):  # otherwise all is done and the workers stay
            with uninterrupted():
                workers.abandon(calls)
        raise


def _has_room(calls: deque[Call], width: int) -> bool:
    return len(calls) < _KEPT * width and sum([not call.done() for call in calls]) < _IN_HAND * width


class Processes:
    """Two or more local processes, reused between calls."""

    def __init__(self, number: int) -> None:
        self.width = number
        self._executor: Any = None

    def submit(self, function: Callable[..., Any], task: tuple[Any, ...]) -> Future[Any]:
        if self._executor is None:
            self._executor = _start_executor(self.width)
        with self._unbroken():
            future: Future[Any] = self._executor.submit(function, *task)
            return future

    def result(self, call: Future[Any]) -> Any:  # noqa: ANN401 - any result
        with self._unbroken():
            try:
                return call.result()
            except PicklingError as error:
                raise not_sendable(error.__cause__ or error) from error

    def look(self) -> None:
        """Do nothing: the executor reports killed processes."""

    def abandon(self, calls: Sequence[Future[Any]]) -> None:
        if self._executor is None:
            return
        deadline = monotonic() + _HANDING_SECONDS
        while not all(one.done() or one.running() for one in calls) and monotonic() < deadline:
            sleep(0.001)  # shutdown fails on a call in transit
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


def not_sendable(error: BaseException) -> AgentError:
    """Return the error for an agent that cannot be pickled."""
    return AgentError(
        "an agent cannot be sent to another process ({why}): expected its class, its file, or one process",
        why=[line for line in str(error).splitlines() if line.strip("' \"")][-1],
    )


def _start_executor(number: int) -> Any:  # noqa: ANN401 - an executor of loky
    from multiprocessing import resource_tracker  # noqa: PLC0415 - slow to import

    from joblib.externals.loky import get_reusable_executor  # noqa: PLC0415 - as above
    from joblib.externals.loky.backend import resource_tracker as loky_tracker  # noqa: PLC0415 - as above

    warnings.filterwarnings("ignore", "A worker stopped", module="joblib")  # another replaces it
    for tracker in (resource_tracker, loky_tracker):
        with block_signals():
            tracker.ensure_running()  # unblocks signals, so it must not run later
    with block_signals():
        return get_reusable_executor(
            number, timeout=_IDLE_SECONDS, initializer=_settle, initargs=(os.getpid(),)
        )


def _settle(parent: int) -> None:
    """Initialise a worker process: it ignores signals and exits with its parent."""
    ignore_signals()
    threading.Thread(target=_end_with, args=(parent,), name="durak-orphan", daemon=True).start()


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        sleep(_PARENT_SECONDS)
    os._exit(1)
