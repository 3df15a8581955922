"""Fails tests of the app in which a callback holds the event loop for long.

Only the processor time of the loop's own thread counts, for a busy machine makes everything take longer. It
grows on a busy or slow machine as well: so the limit grows with the time of a known piece of work, which is
measured after each stall.
"""

from __future__ import annotations

import asyncio
import os
import time
from asyncio.events import Handle
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import psutil
import pytest
from textual._context import active_app

from benchmarks.stalls import Stall, watching

LIMIT: Final = 0.1
"""Seconds of work that a callback may take."""
BUSY_LIMIT: Final = 0.2
"""The same while other processes, such as the other workers of a run, keep the processors busy."""
_BUSY: Final = 90
"""Percent of the processors' time from which a machine is busy."""
_KNOWN: Final = 0.002
"""Seconds of the known work on the idle machine that the limits are meant for."""
_TESTS: Final = str(Path(__file__).parents[1]) + os.sep


class Watchdog:
    """The stalls of one test."""

    def __init__(self) -> None:
        self.stalls: list[tuple[Stall, float]] = []  # with how many times slower the machine was

    @contextmanager
    def watching(self) -> Iterator[None]:
        with watching(LIMIT, self._found):
            yield

    def _found(self, handle: Handle, stall: Stall) -> None:
        if not (_is_the_tests_own(handle) or _is_a_crash(handle)):
            self.stalls.append((stall, _slowness()))

    def begin(self) -> None:
        """Forget what earlier tests did, and begin to measure how busy the machine is."""
        self.stalls.clear()
        psutil.cpu_percent()

    def check(self) -> None:
        """Fail if a callback was too long; what it finds is forgotten."""
        stalls, self.stalls = self.stalls, []
        if not stalls:
            return
        is_busy = psutil.cpu_percent() > _BUSY or "PYTEST_XDIST_WORKER" in os.environ
        limit = BUSY_LIMIT if is_busy else LIMIT
        told = [_words(stall) for stall, slowness in stalls if stall.work > limit * slowness]
        if told:
            head = f"{len(told)} callbacks of more than {limit * 1000:.0f} ms"
            pytest.fail("\n\n".join([head, *told]), pytrace=False)


def _words(stall: Stall) -> str:
    return (
        f"{stall.callback}\nheld the event loop by {stall.work * 1000:.0f} ms of work, "
        f"{stall.seconds * 1000:.0f} ms in all:\n{stall.stack or 'no stack was seen'}"
    )


def _is_the_tests_own(handle: Handle) -> bool:
    """Tell whether a callback is a step of a test, which may compute as long as it likes."""
    task = getattr(handle._callback, "__self__", None)
    code = getattr(task.get_coro(), "cr_code", None) if isinstance(task, asyncio.Task) else None
    return code is not None and code.co_filename.startswith(_TESTS)


def _is_a_crash(handle: Handle) -> bool:
    """Tell whether the callback's app has failed, so that Textual drew a report."""
    app = handle._context.get(active_app)
    return app is not None and app._exception is not None


def _slowness() -> float:
    """Return how many times longer than on the machine of the limits this thread takes now; at least 1."""
    begun = time.thread_time()
    for number in range(20_000):
        len(str(number))
    return max(1.0, (time.thread_time() - begun) / _KNOWN)


WATCHDOG: Final = Watchdog()
