"""Paths typed by the player, and why one cannot be used."""

from __future__ import annotations

from pathlib import Path

from durak_tui.confinement import is_confined
from durak_tui.storage.data_dirs import data_dir
from durak_tui.text.i18n import say


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


def why_no_place(text: str) -> str:
    """Return why a path cannot be a new file, or an empty string."""
    path = written_path(text)
    try:
        if not text.strip() or path.is_dir():
            return say("Expected the name of a file.")
        if path.exists():
            return say("That file already exists; choose another name.")
        if not path.parent.is_dir():
            return say("There is no folder {folder}.", folder=path.parent)
        return _why_not_there(path)
    except (OSError, ValueError) as error:
        return _no_name(error)


def why_no_file(text: str) -> str:
    """Return why a path is no readable file, or an empty string."""
    path = written_path(text)
    try:
        if not text.strip() or not path.is_file():
            return say("Expected the name of an existing file.")
        return _why_not_there(path)
    except (OSError, ValueError) as error:
        return _no_name(error)


def _no_name(error: Exception) -> str:
    why = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return say("This cannot be the name of a file: {why}.", why=why)


def _why_not_there(path: Path) -> str:
    """Return an error for visitors outside their own folder."""
    if not is_confined() or path.resolve().is_relative_to(data_dir().resolve()):
        return ""
    return say("Visitors may only use files in {folder}.", folder=data_dir())
