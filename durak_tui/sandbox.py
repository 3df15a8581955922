"""Limits for the app of a visitor in the browser: own folder only, and a share of the machine."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from pathlib import Path
from typing import Final

CONFINED: Final = "DURAK_CONFINED"
"""The environment variable that confines the app if not empty."""
TABLES: Final = "DURAK_TABLES"
"""The environment variable with the server of a visitor's tables, the only one that the app connects to."""
VISITOR_COOKIE: Final = "durak-visitor"
"""The cookie that names a visitor and the visitor's data folder."""
PAGE: Final = "DURAK_PAGE"
"""The environment variable with the address of a visitor's page, as the browser shows it."""
TOUCH: Final = "DURAK_TOUCH"
"""The environment variable that is not empty if a visitor's page is on a touch screen."""

_PAGE: Final = re.compile(r"https?://([\w.-]+|\[[0-9a-fA-F:.]+\])(:\d{1,5})?")

_LIMITS: Final = {"AS": 2 << 30, "FSIZE": 64 << 20, "NOFILE": 256, "CORE": 0}
"""Per process: bytes of address space, bytes of a file, open files, and bytes of a core dump.

An engine that searches with a network needs 0.7 GB of address space, the app less.
"""
_FIRST_TO_GO: Final = "500"
"""The process's OOM score adjustment on Linux: visitors are killed before the server."""

CAN_LIMIT: Final = sys.platform not in {"win32", "darwin"}
"""Whether the system enforces a memory limit."""


def is_confined() -> bool:
    """Return whether this process serves a visitor in the browser."""
    return bool(os.environ.get(CONFINED))


def has_touch_screen() -> bool:
    """Return whether this process serves a visitor with a touch screen."""
    return is_confined() and bool(os.environ.get(TOUCH))


def page_server() -> str:
    """Return the server of a visitor's page as others reach it, with a slash; empty if it is unknown."""
    page = os.environ.get(PAGE, "")
    return f"{page}/" if is_confined() and _PAGE.fullmatch(page) else ""


def confine() -> None:
    """Limit this process and the engines it starts. Stricter existing limits stay."""
    try:
        import resource  # noqa: PLC0415 - there is none on Windows
    except ModuleNotFoundError:
        return
    for name, most in _LIMITS.items():
        kind = getattr(resource, f"RLIMIT_{name}")
        _, hard = resource.getrlimit(kind)
        limit = most if hard == resource.RLIM_INFINITY else min(most, hard)
        with contextlib.suppress(OSError, ValueError):  # macOS has limits that cannot be set
            resource.setrlimit(kind, (limit, limit))
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(_FIRST_TO_GO, encoding="ascii")
