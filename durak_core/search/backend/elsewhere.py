"""Machine code that another process makes, one for all, whether this one waits or goes on without."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from durak_core.game.locks import FileLock

COMMAND: Final = (sys.executable, "-m", "durak_core.cli", "warm-up", "--beside")
"""What compiles the group that is named after it, and ends when its standard input does."""

OTHERS_DO: Final = 3
"""Its exit code when another process is compiling already."""

_GLANCE: Final = 0.2
"""Seconds between two looks at what another process does."""


def ready_mark(folder: Path, group: str) -> Path:
    """Return the file that stands in the folder of machine code when that of a group is complete."""
    return folder / f"{group}.ready"


def compiling_lock(folder: Path) -> FileLock | None:
    """Return the lock that who compiles holds, or None while another process does.

    Raises:
        OSError: If nothing can be written there.
    """
    folder.mkdir(parents=True, exist_ok=True)
    return FileLock.acquire(folder / "compiling.lock")


@contextlib.contextmanager
def in_turn(folder: Path, group: str) -> Iterator[None]:
    """Wait while another process compiles a group, whose machine code need only be loaded then."""
    lock = None
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        while not ready_mark(folder, group).exists():
            lock = FileLock.acquire(folder / f"{group}.lock")
            if lock is not None:
                break
            time.sleep(_GLANCE)
    try:
        yield
    finally:
        if lock is not None:
            lock.release()


def compile_elsewhere(folder: Path, group: str) -> bool:
    """Wait until a group's machine code lies in a folder, and tell whether it does in the end.

    Where nobody compiles, a process is started that gives way to all others and ends with this one.
    """
    ready = ready_mark(folder, group)
    with contextlib.suppress(OSError):
        while not ready.exists():
            lock = compiling_lock(folder)
            if lock is not None:
                lock.release()
                if _compile(group) != OTHERS_DO:
                    break
            time.sleep(_GLANCE)
    return ready.exists()


def _compile(group: str) -> int:
    nothing = subprocess.DEVNULL
    command = [*COMMAND, group]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=nothing, stderr=nothing) as compiler:  # noqa: S603 - ours
        return compiler.wait()
