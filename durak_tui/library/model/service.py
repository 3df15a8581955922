"""The app's library: opened when it is needed, filled with what was played, never in a game's way."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from durak_core import Record
from durak_core.messages import Message
from durak_tui.engine.threads import in_thread, turn_of
from durak_tui.library.model.entries import entry_of, game_key
from durak_tui.library.model.errors import LibraryError
from durak_tui.library.model.exporting import export_games
from durak_tui.library.model.importing import Imported, collect, import_file
from durak_tui.library.model.rating import Standing
from durak_tui.library.model.store import Library
from durak_tui.storage.trouble import Trouble
from durak_tui.text.core_messages import core_words
from durak_tui.text.i18n import mark

_T = TypeVar("_T")


class LibraryService:
    """Opens the library, tells the person once what is wrong with it, and tries again at every visit.

    Args:
        folder: The library's folder.
        finished: The folder of finished games.
        tell: Called with a sentence for the person.

    Attributes:
        changes: How often games were stored since the program began, or the library opened again.
    """

    def __init__(self, folder: Path, finished: Path, tell: Callable[[str], None]) -> None:
        self._folder = folder
        self._finished = finished
        self._tell = tell
        self._library: Library | None = None
        self._trouble = Trouble(self._say, mark("The library stores games again."))
        self._left_out: set[str] = set()
        self._owed: dict[tuple[str, str], Callable[[Library], object]] = {}
        self._closed = False
        self._opening = threading.Lock()
        self._collecting = asyncio.Lock()
        self.changes = 0

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
        while library.notices:
            self._say(core_words(library.notices.pop(0)))
        if library.problem:
            self._trouble.report(library.problem)

    def _say(self, text: str) -> None:
        if not self._closed:
            self._tell(text)

    async def collect(self) -> None:
        """Take up the games that were finished since the last time, and what could not be stored before."""
        async with self._collecting:
            library = await in_thread(self._open)
            try:
                problems = await in_thread(self._catch_up, library, self._steps())
            except LibraryError as error:
                problem: Message | None = None if library.notices else error.message
            else:
                problem = None
                self._tell_of_files(problems)
            self._report(library)
            if not library.problem:
                self._trouble.report(problem)

    def _catch_up(self, library: Library, go_on: Callable[[], None]) -> list[str]:
        """Do in a thread what `collect` says; return what is wrong with files of games."""
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
        self._pay(library)
        return problems

    def _pay(self, library: Library) -> None:
        """Store what is owed."""
        for key, store in list(self._owed.items()):
            store(library)
            self.changes += 1
            if self._owed.get(key) is store:
                del self._owed[key]

    def _tell_of_files(self, problems: Iterable[str]) -> None:
        for problem in problems:
            if problem not in self._left_out:
                self._left_out.add(problem)
                self._say(problem)

    async def add(self, record: Record, source: str) -> bool:
        """Store a game; False if it is there already. What fails is tried again by the next `collect`."""
        entry = await in_thread(entry_of, record, source)
        try:
            return await in_thread(lambda: self._open().add(entry))
        except LibraryError:
            self._owed["game", entry.key] = lambda library: library.add(entry)
            raise

    async def keep_judgement(
        self, record: Record, judgement: tuple[str, int, str], accuracies: Mapping[int, float]
    ) -> None:
        """Store a judgement, as `Library.set_judgement` has it; every `collect` tries it until it works.

        `accuracies` are 0 to 100 by seat; none unless all is judged.
        """

        def store(library: Library) -> None:
            library.set_judgement(record, *judgement)
            library.set_accuracy(record, accuracies)

        self._owed["judgement", game_key(record)] = store
        await self.collect()

    async def query(self, question: Callable[[Library], _T]) -> _T | None:
        """Query the library in a thread; on an error notify the user and return None."""
        try:
            return await in_thread(lambda: question(self.store))
        except LibraryError as error:
            self._tell(core_words(error))
            return None

    def is_empty(self) -> bool:
        """Tell whether no game was ever stored; a library that cannot be read is no empty one."""
        return self._ask(lambda library: not library.count(), otherwise=False)

    def judgement(self, record: Record) -> tuple[str, int, str] | None:
        """Return what `keep_judgement` stored of a game; None if the library cannot be read."""
        return self._ask(lambda library: library.judgement(record), otherwise=None)

    def standing(self, history: int = 0) -> Standing:
        """Return where the person stands, with up to this many of the latest ratings."""
        return self._ask(lambda library: library.standing(history), otherwise=Standing())

    async def rating_change(self, record: Record) -> tuple[int, int] | None:
        """Take up a finished game; return the rating before and after it, None if it does not count."""
        await self.collect()
        return await in_thread(
            lambda: self._ask(lambda library: library.rating_change(record), otherwise=None)
        )

    def _ask(self, ask: Callable[[Library], _T], *, otherwise: _T) -> _T:
        """Ask the library; the screen of the library says why it cannot be read."""
        try:
            return ask(self._open())
        except LibraryError:
            return otherwise

    async def import_file(self, path: Path, progress: Callable[[Imported], None]) -> Imported:
        """Call `import_file` without keeping the screen waiting; `progress` is called in the thread."""
        go_on = self._steps()

        def after_each(so_far: Imported) -> None:
            progress(so_far)
            go_on()

        return await in_thread(lambda: import_file(self._open(), path, after_each))

    async def export(self, ids: Sequence[int], path: Path, *, with_progress: bool = False) -> int:
        """Call `export_games` without keeping the screen waiting."""
        go_on = self._steps()
        return await in_thread(
            lambda: export_games(self._open(), ids, path, go_on, with_progress=with_progress)
        )

    def _steps(self) -> Callable[[], None]:
        """Return what a thread calls after each game: it gives the screen a turn, and raises at the end."""
        turn = turn_of(asyncio.get_running_loop())

        def go_on() -> None:
            if not self._closed:
                turn()
            if self._closed:
                raise LibraryError("The program ends.")

        return go_on

    def close(self) -> None:
        """Close the library, after one more attempt to store what could not be stored before."""
        self._closed = True
        if self._library is not None:
            with contextlib.suppress(LibraryError):
                self._pay(self._library)
            self._library.close()
