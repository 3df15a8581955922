"""The app's library: opened when it is needed, filled with what was played, never in a game's way."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from durak_core import Record
from durak_tui.library.entries import entry_of
from durak_tui.library.errors import LibraryError
from durak_tui.library.exporting import export_games
from durak_tui.library.importing import Imported, collect, import_file
from durak_tui.library.store import Library
from durak_tui.text.core_messages import core_words
from durak_tui.threads import in_thread

_BREATH: Final = 0.002
"""Seconds between two games: a thread that computes all the time would make every key wait."""


class LibraryService:
    """Opens the library once and tells the person once what is wrong with it.

    Args:
        folder: Of the library.
        finished: The folder of finished games.
        tell: Called with a sentence for the person.

    Attributes:
        taken_up: How many finished games were taken up since the program began.
    """

    def __init__(self, folder: Path, finished: Path, tell: Callable[[str], None]) -> None:
        self._folder = folder
        self._finished = finished
        self._tell = tell
        self._library: Library | None = None
        self._told: set[str] = set()
        self._closed = False
        self._opening = threading.Lock()
        self._collecting = asyncio.Lock()
        self.taken_up = 0

    @property
    def store(self) -> Library:
        """The stored games; the first call opens their file."""
        library = self._open()
        self._report(library)
        return library

    def _open(self) -> Library:
        """Open it, in whichever thread comes first."""
        with self._opening:
            if self._library is None:
                self._library = Library(self._folder)
                if self._closed:
                    self._library.close()
            return self._library

    def _report(self, library: Library) -> None:
        if library.problem:
            self._say(library.problem)
        while library.notices:
            self._say(library.notices.pop(0))

    def _say(self, text: str) -> None:
        """Tell the person something, but never twice."""
        if not self._closed and text not in self._told:
            self._told.add(text)
            self._tell(text)

    async def collect(self) -> None:
        """Take up the games that were finished since the last time."""
        async with self._collecting:
            try:
                library = await in_thread(self._open)
                if self._closed:
                    return
                self._report(library)
                if library.can_write:
                    self.taken_up += await in_thread(collect, library, self._finished, self._breathe)
            except LibraryError as error:
                self._say(core_words(error))

    async def add(self, record: Record, source: str) -> bool:
        """Store a game; False if it is there already."""
        return await in_thread(lambda: self._open().add(entry_of(record, source)))

    def keep_judgement(
        self, record: Record, judgement: tuple[str, int, str], accuracies: Mapping[int, float]
    ) -> bool:
        """Store what an engine has found about a game; False, and the person knows why, if that cannot be.

        Args:
            record: The game.
            judgement: The engine's name, the milliseconds for each position, and what it has found.
            accuracies: 0 to 100 by seat; none where not all is judged.
        """
        library = self.store
        if self._closed or not library.can_write:
            return False
        try:
            library.set_judgement(record, *judgement)
            library.set_accuracy(record, accuracies)
        except LibraryError as error:
            self._say(core_words(error))
            return False
        return True

    def judgement(self, record: Record) -> tuple[str, int, str] | None:
        """Return what `keep_judgement` was told of a game; None where the library cannot be read."""
        try:
            return self._open().judgement(record)
        except LibraryError:
            return None  # then it is judged again

    async def import_file(self, path: Path, progress: Callable[[Imported], None]) -> Imported:
        """Call `import_file` without keeping the screen waiting; `progress` is called in the thread."""

        def after_each(so_far: Imported) -> None:
            progress(so_far)
            self._breathe()

        return await in_thread(lambda: import_file(self._open(), path, after_each))

    async def export(self, ids: Sequence[int], path: Path) -> None:
        """Call `export_games` without keeping the screen waiting."""
        await in_thread(lambda: export_games(self._open(), ids, path, self._breathe))

    def _breathe(self, _so_far: object = None) -> None:
        """Let the screen draw and hear keys between two games; end with the program."""
        if self._closed:
            raise LibraryError("The program ends.")
        time.sleep(_BREATH)

    def close(self) -> None:
        self._closed = True
        if self._library is not None:
            self._library.close()
