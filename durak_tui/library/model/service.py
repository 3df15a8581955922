"""The app's access to the library: opens it on demand and works in threads."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from durak_core import Record
from durak_core.messages import Message
from durak_tui.engine import in_thread, turn_of
from durak_tui.library.model.entries import entry_of, game_key
from durak_tui.library.model.schema import LibraryError
from durak_tui.library.model.statistics import Standing
from durak_tui.library.model.store import Library
from durak_tui.library.model.transfer import Imported, collect, export_games, import_file
from durak_tui.storage.paths import FailureNotice
from durak_tui.text.core_messages import core_words
from durak_tui.text.i18n import gettext, mark

_T = TypeVar("_T")


class LibraryService:
    """Opens the library, reports each problem once, and retries failed writes.

    Args:
        folder: The library's folder.
        finished: The folder of finished games.
        tell: Called with a message for the player.

    Attributes:
        changes: Number of writes and reopenings since the program started.
    """

    def __init__(self, folder: Path, finished: Path, tell: Callable[[str], None]) -> None:
        self._folder = folder
        self._finished = finished
        self._tell = tell
        self._library: Library | None = None
        self._failure = FailureNotice(self._say, mark("The library stores games again."))
        self._left_out: set[str] = set()
        self._pending: dict[tuple[str, str], Callable[[Library], object]] = {}
        self._closed = False
        self._opening = threading.Lock()
        self._collecting = asyncio.Lock()
        self.changes = 0

    @property
    def store(self) -> Library:
        """The library. The first access opens its file."""
        library = self._open()
        self._report(library)
        return library

    def _open(self) -> Library:
        with self._opening:
            if self._library is None:
                self._library = Library(self._folder)
                if self._closed:
                    self._library.close()
            return self._library

    def _report(self, library: Library) -> None:
        while library.notices:
            self._say(core_words(library.notices.pop(0)))
        if library.problem:
            self._failure.report(library.problem)

    def _say(self, text: str) -> None:
        if not self._closed:
            self._tell(text)

    async def collect(self) -> None:
        """Import newly finished games, and retry failed writes."""
        async with self._collecting:
            library = await in_thread(self._open)
            try:
                problems = await in_thread(self._collect_in_thread, library, self._steps())
            except LibraryError as error:
                problem: Message | None = None if library.notices else error.message
            else:
                problem = None
                self._report_files(problems)
            self._report(library)
            if not library.problem:
                self._failure.report(problem)

    def _collect_in_thread(self, library: Library, go_on: Callable[[], None]) -> list[str]:
        if library.problem:
            library.open_again()
            self.changes += not library.problem
        if library.problem:
            return []
        before = self.changes

        def after_each(stored: int) -> None:
            self.changes = before + stored
            go_on()

        problems = collect(library, self._finished, after_each)
        self._write_pending(library)
        return problems

    def _write_pending(self, library: Library) -> None:
        for key, store in list(self._pending.items()):
            store(library)
            self.changes += 1
            if self._pending.get(key) is store:
                del self._pending[key]

    def _report_files(self, problems: Iterable[str]) -> None:
        for problem in problems:
            if problem not in self._left_out:
                self._left_out.add(problem)
                self._say(problem)

    async def add(self, record: Record, source: str) -> bool:
        """Store a game; return False if it is already there. `collect` retries a failure."""
        entry = await in_thread(entry_of, record, source)
        try:
            return await in_thread(lambda: self._open().add(entry))
        except LibraryError:
            self._pending["game", entry.key] = lambda library: library.add(entry)
            raise

    async def add_watched(self, record: Record) -> str:
        """Store a watched game; return what to tell the player."""
        try:
            is_new = await self.add(record, "watched")
        except LibraryError as error:
            return core_words(error)
        return gettext("The game is in the library.") if is_new else gettext("It is in the library already.")

    async def keep_evaluation(
        self, record: Record, evaluation: tuple[str, int, str], accuracies: Mapping[int, float]
    ) -> None:
        """Store a review as `Library.set_evaluation` does. `collect` retries until it succeeds.

        `accuracies` are 0 to 100 by seat, and empty unless the review is complete.
        """

        def store(library: Library) -> None:
            library.set_evaluation(record, *evaluation)
            library.set_accuracy(record, accuracies)

        self._pending["judgement", game_key(record)] = store
        await self.collect()

    async def query(self, question: Callable[[Library], _T]) -> _T | None:
        """Query the library in a thread. On an error, show a notice and return None."""
        try:
            return await in_thread(lambda: question(self.store))
        except LibraryError as error:
            self._tell(core_words(error))
            return None

    def is_empty(self) -> bool:
        """Return whether no game was ever stored. An unreadable library does not count as empty."""
        return self._ask(lambda library: not library.count(), otherwise=False)

    def evaluation(self, record: Record) -> tuple[str, int, str] | None:
        return self._ask(lambda library: library.evaluation(record), otherwise=None)

    def standing(self, history: int = 0) -> Standing:
        return self._ask(lambda library: library.standing(history), otherwise=Standing())

    async def ratings_around(self, record: Record) -> tuple[int, int] | None:
        """Store a finished game; return the rating before and after it, or None if it is unrated."""
        await self.collect()
        return await in_thread(
            lambda: self._ask(lambda library: library.ratings_around(record), otherwise=None)
        )

    def _ask(self, ask: Callable[[Library], _T], *, otherwise: _T) -> _T:
        """Query the library, with a default on errors. The library screen shows the reason."""
        try:
            return ask(self._open())
        except LibraryError:
            return otherwise

    async def import_file(self, path: Path, progress: Callable[[Imported], None]) -> Imported:
        """Call `import_file` in a thread, which also calls `progress`."""
        go_on = self._steps()

        def after_each(so_far: Imported) -> None:
            progress(so_far)
            go_on()

        return await in_thread(lambda: import_file(self._open(), path, after_each))

    async def export(self, ids: Sequence[int], path: Path, *, with_progress: bool = False) -> int:
        go_on = self._steps()
        return await in_thread(
            lambda: export_games(self._open(), ids, path, go_on, with_progress=with_progress)
        )

    def _steps(self) -> Callable[[], None]:
        """Return a callback that lets the event loop run, and raises if the library is closing."""
        turn = turn_of(asyncio.get_running_loop())

        def go_on() -> None:
            if not self._closed:
                turn()
            if self._closed:
                raise LibraryError("The program ends.")

        return go_on

    def close(self) -> None:
        self._closed = True
        if self._library is not None:
            with contextlib.suppress(LibraryError):
                self._write_pending(self._library)
            self._library.close()
