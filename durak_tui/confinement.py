"""What a visitor in the browser may not do: neither the machine nor its files are theirs."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path
from typing import Final

CONFINED: Final = "DURAK_CONFINED"
"""The environment variable that, if not empty, confines the app's user."""

_LIMITS: Final = {"AS": 2 << 30, "FSIZE": 64 << 20, "NOFILE": 256, "CORE": 0}
"""Bytes of address space and of a file, open files, and bytes of a core dump, of each process.

An engine that searches with a network needs 0.7 GB of addresses, and the app less.
"""
_FIRST_TO_GO: Final = "500"
"""What Linux adds to the badness of a process when memory runs out: visitors go before the server."""

CAN_LIMIT: Final = sys.platform not in {"win32", "darwin"}
"""Whether the system holds a limit of memory."""


def is_confined() -> bool:
    """Tell whether the person gets files of their own folder only, and a share of the machine."""
    return bool(os.environ.get(CONFINED))


def confine() -> None:
    """Limit this process, and the engines that it will start; a stricter limit that holds already stays."""
    try:
        import resource  # noqa: PLC0415 - there is none on Windows
    except ModuleNotFoundError:
        return
    for name, most in _LIMITS.items():
        kind = getattr(resource, f"RLIMIT_{name}")
        _, hard = resource.getrlimit(kind)
        limit = most if hard == resource.RLIM_INFINITY else min(most, hard)
        with contextlib.suppress(OSError, ValueError):  # macOS has limits that cannot be set
            resource.setrlimit(kind, (limit, limit))
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(_FIRST_TO_GO, encoding="ascii")
