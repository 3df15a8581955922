"""Saved games: running games, saved after every action, and finished games.

A running game is a file in ``running/``, locked by its program. When finished it moves to ``games/``. An
unlocked running game, left by a closed terminal or a crash, can be continued.
"""

from __future__ import annotations

import contextlib
import errno
import secrets
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from pathlib import Path
from typing import Final

from durak_core import CardSet, RealGame, Record, State
from durak_core.daily import OPPONENTS, DailyDeal, day_words
from durak_core.errors import DealError, DurakError, FileError, Message
from durak_core.files import (
    MEGABYTE,
    FileLock,
    make_private,
    read_bytes,
    sweep,
    unreadable,
    why,
    write_text_atomically,
    writing,
)
from durak_core.game.notation.game_text import read_game, write_game
from durak_core.game.real_game import reporting_seat
from durak_core.game.record import REAL_TAG, BrokenGameError
from durak_core.game.state_view import card_list
from durak_tui.play.setup import NO_HELP, GameSetup, Help, Series
from durak_tui.players import HUMAN, called, recorded_players
from durak_tui.storage.paths import FailureNotice, data_dir, keep_aside
from durak_tui.text.core_messages import core_words
from durak_tui.text.i18n import gettext, mark, ngettext

_SUFFIX: Final = ".durak"
_LOCK: Final = ".lock"

_MOST_TOLD: Final = 3
"""Messages at once about files, which would fill the screen otherwise."""

