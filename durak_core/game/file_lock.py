"""A file lock that the system releases when the process ends."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path


class FileLock:
    """A file locked by one process at a time; see `acquire`."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self._descriptor: int | None = descriptor

    @classmethod
    def acquire(cls, path: Path) -> FileLock | None:
        """Lock a file, creating it if needed; return None if it is locked already.

        `OSError` is raised if the file cannot be created, or its file system does not support locks.
        """
        while True:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
            try:
                _lock(descriptor)
            except OSError as error:
                os.close(descriptor)
                if isinstance(error, BlockingIOError | PermissionError):  # on POSIX and Windows
                    return None
                raise
            if _is_at(descriptor, path):
                return cls(path, descriptor)
            os.close(descriptor)  # its last holder removed it in between

    @property
    def is_held(self) -> bool:
        """Whether it still keeps others out: not after its release, or after someone deleted the file."""
        return self._descriptor is not None and _is_at(self._descriptor, self.path)

    def release(self) -> None:
        is_held = self.is_held
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            if is_held:  # otherwise the file may be another program's lock
                with contextlib.suppress(OSError):
                    self.path.unlink(missing_ok=True)
            os.close(descriptor)


@contextlib.contextmanager
def held(path: Path, is_waiting: Callable[[], bool], interval: float) -> Iterator[None]:
    """Context manager that holds a lock, or none if it stays taken or cannot be made.

    Args:
        path: The file to lock; its folder is created.
        is_waiting: Whether to try again to get the lock.
        interval: Time between two tries, in seconds.
    """
    lock = None
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        while is_waiting():
            lock = FileLock.acquire(path)
            if lock is not None:
                break
            time.sleep(interval)
    try:
        yield
    finally:
        if lock is not None:
            lock.release()


def _is_at(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except (FileNotFoundError, NotADirectoryError):
        return False


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
