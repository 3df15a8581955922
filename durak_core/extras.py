"""What the extras of the installation bring, and what is said where one is missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any

from durak_core.errors import DurakError


class MissingExtraError(DurakError):
    """A library that not everybody needs is not installed."""


def data_frame(rows: Sequence[Mapping[str, Any]]) -> Any:  # noqa: ANN401 - pandas need not be there
    """Return rows as a pandas data frame, a column for each name.

    Raises:
        MissingExtraError: If pandas is not installed.
    """
    require("A data frame", "export", "pandas")
    import pandas as pd  # noqa: PLC0415 - an extra, and slow to load

    return pd.DataFrame(rows)


def require(what: str, extra: str, *modules: str) -> None:
    """Check that libraries are installed, without importing them.

    ``what`` needs them, and begins a sentence; ``extra`` brings them.

    Raises:
        MissingExtraError: If one is not; the text says what to install.
    """
    missing = [module for module in modules if find_spec(module) is None]
    if missing:
        raise MissingExtraError(
            "{what} needs {missing}: python3 -m pip install 'durak[{extra}]'",
            what=what,
            missing=" and ".join(missing),
            extra=extra,
        )
