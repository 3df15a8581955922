"""Visitors in the browser: a cookie names the folder with a visitor's games, a header the language."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
from functools import cache
from pathlib import Path
from typing import Final

from durak_tui.sandbox import CONFINED, TABLES, VISITOR_COOKIE
from durak_tui.storage.paths import data_dir
from durak_tui.text.i18n import LANGUAGES, Speaker

COOKIE: Final = VISITOR_COOKIE
_VISITOR: Final = re.compile(r"[0-9a-f]{32}")
_PAGE_NAME: Final = re.compile(r"[0-9a-z]{1,32}")
_LANGUAGE: Final = re.compile(r"([a-z]{2})(?:-[a-z0-9-]*)?(?: *; *q=(0(?:\.[0-9]{1,3})?|1(?:\.0{1,3})?))?")

MOST_BYTES: Final = 100 << 20
"""Maximum bytes of a visitor's folder. A library for import or export may be large."""
MOST_FILES: Final = 2000
MOST_FOLDERS: Final = 10_000

_FEW_THREADS: Final = {"OPENBLAS_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2"}
"""Limits on library threads, which otherwise count per processor towards the memory limit."""


def visitor_of(cookie: str | None) -> str:
    """Return a cookie's visitor, or a new one."""
    return cookie if cookie and _VISITOR.fullmatch(cookie) else secrets.token_hex(16)


def page_of(name: str | None) -> str:
    """Return the name that a page has given itself; empty if it is invalid."""
    return name if name and _PAGE_NAME.fullmatch(name) else ""


def folder_of(visitor: str) -> Path:
    return data_dir() / "web" / visitor


def is_full(visitor: str) -> bool:
    """Return whether a visitor's folder exceeds its limit, or cannot be created."""
    folder = folder_of(visitor)
    if not folder.exists():
        return sum(1 for _ in folder.parent.glob("*")) >= MOST_FOLDERS
    size = count = 0
    for path, _, names in os.walk(folder):
        count += len(names)
        with contextlib.suppress(OSError):  # a file deleted meanwhile
            size += sum(Path(path, name).lstat().st_size for name in names)
        if size > MOST_BYTES or count > MOST_FILES:
            return True
    return False


def accepted_language(languages: str) -> str:
    """Return the preferred language of the app by ``Accept-Language``; empty if the header has none."""
    found = [one for part in languages.lower().split(",") if (one := _LANGUAGE.fullmatch(part.strip()))]
    known = [one for one in found if one[1] in LANGUAGES]
    if not known:
        return "en" if found else ""
    return max(known, key=lambda one: float(one[2] or 1))[1]


@cache
def _speaker(code: str) -> Speaker:
    speaker = Speaker()
    speaker.set_language(code)
    return speaker


def speaker_of(languages: str) -> Speaker:
    """Return a speaker of the visitor's language; English if the app does not have it."""
    return _speaker(accepted_language(languages) or "en")


def environment_of(
    visitor: str, size: tuple[int, int] = (80, 24), languages: str = "", tables: str = ""
) -> dict[str, str]:
    """Return the environment of a visitor's app.

    Args:
        visitor: The visitor.
        size: Columns and rows of the terminal.
        languages: The value of ``Accept-Language``.
        tables: The address of the server whose tables the app may join.
    """
    folder = folder_of(visitor)
    language = accepted_language(languages)
    width, height = size
    return {
        "DURAK_DATA_DIR": str(folder),
        "DURAK_CONFIG_DIR": str(folder / "config"),
        CONFINED: "1",
        TABLES: tables,
        "TEXTUAL_DRIVER": "durak_tui.web.driver:Driver",
        "TEXTUAL_COLOR_SYSTEM": "truecolor",
        "COLUMNS": str(width),
        "ROWS": str(height),
        "PYTHONUTF8": "1",
        **_FEW_THREADS,
        **({"LC_ALL": f"{language}.UTF-8"} if language else {}),
    }
