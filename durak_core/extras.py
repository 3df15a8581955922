"""Optional dependencies, and the error for a missing one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any

from durak_core.errors import DurakError
from durak_core.version import install_command, is_from_index


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
