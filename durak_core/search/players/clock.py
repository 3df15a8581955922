"""A clock for what takes less than a microsecond; machine code has a twin of it."""

from __future__ import annotations

from time import perf_counter_ns


def ticks() -> int:
    """Return the time in a unit of the machine's; only differences mean something, and only as shares.

    Machine code reads the processor's counter, where there is one for all; elsewhere it is always 0.
    """
    return perf_counter_ns()
