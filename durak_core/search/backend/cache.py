"""Cache folders of compiled code: one for each state of the sources, filled by one process.

numba notices changes of a compiled function's file, but not of the functions it calls. The folder is
therefore named after a hash of all sources. ``DURAK_CACHE_DIR`` overrides the platform's cache folder.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Final

import durak_core.kernel
import durak_core.knowledge
import durak_core.search
from durak_core import statistics
from durak_core.game.file_lock import held
from durak_core.kernel.compiled import with_called

_PACKAGES: Final = (durak_core.kernel, durak_core.knowledge, durak_core.search)
"""Packages with functions that may be compiled."""

_KEPT_CACHES: Final = 3

_GLANCE: Final = 0.2
"""Polling interval of other processes, in seconds."""


def cache_folder(functions: Iterable[Callable[..., Any]]) -> Path:
    """Return the cache folder of some functions for the present sources; it need not exist."""
    import platformdirs  # noqa: PLC0415 - not needed at every start

    root = os.environ.get("DURAK_CACHE_DIR") or platformdirs.user_cache_dir("durak")
    return Path(root) / "machine-code" / source_digest(functions)


def source_digest(functions: Iterable[Callable[..., Any]]) -> str:
    """Return a hash of the functions' sources, the numba and Python versions, and the processor."""
    import importlib.metadata  # noqa: PLC0415 - slow to import

    digest = hashlib.sha256()
    for name, text in sorted((source.name, source.read_bytes()) for source in sources_of(functions)):
        digest.update(name.encode() + text)
    for version in (
        importlib.metadata.version("numba"),
        sys.version,
        platform.platform(),
        platform.processor(),
    ):
        digest.update(version.encode())
    return digest.hexdigest()[:20]


def sources_of(functions: Iterable[Callable[..., Any]]) -> set[Path]:
    """Return all sources of kernel, knowledge and search, and of other functions that are called."""
    packages = [Path(package.__path__[0]) for package in _PACKAGES]
    called = {Path(function.__code__.co_filename) for function in with_called(functions)}
    return {Path(statistics.__file__), *called}.union(*[package.rglob("*.py") for package in packages])


def ready_mark(folder: Path, group: str) -> Path:
    """Return the file that marks a group's compiled code as complete."""
    return folder / f"{group}.ready"


def in_turn(lock_file: Path, ready: Path) -> AbstractContextManager[None]:
    """Return a context manager that holds a lock, after waiting until it is free or ``ready`` exists."""
    return held(lock_file, lambda: not ready.exists(), _GLANCE)


def is_usable(folder: Path) -> bool:
    """Return whether a folder, which is created and touched, is writable."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
        os.utime(folder)
    except OSError:
        return False
    return True


def remove_old_caches(current: Path) -> None:
    """Remove the caches of earlier sources, except the latest few."""
    try:
        folders = sorted(current.parent.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
    except OSError:
        return
    for folder in [path for path in folders if path != current][_KEPT_CACHES - 1 :]:
        shutil.rmtree(folder, ignore_errors=True)
