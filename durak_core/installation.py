"""The installed version, where it came from, and the optional dependencies."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from durak_core.errors import DurakError

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


class MissingExtraError(DurakError):
    """An optional library is not installed."""


def data_frame(rows: Sequence[Mapping[str, Any]]) -> Any:  # noqa: ANN401 - pandas is optional
    """Return a pandas data frame of the rows; raise `MissingExtraError` without pandas."""
    require("A data frame", "export", "pandas")
    import pandas as pd  # noqa: PLC0415 - optional, and slow to import

    return pd.DataFrame(rows)


def require(what: str, extra: str, *modules: str) -> None:
    """Raise `MissingExtraError` if a library is missing, without importing any.

    The error's sentence has the feature ``what`` as its subject and names the ``extra`` to install.
    """
    missing = [module for module in modules if find_spec(module) is None]
    if missing:
        raise MissingExtraError(
            "{what} needs {missing}; {advice}",
            what=what,
            missing=" and ".join(missing),
            advice=install_advice(extra),
        )


def install_advice(extra: str) -> str:
    """Return how to install an extra, as the end of a sentence."""
    place = "" if is_from_index() else "in a checkout of Durak "
    return f"{place}run {install_command(extra)}"
