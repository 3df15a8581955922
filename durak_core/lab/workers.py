"""Ordered parallel map over local processes, or over the workers of an existing Dask cluster.

Every worker must run the same package sources, checked at the start and with each call. Dask reassigns the
calls of a lost worker.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
import threading
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from pickle import PicklingError
from queue import Empty, SimpleQueue
from time import monotonic, sleep
from typing import Any, Final, Protocol, Self, TypeAlias, TypeVar, TypeVarTuple, Unpack

import durak_core
from durak_core.errors import AgentError, ClusterError, DurakError
from durak_core.installation import require
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


Call: TypeAlias = Any
"""A future of `concurrent.futures` or of distributed."""


class Workers(Protocol):
    """Interface of workers."""

    @property
    def width(self) -> int:
        """Number of parallel calls, 1 or more."""

    def submit(self, function: Callable[..., Any], task: tuple[Any, ...]) -> Call:
        """Schedule a picklable call; raises `DurakError` without workers."""

    def result(self, call: Call) -> Any:  # noqa: ANN401 - any result
        """Return or raise the outcome of a call; raises `DurakError` if its worker is lost."""

    def look(self) -> None:
        """Check the workers' health; raises `DurakError` if none is left."""

    def abandon(self, calls: Sequence[Call]) -> None:
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
    queue = CallQueue(workers)
    left = True
    try:
        while left or queue.calls:
            with uninterrupted():  # an interrupt could leave an executor lock held
                while left and _has_room(queue.calls, workers.width):
                    task = next(tasks, None)
                    if task is None:
                        left = False
                        break
                    queue.submit(function, task)
                results = queue.ready()
            yield from results
            if queue.calls and not results:
                queue.wait()
    except BaseException as error:
        if queue.calls or not isinstance(error, GeneratorExit):  # otherwise all is done and the workers stay
            queue.abandon()
        raise


def _has_room(calls: deque[Call], width: int) -> bool:
    return len(calls) < _KEPT * width and sum([not call.done() for call in calls]) < _IN_HAND * width


class CallQueue:
    """Calls on workers whose results are taken in the order of submission."""

    def __init__(self, workers: Workers) -> None:
        self._workers = workers
        self.calls: deque[Call] = deque()
        self._news: SimpleQueue[None] = SimpleQueue()

    def submit(self, function: Callable[..., Any], task: tuple[Any, ...]) -> None:
        with block_signals():
            call = self._workers.submit(function, task)
        self.calls.append(call)
        call.add_done_callback(lambda _: self._news.put(None))

    def ready(self) -> list[Any]:
        """Return the oldest call's result if it has one; errors as for `run_in_order`."""
        if not self.calls or not self.calls[0].done():
            return []
        return [self._workers.result(self.calls.popleft())]

    def wait(self) -> None:
        """Wait for any call to finish, or check the workers' health."""
        try:
            self._news.get(timeout=_LOOK_SECONDS)
        except Empty:
            with uninterrupted():
                self._workers.look()

    def take(self) -> Any:  # noqa: ANN401 - any result
        """Wait for the oldest call and return its result."""
        while True:
            with uninterrupted():
                results = self.ready()
            if results:
                return results[0]
            self.wait()

    def abandon(self) -> None:
        with uninterrupted():
            self._workers.abandon(self.calls)
        self.calls.clear()


class LostProcessError(DurakError):
    """A local process was ended from outside."""


class Processes:
    """Two or more local processes, reused between calls."""

    def __init__(self, number: int) -> None:
        self.width = number
        self._executor: Any = None

    def submit(self, function: Callable[..., Any], task: tuple[Any, ...]) -> Call:
        if self._executor is None:
            self._executor = _start_executor(self.width)
        with self._unbroken():
            return self._executor.submit(function, *task)

    def result(self, call: Call) -> Any:  # noqa: ANN401 - any result
        with self._unbroken():
            try:
                return call.result()
            except PicklingError as error:
                raise not_sendable(error.__cause__ or error) from error

    def look(self) -> None:
        """Do nothing: the executor reports killed processes."""

    def abandon(self, calls: Sequence[Call]) -> None:
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
            raise LostProcessError(
                "a process was ended from outside, perhaps for want of memory: expected it to go "
                "on; try fewer than {jobs} jobs",
                jobs=self.width,
            ) from error


def not_sendable(error: BaseException) -> AgentError:
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


_ANSWER_SECONDS: Final = 8.0
"""Timeout of the scheduler."""

_WORKER_SECONDS: Final = 10.0
"""Timeout for the first worker."""

_LOST_SECONDS: Final = 60.0
"""Timeout for lost workers to return, and for a silent scheduler."""

_COUNT_SECONDS: Final = 5.0
"""Lifetime of a cached thread count, and poll interval of a result."""


@cache
def sources_digest() -> str:
    """Return a platform-independent hash of the package's sources."""
    digest = hashlib.sha256()
    root = Path(durak_core.__path__[0])
    for source in sorted(root.rglob("*.py")):
        digest.update(source.relative_to(root).as_posix().encode())
        digest.update(source.read_bytes().replace(b"\r\n", b"\n"))
    return digest.hexdigest()[:12]


