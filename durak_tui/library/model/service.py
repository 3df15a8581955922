"""The app's access to the library, which works in threads, and the import and export of games.

Games are exported with the learning progress, in which rows with the key ``game`` belong to that game. If two
rows have the same key, the later ``tried`` wins. In tables without that column the existing row stays.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, TypeVar

from durak_core import Record
from durak_core.errors import DurakError, FileError, Message, NotationError
from durak_core.files import MEGABYTE, read_json, read_text, write_text_atomically, writing
from durak_core.game.files import LARGEST_GAME, RawGame, game_code_in, scan_games
from durak_core.game.json_form import write_json_line
from durak_core.game.notation.game_text import read_game, write_game
from durak_core.game.record import BrokenGameError
from durak_tui.engine import in_thread, turn_of
from durak_tui.library.model.entries import Entry, entry_of, game_key, is_as_stored, read_record
from durak_tui.library.model.file import GameError, LibraryError
from durak_tui.library.model.statistics import Standing
from durak_tui.library.model.store import Library
from durak_tui.storage.paths import FailureNotice
from durak_tui.text.core_messages import core_words
from durak_tui.text.i18n import gettext, mark, ngettext, percent

_T = TypeVar("_T")


KEY: Final = "progress"
"""The JSON key of progress in a game."""

_LONGEST: Final = 100_000
"""Maximum characters of a text."""
_PIECE: Final = 300_000
"""Characters of progress per game, far below the limit of a line."""

Progress = dict[str, list[dict[str, Any]]]
"""Rows by table; each row maps columns to values."""


@dataclass(frozen=True, slots=True)
class _Table:
    """A table of progress.

    Attributes:
        columns: Exported columns and their types. Game numbers are not exported.
        keys: The key columns.
    """

    name: str
    columns: Mapping[str, type]
    keys: tuple[str, ...]

    @property
    def of_games(self) -> bool:
        return "game" in self.keys

    def fits(self, row: object) -> bool:
        """Return whether an untrusted row has exactly the expected columns and types."""
        if not isinstance(row, dict) or not set(self.keys) - {"game"} <= row.keys() <= self.columns.keys():
            return False
        return all(_is_one(value, self.columns[column]) for column, value in row.items())

    def merge(self, db: sqlite3.Connection, row: Mapping[str, Any]) -> None:
        others = [column for column in row if column not in self.keys]
        better = ""
        if "tried" in others:
            better = ", ".join(f"{column} = excluded.{column}" for column in others)
            better = f"UPDATE SET {better} WHERE excluded.tried > {self.name}.tried"
        db.execute(
            f"INSERT INTO {self.name} ({', '.join(row)}) VALUES ({', '.join('?' * len(row))}) "  # noqa: S608 - own words
            f"ON CONFLICT ({', '.join(self.keys)}) DO {better or 'NOTHING'}",
            tuple(row.values()),
        )


def _is_one(value: object, kind: type) -> bool:
    if kind is str:
        is_text = isinstance(value, str) and len(value) <= _LONGEST
        return is_text and value == str(value).encode("utf-8", "replace").decode()  # no lone surrogates
    return type(value) is int and abs(value) < 2**62


_TABLES: Final = (
    _Table("progress", {"kind": str, "name": str}, ("kind", "name")),
    _Table("mistakes", {"ply": int, "lines": str, "solved": int, "due": str, "tried": str}, ("game", "ply")),
    _Table("puzzles", {"position": str, "place": int, "level": int, "solved": int}, ("position",)),
)


def games_progress(library: Library, games: Sequence[int]) -> dict[int, Progress]:
    """Return the progress in games by their numbers."""
    found: dict[int, Progress] = {}
    marks = ", ".join("?" * len(games))
    for table in _TABLES:
        if table.of_games:
            where = f" WHERE game IN ({marks})"
            for game, row in _numbered_rows(library, table, where, tuple(games)):
                found.setdefault(game, {}).setdefault(table.name, []).append(row)
    return found


def general_progress(library: Library) -> Iterator[Progress]:
    """Yield the progress that belongs to no game, in pieces that fit next to a game."""
    piece: Progress = {}
    size = 0
    for table in _TABLES:
        if table.of_games:
            continue
        for _, row in _numbered_rows(library, table):
            letters = len(json.dumps(row))
            if piece and size + letters > _PIECE:
                yield piece
                piece, size = {}, 0
            size += letters
            piece.setdefault(table.name, []).append(row)
    if piece:
        yield piece


def _numbered_rows(
    library: Library, table: _Table, where: str = "", values: tuple[int, ...] = ()
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the rows that fit with their games, 0 for none."""
    game = "game" if table.of_games else "0"
    statement = f"SELECT {game}, {', '.join(table.columns)} FROM {table.name}{where}"  # noqa: S608 - own words
    for number, *values_of in library.read(statement, values):
        row = dict(zip(table.columns, values_of, strict=True))
        if table.fits(row):
            yield number, row


