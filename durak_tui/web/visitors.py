"""Who visits in the browser: a cookie that names a folder, in which a visitor's games and settings lie."""

from __future__ import annotations

import re
import secrets
from pathlib import Path
from typing import Final

from durak_tui.confinement import CONFINED
from durak_tui.storage.data_dirs import data_dir

COOKIE: Final = "durak-visitor"
_VISITOR: Final = re.compile(r"[0-9a-f]{32}")
_LANGUAGE: Final = re.compile(r"[a-z]{2}")


def visitor_of(cookie: str | None) -> str:
    """Return the visitor whom a cookie names, or a new one."""
    return cookie if cookie and _VISITOR.fullmatch(cookie) else secrets.token_hex(16)


def folder_of(visitor: str) -> Path:
    return data_dir() / "web" / visitor


def environment_of(visitor: str, languages: str = "") -> dict[str, str]:
    """Return what the environment tells a visitor's app; the first language of ``Accept-Language`` counts."""
    folder = folder_of(visitor)
    found = _LANGUAGE.match(languages.strip().lower())
    return {
        "DURAK_DATA_DIR": str(folder),
        "DURAK_CONFIG_DIR": str(folder / "config"),
        CONFINED: "1",
        "TEXTUAL_DRIVER": "durak_tui.web.driver:Driver",
        "PYTHONUTF8": "1",
        **({"LC_ALL": f"{found[0]}.UTF-8"} if found else {}),
    }
