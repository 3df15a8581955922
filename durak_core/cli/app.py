"""The app, for the few commands that need it."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

from durak_core.cli.root import Failure

_APP: Final = "durak_tui"
"""The app's package. The library imports it by name and only here, as a shell starts another program."""


def app_module(name: str, command: str) -> Any:  # noqa: ANN401 - the library knows nothing of the app
    """Return a module of the app; raise `Failure` if the app or Textual is not installed."""
    try:
        return import_module(f"{_APP}.{name}")
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in {_APP, "textual"}:
            raise
        raise Failure(f"{command} needs the app durak-tui, which is not installed") from None
