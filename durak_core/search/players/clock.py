"""A clock for durations below a microsecond, with a compiled twin."""

from __future__ import annotations

from time import perf_counter_ns


def ticks() -> int:
    """Return the time in a machine-dependent unit; only ratios of differences are meaningful.

    Compiled code reads the processor's shared counter, or returns 0 if there is none.
    """
    return perf_counter_ns()
