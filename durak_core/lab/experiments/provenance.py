"""Where figures come from: the program's commit, the versions it ran with, the machine."""

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
"""What measuring itself writes, for git: no result hangs on it."""


def commit() -> str:
    """Return the program's commit, with a plus if files other than results have changed, or ``unknown``."""
    try:
        _git("ls-files", "--error-unmatch", "errors.py")  # else this is a folder in somebody else's checkout
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
    """Return the versions of Python, this program and what compiles it; ``none`` where it is missing."""
    found = {"python": platform.python_version(), "durak": version()}
    for name in ("numba", "numpy"):
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "none"
    return found
