"""Games out of the library into a file of one's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

from durak_core.errors import FileError
from durak_core.files import write_text_atomically, writing
from durak_core.game.json_form import write_json_line
from durak_core.game.notation.game_text import write_game
from durak_tui.library.errors import GameError, LibraryError
from durak_tui.library.store import Library

_JSON_ENDINGS: Final = (".json", ".jsonl", ".ndjson")


def is_json_name(path: Path) -> bool:
    """Tell whether a file of this name gets JSON, one game a line; any other gets game text."""
    return path.suffix.lower() in _JSON_ENDINGS


def export_games(
    library: Library, ids: Sequence[int], path: Path, progress: Callable[[], object] = lambda: None
) -> int:
    """Write games to a new file, in this order; return how many cannot be read and are left out.

    What `progress` raises, called after each game, ends the export, and no file is made.

    Raises:
        LibraryError: If the library or all of the games cannot be read, or the file is there or cannot be
            written.
    """
    write, between = (write_json_line, "") if is_json_name(path) else (write_game, "\n")
    left_out = 0

    def texts() -> Iterator[str]:
        nonlocal left_out
        before = ""
        for number in ids:
            try:
                yield before + write(library.record(number))
                before = between
            except GameError:
                left_out += 1
                if left_out == len(ids):
                    raise
            progress()

    try:
        with writing(path):
            if path.exists():
                raise LibraryError("{path} already exists; choose another name.", path=path)
        write_text_atomically(path, texts())
    except FileError as error:
        raise LibraryError("{path} cannot be written: {why}.", path=path, why=error.why) from error
    return left_out
