"""File access: bounded reads of files and JSON, atomic writes, and a lock that the system releases.

User-supplied names may be devices, pipes, folders or huge files. Every failure is a `FileError`.
"""

from __future__ import annotations

import codecs
import contextlib
import errno
import json
import math
import os
import re
import stat
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from io import BufferedReader
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, Final, Self, TypeAlias

from durak_core.errors import DurakError, FileError, Message, NotationError
from durak_core.interrupts import uninterrupted

Name: TypeAlias = "str | os.PathLike[str]"

MEGABYTE: Final = 1 << 20

_NO_FILE: Final = Message("it is not a regular file")

REASONS: Final = {
    errno.ENXIO: _NO_FILE,
    errno.ENOENT: Message("there is no such file or folder"),
    errno.ENOTDIR: Message("there is no such folder"),
    errno.EISDIR: Message("it is a folder; expected a file"),
    errno.ENAMETOOLONG: Message("its name is too long"),
    errno.ELOOP: Message("its links lead in a circle; remove one of them"),
    errno.EACCES: Message("this is not allowed; change the permissions of the file or its folder"),
    errno.EPERM: Message("this is not allowed; change the permissions of the file or its folder"),
    errno.EROFS: Message("the disk can only be read; use another one"),
    errno.ENOSPC: Message("the disk is full; make room on it"),
    errno.EDQUOT: Message("your share of the disk is full; delete something"),
    errno.EFBIG: Message("it would become too large; raise the limit or use another disk"),
    errno.EIO: Message("the disk does not answer as it should; check it"),
}
_NO_NAME: Final = Message("this cannot be the name of a file")

_STANDING: Final = re.compile(r"/dev/std(in|out|err)|/(?:dev|proc/self)/fd/(\d{1,6})")
"""Names of this process's open files."""

_TEMPORARY: Final = re.compile(r"\..+\.(\d{1,9})-[0-9a-f]{8}\.tmp")
_OLD: Final = 3600.0
"""Age in seconds at which a temporary file is abandoned, even if its process seems to run."""


def why(error: OSError | ValueError) -> Message | str:
    """Describe an error of the system or of the text's encoding; another `ValueError` is about the name."""
    if isinstance(error, FileExistsError) and error.filename:  # a folder could not be made
        return Message("{name} is in the way: it is no folder", name=error.filename)
    if isinstance(error, OSError):
        return REASONS.get(error.errno or 0) or error.strerror or str(error)
    if isinstance(error, UnicodeDecodeError):
        if is_utf16(error.object):
            return UTF16
        return Message("it is not UTF-8 text from byte {number} on", number=error.start + 1)
    return _NO_NAME


UTF16: Final = Message("it is UTF-16 text, not UTF-8")

_WINDOWS_MARKS: Final = re.compile(r"^[\ufeff\x1a]+|[\ufeff\x1a]+(?=[\[{]|\s*\Z)", re.MULTILINE)
"""Byte order marks and Ctrl+Z where Windows programs leave them: around each of the joined files."""


def is_utf16(data: bytes) -> bool:
    """Return whether data begin with a byte order mark of UTF-16."""
    return data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))


def decoded(data: bytes) -> str:
    """Decode UTF-8 text without Windows' marks; raise `UnicodeDecodeError`."""
    text = data.decode("utf-8")
    return _WINDOWS_MARKS.sub("", text) if "\ufeff" in text or "\x1a" in text else text


def user_folder(kind: str, variable: str, **options: Any) -> Path:  # noqa: ANN401 - of platformdirs
    """Return the folder that a variable names, or the platform's of a kind: data, config or cache.

    A user with neither HOME nor an entry in the user database, as in containers, has a home that does not
    exist.
    """
    named = os.environ.get(variable)
    if named:
        return Path(named)
    import platformdirs  # noqa: PLC0415 - not needed at every start

    try:
        return Path(getattr(platformdirs, f"user_{kind}_path")("durak", **options))
    except RuntimeError:
        return Path(os.sep, "nonexistent", kind, "durak")


def make_private(folder: Path) -> None:
    """Create a folder and its missing parents for this user alone, as the XDG specification asks."""
    if not folder.is_dir():
        make_private(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)