def take_progress(library: Library, key: str, progress: object) -> int:
    """Merge untrusted progress of a game or in general; return the number of damaged entries.

    Existing rows are never deleted.
    """
    if not isinstance(progress, dict):
        return 1
    damaged = 0
    with library.using(Message("What you have learnt cannot be stored"), change=True) as db:
        game = db.execute("SELECT id FROM games WHERE key = ?", (key,)).fetchone()
        for name, rows in progress.items():
            table = next((one for one in _TABLES if one.name == name), None)
            if table is None or not isinstance(rows, list):
                damaged += 1
                continue
            for row in rows:
                try:
                    if not table.fits(row) or not game:
                        damaged += 1
                    else:
                        table.merge(db, {**row, "game": game[0]} if table.of_games else row)
                except sqlite3.IntegrityError:
                    damaged += 1
    return damaged


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
    between = "" if as_json else "\n"
    left_out = 0

    def texts() -> Iterator[str]:
        nonlocal left_out
        before = ""
        pieces = general_progress(library) if as_json and with_progress else iter(())
        for number, line, progress in _stored_lines(library, ids, as_json=as_json):
            if line:
                learnt = {**next(pieces, {}), **(progress if with_progress else {})}
                extra = f', "{KEY}": {json.dumps(learnt, ensure_ascii=False)}}}\n'
                yield before + (line[:-2] + extra if learnt else line)
                before = between
            else:
                left_out += 1
                if left_out == len(ids):
                    library.record(number)  # raises the error
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


def _stored_lines(
    library: Library, ids: Sequence[int], *, as_json: bool
) -> Iterator[tuple[int, str, Progress]]:
    """Yield each game's number, its text, empty if it cannot be read, and its progress for JSON."""
    for start in range(0, len(ids), _AT_ONCE):
        part = ids[start : start + _AT_ONCE]
        stored = library.records(part)
        progress = games_progress(library, part) if as_json else {}
        for number in part:
            text, key = stored.get(number, ("", ""))
            line = ""
            if as_json and is_as_stored(text, key):
                line = f"{text}\n"
            else:
                with contextlib.suppress(GameError):
                    line = (write_json_line if as_json else write_game)(library.record(number))
            yield number, line, progress.get(number, {})


_AT_ONCE: Final = 100
_TOLD: Final = 20


@dataclass(slots=True)
class Imported:
    """The progress of an import.

    Attributes:
        new: Games stored.
        known: Games already in the library.
        broken: Damaged games or parts of learning progress.
        share: Read part of the file, 0 to 1.
        has_progress: Whether learning progress was included.
        problems: The first errors.
    """

    new: int = 0
    known: int = 0
    broken: int = 0
    share: float = 0.0
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
        size, done = max(1, path.stat().st_size) if path.exists() else 1, 0
        for stored in scan_games(path):
            done += len(stored.data)
            made.share = min(1.0, done / size)
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


