"""The app's folders. Damaged files are renamed, never deleted."""

from __future__ import annotations

import os
from itertools import count
from pathlib import Path
from typing import Final

_APP: Final = "durak"


def data_dir() -> Path:
    """Return the games' folder: ``DURAK_DATA_DIR``, or the platform's user data folder."""
    named = os.environ.get("DURAK_DATA_DIR")
    if named:
        return Path(named)
    from platformdirs import user_data_path  # noqa: PLC0415 - the command line's help needs no folders

    return user_data_path(_APP, appauthor=False)


def config_dir() -> Path:
    """Return the settings' folder: ``DURAK_CONFIG_DIR``, or the platform's user configuration folder."""
    named = os.environ.get("DURAK_CONFIG_DIR")
    if named:
        return Path(named)
    from platformdirs import user_config_path  # noqa: PLC0415 - as above

    return user_config_path(_APP, appauthor=False)


def keep_aside(path: Path) -> Path:
    """Rename a damaged file to the first free ``name.damaged-N``; return the new path."""
    for number in count(1):
        aside = path.with_name(f"{path.name}.damaged-{number}")
        try:
            # A hard link fails if the name exists, so programs never overwrite each other's files.
            os.link(path, aside)
        except FileExistsError:
            continue
        except OSError:  # the file system has no hard links
            if not aside.exists():
                return path.rename(aside)
        else:
            path.unlink()
            break
    return aside