def open_regular(path: Name, most: int) -> BufferedReader:
    """Open a regular file of at most ``most`` bytes for reading, without blocking on a pipe.

    Raises:
        FileError: If it does not exist, is not a regular file, is too large, or cannot be opened.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from None
    found = os.fstat(descriptor)
    if stat.S_ISREG(found.st_mode) and found.st_size <= most:
        return os.fdopen(descriptor, "rb")
    os.close(descriptor)
    if stat.S_ISREG(found.st_mode):
        raise too_large(path, most)
    raise _unreadable(path, REASONS[errno.EISDIR] if stat.S_ISDIR(found.st_mode) else _NO_FILE)


def read_bytes(path: Name, most: int) -> bytes:
    """Read a regular file of at most ``most`` bytes; raise as `open_regular` does."""
    with reading(path), open_regular(path, most) as file:
        data = file.read(most + 1)  # it can grow in between
    if len(data) > most:
        raise too_large(path, most)
    return data


def read_text(path: Name, most: int) -> str:
    """Read a regular UTF-8 file without Windows' marks; raise `FileError` also for other encodings."""
    try:
        return decoded(read_bytes(path, most))
    except UnicodeDecodeError as error:
        raise unreadable(path, error) from None


def unreadable(path: Name, error: OSError | ValueError) -> FileError:
    return _unreadable(path, why(error), is_missing=isinstance(error, FileNotFoundError))


def too_large(path: Name, most: int) -> FileError:
    return _unreadable(path, Message("it is larger than {most} MB", most=f"{most / MEGABYTE:.3g}"))


def unwritable(path: Name, error: OSError | ValueError) -> FileError:
    return FileError("{path} cannot be written: {why}", path=path, why=why(error))


@contextlib.contextmanager
def reading(path: Name) -> Iterator[None]:
    """Convert the system's errors in the block as `unreadable` does."""
    try:
        yield
    except OSError as error:
        raise unreadable(path, error) from error


@contextlib.contextmanager
def writing(path: Name) -> Iterator[None]:
    """Convert the system's errors in the block as `unwritable` does."""
    try:
        yield
    except OSError as error:
        raise unwritable(path, error) from error


def _unreadable(path: Name, reason: Message | str, *, is_missing: bool = False) -> FileError:
    return FileError("{path} cannot be read: {why}", path=path, why=reason, is_missing=is_missing)


def is_replaced(path: Name) -> bool:
    """Return whether writing replaces the file; devices, pipes and open files are written in place."""
    if os.name == "posix" and os.path.abspath(path).startswith(("/dev/", "/proc/")):  # noqa: PTH100 - keeps links
        return not os.path.exists(path)  # noqa: PTH110 - takes both types of name
    try:
        return stat.S_ISREG(os.stat(path).st_mode)  # noqa: PTH116 - as above
    except FileNotFoundError:
        return True


def write_text_atomically(path: Name, text: str | Iterable[str]) -> None:
    """Write UTF-8 text or its pieces, keeping line ends; a crash leaves either the old file or the new one.

    An exception from the iterable aborts the write. `FileError` means that the old file is unchanged.
    """
    pieces = (text,) if isinstance(text, str) else text
    _write(path, (piece.encode("utf-8", "backslashreplace") for piece in pieces))


def write_bytes_atomically(path: Name, data: bytes) -> None:
    """Write a file so that a crash leaves either the old file or the new one.

    The bytes go to a temporary file in the same, existing folder, are synced, and replace the old file with
    its permissions. Links stay links. Devices and pipes are written in place. `FileError` means that the old
    file is unchanged.
    """
    _write(path, (data,))


def _write(path: Name, pieces: Iterable[bytes]) -> None:
    try:
        if is_replaced(path):
            _replace(Path(os.path.realpath(path)), pieces)
        else:
            with _opened(path) as file:
                file.writelines(pieces)
    except DurakError:  # raised by the iterable
        raise
    except (OSError, ValueError) as error:
        raise unwritable(path, error) from error


