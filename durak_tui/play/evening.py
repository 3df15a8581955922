"""The score of evenings with real cards: the fools, by person and by number at the table.

All games are lines of one CSV file, which is written after every game.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass, fields, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from durak_core import Rules, next_first_attacker
from durak_core.errors import FileError
from durak_core.files import MEGABYTE, make_private, read_text, write_text_atomically, writing
from durak_tui.play.saves import time_now
from durak_tui.storage.paths import data_dir, keep_aside
from durak_tui.text.core_messages import core_words
from durak_tui.text.i18n import gettext

MOST_PLAYERS: Final = 6
_BETWEEN: Final = " / "
"""Separates the names of a game's players; a name with it is written without the spaces."""
_BREAK: Final = timedelta(hours=8)
"""Time without a game after which another evening begins."""


@dataclass(frozen=True, slots=True)
class ScoredGame:
    """A game of an evening.

    Attributes:
        date: Local date and time, to the minute.
        players: The names from the first seat on, separated.
        fool: The fool's name; empty for a draw.
        trump: The trump suit's letter; empty if unknown.
        game: The name of the game's file, if it was kept move by move.
    """

    date: str
    players: str
    fool: str
    trump: str = ""
    game: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.players.split(_BETWEEN))


class Evening:
    """The games of all evenings, and who sits at the table.

    Args:
        tell: Receives a message if the file cannot be read or written.

    Attributes:
        games: All games, oldest first.
        unsaved: Why the file lacks the last change, or empty.
    """

    def __init__(self, folder: Path | None = None, tell: Callable[[str], None] = lambda _text: None) -> None:
        self.path = (folder or data_dir()) / "evenings.csv"
        self.games: list[ScoredGame] = []
        self.unsaved = ""
        self._tell = tell
        try:
            self.games = _games(read_text(self.path, MEGABYTE))
        except FileError as error:
            if not error.is_missing:
                self._tell(core_words(error))
        except (ValueError, TypeError, csv.Error):
            aside = keep_aside(self.path)
            self._tell(gettext("The score was damaged; its file is kept as {aside}.", aside=aside))

    @property
    def tonight(self) -> list[ScoredGame]:
        """The games of the last evening, which ends with some hours without a game."""
        tonight: list[ScoredGame] = []
        later = datetime.now()  # noqa: DTZ005 - a record's dates are local
        for game in reversed(self.games):
            date = datetime.fromisoformat(game.date)
            if later - date > _BREAK:
                break
            later = date
            tonight.insert(0, game)
        return tonight

    def add(self, players: Sequence[str], fool: str, trump: str = "", game: str = "") -> None:
        """Count a game, once for each file of a game."""
        names = _BETWEEN.join([name.replace(_BETWEEN, "/") for name in players])
        if game:
            self.games = [one for one in self.games if one.game != game]
        self.games.append(ScoredGame(time_now(), names, fool, trump, game))
        self.save()

    def name_trump(self, trump: str) -> None:
        """Note the trump suit of the last game."""
        if self.games:
            self.games[-1] = replace(self.games[-1], trump=trump)
            self.save()

    def take_back(self) -> bool:
        """Forget the last game of this evening; return whether there was one."""
        if not self.tonight:
            return False
        del self.games[-1]
        self.save()
        return True

    def save(self) -> None:
        try:
            with writing(self.path):
                make_private(self.path.parent)
            write_text_atomically(self.path, self.text())
        except FileError as error:
            self.unsaved = core_words(error)
            self._tell(self.unsaved)
        else:
            self.unsaved = ""

    def text(self) -> str:
        """Return all games as CSV."""
        out = io.StringIO()
        rows = csv.writer(out, lineterminator="\n")
        rows.writerows([[one.name for one in fields(ScoredGame)], *map(astuple, self.games)])
        return out.getvalue()


def next_attacker(rules: Rules, games: Sequence[ScoredGame], present: Sequence[str]) -> str | None:
    """Return who attacks first in the next game (rules 4.2); None if the deal decides."""
    if not games or games[-1].fool not in present or not 1 < len(present) <= MOST_PLAYERS:
        return None
    table = replace(rules, seats=len(present), teams=None)
    seat = next_first_attacker(table, present.index(games[-1].fool))
    return None if seat is None else present[seat]


def _games(text: str) -> list[ScoredGame]:
    header, *rows = csv.reader(io.StringIO(text))
    games = [ScoredGame(*row) for row in rows]
    for game in games:
        datetime.fromisoformat(game.date)
    if header != [one.name for one in fields(ScoredGame)]:
        raise ValueError("unknown columns")
    return games
