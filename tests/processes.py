"""What tests ask about processes."""

from __future__ import annotations

import os
import time

import psutil


def wait_for_session(leader: int, seconds: float = 10.0) -> None:
    """Wait until no process of a session is left; fail if one stays."""
    deadline = time.monotonic() + seconds
    while left := [one.pid for one in psutil.process_iter() if _session(one.pid) == leader]:
        assert time.monotonic() < deadline, f"processes were left behind: {left}"
        time.sleep(0.02)


def _session(pid: int) -> int:
    try:
        return os.getsid(pid)
    except ProcessLookupError:
        return 0
