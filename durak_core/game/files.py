"""Files of games in either format, read whole or one game at a time; a game code stands for a file."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from durak_core.errors import FileError, Message, NotationError, RecordError
from durak_core.files import MEGABYTE, UTF16, decoded, is_utf16, open_regular, read_json, read_text, reading
from durak_core.game.json_form import from_json_line, read_json_lines
from durak_core.game.notation.game_code import LETTER, is_game_code, read_game_code
from durak_core.game.notation.game_text import read_games, write_game
from durak_core.game.record import BrokenGameError, Record

LARGEST_GAME: Final = MEGABYTE
"""Largest game in bytes."""

_LARGEST_WHOLE: Final = 64 * MEGABYTE
"""Largest file in bytes whose games are all kept in memory."""

_LARGEST: Final = 2**20 * MEGABYTE
"""Largest file in bytes that is read one game at a time."""

_MARK: Final = b"\xef\xbb\xbf"

_BLANK: Final = _MARK + b" \t\r\n\x1a"

_OPENING: Final = re.compile(rb"\{|\[[A-Za-z]")

_LINK: Final = re.compile(r"https?:/{1,2}[^/].*/g/")
"""A link's beginning, up to the code; `Path` leaves one of two slashes."""

_OTHER_CODE: Final = re.compile(rf"(?:[A-Z](?<!{LETTER})|{LETTER.lower()})[A-Za-z0-9_-]{{16,}}")


def game_code_in(name: str | os.PathLike[str]) -> str | None:
    """Return the game code that a name is, or that its link holds; None for files and other names."""
    text = os.fspath(name)
    link = _LINK.match(text)
    if link is not None:
        return text[link.end() :]
    return text if is_game_code(text) and not os.path.lexists(text) else None


def load_records(path: str | os.PathLike[str]) -> list[Record]:
    """Read all games of a UTF-8 file; the first character distinguishes game text from JSON lines.

    A game code, or a link to one, stands for a file with its game.

    Raises:
        FileError: If the file cannot be read, is not text or has more than 64 MB.
        NotationError: If it holds no game, or the code is damaged.
        BrokenGameError: If a game does not parse, breaks off, or is illegal.
    """
    code = game_code_in(path)
    if code is not None:
        return [read_game_code(code)]
    try:
        text = read_text(path, _LARGEST_WHOLE)
    except FileError as error:
        if error.is_missing and _OTHER_CODE.fullmatch(os.fspath(path)):
            raise NotationError(
                "{name} is no file, and game codes of this version begin with {letter}",
                name=os.fspath(path),
                letter=LETTER,
            ) from None
        raise
    records = read_json_lines(text) if text.lstrip().startswith("{") else read_games(text)
    if not records:
        raise NotationError("{file} holds no game", file=os.fspath(path))
    return records


def choose_records(path: str | os.PathLike[str], game: int | None = None) -> tuple[Record, ...]:
    """Read all games of a file or code, or the game of a number from 1, ignoring errors in later games.

    Raises:
        FileError: As for `load_records`.
        RecordError: If a game is damaged or missing; the file is named.
        NotationError: If it holds no game, or the code is damaged.
    """
    name = os.fspath(path)
    try:
        records = tuple(load_records(path))
    except BrokenGameError as error:
        if game is None or game > len(error.earlier):
            raise RecordError("{where}: {why}", where=name, why=error) from error
        records = error.earlier
    if game is None:
        return records
    if not 1 <= game <= len(records):
        raise RecordError(
            "{file} holds {count} games; there is no game {number}",
            file=name,
            count=len(records),
            number=game,
        )
    return (records[game - 1],)


@dataclass(frozen=True, slots=True)
class RawGame:
    """An unparsed game of a file: a line of JSON, or a game text; ``line`` counts from 1."""

    path: Path
    line: int
    data: bytes
    is_json: bool

    def records(self) -> tuple[Record, ...]:
        """Parse one or more adjacent games, with their ends cached.

        A `BrokenGameError` has the file, the line, and the games before the damaged or illegal one.
        """
        try:
            if self.is_json:
                return (from_json_line(self.text, with_end=True),)
            return tuple(read_games(self.text, self.line, with_ends=True))
        except NotationError as error:
            line = self.line
            where: Message | str = str(self.path)
            # Errors in a game's text have their line.
            if self.is_json or not isinstance(error, BrokenGameError):
                line += self.data.rstrip().count(b"\n", 0, error.position or 0)
                where = Message("{file}, line {number}", file=self.path, number=line)
            raise BrokenGameError.at(error, line, Message("{where}: {why}", where=where, why=error)) from None

    def as_json(self) -> object:
        """Return the JSON without validating it as a game; raise `NotationError` if it is not JSON."""
        return read_json(self.text)

    @property
    def text(self) -> str:
        """The decoded game; `NotationError` if it is not UTF-8."""
        try:
            return decoded(self.data)
        except UnicodeDecodeError as error:
            if is_utf16(self.data):
                raise NotationError(UTF16) from None
            raise NotationError("this is not UTF-8 text", error.start) from None


def scan_games(path: str | os.PathLike[str]) -> Iterator[RawGame]:
    """Yield the games of a file, or of a game code or its link, without parsing them.

    A JSON game is one line, or the only object of the file. A game text ends before tags that follow
    an empty line.

    Raises:
        FileError: If the file cannot be read.
        NotationError: If it holds no game, a game has more bytes than `LARGEST_GAME`, or the code is damaged.
    """
    code = game_code_in(path)
    if code is not None:
        yield RawGame(Path(path), 1, write_game(read_game_code(code)).encode(), is_json=False)
        return
    games, source = 0, Path(path)
    with reading(path), open_regular(path, _LARGEST) as file:
        opening = _opening(file)
        is_json = opening.startswith(b"{")
        for line, data in numbered_lines(file) if is_json and opening != b"{" else _paragraphs(file):
            if len(data) > LARGEST_GAME:
                raise NotationError(
                    "{file}, line {number}: a game cannot have more than {most} bytes",
                    file=os.fspath(path),
                    number=line,
                    most=LARGEST_GAME,
                )
            if data.strip(_BLANK):
                games += 1
                yield RawGame(source, line, data, is_json)
    if not games:
        raise NotationError("{file} holds no game", file=os.fspath(path))


def _opening(file: BinaryIO) -> bytes:
    """Return the first line that begins with a brace or a tag, if it comes within the limit."""
    opening = b""
    for _, line in numbered_lines(file):
        if _OPENING.match(stripped := line.strip(_BLANK)):
            opening = stripped
        if opening or file.tell() > LARGEST_GAME:
            break
    file.seek(0)
    return opening


def numbered_lines(file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Yield the lines with their numbers from 1, cutting long lines."""
    return enumerate(iter(lambda: file.readline(LARGEST_GAME + 1), b""), 1)


def _paragraphs(file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Split a file before tags that follow an empty line and other text, or at the size limit."""
    part = bytearray()
    start, is_empty, in_tags = 1, False, False
    for number, line in numbered_lines(file):
        is_tag = line.removeprefix(_MARK).startswith(b"[")
        if (is_tag and is_empty and not in_tags) or len(part) > LARGEST_GAME:
            yield start, bytes(part)
            part, start = bytearray(), number
        part += line
        is_empty = not line.strip()
        in_tags = in_tags if is_empty else is_tag
    yield start, bytes(part)