DAY_TAG: Final = "Daily"
"""The tag with the date of a daily deal."""


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A game to continue, with all positions from the deal on; ``real`` is one with real cards."""

    path: Path
    setup: GameSetup
    states: tuple[State, ...]
    date: str
    used: Help = NO_HELP
    real: RealGame | None = None


def unfinished_words(game: Unfinished) -> str:
    """Return a short text: "against Olga, bout 3"."""
    bout, day = game.states[-1].bout, game.setup.day
    names = ", ".join(called(player) for player in game.setup.players if player != HUMAN)
    if day is not None:
        return gettext("daily deal of {day}, bout {bout}", day=core_words(day_words(day)), bout=bout)
    if game.real is not None:
        others = [
            name for name, player in zip(game.setup.names, game.setup.players, strict=True) if player != HUMAN
        ]
        return gettext("real cards with {names}", names=", ".join(others))
    if not game.setup.humans:
        return gettext("watching {names}, bout {bout}", names=names, bout=bout)
    if not names:
        return gettext("with friends, bout {bout}", bout=bout)
    return gettext("against {names}, bout {bout}", names=names, bout=bout)


class SavedGame:
    """A running game and its file, created by `Saves`.

    Attributes:
        unsaved: Why the current state is not on disk; None if it is.
        tags: More tags of the record.
    """

    def __init__(self, path: Path, setup: GameSetup, date: str, saves: Saves, lock: FileLock | None) -> None:
        self.path = path
        self.unsaved: Message | str | None = None
        self.tags: dict[str, str] = {}
        self._setup = setup
        self._date = date
        self._finished = saves.finished
        self._failure = FailureNotice(saves.tell, mark("The game is saved again; nothing of it is missing."))
        self._lock = lock
        self._latest: tuple[State, Help] | None = None

    def keep(self, state: State, used: Help = NO_HELP) -> None:
        """Save the current state and the help used. The next call or `try_again` retries after a failure."""
        self._latest = state, used
        self.try_again()

    def try_again(self) -> None:
        if self._latest is None:
            return
        try:
            self._save(*self._latest)
        except FileError as error:
            self.unsaved = error.why
            problem = Message(
                "Couldn't save {path}: {why}. Keep playing; Durak retries every move.",
                path=self.path,
                why=error.why,
            )
            self._failure.report(problem)
        else:
            self._latest = self.unsaved = None
            self._failure.report(None)

    def _save(self, state: State, used: Help) -> None:
        with writing(self.path):
            make_private(self.path.parent)
            if self._lock is not None and not self._lock.is_held:  # someone deleted the folder
                self._lock.release()
                self._lock = None
            self._lock = self._lock or FileLock.acquire(self.path.with_suffix(_LOCK))
            if self._lock is None:
                raise BlockingIOError(errno.EWOULDBLOCK, gettext("another program is playing this game"))
        write_text_atomically(
            self.path, write_game(game_record(self._setup, state, self._date, used, **self.tags))
        )
        if state.is_over:
            with writing(self._finished):
                make_private(self._finished)
                self.path = self.path.replace(self._finished / self.path.name)
            self._unlock()

    def release(self) -> None:
        """Save unsaved changes and unlock the game, so that it can be continued."""
        self.try_again()
        self._unlock()

    def drop(self) -> None:
        """Unlock the game, and delete it unless it is finished and saved."""
        if self.path.parent != self._finished:
            with contextlib.suppress(OSError):
                self.path.unlink(missing_ok=True)
        self._unlock()

    def _unlock(self) -> None:
        self._latest = self.unsaved = None
        lock, self._lock = self._lock, None
        if lock is not None:
            lock.release()


class Saves:
    """The folder of games, by default the user's data folder. It is created for the first game.

    Args:
        folder: The folder.
        tell: Called with a message for the player when saving starts to fail and when it works again.

    """

    def __init__(self, folder: Path | None = None, tell: Callable[[str], None] = lambda _text: None) -> None:
        self.folder = folder or data_dir()
        self.tell = tell
        self._problems: list[str] = []
        self._known: dict[Path, tuple[object, Unfinished]] = {}

    @property
    def running(self) -> Path:
        return self.folder / "running"

    @property
    def finished(self) -> Path:
        return self.folder / "games"

    def begin(
        self, setup: GameSetup, state: State, used: Help = NO_HELP, tags: Mapping[str, str] = {}
    ) -> SavedGame:
        """Start saving a new game, with the help used so far and more tags.

        Only a daily game must be written at once.

        Raises:
            DealError: If the day's game has been started already.
            FileError: If the day's game cannot be written.
        """
        name = new_name()
        lock = None
        if setup.day is not None:
            name = name_of_day(setup.day)
            lock = self._claim(name, setup.day)
        saved = SavedGame(self.running / name, setup, time_now(), self, lock)
        saved.tags = dict(tags)
        saved.keep(state, used)
        return saved

    def _claim(self, name: str, day: date) -> FileLock:
        """Lock a day's game before its file exists, so that no other window can start it."""
        path = self.running / name
        with writing(path):
            make_private(self.running)
            lock = FileLock.acquire(path.with_suffix(_LOCK))
        if lock is None or path.exists() or (self.finished / name).exists():
            if lock is not None:
                lock.release()
            raise DealError(
                "the daily deal of {day} has already begun, perhaps in another window", day=day_words(day)
            )
        return lock

    def resume(self, game: Unfinished) -> tuple[Unfinished, SavedGame] | None:
        """Continue an unfinished game, with what another program has played of it since it was read.

        Returns None if another program plays it now, or it is gone or cannot be read any more.

        Raises:
            FileError: If its folder is not writable.
        """
        with writing(game.path):
            lock = FileLock.acquire(game.path.with_suffix(_LOCK))
        if lock is None:
            return None
        current = self._read_game(game.path) if game.path.exists() else None
        if current is None:
            lock.release()
            return None
        return current, SavedGame(game.path, current.setup, current.date, self, lock)

    def sweep(self) -> None:
        for folder in (self.running, self.finished, self.folder):
            sweep(folder)

    @property
    def problems(self) -> tuple[str, ...]:
        """Messages for the player about damaged or unreadable files of the last search."""
        if len(self._problems) <= _MOST_TOLD:
            return tuple(self._problems)
        told = ngettext(
            "{count} saved game is damaged or cannot be read.",
            "{count} saved games are damaged or cannot be read.",
            len(self._problems),
        )
        return (told, *self._problems[: _MOST_TOLD - 1])

    def unfinished(self) -> tuple[Unfinished, ...]:
        """Return the games to continue, people's first, newest first. Damaged files are set aside."""
        *_, games = self.search()
        return games

    def newest(self) -> Unfinished | None:
        """Return the first game of `unfinished`, reading only as many files as this takes."""
        games: tuple[Unfinished, ...] = ()
        for games in self.search():
            if games and games[0].setup.humans:
                break
        return games[0] if games else None

    def search(self) -> Iterator[tuple[Unfinished, ...]]:
        """Yield what `unfinished` returns, as far as it is known after each file: reading one takes long."""
        self._problems = []
        games: list[Unfinished] = []
        yield ()
        for path in self._running_games():
            game = self._read_unlocked(path)
            if game is not None:
                games.append(game)
                games.sort(key=lambda game: (bool(game.setup.humans), game.path.name), reverse=True)
            yield tuple(games)

    def _running_games(self) -> list[Path]:
        """Return the files of running games and of stale locks, newest first."""
        try:
            files = [path for suffix in (_SUFFIX, _LOCK) for path in self.running.glob(f"*{suffix}")]
        except OSError as error:
            self._problems.append(core_words(unreadable(self.running, error)))
            return []
        return sorted({path.with_suffix(_SUFFIX) for path in files}, reverse=True)

    def _read_unlocked(self, path: Path) -> Unfinished | None:
        """Read a game that no program holds, locked meanwhile. A stale lock is removed."""
        try:
            lock = FileLock.acquire(path.with_suffix(_LOCK))
        except OSError as error:
            reason = core_words(why(error))
            self._problems.append(gettext("{path} cannot be locked: {why}.", path=path.name, why=reason))
            return None
        if lock is None:
            return None
        try:
            return self._read_game(path) if path.exists() else None
        finally:
            lock.release()

    def _read_game(self, path: Path) -> Unfinished | None:
        """Read a game, once if its file stays. Finished ones move to the others, damaged ones aside."""
        stamp = _stamp(path)
        if path in self._known and self._known[path][0] == stamp:
            return self._known[path][1]
        try:
            game = _game(path, read_game(read_bytes(path, MEGABYTE).decode()))
        except FileError as error:
            self._problems.append(core_words(error))
            return None
        except BrokenGameError as error:
            return self._rescue(path, error, error.partial)
        except (DurakError, UnicodeDecodeError) as error:
            return self._rescue(path, why(error) if isinstance(error, UnicodeDecodeError) else error, None)
        if game.states[-1].is_over:
            with contextlib.suppress(OSError):
                make_private(self.finished)
                path.replace(self.finished / path.name)
            return None
        self._known[path] = stamp, game
        return game

    def _rescue(self, path: Path, reason: object, partial: Record | None) -> Unfinished | None:
        """Set a damaged file aside and save its readable part in its place."""
        try:
            aside = keep_aside(path)
            told = gettext(
                "A saved game was damaged ({why}); its file is kept as {aside}.",
                why=core_words(reason),
                aside=aside,
            )
            game = None if partial is None else _game(path, _cut(partial))
            if game is not None:
                tags = {} if game.real is None else {REAL_TAG: game.real.tag}
                rescued = game_record(game.setup, game.states[-1], game.date, game.used, **tags)
                write_text_atomically(path, write_game(rescued))
                told += " " + gettext("You can continue from the last undamaged move.")
        except (OSError, DurakError) as failure:
            told = gettext(
                "A saved game, {path}, is damaged and could not be rescued: {why}.",
                path=path,
                why=core_words(why(failure) if isinstance(failure, OSError) else failure),
            )
            self._problems.append(told)
            return None
        self._problems.append(told)
        return game


