"""Files of puzzles, and the packaged ones."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Generic, TypeVar

from durak_core.errors import DurakError, NotationError
from durak_core.files import MEGABYTE, read_bytes, too_large
from durak_core.puzzles.hidden import HiddenPuzzle, read_hidden_puzzle
from durak_core.puzzles.puzzle import Puzzle, read_puzzle

SHIPPED: Final = Path(__file__).with_name("puzzles.txt.gz")
SHIPPED_HIDDEN: Final = Path(__file__).with_name("hidden.txt.gz")

_LARGEST: Final = 16 * MEGABYTE
_MOST_FAULTS: Final = 100
_GZIP: Final = b"\x1f\x8b"
_GZIP_FORMAT: Final = 31


_Kind = TypeVar("_Kind", Puzzle, HiddenPuzzle)


@dataclass(frozen=True)
class Collection(Generic[_Kind]):
    """The puzzles of a file, numbered from 1.

    Attributes:
        lines: Their unparsed texts, each with its line number in the file.
    """

    name: str
    lines: tuple[tuple[int, str], ...]
    read: Callable[[str], _Kind]

    def __len__(self) -> int:
        return len(self.lines)

    def puzzle(self, number: int) -> _Kind:
        """Return the puzzle of a number, with its position validated.

        An unknown number raises `DurakError`, an invalid puzzle `NotationError` with the file and the line.
        """
        if not 1 <= number <= len(self):
            raise DurakError(
                "{file} holds {count} puzzles; there is no puzzle {number}",
                file=self.name,
                count=len(self),
                number=number,
            )
        line, text = self.lines[number - 1]
        try:
            puzzle = self.read(text)
            _ = puzzle.state  # raises if invalid
        except DurakError as error:
            message = "{file}, line {line}: {why}"
            raise NotationError(message, file=self.name, line=line, why=error) from None
        return puzzle

    def sound(self, faults: list[NotationError]) -> Iterator[tuple[int, _Kind]]:
        """Yield all valid puzzles with their numbers; append the errors of the others to ``faults``.

        Reading ends after a hundred errors, which one more error reports.
        """
        for number in range(1, len(self) + 1):
            try:
                yield number, self.puzzle(number)
            except NotationError as error:
                faults.append(error)
                if len(faults) == _MOST_FAULTS:
                    message = "{file}: after {count} invalid puzzles the rest is not read"
                    faults.append(NotationError(message, file=self.name, count=_MOST_FAULTS))
                    return


def read_collection(path: str | os.PathLike[str] = SHIPPED) -> Collection[Puzzle]:
    """Read a file, optionally gzipped, of a puzzle a line; empty lines and ``#`` comments are skipped.

    An unreadable file, or one above 16 MB, raises `FileError`; one that is not text, `NotationError`.
    """
    return Collection(os.fspath(path), _lines_of(path), read_puzzle)


def read_hidden_collection(path: str | os.PathLike[str] = SHIPPED_HIDDEN) -> Collection[HiddenPuzzle]:
    return Collection(os.fspath(path), _lines_of(path), read_hidden_puzzle)


def holds_hidden(path: str | os.PathLike[str]) -> bool:
    """Return whether a file's first puzzle has hidden cards; raise as `read_collection` does."""
    return any(" lines=" in f" {text}" for _number, text in _lines_of(path)[:1])


def _lines_of(path: str | os.PathLike[str]) -> tuple[tuple[int, str], ...]:
    data = read_bytes(path, _LARGEST)
    if data.startswith(_GZIP):
        data = _unpacked(data, path)
    try:
        texts = enumerate(data.decode("utf-8-sig").splitlines(), 1)
    except UnicodeDecodeError as error:
        raise NotationError("{file}: this is not UTF-8 text", error.start, file=os.fspath(path)) from None
    return tuple([(number, text) for number, text in texts if text.strip() and not text.startswith("#")])


def _unpacked(data: bytes, path: str | os.PathLike[str]) -> bytes:
    unpacker = zlib.decompressobj(_GZIP_FORMAT)
    try:
        text = unpacker.decompress(data, _LARGEST + 1)
    except zlib.error:
        text = b""
    if len(text) > _LARGEST:
        raise too_large(path, _LARGEST)
    if not unpacker.eof:
        raise NotationError("{file} is damaged: it cannot be unpacked", file=os.fspath(path))
    return text
