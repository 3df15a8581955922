"""The version of the package, and where it was installed from."""

from __future__ import annotations

import tomllib
from importlib import metadata
from pathlib import Path
from typing import Final

_DISTRIBUTION: Final = "durak-tui"


def version() -> str:
    """Return the installed version; in a checkout, the version of pyproject.toml."""
    try:
        return metadata.version(_DISTRIBUTION)
    except metadata.PackageNotFoundError:
        project = Path(__file__).resolve().parents[1] / "pyproject.toml"
        if not project.is_file():
            return "of unknown version"
        return str(tomllib.loads(project.read_text(encoding="utf-8"))["project"]["version"])


def install_command(extra: str) -> str:
    """Return the command that installs an extra: from a checkout, or from where the package came from."""
    return f"python3 -m pip install '{_DISTRIBUTION if is_from_index() else '.'}[{extra}]'"


def is_from_index() -> bool:
    """Return whether the package was installed by its name, not from a folder or a file."""
    try:
        return metadata.distribution(_DISTRIBUTION).read_text("direct_url.json") is None
    except metadata.PackageNotFoundError:
        return False
