"""Folders, typed paths, and notices of persistent failures; damaged files are renamed, never deleted."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path

from durak_core.errors import Message
from durak_core.files import user_folder, why
from durak_tui.sandbox import is_confined
from durak_tui.text.core_messages import core_words
from durak_tui.text.i18n import gettext, ngettext, translate


class FailureNotice:
    """Reports the first of several failures, and the next success.

    Args:
        tell: Receives each message for the player.
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


class WorkRate:
    """The time left in a long task, at most once a second."""

    def __init__(self) -> None:
        self._began = self._shown = time.monotonic()

    def left(self, share: float) -> str | None:
        """Return the time left by the done share, 0 to 1; None if it was shown less than a second ago."""
        now = time.monotonic()
        if now - self._shown < 1 or not share:
            return None
        self._shown = now
        seconds = round((now - self._began) * (1 - share) / share)
        if seconds < 100:
            return ngettext("{count} second left", "{count} seconds left", seconds)
        return ngettext("{count} minute left", "{count} minutes left", round(seconds / 60))


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
    """Return a typed path; a visitor's is in their own folder unless it is absolute."""
    path = Path(text.strip())
    if is_confined():
        return data_dir() / path
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
    while os.path.exists(free):  # noqa: PTH110 - Path.exists raises errors
        number += 1
        free = path.with_stem(f"{path.stem}-{number}")
    return free


def why_no_place(text: str) -> str:
    """Return why a path cannot be a new file, or an empty string."""
    path = written_path(text)
    try:
        if not is_own(path):
            return _not_there()
        if not text.strip() or path.is_dir():
            return gettext("Expected the name of a file.")
        if os.path.lexists(path):
            return gettext("That file already exists; choose another name.")
        if not path.parent.is_dir():
            return gettext("There is no folder {folder}.", folder=path.parent)
    except (OSError, ValueError) as error:
        return _no_name(error)
    return ""


def why_no_file(text: str) -> str:
    path = written_path(text)
    try:
        if not is_own(path):
            return _not_there()
        if not text.strip() or not path.is_file():
            return gettext("Expected the name of an existing file.")
    except (OSError, ValueError) as error:
        return _no_name(error)
    return ""


def _no_name(error: OSError | ValueError) -> str:
    return gettext("This cannot be the name of a file: {why}.", why=core_words(why(error)))


def is_own(path: Path) -> bool:
    """Return whether a file may be used: a visitor's must be in their own folder, also after its links.

    Nothing outside is looked at, so that a visitor learns nothing of the host's files.
    """
    if not is_confined():
        return True
    own = Path(os.path.abspath(data_dir()))  # noqa: PTH100 - keeps links
    if not Path(os.path.abspath(path)).is_relative_to(own):  # noqa: PTH100 - as above
        return False
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(own))


def _not_there() -> str:
    return gettext("Visitors may only use files in {folder}.", folder=data_dir())
