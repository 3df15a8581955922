"""Resume files: the finished games of matches, one JSON line each.

docs/notation.md describes the format. An extra key ``match`` has rules, agents, seed and game number; in
tournaments there is another key ``tournament``.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO, Final, Self

from durak_core.errors import DurakError, FileError, RecordError
from durak_core.files import (
    FileLock,
    end_of_lines,
    is_replaced,
    reading,
    unwritable,
    write_text_atomically,
    writing,
)
from durak_core.game.files import RawGame, numbered_lines
from durak_core.game.json_form import FORMAT, from_json_line
from durak_core.lab.matches.game import GameSummary
from durak_core.lab.matches.match import DrawnSeats, Match
from durak_core.lab.own_agents.origins import with_origins
from durak_core.lab.own_agents.reading import OwnAgent

_BEGINNING: Final = f'{{"format": "{FORMAT}"'.encode()
"""Start of every line, including a truncated one."""

_LOG_CHOICES: Final = "log_choices"
"""Key of `GameSummary.log_choices`, stored because recomputing it needs a replay."""

_SHOWN: Final = 3
"""Maximum number of values listed in an error."""


class SavedGames:
    """Context manager for the resume file of one or more matches.

    A lock file excludes other processes. A truncated last line, as a full disk or a killed process leaves it,
    is dropped and its game replayed. On exit the lines are sorted by match and game number.

    Args:
        path: The file; created if missing.
        matches: The matches, all with the same rules. The number of games can differ between runs.
        tournament: Fields stored under ``tournament`` in each line.
        after_each: Called after each game that is read at the beginning.

    Attributes:
        finished: The games in file order, by match index and game number, without times.

    Raises:
        RecordError: If the file belongs to other matches, a line before the last is damaged, or the path
            is not a regular file.
        AgentError: If an agent is an object without the attribute ``text``.
        FileError: If the file cannot be read or written, or another process has locked it.
    """

    finished: dict[tuple[int, int], GameSummary]

    def __init__(
        self,
        path: str | os.PathLike[str],
        matches: Sequence[Match],
        tournament: Mapping[str, Any] | None = None,
        after_each: Callable[[], object] = lambda: None,
    ) -> None:
        self._path = Path(path)
        self._matches = matches
        self._tournament = tournament
        self._known = [_fields(match) for match in matches]
        self._place_of = {json.dumps(fields): place for place, fields in enumerate(self._known)}
        self.finished = {}
        self._is_cut = False
        if not is_replaced(self._path):
            raise RecordError("{path} keeps no games: expected a file, or a new name", path=self._path)
        self._lock = _locked(self._path)
        try:
            with writing(self._path):
                self._file = self._open(after_each)
        except BaseException:
            self._lock.release()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        try:
            with writing(self._path):
                self._close()
            places = list(self.finished)
            if error is None and places != sorted(places):
                with reading(self._path):
                    lines = self._path.read_bytes().splitlines(keepends=True)
                in_order = [line for _, line in sorted(zip(places, lines, strict=True))]
                write_text_atomically(self._path, b"".join(in_order).decode())
        finally:
            self._lock.release()

    def _close(self) -> None:
        try:
            self._file.close()
        finally:
            if self._is_cut:
                with self._path.open("r+b") as file:
                    file.truncate(end_of_lines(file))

    def add(self, place: int, game: GameSummary) -> GameSummary:
        """Append and flush a game of the match with index ``place``; return it without its JSON line.

        Raises:
            FileError: If writing fails, possibly after a part of the line.
        """
        told: dict[str, Any] = {"match": {**self._known[place], "game": game.number}}
        if self._tournament is not None:
            told["tournament"] = {**self._tournament, _LOG_CHOICES: game.log_choices}
        with writing(self._path):
            self._is_cut = True
            self._file.write(f"{game.line[:-1]}, {json.dumps(told, ensure_ascii=False)[1:]}\n".encode())
            self._file.flush()
            self._is_cut = False
        self.finished[place, game.number] = stripped = replace(game, line="")
        return stripped

    def _open(self, after_each: Callable[[], object]) -> BinaryIO:
        try:
            file = self._path.open("r+b")
        except FileNotFoundError:
            file = self._path.open("x+b")
        try:
            file.truncate(self._read(file, after_each))
            file.seek(0, os.SEEK_END)
        except BaseException:
            file.close()
            raise
        return file

    def _read(self, file: BinaryIO, after_each: Callable[[], object]) -> int:
        """Read all games; return the offset after the last valid line."""
        end = 0
        for number, line in numbered_lines(file):
            try:
                place, game = self._game(line)
            except DurakError as error:
                # A killed process leaves at most one damaged line, the last. It is only cut off if the file
                # has a valid line before it, or it begins like a game: another file is never changed.
                if isinstance(error, _OtherMatchError) or file.read(1):
                    raise RecordError(
                        "{path}, line {number}: {why}", path=self._path, number=number, why=error
                    ) from None
                if not end and (line.endswith(b"\n") or not line.startswith(_BEGINNING[: len(line)])):
                    raise RecordError(
                        "{path}: expected the games of a match, one JSON object a line", path=self._path
                    ) from None
                break
            key = place, game.number
            if key in self.finished:
                message = "{path}, line {number}: game {game} appears twice"
                raise RecordError(message, path=self._path, number=number, game=game.number)
            self.finished[key] = game
            end += len(line)
            after_each()
        return end

    def _game(self, line: bytes) -> tuple[int, GameSummary]:
        """Return the match index and the game of a line."""
        if not line.endswith(b"\n"):
            raise RecordError("the line does not end: expected a whole game")
        record = from_json_line(RawGame(self._path, 1, line, is_json=True).text, with_end=True)
        told = _told(record.extra, "match")
        if self._tournament is not None:
            of = _told(record.extra, "tournament")
            belongs_to = {name: of.get(name) for name in self._tournament}
            if belongs_to != self._tournament:
                raise _other("tournament", belongs_to, [self._tournament])
        optional = [name for name in ("seating", "origins") if name in told]
        fields = {name: told.get(name) for name in ("rules", "agents", "seed", *optional)}
        place = self._place_of.get(json.dumps(fields))
        if place is None:
            raise _other("match", fields, self._known)
        match, number = self._matches[place], told.get("game")
        if not isinstance(number, int) or not 0 <= number < match.games:
            raise _OtherMatchError(
                "another match: game {number}: expected a number from 0 to {last}, or a match of more games",
                number=number,
                last=match.games - 1,
            )
        players = match.seated(number)
        if (record.seed, record.players) != (match.deal_seed(number), players):
            raise RecordError(
                "game {number} has the deal {seed} of {players}: expected {deal_seed} of {wanted_players}",
                number=number,
                seed=record.seed,
                players=", ".join(record.players),
                deal_seed=match.deal_seed(number),
                wanted_players=", ".join(players),
            )
        summary = GameSummary.of(record, number, match.seating(number))
        if summary is None:
            raise RecordError("game {number} has no result: expected a finished game", number=number)
        if self._tournament is not None:
            found = of.get(_LOG_CHOICES)
            if not isinstance(found, float):
                message = "tournament: {log_choices} {found}: expected a number"
                raise RecordError(message, log_choices=_LOG_CHOICES, found=found)
            summary = replace(summary, log_choices=found)
        return place, summary


def _locked(path: Path) -> FileLock:
    """Acquire a separate lock file, because sorting replaces the resume file."""
    target = Path(os.path.realpath(path))
    try:
        lock = FileLock.acquire(target.with_name(f".{target.name}.lock"))
    except OSError as error:
        raise unwritable(path, error) from None
    if lock is None:
        raise FileError(
            "{path}: another process is playing a match into this file: expected it to have ended, or "
            "another file",
            path=path,
        )
    return lock


class _OtherMatchError(RecordError):
    """A valid line of another match."""


def _told(keys: Mapping[str, Any], what: str) -> dict[str, Any]:
    told = keys.get(what)
    if not isinstance(told, dict):
        message = "no key {what}: expected games that were written by durak {what} --resume"
        raise _OtherMatchError(message, what=what)
    return told


def _other(what: str, found: Mapping[str, Any], known: Sequence[Mapping[str, Any]]) -> RecordError:
    """Return an error that names the first field no known match shares."""
    for name in dict.fromkeys([*found, *[name for fields in known for name in fields]]):
        value = found.get(name)
        fitting = [fields for fields in known if fields.get(name) == value]
        if not fitting:
            break
        known = fitting
    different = list(dict.fromkeys([json.dumps(fields.get(name), ensure_ascii=False) for fields in known]))
    more = f" or one of {len(different) - _SHOWN} more" if len(different) > _SHOWN else ""
    return _OtherMatchError(
        "another {what}: {name} {shown}: expected {expected}",
        what=what,
        name=name,
        shown=json.dumps(value, ensure_ascii=False),
        expected=" or ".join(different[:_SHOWN]) + more,
    )


def _fields(match: Match) -> dict[str, Any]:
    for player in match.named:
        if isinstance(player, OwnAgent):
            player.check_lasting()
    fields = {"rules": match.rules.text, "agents": list(match.agents), "seed": match.seed}
    if isinstance(match, DrawnSeats):
        fields["seating"] = "random"
    return with_origins(fields, match.origins)
