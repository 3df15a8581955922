"""What the extras of the installation bring, and what is said where one is missing."""

from __future__ import annotations

from importlib.util import find_spec

from durak_core.errors import DurakError


class MissingExtraError(DurakError):
    """A library that not everybody needs is not installed."""


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
