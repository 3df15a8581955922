"""What was played, in a file of this ladder's own format."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from durak_core.arena.experiments.results import Results

__all__ = ["FORMAT", "load_results"]

FORMAT: Final = "durak-strength/1"


def load_results(path: Path) -> Results:
    """Read a ladder's results; a file that does not exist holds none.

    Raises:
        ResultsError: If the file holds something else.
        OSError: If it cannot be read.
    """
    return Results.load(path, FORMAT)
