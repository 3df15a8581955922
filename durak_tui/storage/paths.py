"""Folders, typed paths, and notices of persistent failures; damaged files are renamed, never deleted."""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import count
from pathlib import Path

from durak_core.files import user_folder
from durak_core.messages import Message
from durak_tui.sandbox import is_confined
from durak_tui.text.core_messages import core_words
from durak_tui.text.i18n import gettext, translate


class FailureNotice:
    """Reports the first of several failures, and the next success.

    Args:
        tell: Called with a message for the player.
        is_over: The message after a success, marked for translation.

    Attributes:
        problem: Why the last attempt failed; None if it succeeded.
    """

    def __init__(self, tell: Callable[[str], None], is_over: str) -> None:
        self._tell = tell
        self._is_over = is_over
        self.problem: Message | str | None = None

    def report(self, problem: Message | str | None) -> None:
        """Record an attempt's outcome: an error message, or None."""
        before, self.problem = self.problem, problem
        if problem is not None and before is None:
            self._tell(core_words(problem))
        elif problem is None and before is not None:
            self._tell(translate(self._is_over))


def data_dir() -> Path:
    """Return the games' folder: ``DURAK_DATA_DIR``, or the platform's user data folder."""
    return user_folder("data", "DURAK_DATA_DIR", appauthor=False)


def config_dir() -> Path:
    """Return the settings' folder: ``DURAK_CONFIG_DIR``, or the platform's user configuration folder."""
    return user_folder("config", "DURAK_CONFIG_DIR", appauthor=False)


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


def written_path(text: str) -> Path:
    path = Path(text.strip())
    try:
        return path.expanduser()
    except RuntimeError:  # no such user
        return path


def home() -> Path:
    """Return the home folder: a visitor's own folder, or the current one if there is no home."""
    if is_confined():
        return data_dir()
    path = written_path("~")
    return path if path.is_absolute() else Path.cwd()


def unused_path(path: Path) -> Path:
    """Return the path, with a number after its stem if it exists."""
    number, free = 1, path
    while free.exists():
        number += 1
        free = path.with_stem(f"{path.stem}-{number}")
    return free


def why_no_place(text: str) -> str:
    """Return why a path cannot be a new file, or an empty string."""
    path = written_path(text)
    try:
        if not text.strip() or path.is_dir():
            return gettext("Expected the name of a file.")
        if path.exists():
            return gettext("That file already exists; choose another name.")
        if not path.parent.is_dir():
            return gettext("There is no folder {folder}.", folder=path.parent)
        return _why_not_there(path)
    except (OSError, ValueError) as error:
        return _no_name(error)


def why_no_file(text: str) -> str:
    path = written_path(text)
    try:
        if not text.strip() or not path.is_file():
            return gettext("Expected the name of an existing file.")
        return _why_not_there(path)
    except (OSError, ValueError) as error:
        return _no_name(error)


def _no_name(error: Exception) -> str:
    why = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return gettext("This cannot be the name of a file: {why}.", why=why)


def _why_not_there(path: Path) -> str:
    """Return an error for visitors outside their own folder."""
    if not is_confined() or path.resolve().is_relative_to(data_dir().resolve()):
        return ""
    return gettext("Visitors may only use files in {folder}.", folder=data_dir())
