"""Import of game files into the library. Damaged games are skipped."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from durak_core import Record
from durak_core.errors import DurakError, FileError, NotationError
from durak_core.files import read_text
from durak_core.game.files import LARGEST_GAME, StoredGame, game_code_in, scan_games
from durak_core.game.notation.game_text import read_game
from durak_core.game.record import BrokenGameError
from durak_core.messages import Message
from durak_tui.library.model.entries import Entry, entry_of
from durak_tui.library.model.errors import LibraryError
from durak_tui.library.model.progress import KEY, take_progress
from durak_tui.library.model.store import Library
from durak_tui.text.core_messages import core_words
from durak_tui.text.i18n import gettext, ngettext

_AT_ONCE: Final = 100
_TOLD: Final = 20


@dataclass(slots=True)
class Imported:
    """The progress of an import.

    Attributes:
        new: Games stored.
        known: Games already in the library.
        broken: Damaged games or parts of learning progress.
        has_progress: Whether learning progress was included.
        problems: The first errors.
    """

    new: int = 0
    known: int = 0
    broken: int = 0
    has_progress: bool = False
    problems: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        parts = [ngettext("{count} game imported", "{count} games imported", self.new)]
        if self.known:
            parts.append(gettext("{count} there already", count=self.known))
        if self.has_progress:
            parts.append(gettext("with what you have learnt"))
        if self.broken:
            parts.append(gettext("{count} damaged", count=self.broken))
        return ", ".join(parts)

    def add_problem(self, problem: str) -> None:
        self.broken += 1
        if len(self.problems) < _TOLD:
            self.problems.append(problem)


def import_file(
    library: Library, path: Path, progress: Callable[[Imported], object] = lambda _so_far: None
) -> Imported:
    """Import games from JSON lines or game text. Games already in the library stay unchanged.

    Damaged games are reported by line and skipped, unless one exceeds the maximum size of a game. `progress`
    is called after each game; an exception cancels the import. A game code is refused: without names, its
    game would count as the player's own.

    Raises:
        LibraryError: If the file cannot be opened or games cannot be stored. Games stored so far remain.
    """
    if game_code_in(path) is not None:
        raise LibraryError("A game code is reviewed, not added to the library: start durak-tui with it.")
    made = Imported()
    batch: list[tuple[Entry, object]] = []

    def store() -> None:
        new = library.add_all(entry for entry, _learnt in batch)
        made.new += new
        made.known += len(batch) - new
        for entry, learnt in batch:
            if learnt is not None:
                _take(library, entry, learnt, made)
        batch.clear()

    try:
        for stored in scan_games(path):
            batch += _entries(stored, made)
            if len(batch) >= _AT_ONCE:
                store()
            progress(made)
    except FileError as error:
        raise LibraryError("{path} cannot be read: {why}.", path=path, why=error.why) from error
    except NotationError as error:
        if not batch and not made.new + made.known + made.broken:
            raise LibraryError("{why}", why=error) from error
        made.add_problem(gettext("{problem}; the games after it were not read", problem=core_words(error)))
    store()
    return made


def collect(
    library: Library, folder: Path, progress: Callable[[int], object] = lambda _so_far: None
) -> list[str]:
    """Import people's finished games from a folder; return the problems of its files.

    `progress` is called after each file with the number of games so far; an exception cancels the import.

    Raises:
        LibraryError: If the library cannot store games.
    """
    try:
        names = sorted(path.name for path in folder.glob("*.durak"))
    except OSError:
        return []
    stored = 0
    problems: list[str] = []
    for name in library.new_files(names):
        try:
            entry = entry_of(read_game(read_text(folder / name, LARGEST_GAME)))
        except FileError as error:
            if not error.is_missing:  # moved away meanwhile
                problem = Message("{file} was not added to the library: {why}.", file=name, why=error.why)
                problems.append(core_words(problem))
            continue
        except DurakError:
            # Retried next time: another program may still be writing it.
            continue
        library.add_file(name, entry if entry.has_people else None)
        stored += entry.has_people
        progress(stored)
    return problems


def _take(library: Library, entry: Entry, learnt: object, made: Imported) -> None:
    made.has_progress = True
    damaged = take_progress(library, entry.key, learnt)
    if damaged:
        game = entry.date or entry.names
        made.add_problem(
            ngettext(
                "{count} damaged learning record of the game {game} was left out",
                "{count} damaged learning records of the game {game} were left out",
                damaged,
                game=game,
            )
        )


def _entries(stored: StoredGame, made: Imported) -> list[tuple[Entry, object]]:
    """Return the games of a part of a file with their learning progress, and report damaged ones."""
    problem: DurakError | None = None
    records: tuple[Record, ...] = ()
    entries: list[tuple[Entry, object]] = []
    try:
        records = stored.records()
    except BrokenGameError as error:
        problem, records = error, error.earlier
    for record in records:
        try:
            extra = dict(record.extra)
            learnt = extra.pop(KEY, None)
            alone = record if learnt is None else replace(record, extra=extra)
            entries.append((entry_of(alone, "imported"), learnt))
        except DurakError as error:
            problem = error
    if problem is not None:
        made.add_problem(core_words(problem))
    return entries
