"""Export of games to a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from durak_core.errors import FileError
from durak_core.files import write_text_atomically, writing
from durak_core.game.json_form import write_json_line
from durak_core.game.notation.game_text import write_game
from durak_tui.library.model.errors import GameError, LibraryError
from durak_tui.library.model.progress import KEY, game_progress, general_progress
from durak_tui.library.model.store import Library

_JSON_ENDINGS: Final = (".json", ".jsonl", ".ndjson")


def is_json_name(path: Path) -> bool:
    """Return whether the file name selects JSON lines. All other names select game text."""
    return path.suffix.lower() in _JSON_ENDINGS


def export_games(
    library: Library,
    ids: Sequence[int],
    path: Path,
    after_each: Callable[[], object] = lambda: None,
    *,
    with_progress: bool = False,
) -> int:
    """Write games to a new file, as JSON or text by its name; return the number of unreadable games skipped.

    Args:
        library: The library.
        ids: Game numbers, in output order.
        path: The file.
        after_each: Called after each game. An exception cancels the export without creating the file.
        with_progress: Whether JSON includes the player's learning progress.

    Raises:
        LibraryError: If the library or all games are unreadable, the file exists or cannot be written, or
            there are too few games to hold the progress.
    """
    as_json = is_json_name(path)
    write, between = (write_json_line, "") if as_json else (write_game, "\n")
    left_out = 0

    def texts() -> Iterator[str]:
        nonlocal left_out
        before = ""
        pieces = general_progress(library) if as_json and with_progress else iter(())
        for number in ids:
            try:
                record = library.record(number)
            except GameError:
                left_out += 1
                if left_out == len(ids):
                    raise
            else:
                if with_progress:
                    learnt = {**next(pieces, {}), **game_progress(library, number)}
                    record = replace(record, extra={**record.extra, KEY: learnt} if learnt else record.extra)
                yield before + write(record)
                before = between
            after_each()
        if next(pieces, None) is not None:
            raise LibraryError("Too few games to carry everything you have learnt.")

    try:
        with writing(path):
            if path.exists():
                raise LibraryError("{path} already exists; choose another name.", path=path)
        write_text_atomically(path, texts())
    except FileError as error:
        raise LibraryError("{path} cannot be written: {why}.", path=path, why=error.why) from error
    return left_out
