"""Files of games: written whole or not at all, read in whichever format they are."""

from __future__ import annotations

import os
from pathlib import Path

from durak_core.errors import NotationError, RecordError
from durak_core.game.json_form import read_json_lines
from durak_core.game.notation.game_reader import read_games
from durak_core.game.record import BrokenGameError, Record

__all__ = ["choose_records", "load_records", "write_bytes_atomically", "write_text_atomically"]


def write_text_atomically(path: str | os.PathLike[str], text: str) -> None:
    """Write a UTF-8 file as `write_bytes_atomically` does; line ends are written as they are."""
    write_bytes_atomically(path, text.encode())


def write_bytes_atomically(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file so that a crash leaves either the old file or the new one.

    The bytes go to a temporary file in the same folder, are forced to the disk, and take the old
    file's name and permissions; a link stays a link.

    Args:
        path: The file; its folder must exist.
        data: What it shall hold.

    Raises:
        OSError: If the file cannot be written; the old one is then untouched.
    """
    target = Path(os.path.realpath(path))
    temporary = target.with_name(f".{target.name}.{os.urandom(4).hex()}.tmp")
    try:
        with temporary.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            temporary.chmod(target.stat().st_mode & 0o7777)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    """Force the new name to the disk, where the system lets folders be opened."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    except OSError:
        return
    finally:
        os.close(handle)


def load_records(path: str | os.PathLike[str]) -> list[Record]:
    """Read all games of a file, be it game text or JSON lines; the first character tells which.

    Args:
        path: The file, in UTF-8.

    Raises:
        OSError: If the file cannot be read.
        NotationError: If it holds no text, or no game.
        BrokenGameError: If a game does not parse, breaks off, or cannot have been played.
    """
    try:
        text = Path(path).read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise NotationError(f"{os.fspath(path)} is not UTF-8 text", error.start) from None
    records = read_json_lines(text) if text.lstrip().startswith("{") else read_games(text)
    if not records:
        raise NotationError(f"{os.fspath(path)} holds no game")
    return records


def choose_records(path: str | os.PathLike[str], game: int | None = None) -> tuple[Record, ...]:
    """Read the games of a file that are asked for; an error in a later game does not matter.

    Args:
        path: The file, as for `load_records`.
        game: Which one, from 1; None for all.

    Raises:
        OSError: If the file cannot be read.
        NotationError: If it holds no text, or no game.
        RecordError: If a game is damaged, or there is no such game; the file is named.
    """
    name = os.fspath(path)
    try:
        records = tuple(load_records(path))
    except BrokenGameError as error:
        if game is None or game > len(error.earlier):
            raise RecordError(f"{name}: {error}") from error
        records = error.earlier
    if game is None:
        return records
    if not 1 <= game <= len(records):
        raise RecordError(f"{name} holds {len(records)} games; there is no game {game}")
    return (records[game - 1],)
