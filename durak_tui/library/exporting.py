"""Games out of the library into a file of one's own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from durak_core.errors import FileError
from durak_core.files import write_text_atomically
from durak_core.game.notation.game_text import write_game
from durak_tui.library.errors import LibraryError
from durak_tui.library.store import Library

_JSON_ENDINGS: Final = (".json", ".jsonl", ".ndjson")


def is_json_name(path: Path) -> bool:
    """Tell whether a file of this name gets JSON, one game a line; any other gets game text."""
    return path.suffix.lower() in _JSON_ENDINGS


def export_games(
    library: Library, ids: Sequence[int], path: Path, progress: Callable[[], object] = lambda: None
) -> None:
    """Write games to a new file, in this order.

    What `progress` raises, called after each game, ends the export, and no file is made.

    Raises:
        LibraryError: If the library cannot be read, or the file is there or cannot be written.
    """
    if path.exists():
        raise LibraryError("{path} already exists; choose another name.", path=path)
    texts: list[str] = []
    for number in ids:
        texts.append(
            library.text(number) + "\n" if is_json_name(path) else write_game(library.record(number))
        )
        progress()
    try:
        write_text_atomically(path, ("" if is_json_name(path) else "\n").join(texts))
    except FileError as error:
        raise LibraryError("{path} cannot be written: {why}.", path=path, why=error.why) from error
