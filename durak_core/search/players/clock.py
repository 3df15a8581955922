"""A clock for durations below a microsecond, with a compiled twin."""

from __future__ import annotations

from time import perf_counter_ns


def ticks() -> int:
    """Return the time in machine-dependent units, for ratios; 0 if compiled without a shared counter."""
    return perf_counter_ns()