def _replace(target: Path, pieces: Iterable[bytes]) -> None:
    temporary = temporary_name(target)
    try:
        with temporary.open("xb") as file:
            file.writelines(pieces)
        replace_whole(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise


def replace_whole(temporary: Path, target: Path) -> None:
    """Sync a complete file and give it the name and the permissions of another one in the same folder."""
    with temporary.open("r+b") as file:
        os.fsync(file.fileno())
    if target.exists():
        temporary.chmod(target.stat().st_mode & 0o7777)
    temporary.replace(target)
    _sync_folder(target.parent)


def _opened(path: Name) -> BinaryIO:
    """Open a file to write in place; an open file keeps its offset."""
    standing = _STANDING.fullmatch(os.path.abspath(path))  # noqa: PTH100 - keeps links
    if standing is None:
        return Path(path).open("ab")
    name, number = standing.groups()
    return os.fdopen(os.dup(int(number) if number else ("in", "out", "err").index(name)), "wb")


def check_writable(path: Name) -> None:
    """Raise `FileError` if a file could not be written, before a long computation."""
    with writing(path):
        if Path(path).is_dir():
            raise OSError(errno.EISDIR, "")
        written = Path(os.path.realpath(path)).parent if is_replaced(path) else Path(path)
        if not written.exists():
            raise OSError(errno.ENOTDIR, "")
        if not os.access(written, os.W_OK):
            raise OSError(errno.EACCES, "")


class GrowingFile:
    """A file of lines that appears when the block ends, also with an error, unless that is before any line.

    Until then the lines go to a temporary file in the same folder and the old file is unchanged. It stays
    unchanged if writing fails; if there is none, the whole lines written so far appear. Devices and pipes get
    each line at once. Failures raise `FileError`.
    """

    def __init__(self, path: Name) -> None:
        self._path = path
        self._temporary: Path | None = None
        self._has_failed = False
        check_writable(path)
        with writing(path):
            self._target = Path(os.path.realpath(path))
            if is_replaced(path):
                sweep(self._target.parent)
                self._temporary = temporary_name(self._target)
                self._file: BinaryIO = self._temporary.open("xb")
            else:
                self._file = _opened(path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_error: object) -> None:
        with uninterrupted(), writing(self._path):
            try:
                self._file.close()
            except OSError:
                self._has_failed = True
                raise
            finally:
                if self._temporary:
                    self._finish(self._temporary, is_whole=kind is None)

    def _finish(self, temporary: Path, *, is_whole: bool) -> None:
        if self._has_failed:
            with temporary.open("r+b") as file:
                file.truncate(end_of_lines(file))
        has_lines = is_whole or temporary.stat().st_size > 0
        if has_lines and not (self._has_failed and self._target.exists()):
            replace_whole(temporary, self._target)
        else:
            temporary.unlink()

    def write_line(self, line: str) -> None:
        with writing(self._path):
            try:
                self._file.write(line.encode("utf-8", "backslashreplace") + b"\n")
                if not self._temporary:
                    self._file.flush()
            except OSError:
                self._has_failed = True
                raise


def end_of_lines(file: BinaryIO) -> int:
    """Return the offset after the last whole line of a file."""
    at = file.seek(0, os.SEEK_END)
    while at:
        start = max(0, at - MEGABYTE)
        file.seek(start)
        found = file.read(at - start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        at = start
    return 0


def temporary_name(target: Path) -> Path:
    """Return a new name in the same folder that holds the process id, for `sweep`."""
    return target.with_name(f".{target.name}.{os.getpid()}-{os.urandom(4).hex()}.tmp")


def sweep(folder: Path) -> None:
    """Remove the temporary files of terminated processes from a folder."""
    with contextlib.suppress(OSError):
        for path in list(folder.iterdir()):
            found = _TEMPORARY.fullmatch(path.name)
            with contextlib.suppress(OSError):
                if found and not (_is_running(int(found[1])) and time.time() - path.stat().st_mtime < _OLD):
                    path.unlink()


def _is_running(pid: int) -> bool:
    """Return whether a process may be running; always True on Windows, where the check would end it."""
    if sys.platform == "win32":
        return True
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        pass  # another user's process
    return True


def _sync_folder(folder: Path) -> None:
    """Sync the folder's entry, if the system can open folders."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


_DEEPEST: Final = 50
_DIGITS: Final = 300
"""Most digits of a number; longer ones fit no float, and parsing them takes quadratic time."""

_BRACKETS: Final = re.compile(r'"(?:[^"\\]|\\.)*+"?|[\[{]|[\]}]', re.DOTALL)
"""Brackets, and the strings to skip."""


def read_json(text: str, most: int = MEGABYTE) -> object:
    """Parse JSON of at most ``most`` characters; raise `NotationError` if invalid or beyond the limits."""
    if len(text) > most:
        raise NotationError("this JSON is longer than {most} characters", most=most)
    try:
        found = _QUICK.decode(text)
        is_plain = _MANY_DIGITS.search(text) is None and _is_plain(found, text)
    except (RecursionError, ValueError):
        is_plain = False
    if is_plain:
        return found
    _check_depth(text)
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise NotationError("this is not JSON: {why}", error.pos, why=error.msg) from None


def _is_plain(found: object, text: str) -> bool:
    """Return whether a value has few levels, and as many keys as its text, so that none is repeated."""
    keys, level = 0, [found]
    for _ in range(_DEEPEST):
        dicts = [one for one in level if type(one) is dict]
        keys += sum(map(len, dicts))
        values = chain(*[one.values() for one in dicts], *[one for one in level if type(one) is list])
        level = [value for value in values if type(value) in {dict, list}]
        if not level:
            return keys == text.count('":') and _SPACED_KEY.search(text) is None
    return False


def _check_depth(text: str) -> None:
    depth = 0
    for bracket in _BRACKETS.finditer(text):
        if bracket[0] in "[{":
            depth += 1
        elif bracket[0] in "]}":
            depth -= 1
        if depth > _DEEPEST:
            raise NotationError("this JSON is nested too deeply", bracket.start())


def _whole(text: str) -> int:
    return int(_bounded(text))


def _decimal(text: str) -> float:
    number = float(_bounded(text))
    if math.isinf(number):
        raise NotationError("this JSON has a number that is too large: {number}", number=text)
    return number


def _bounded(text: str) -> str:
    if len(text) > _DIGITS:
        raise NotationError("this JSON has a number of {count} digits", count=len(text))
    return text


def _no_constant(name: str) -> object:
    raise NotationError("this is not JSON: there is no {name}", name=name)


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise NotationError("this JSON has the key {key} twice", key=twice)
    return found


_MANY_DIGITS: Final = re.compile(rf"[0-9]{{{_DIGITS}}}")
_SPACED_KEY: Final = re.compile(r'"\s+:')
_QUICK: Final = json.JSONDecoder(parse_float=_decimal, parse_constant=_no_constant)
_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_whole, parse_float=_decimal, parse_constant=_no_constant
)


class FileLock:
    """A file locked by one process at a time; see `acquire`."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self._descriptor: int | None = descriptor

    @classmethod
    def acquire(cls, path: Path) -> FileLock | None:
        """Lock a file, creating it if needed; return None if it is locked already.

        `OSError` is raised if the file cannot be created, or its file system does not support locks.
        """
        while True:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
            try:
                _lock(descriptor)
            except OSError as error:
                os.close(descriptor)
                if isinstance(error, BlockingIOError | PermissionError):  # on POSIX and Windows
                    return None
                raise
            if _is_at(descriptor, path):
                return cls(path, descriptor)
            os.close(descriptor)  # its last holder removed it in between

    @property
    def is_held(self) -> bool:
        """Whether it still keeps others out: not after its release, or after someone deleted the file."""
        return self._descriptor is not None and _is_at(self._descriptor, self.path)

    def release(self) -> None:
        is_held = self.is_held
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            if is_held:  # otherwise the file may be another program's lock
                with contextlib.suppress(OSError):
                    self.path.unlink(missing_ok=True)
            os.close(descriptor)


@contextlib.contextmanager
def held(path: Path, is_waiting: Callable[[], bool], interval: float) -> Iterator[None]:
    """Context manager that holds a lock, or none if it stays taken or cannot be made.

    Args:
        path: The file to lock; its folder is created.
        is_waiting: Whether to try again to get the lock.
        interval: Time between two tries, in seconds.
    """
    lock = None
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        while is_waiting():
            lock = FileLock.acquire(path)
            if lock is not None:
                break
            time.sleep(interval)
    try:
        yield
    finally:
        if lock is not None:
            lock.release()


def _is_at(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except (FileNotFoundError, NotADirectoryError):
        return False


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
