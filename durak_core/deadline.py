"""Deadlines by wall or CPU time, and the size of the next search step."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Final

_FIRST: Final = 1 / 16
"""The first step, as a share of a usual step; it measures the speed."""

_LEAST: Final = 1 / 64
"""The smallest step, as a share of a usual step."""

LEAST_ITERATIONS: Final = 20
"""Iterations that every search runs, even after its deadline."""


class Deadline:
    """A deadline in seconds from now.

    The default clock is wall time. Matches count CPU time (`time.thread_time`), so that load on the machine
    does not weaken an agent.
    """

    def __init__(self, seconds: float = math.inf, clock: Callable[[], float] = perf_counter) -> None:
        self._clock = clock
        self._began = clock()
        self._seconds = seconds

    @property
    def is_set(self) -> bool:
        """Whether there is a limit at all."""
        return self._seconds < math.inf

    @property
    def spent(self) -> float:
        return self._clock() - self._began

    @property
    def left(self) -> float:
        return self._seconds - self.spent

    @property
    def is_over(self) -> bool:
        return self.left <= 0

    def part(self, share: float) -> Deadline:
        """Return a deadline after this share of the remaining time."""
        return Deadline(self.left * share, self._clock)

    def slices(self) -> Iterator[float]:
        """Yield the size of the next step as a share of a usual step, 0 to 1, until the time is nearly up.

        The first step is small and measures the speed. Each later step takes at most half of the remaining
        time, so the last one is short even on a loaded machine.
        """
        if not self.is_set:
            while True:
                yield 1.0
        began = self.spent
        done = 0.0
        share = _FIRST
        while share >= _LEAST and not self.is_over:
            yield share
            done += share
            a_step = max(self.spent - began, 1e-6) / done
            share = min(1.0, self.left / 2 / a_step)


NEVER: Final = Deadline()