def _entries(stored: RawGame, made: Imported) -> list[tuple[Entry, object]]:
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


_UNWRITTEN: Final = "unwritten.json"
_LARGEST: Final = 64 * MEGABYTE


def _read_unwritten(path: Path) -> dict[str, dict[str, Any]]:
    """Return what an earlier program could not write, by its key; nothing if that is missing or damaged."""
    try:
        found: Any = read_json(read_text(path, _LARGEST), _LARGEST)
    except DurakError:
        return {}
    return {key: write for key, write in found.items() if isinstance(write, dict)} if found else {}


def _write(library: Library, what: Mapping[str, Any]) -> None:
    """Store a game or a review in the form of the file of unwritten ones; a damaged one is left out."""
    try:
        record = read_record(what["record"])
        if "source" in what:
            entry = entry_of(record, what["source"])
        else:
            engine, milliseconds, lines = what["evaluation"]
            accuracies = {int(seat): float(value) for seat, value in what["accuracies"]}
    except (KeyError, TypeError, ValueError):
        return
    if "source" in what:
        library.add(entry)
    else:
        library.set_evaluation(record, engine, milliseconds, lines)
        library.set_accuracy(record, accuracies)


class LibraryService:
    """Opens the library, reports each problem once, and retries failed writes.

    Args:
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
        self._unwritten = folder / _UNWRITTEN
        self._pending = _read_unwritten(self._unwritten)
        self._writing: dict[Path, float] = {}
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
                for file_problem in problems:
                    if file_problem not in self._left_out:
                        self._left_out.add(file_problem)
                        self._say(file_problem)
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
        library.copy_daily(go_on)
        return problems

    def _write_pending(self, library: Library) -> None:
        for key, write in list(self._pending.items()):
            _write(library, write)
            self.changes += 1
            if self._pending.get(key) is write:
                del self._pending[key]
        with contextlib.suppress(OSError):
            self._unwritten.unlink(missing_ok=True)

    async def add(self, record: Record, source: str) -> bool:
        """Store a game; return False if it is already there. `collect` retries a failure."""
        entry = await in_thread(entry_of, record, source)
        try:
            return await in_thread(lambda: self._open().add(entry))
        except LibraryError:
            self._pending[f"game {entry.key}"] = {"record": entry.record, "source": source}
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
        line = await in_thread(write_json_line, record)
        self._pending[f"evaluation {game_key(record)}"] = {
            "record": line,
            "evaluation": list(evaluation),
            "accuracies": [[seat, value] for seat, value in accuracies.items()],
        }
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

    async def export(
        self,
        ids: Sequence[int],
        path: Path,
        progress: Callable[[float], None] = lambda _share: None,
        *,
        with_progress: bool = False,
    ) -> int:
        """Call `export_games` in a thread, which also calls ``progress`` with the written share."""
        go_on, done = self._steps(), 0

        def after_each() -> None:
            nonlocal done
            done += 1
            self._writing[path] = done / len(ids)
            progress(done / len(ids))
            go_on()

        self._writing[path] = 0.0
        try:
            return await in_thread(
                lambda: export_games(self._open(), ids, path, after_each, with_progress=with_progress)
            )
        finally:
            self._writing.pop(path, None)

    def writing(self) -> str:
        """Return which files are still being written, as a message for the player; empty if none is."""
        told = [
            gettext("{file} is still being written: {percent}", file=path.name, percent=percent(share))
            for path, share in list(self._writing.items())
        ]
        return "\n".join(told)

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
        """Close the library at once. What another program's lock keeps from it is kept for the next start."""
        self._closed = True
        if self._library is not None:
            self._library.wait_no_more()
            with contextlib.suppress(LibraryError):
                self._write_pending(self._library)
            self._library.close()
        if self._pending:
            with contextlib.suppress(FileError):
                write_text_atomically(self._unwritten, json.dumps(self._pending, ensure_ascii=False))
