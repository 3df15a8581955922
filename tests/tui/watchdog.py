"""Fails tests of the app in which a callback holds the event loop for long.

Only the processor time of the loop's own thread counts, for a busy machine makes everything take longer. It
grows on a busy machine as well, but by less.
"""

from __future__ import annotations

import asyncio
import os
from asyncio.events import Handle
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import psutil
import pytest

from benchmarks.stalls import Stall, watching

LIMIT: Final = 0.1
"""Seconds of work that a callback may take."""
BUSY_LIMIT: Final = 0.2
"""The same while other processes, such as the other workers of a run, keep the processors busy."""
_BUSY: Final = 90
"""Percent of the processors' time from which a machine is busy."""
_TESTS: Final = str(Path(__file__).parents[1]) + os.sep


class Watchdog:
    """The stalls of one test."""

    def __init__(self) -> None:
        self.stalls: list[Stall] = []

    @contextmanager
    def watching(self) -> Iterator[None]:
        with watching(LIMIT, self._found):
            yield

    def _found(self, handle: Handle, stall: Stall) -> None:
        if not _is_the_tests_own(handle):
            self.stalls.append(stall)

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
        told = [_words(stall) for stall in stalls if stall.work > limit]
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


WATCHDOG: Final = Watchdog()