def _stamp(path: Path) -> object:
    """Return what changes with every save; None if the file cannot be seen."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size


def time_now() -> str:
    """Return the local date and time, to the minute, as records have them."""
    return datetime.now().astimezone().isoformat(" ", "minutes")[:16]


def new_name() -> str:
    """Return a new game's file name; names sort by the time of their beginning."""
    return f"{datetime.now().astimezone():%Y-%m-%d-%H%M%S}-{secrets.token_hex(3)}{_SUFFIX}"


def counted_help(record: Record) -> Help:
    """Return the help that a record's tags count; 0 for what is no number."""
    counts = (record.tags.get(name, "") for name in ("Hints", "Undos"))
    return Help(*(int(count[:9]) if count.isascii() and count.isdecimal() else 0 for count in counts))


def name_of_day(day: date) -> str:
    return f"{day.isoformat()}-daily{_SUFFIX}"


def game_record(setup: GameSetup, state: State, date: str = "", used: Help = NO_HELP, **more: str) -> Record:
    tags = more | {f"Player{seat}": player for seat, player in enumerate(setup.players)}
    tags |= {name: str(count) for name, count in (("Hints", used.hints), ("Undos", used.undos)) if count}
    if setup.series.text:
        tags["Series"] = setup.series.text
    if setup.day is not None:
        tags[DAY_TAG] = setup.day.isoformat()
    return Record.of(state, setup.names, date, **tags)


def _game(path: Path, record: Record) -> Unfinished:
    setup = GameSetup(
        record.rules,
        recorded_players(record, (HUMAN, *["greedy"] * 5)),
        record.players,
        record.seed or 0,
        record.first_attacker,
        Series.parse(record.tags.get("Series", ""), record.rules.team_count),
        _day(record),
    )
    real = None if reporting_seat(record) is None else RealGame.of(record)
    return Unfinished(path, setup, record.replay(), record.date, counted_help(record), real)


def _cut(record: Record) -> Record:
    """Return the readable part of a record, whose tag may list real cards that were drawn after it."""
    seat = reporting_seat(record)
    if seat is None or CardSet.of(card_list(record.tags[REAL_TAG][2:])) <= record.end.hands[seat]:
        return record
    return replace(record, tags={**record.tags, REAL_TAG: str(seat)})


def _day(record: Record) -> date | None:
    """Return the date of a daily game; None if its file has another deal."""
    try:
        day = date.fromisoformat(record.tags.get(DAY_TAG, ""))
    except ValueError:
        return None
    deal = DailyDeal.of(day)
    is_it = (record.rules, record.seed, record.start) == (deal.rules, deal.seed, deal.start)
    return day if is_it and recorded_players(record) == (HUMAN, *OPPONENTS) else None