class DaskWorkers:
    """Context manager of a Dask cluster's workers.

    Args:
        address: Scheduler address, such as ``tcp://10.0.0.1:8786``.
        answer_seconds: Timeout of the scheduler.
        worker_seconds: Timeout for the first worker.

    Raises:
        MissingExtraError: If distributed is not installed.
        ClusterError: If the scheduler does not answer, there are no workers, or a worker has other sources.
    """

    def __init__(
        self, address: str, answer_seconds: float = _ANSWER_SECONDS, worker_seconds: float = _WORKER_SECONDS
    ) -> None:
        require("A Dask cluster", "cluster", "distributed")
        import distributed  # noqa: PLC0415 - optional and slow to import

        logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # losses raise errors
        self._address = address
        self._digest = sources_digest()
        self._counted, self._count = monotonic(), 0
        self._last_seen = monotonic()
        try:
            with ThreadPoolExecutor(1) as thread:  # the caller may run an event loop
                thread.submit(asyncio.run, _knock(address, answer_seconds)).result()
            self._client = distributed.Client(address, timeout=answer_seconds, set_as_default=False)
        except Exception as error:  # noqa: BLE001 - the peer may be any server
            raise ClusterError(
                "no Dask scheduler answers at {address} ({why}): expected the address that dask "
                "scheduler prints, such as tcp://10.0.0.1:8786",
                address=address,
                why=_first_line(error),
            ) from None
        try:
            self._get_ready(worker_seconds)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Disconnect; the cluster drops unfinished calls."""
        with uninterrupted():
            self._client.close(timeout=5)

    @property
    def width(self) -> int:
        """Threads of all workers, cached for `_COUNT_SECONDS`."""
        if not self._count or monotonic() - self._counted > _COUNT_SECONDS:
            self._recount()
        return max(1, self._count)

    def submit(self, function: Callable[..., Any], task: tuple[Any, ...]) -> Call:
        try:
            return self._client.submit(_call_there, self._digest, function, task, pure=False)
        except (TypeError, PicklingError) as error:
            raise not_sendable(error) from error
        except (OSError, RuntimeError) as error:  # the client has been closed
            raise self.lost() from error

    def result(self, call: Call) -> Any:  # noqa: ANN401 - any result
        from distributed import CancelledError  # noqa: PLC0415 - as above
        from distributed.scheduler import KilledWorker  # noqa: PLC0415 - as above

        while True:
            try:
                return call.result(timeout=_COUNT_SECONDS)
            except TimeoutError:
                self.look()  # a lost result is recomputed by another worker
            except KilledWorker as error:
                raise ClusterError(
                    "worker after worker was lost over the same games ({why}): expected them to have "
                    "memory enough",
                    why=_first_line(error),
                ) from error
            except DurakError:
                raise
            except (CancelledError, OSError) as error:
                raise self.lost() from error
            except RuntimeError as error:
                if not str(error).startswith("Error during deserialization of the task graph"):
                    raise
                raise ClusterError(
                    "the Dask scheduler at {address} cannot read what to play ({why}): expected these "
                    "sources of durak there, with the same extras",
                    address=self._address,
                    why=_first_line(error.__cause__ or error),
                ) from error

    def look(self) -> None:
        """Raise `ClusterError` if the scheduler is lost or workers are missing for too long."""
        self._recount()
        if monotonic() - self._last_seen > _LOST_SECONDS:
            raise ClusterError(
                "the Dask cluster at {address} has had no workers for {seconds:.0f} s: expected "
                "one; start dask worker {address}",
                address=self._address,
                seconds=_LOST_SECONDS,
            )

    def abandon(self, calls: Sequence[Call]) -> None:
        """Cancel calls; running ones finish on their workers."""
        from distributed import CancelledError  # noqa: PLC0415 - as above

        with suppress(OSError, RuntimeError, CancelledError):  # without a scheduler nothing runs
            self._client.cancel(list(calls), force=True)

    def lost(self) -> ClusterError:
        return ClusterError(
            "the Dask scheduler at {address} was lost: expected it to stay; the same command goes on from "
            "here, a match or tournament with --resume",
            address=self._address,
        )

    def _recount(self) -> None:
        if self._client.status not in ("running", "connecting"):
            raise self.lost()
        scheduler: Any = self._client.scheduler
        try:
            threads = self._client.sync(scheduler.ncores, callback_timeout=_LOST_SECONDS)
        except OSError as error:
            raise self.lost() from error
        self._counted, self._count = monotonic(), sum(threads.values())
        if threads:
            self._last_seen = monotonic()

    def _get_ready(self, seconds: float) -> None:
        try:
            self._client.wait_for_workers(1, timeout=seconds)
        except TimeoutError:
            raise ClusterError(
                "the Dask cluster at {address} has no workers: expected one within {seconds:g} s; "
                "start dask worker {address}",
                address=self._address,
                seconds=seconds,
            ) from None
        answers = self._client.run(sources_digest, on_error="return")
        for worker, answer in sorted(answers.items()):
            if isinstance(answer, BaseException):
                raise ClusterError(
                    "the Dask worker {worker} cannot play ({why}): expected these sources of durak there",
                    worker=worker,
                    why=_first_line(answer),
                )
            if answer != self._digest:
                raise _other_sources(worker, answer, self._digest)


async def _knock(address: str, seconds: float) -> None:
    """Connect to the scheduler once, because a client retries and logs."""
    from distributed.comm.core import connect  # noqa: PLC0415 - as above

    async with asyncio.timeout(seconds):
        comm = await connect(address, timeout=seconds)
        comm.abort()


def _call_there(digest: str, function: Callable[..., Any], task: tuple[Any, ...]) -> Any:  # noqa: ANN401 - any result
    if sources_digest() != digest:
        from distributed import get_worker  # noqa: PLC0415 - as above

        raise _other_sources(get_worker().address, sources_digest(), digest)
    return function(*task)


def _other_sources(worker: str, found: str, expected: str) -> ClusterError:
    return ClusterError(
        "the Dask worker {worker} has other sources of durak ({found}): expected "
        "{expected}; install the same version there",
        worker=worker,
        found=found,
        expected=expected,
    )


def _first_line(error: BaseException) -> str:
    return next(iter(str(error).splitlines()), "") or type(error).__name__
