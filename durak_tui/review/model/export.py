"""Export of a reviewed game to a file."""

from __future__ import annotations

import re
from pathlib import Path

from durak_core import write_game, write_json_line
from durak_core.files import write_text_atomically, writing
from durak_tui.library.model.exporting import is_json_name
from durak_tui.review.model.review_game import ReviewGame
from durak_tui.storage.paths import data_dir, unused_path, why_no_place, written_path


def default_path(game: ReviewGame) -> Path:
    names = "-".join(re.sub(r"\W+", "", name) or f"seat{seat}" for seat, name in enumerate(game.names))
    date = re.sub(r"[^0-9-]+", "", game.record.date[:10])
    stem = "-".join(part for part in (date, names[:60]) if part)
    return unused_path(data_dir() / "reviews" / f"{stem}.durak")


def export_problem(text: str) -> str:
    """Return why a game cannot be written to a path, or an empty string."""
    folder = written_path(text).parent
    if folder == data_dir() / "reviews" and not folder.exists():
        return ""  # created by the export
    return why_no_place(text)


def export_review(game: ReviewGame, text: str) -> Path:
    """Write a game with marks and comments atomically; return the path."""
    path = written_path(text)
    if path.parent == data_dir() / "reviews":
        with writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
    record = game.review.annotated()
    write = write_json_line if is_json_name(path) else write_game
    write_text_atomically(path, write(record))
    return path
