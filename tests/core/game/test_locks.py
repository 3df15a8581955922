"""Locks on files."""

from __future__ import annotations

import errno

import pytest

from durak_core import files
from durak_core.files import FileLock


def test_a_file_is_locked_once(tmp_path) -> None:
    """The second one is refused until the first one lets go, which removes the file, and once only."""
    path = tmp_path / "a.lock"
    lock = FileLock.acquire(path)
    assert lock is not None
    assert FileLock.acquire(path) is None
    lock.release()
    assert not path.exists()
    again = FileLock.acquire(path)
    lock.release()
    assert again is not None
    assert path.exists()
    again.release()


def test_a_lock_is_on_the_file_that_stands_there(tmp_path, monkeypatch) -> None:
    """Where the last holder removes the file between our opening and our locking it, we lock the next one."""
    path = tmp_path / "a.lock"
    locked = files._lock
    opened = []

    def lock_late(descriptor: int) -> None:
        if not opened:
            path.unlink()
        opened.append(descriptor)
        locked(descriptor)

    monkeypatch.setattr(files, "_lock", lock_late)
    lock = FileLock.acquire(path)
    assert lock is not None
    assert len(opened) == 2
    assert FileLock.acquire(path) is None
    lock.release()


def test_a_lock_whose_file_was_deleted_is_lost_and_leaves_the_next_one_alone(tmp_path) -> None:
    """Its holder can see that it no longer keeps others out, and does not remove their lock."""
    path = tmp_path / "a.lock"
    lock = FileLock.acquire(path)
    assert lock is not None
    assert lock.is_held
    path.unlink()
    assert not lock.is_held
    other = FileLock.acquire(path)
    assert other is not None
    assert not lock.is_held
    lock.release()
    assert other.is_held
    assert FileLock.acquire(path) is None
    other.release()


def test_a_file_system_without_locks_is_no_other_program(tmp_path, monkeypatch) -> None:
    """Whoever asks is told what is wrong, instead of waiting for somebody who is not there."""

    def refuse(_descriptor: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(files, "_lock", refuse)
    with pytest.raises(OSError, match="No locks available"):
        FileLock.acquire(tmp_path / "a.lock")
