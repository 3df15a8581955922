"""What the extra ``learn`` brings, and what is said where it is missing."""

from __future__ import annotations

from importlib.util import find_spec

from durak_core.errors import DurakError


class MissingExtraError(DurakError):
    """A library that only learning needs is not installed."""


def require(*modules: str) -> None:
    """Check that libraries are installed, without importing them.

    Raises:
        MissingExtraError: If one is not; the text says what to install.
    """
    missing = [module for module in modules if find_spec(module) is None]
    if missing:
        raise MissingExtraError(
            "{missing} cannot be found: learning needs the extra, pip install 'durak[learn]'",
            missing=" and ".join(missing),
        )
