"""Disks that fail for a while: one whose calls are refused, and an SQLite that is."""

import os
import sqlite3
import stat
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from durak_tui.storage.database import Database


def _others() -> Callable[[], bool]:
    """Return a test of whether the calling thread is left over from an earlier test."""
    earlier = set(threading.enumerate()) - {threading.current_thread()}
    return lambda: threading.current_thread() in earlier


class FailingDisk:
    """Counts the calls with which files come to the disk; while it `fails`, every n-th is refused.

    Args:
        monkeypatch: Puts this disk in the place of the real one until the end of the test.
        number: Of the error, as in `errno`.
        nth: Which calls are refused: 1 for all.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch, number: int, nth: int = 1) -> None:
        self.fails = True
        self.refused = 0
        self._number = number
        self._nth = nth
        self._calls = 0
        self._is_other = _others()
        self._put(monkeypatch, Path, "mkdir")
        self._put(monkeypatch, Path, "replace")
        self._put(monkeypatch, Path, "open", lambda _path, mode="r", *_rest, **_more: mode == "xb")
        self._put(monkeypatch, os, "fsync", lambda file: stat.S_ISREG(os.fstat(file).st_mode))

    def _put(self, monkeypatch, owner, name, writes=lambda *_arguments, **_more: True):
        real = (
            getattr(owner, name) if owner is Path else int
        )  # nothing is forced to the disk: that takes long

        def call(*arguments, **more):
            if self.fails and not self._is_other() and writes(*arguments, **more):
                self._calls += 1
                if self._calls % self._nth == 0:
                    self.refused += 1
                    raise OSError(self._number, os.strerror(self._number))
            return real(*arguments, **more)

        monkeypatch.setattr(owner, name, call)


class FailingDatabases:
    """Counts what is written to databases, and refuses the n-th statement with an error of SQLite's."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, code: int, nth: int) -> None:
        self._code = code
        self._left = nth
        self._is_other = _others()
        real = sqlite3.connect
        factory = type("Failing", (_Counted,), {"count": self._count})
        monkeypatch.setattr(
            sqlite3, "connect", lambda *args, **more: real(*args, **more | {"factory": factory})
        )

    @property
    def has_refused(self) -> bool:
        return self._left <= 0

    def _count(self, statement: str) -> None:
        writes = statement.startswith(("BEGIN", "INSERT", "UPDATE", "COMMIT"))
        if writes and not self._is_other():
            self._left -= 1
            if not self._left:
                error = sqlite3.OperationalError("refused")
                error.sqlite_errorcode = self._code
                raise error


class _Counted(Database):
    count: Callable[[str], None]

    def execute(self, statement, *rest):
        self.count(statement)
        return super().execute(statement, *rest)

    def executemany(self, statement, *rest):
        self.count(statement)
        return super().executemany(statement, *rest)
