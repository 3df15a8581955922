"""When time is up, by which clock, and how much of a search fits in before."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Final

_FIRST: Final = 1 / 16
"""The share of a usual step that shows how long one takes."""

_LEAST: Final = 1 / 64
"""The smallest share of a usual step that is worth beginning."""

LEAST_ITERATIONS: Final = 20
"""Iterations that every search does, however late it is: the fewest that are better than a guess."""


class Deadline:
    """So many seconds from now, by a clock.

    People wait by the wall clock, which is the usual one. What is measured counts processor time
    (`time.thread_time`), so that a busy machine weakens nobody.
    """

    def __init__(self, seconds: float = math.inf, clock: Callable[[], float] = perf_counter) -> None:
        self._clock = clock
        self._began = clock()
        self._seconds = seconds

    @property
    def is_set(self) -> bool:
        """Whether it ever comes."""
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
        """Return a deadline when this share of what is left is spent."""
        return Deadline(self.left * share, self._clock)

    def slices(self) -> Iterator[float]:
        """Yield the share of a usual step to do next, 0 to 1, until time is up, or all but.

        The first one is small and shows how long a step takes here and now; each of the others takes up half
        of the time that is left at most. So the last is short, even where others use the processors, too.
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
"""No deadline at all."""
