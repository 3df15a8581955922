"""A real disk that is full for a while."""

import contextlib
import threading
from pathlib import Path


class _Filling(threading.Thread):
    """Takes all the room of a disk, and what programs give back, until it is stopped."""

    def __init__(self, disk: Path) -> None:
        super().__init__(daemon=True)
        self._file = (disk / "filling").open("xb", buffering=0)
        self._is_over = threading.Event()
        self._take()

    def _take(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                self._file.write(bytes(4096))

    def run(self) -> None:
        while not self._is_over.wait(0.001):
            self._take()

    def stop(self) -> None:
        self._is_over.set()
        self.join()
        self._file.close()


_fillings: dict[Path, _Filling] = {}


def fill(disk: Path) -> None:
    """Leave no room on a small disk, also where a program deletes a file later."""
    _fillings[disk] = _Filling(disk)
    _fillings[disk].start()


def empty(disk: Path) -> None:
    """Undo `fill`, if there was one."""
    if disk in _fillings:
        _fillings.pop(disk).stop()
        (disk / "filling").unlink()
