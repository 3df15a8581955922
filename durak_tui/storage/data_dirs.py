"""The folders of the app's files, and what becomes of damaged ones: none is ever deleted."""

from __future__ import annotations

import os
from itertools import count
from pathlib import Path
from typing import Final

_APP: Final = "durak"


def data_dir() -> Path:
    """Return the folder of games: ``DURAK_DATA_DIR``, or the user's data folder of this platform."""
    named = os.environ.get("DURAK_DATA_DIR")
    if named:
        return Path(named)
    from platformdirs import user_data_path  # noqa: PLC0415 - the command line's help needs no folders

    return user_data_path(_APP, appauthor=False)


def config_dir() -> Path:
    """Return the folder of settings: ``DURAK_CONFIG_DIR``, or the user's configuration folder."""
    named = os.environ.get("DURAK_CONFIG_DIR")
    if named:
        return Path(named)
    from platformdirs import user_config_path  # noqa: PLC0415 - as above

    return user_config_path(_APP, appauthor=False)


def keep_aside(path: Path) -> Path:
    """Rename a damaged file to the first free ``name.damaged-N`` beside it, and return the new path."""
    for number in count(1):
        aside = path.with_name(f"{path.name}.damaged-{number}")
        try:
            # A hard link fails if the name is taken, so that two programs never overwrite each other's.
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
