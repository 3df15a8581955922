"""The library's file: opened by one program at a time, and kept aside when it is damaged."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from durak_core.game.locks import FileLock
from durak_core.messages import Message
from durak_tui.library.errors import LibraryError, explain, is_damage
from durak_tui.library.schema import bring_up_to_date
from durak_tui.storage.data_dirs import keep_aside
from durak_tui.text.core_messages import core_words
from durak_tui.text.i18n import say

FILE_NAME: Final = "library.sqlite3"
_LOCK_NAME: Final = "library.lock"


class LibraryFile:
    """A database that is opened whatever happens, its folder made if need be; several threads may use it.

    Attributes:
        problem: Why nothing can be stored, in a sentence for the person; empty when all is well.
        notices: What else the person should know, such as a damaged file that was kept aside.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE_NAME
        self.problem = ""
        self.notices: list[str] = []
        self._guard = threading.RLock()
        self._lock: FileLock | None = None
        self._db = self._open()

    def close(self) -> None:
        """Close the file and let other programs have it; a second call does nothing."""
        with self._guard:
            self._db.close()
            lock, self._lock = self._lock, None
            if lock is not None:
                lock.release()

    @contextlib.contextmanager
    def using(self, what: Message, *, change: bool = False) -> Iterator[sqlite3.Connection]:
        """Lend the file to one caller, for a change in one transaction; turn what goes wrong into sentences.

        Args:
            what: What cannot be done then, such as "The game cannot be stored".
            change: Whether it is to be written to.

        Raises:
            LibraryError: If it cannot be read or written, or the file turns out to be damaged; a new one
                is then begun.
        """
        with self._guard:
            if change and self.problem:
                raise LibraryError("{why}", why=self.problem)
            try:
                if change:
                    self._db.execute("BEGIN IMMEDIATE")
                yield self._db
                if change:
                    self._db.execute("COMMIT")
            except sqlite3.Error as error:
                self._undo_changes()
                if self._lock is None or not is_damage(error):
                    raise LibraryError("{what}: {why}.", what=what, why=explain(error)) from error
                self._db.close()
                self._db = self._anew()
                raise LibraryError("{why}", why=self.problem or self.notices[-1]) from error
            except BaseException:
                self._undo_changes()
                raise

    def _undo_changes(self) -> None:
        with contextlib.suppress(sqlite3.Error):
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")

    def _open(self) -> sqlite3.Connection:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._lock = FileLock.acquire(self.path.with_name(_LOCK_NAME))
        except OSError as error:
            # Nobody writes there, so that the file may be read without a lock of SQLite's own.
            reason = core_words(explain(error))
            why = say("{path} cannot be written to ({why})", path=self.path.parent, why=reason)
            return self._readable(why, "mode=ro", "immutable=1")
        if self._lock is None:
            return self._readable(say("Another Durak has the library open"), "mode=ro")
        try:
            return self._writable()
        except sqlite3.Error as error:
            if is_damage(error):
                return self._anew()
            reason = core_words(explain(error))
        except LibraryError as error:
            reason = core_words(error)
        self._lock.release()
        self._lock = None
        return self._without(say("{path} cannot be used: {why}", path=self.path, why=reason))

    def _writable(self) -> sqlite3.Connection:
        """Open the file, up to date; it may be damaged, or written by a newer version."""
        db = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False)
        try:
            db.execute("PRAGMA foreign_keys = ON")
            bring_up_to_date(db)
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = NORMAL")
            # What was deleted in the last run could be brought back until now.
            db.execute("DELETE FROM games WHERE deleted = 1")
        except BaseException:
            db.close()
            raise
        return db

    def _readable(self, why: str, *ways: str) -> sqlite3.Connection:
        """Open the file for looking only, where it may not be written to, in the first way that works."""
        self.problem = say("{why}: games can be looked at, but are not stored in the library.", why=why)
        reason = ""
        for way in ways if self.path.exists() else ():
            name = f"{self.path.absolute().as_uri()}?{way}"
            db = sqlite3.connect(name, uri=True, isolation_level=None, check_same_thread=False)
            try:
                bring_up_to_date(db)
                db.execute("SELECT count(*) FROM games").fetchone()
            except (sqlite3.Error, LibraryError) as error:
                db.close()
                reason = f"; {core_words(explain(error) if isinstance(error, sqlite3.Error) else error)}"
            else:
                return db
        return self._without(why + reason)

    def _without(self, why: str) -> sqlite3.Connection:
        """Go on without a file: everything works, and nothing is found."""
        self.problem = say("{why}. Games are played, but not stored in the library.", why=why)
        db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        bring_up_to_date(db)
        return db

    def _anew(self) -> sqlite3.Connection:
        """Keep the damaged file aside and begin a new one."""
        try:
            aside = keep_aside(self.path)
            for suffix in ("-wal", "-shm"):
                rest = self.path.with_name(self.path.name + suffix)
                if rest.exists():
                    rest.replace(aside.with_name(aside.name + suffix))
            db = self._writable()
        except (OSError, sqlite3.Error) as error:
            reason = core_words(explain(error))
            return self._without(
                say("{path} is damaged and cannot be put aside ({why})", path=self.path, why=reason)
            )
        self.notices.append(
            say(
                "The library was damaged; its file is kept as {aside}, and a new one was begun. "
                "Games played at the table are taken up again; others can be imported again.",
                aside=aside,
            )
        )
        return db
