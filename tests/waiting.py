"""The one place where tests wait: for something to be the case, never for time to pass, and within one bound.

The bound is for a machine that has much else to do. Only what never comes takes so long.
"""

from __future__ import annotations

import asyncio
import os
import select
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TypeVar

import psutil

T = TypeVar("T")

PATIENCE: Final = 600.0
_BETWEEN_LOOKS: Final = 0.001
_CLOCK: Final = threading.Event()
"""Never set: who waits for it lets a moment pass."""


def _nothing() -> str:
    return ""


class _Looks:
    """The looks at a condition, which end with an error where it never holds."""

    def __init__(self, shown: Callable[[], object]) -> None:
        self._shown = shown
        self._end = time.monotonic() + PATIENCE

    def go_on(self) -> None:
        _end_with_the_app()
        assert time.monotonic() < self._end, f"waited in vain {self._shown()}"


def _end_with_the_app() -> None:
    """Raise what an app has failed with that runs in this test: nothing will come of it any more."""
    textual = sys.modules.get("textual._context")
    app = textual.active_app.get(None) if textual else None
    if app is not None and app._exception is not None:
        raise app._exception


async def until(condition: Callable[[], T], shown: Callable[[], object] = _nothing) -> T:
    """Wait until something is the case, and return it; ``shown`` says what was there instead."""
    looks = _Looks(shown)
    while not (found := condition()):
        looks.go_on()
        await asyncio.sleep(_BETWEEN_LOOKS)
    return found


def wait_until(condition: Callable[[], T], shown: Callable[[], object] = _nothing) -> T:
    """Wait without an event loop until something is the case, and return it."""
    looks = _Looks(shown)
    while not (found := condition()):
        looks.go_on()
        let_pass(_BETWEEN_LOOKS)
    return found


def let_pass(seconds: float) -> None:
    """Wait for nothing, where a moment itself is what is tried."""
    _CLOCK.wait(seconds)


async def a_while() -> None:
    """Wait for nothing, where something must not happen: a busy machine may overlook it, but never fails."""
    for _ in range(20):
        await asyncio.sleep(_BETWEEN_LOOKS)


# Processes


@contextmanager
def running(command: list[Any], **settings: Any) -> Iterator[subprocess.Popen[Any]]:
    """Start a process, which does not outlive the block."""
    with subprocess.Popen(command, **settings) as process:
        try:
            yield process
        finally:
            process.kill()


def wait_for_end(process: subprocess.Popen[Any]) -> int:
    """Wait for the end of a process whose output nobody waits for, and return its exit code."""
    return process.wait(PATIENCE)


def wait_for_rest(process: subprocess.Popen[Any]) -> tuple[Any, Any]:
    """Wait for the end of a process, and return what else it wrote on both of its outputs."""
    return process.communicate(timeout=PATIENCE)


def wait_for_session(leader: int) -> None:
    """Wait until no process of a session is left."""
    wait_until(lambda: not _session(leader), lambda: f"for the end of processes {_session(leader)}")


def _session(leader: int) -> list[int]:
    return [one.pid for one in psutil.process_iter() if _leader(one.pid) == leader]


def _leader(pid: int) -> int:
    try:
        return os.getsid(pid)
    except ProcessLookupError:
        return 0


# What is written


def read_until(descriptor: int, text: str) -> str:
    """Read from a pipe or a terminal until a text has come; return all that was read."""
    seen = b""
    while text.encode() not in seen:
        ready, _, _ = select.select([descriptor], [], [], PATIENCE)
        assert ready, f"waited in vain for {text!r} after {seen.decode()!r}"
        piece = os.read(descriptor, 4096)
        assert piece, f"it ended without {text!r}: {seen.decode()!r}"
        seen += piece
    return seen.decode()


def wait_for_lines(path: Path, number: int = 1) -> None:
    """Wait until a file is there and has so many lines."""
    wait_until(lambda: path.exists() and path.read_bytes().count(b"\n") >= number)
