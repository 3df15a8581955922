"""Workers of an existing Dask cluster (https://distributed.dask.org).

Every worker must run the same package sources, checked at the start and with each call. Dask reassigns the
calls of a lost worker.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from pathlib import Path
from pickle import PicklingError
from time import monotonic
from typing import Any, Final, Self

import durak_core
from durak_core.errors import ClusterError, DurakError
from durak_core.extras import require
from durak_core.interrupts import uninterrupted
from durak_core.lab.workers.pool import Call, not_sendable

_ANSWER_SECONDS: Final = 8.0
"""Timeout of the scheduler."""

_WORKER_SECONDS: Final = 10.0
"""Timeout for the first worker."""

_LOST_SECONDS: Final = 60.0
"""Timeout for lost workers to return."""

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
            call: Call = self._client.submit(_call_there, self._digest, function, task, pure=False)
        except (TypeError, PicklingError) as error:
            raise not_sendable(error) from error
        return call

    def result(self, call: Any) -> Any:  # noqa: ANN401 - a future of distributed
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

    def abandon(self, calls: Sequence[Any]) -> None:
        """Cancel calls; running ones finish on their workers."""
        from distributed import CancelledError  # noqa: PLC0415 - as above

        with suppress(OSError, CancelledError):  # without a scheduler nothing runs
            self._client.cancel(list(calls), force=True)

    def lost(self) -> ClusterError:
        return ClusterError(
            "the Dask scheduler at {address} was lost: expected it to stay; with --resume the "
            "same command goes on from here",
            address=self._address,
        )

    def _recount(self) -> None:
        if self._client.status not in ("running", "connecting"):
            raise self.lost()
        try:
            threads = self._client.nthreads()
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
