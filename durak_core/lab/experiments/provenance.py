"""Provenance of results: commit, versions and machine."""

from __future__ import annotations

import platform
import subprocess
from importlib import metadata
from pathlib import Path
from typing import Any, Final

from durak_core.lab.workers.pool import cores
from durak_core.version import version

_PACKAGE: Final = Path(__file__).resolve().parents[2]

_RESULTS: Final = ":(top,exclude)docs"
"""Git pathspec without the results, which do not affect play."""


def commit() -> str:
    """Return the commit, with a plus if files other than results changed, or ``unknown``."""
    try:
        _git("ls-files", "--error-unmatch", "errors.py")  # fails if another repository contains this folder
        changes = _git("status", "--porcelain", "--", ":/", _RESULTS)
        return _git("rev-parse", "--short", "HEAD") + ("+" if changes else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _git(*words: str) -> str:
    command = ["git", "-C", str(_PACKAGE), *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()  # noqa: S603


def processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.is_file():
        for line in info.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def machine() -> dict[str, Any]:
    return {"processor": processor(), "cores": cores(), "system": f"{platform.system()} {platform.machine()}"}


def versions() -> dict[str, str]:
    """Return the versions of Python, this program and its compiler; ``none`` if missing."""
    found = {"python": platform.python_version(), "durak": version()}
    for name in ("numba", "numpy"):
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "none"
    return found
