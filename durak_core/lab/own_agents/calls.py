"""Calls of an agent's own code, which may fail in any way."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path, PurePath
from typing import Any, Final, TypeAlias

FAILURES: Final = (Exception, SystemExit)
"""Errors of an agent's own code. A script may call `sys.exit` when it is imported."""

Within: TypeAlias = Callable[[], AbstractContextManager[None]]
"""What an agent's own code runs in."""


def attribute_of(owner: object, name: str, default: Any = None) -> Any:  # noqa: ANN401 - any value
    """Return an attribute, or the default if there is none or the owner's own code fails."""
    try:
        return getattr(owner, name, default)
    except FAILURES:
        return default


def is_agent(entrant: object) -> bool:
    """Return whether an object is an agent, and no class or function that returns one."""
    return callable(attribute_of(entrant, "choose")) and not isinstance(entrant, type)


def said_of(value: object, way: Callable[[object], str] = repr) -> str:
    """Return an object as text, or the name of its class if its own code fails."""
    try:
        return way(value)
    except FAILURES:
        return type(value).__name__


def described(error: BaseException) -> str:
    """Return an error as text, with the last line of the agent's own code."""
    said, name = said_of(error, str), type(error).__name__
    text = name if said in {"", name} else f"{name}: {said}"
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if "importlib" not in frame.filename and Path(frame.filename).parent != Path(__file__).parent
    ]
    if not frames or isinstance(error, SyntaxError):
        return text
    return f"{text} ({PurePath(frames[-1].filename).name}, line {frames[-1].lineno})"
