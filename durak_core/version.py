"""The version of the package."""

from __future__ import annotations

import tomllib
from importlib import metadata
from pathlib import Path


def version() -> str:
    """Return the installed version; in a checkout, the version of pyproject.toml."""
    try:
        return metadata.version("durak")
    except metadata.PackageNotFoundError:
        project = Path(__file__).resolve().parents[1] / "pyproject.toml"
        if not project.is_file():
            return "of unknown version"
        return str(tomllib.loads(project.read_text(encoding="utf-8"))["project"]["version"])
