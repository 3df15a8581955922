"""Files of many games into the library: a damaged one costs no other."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from durak_core import Record
from durak_core.errors import DurakError, NotationError
from durak_core.game.files import holds_json
from durak_core.game.json_form import from_json
from durak_core.game.notation.game_text import read_games
from durak_core.game.record import BrokenGameError
from durak_tui.library.entries import Entry, entry_of, printable
from durak_tui.library.errors import LibraryError, explain
from durak_tui.library.store import Library
from durak_tui.text.core_messages import core_words
from durak_tui.text.i18n import say, say_count

_AT_ONCE: Final = 100
_TOLD: Final = 20


@dataclass(slots=True)
class Imported:
    """How many games an import has stored, found there already and could not read, and why not the first."""

    new: int = 0
    known: int = 0
    broken: int = 0
    problems: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        parts = [say_count("{count} game imported", "{count} games imported", self.new)]
        if self.known:
            parts.append(say("{count} there already", count=self.known))
        if self.broken:
            parts.append(say("{count} damaged", count=self.broken))
        return ", ".join(parts)

    def tell(self, problem: str) -> None:
        self.broken += 1
        if len(self.problems) < _TOLD:
            self.problems.append(printable(problem))


def import_file(
    library: Library, path: Path, progress: Callable[[Imported], object] = lambda _so_far: None
) -> Imported:
    """Store the games of a file, be it JSON lines or game text; those already there are left alone.

    Games that cannot be read are named by their line, and do not end the import; what `progress` raises,
    called after each game, does.

    Raises:
        LibraryError: If the file cannot be opened or the library cannot store games; what was stored
            before stays.
    """
    made = Imported()
    batch: list[Entry] = []

    def store() -> None:
        new = library.add_all(batch)
        made.new += new
        made.known += len(batch) - new
        batch.clear()

    try:
        for entry in _entries(path, made):
            batch.append(entry)
            if len(batch) == _AT_ONCE:
                store()
            progress(made)
        store()
    except OSError as error:
        raise LibraryError("{path} cannot be read: {why}.", path=path, why=explain(error)) from error
    if not made.new + made.known + made.broken:
        raise LibraryError("{path} holds no game.", path=path)
    return made


def collect(library: Library, folder: Path, progress: Callable[[int], object] = lambda _so_far: None) -> int:
    """Take up people's finished games in a folder that the library does not know yet; return how many.

    What `progress` raises, called after each file, ends it. Watched games come in by a key.

    Raises:
        LibraryError: If the library cannot store games.
    """
    try:
        names = sorted(path.name for path in folder.glob("*.durak"))
    except OSError:
        return 0
    stored = 0
    for name in library.new_files(names):
        try:
            (record,) = read_games((folder / name).read_text("utf-8"))
            entry = entry_of(record)
        except (OSError, DurakError, ValueError):
            # It is looked at again the next time: another program may still be writing it.
            continue
        library.take_up(name, entry if entry.has_people else None)
        stored += entry.has_people
        progress(stored)
    return stored


def _entries(path: Path, made: Imported) -> Iterator[Entry]:
    """Yield the games of a file; tell of those that are damaged."""
    if not holds_json(path):
        yield from _text_entries(path, made)
        return
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            text = line.removeprefix(b"\xef\xbb\xbf").strip()
            if not text:
                continue
            try:
                yield entry_of(_from_line(text), "imported")
            except ValueError as error:
                made.tell(say("line {number}: {why}", number=number, why=core_words(error)))


def _from_line(line: bytes) -> Record:
    """Read a line; a `ValueError` says that it is no JSON or no game."""
    try:
        return from_json(json.loads(line.decode("utf-8")))
    except UnicodeDecodeError:
        raise NotationError("this is not UTF-8 text") from None
    except json.JSONDecodeError as error:
        raise NotationError(
            "this is not JSON: {why} at column {column}", why=error.msg, column=error.colno
        ) from None
    except RecursionError:
        raise NotationError("this JSON is nested too deeply") from None


def _text_entries(path: Path, made: Imported) -> Iterator[Entry]:
    """Yield the games of a file of game text, up to the first damaged one."""
    records: tuple[Record, ...] = ()
    problem = ""
    try:
        records = tuple(read_games(path.read_bytes().decode("utf-8-sig")))
    except UnicodeDecodeError as error:
        line = path.read_bytes()[: error.start].count(b"\n") + 1
        problem = say("line {number}: {why}", number=line, why=say("this is not UTF-8 text"))
    except BrokenGameError as error:
        records = error.earlier
        problem = say("{problem}; the games after it were not read", problem=core_words(error))
    except DurakError as error:
        problem = core_words(error)
    for record in records:
        yield entry_of(record, "imported")
    if problem:
        made.tell(problem)
