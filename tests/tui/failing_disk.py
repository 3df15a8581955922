"""A disk that fails for a while: every n-th of the calls that write to it, with an error of the system's."""

import os
import stat
from pathlib import Path

import pytest


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
        self._put(monkeypatch, Path, "mkdir")
        self._put(monkeypatch, Path, "replace")
        self._put(monkeypatch, Path, "open", lambda _path, mode="r", *_rest, **_more: mode == "xb")
        self._put(monkeypatch, os, "fsync", lambda file: stat.S_ISREG(os.fstat(file).st_mode))

    def _put(self, monkeypatch, owner, name, writes=lambda *_arguments, **_more: True):
        real = (
            getattr(owner, name) if owner is Path else int
        )  # nothing is forced to the disk: that takes long

        def call(*arguments, **more):
            if self.fails and writes(*arguments, **more):
                self._calls += 1
                if self._calls % self._nth == 0:
                    self.refused += 1
                    raise OSError(self._number, os.strerror(self._number))
            return real(*arguments, **more)

        monkeypatch.setattr(owner, name, call)
