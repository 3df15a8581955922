"""NumPy's ``.npz`` archives of one-dimensional arrays, read within limits and written without NumPy."""

from __future__ import annotations

import io
import re
import struct
import zipfile
import zlib
from collections.abc import Mapping
from typing import Final, NamedTuple

from durak_core.errors import DurakError

_MAGIC: Final = b"\x93NUMPY\x01\x00"
_HEADER: Final = re.compile(
    rb"\{'descr': '(?P<kind>[|<][a-z][0-9])', 'fortran_order': False, "
    rb"'shape': \((?P<count>[0-9]{1,9}),\), \} *\n"
)
"""NumPy's header for arrays of one dimension."""
_ALIGNED: Final = 64
_MOST_FILES: Final = 100
_DAMAGED: Final = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, ValueError, RuntimeError, OSError)
"""Exceptions of `zipfile` for damaged archives; `RuntimeError` is for encrypted ones."""


class Expected(NamedTuple):
    """An array to read: NumPy's name of its type, such as ``<f2``, and its maximum file size in bytes."""

    kind: str
    most: int


def read_arrays(data: bytes, arrays: Mapping[str, Expected]) -> dict[str, bytes]:
    """Return the contents of an archive's arrays by name (NumPy's format 1.0, NEP 1).

    Raises:
        DurakError: If the archive is damaged, or an array is missing, too large or of another type.
    """
    if data.count(b"PK\x01\x02") > _MOST_FILES:
        raise DurakError("the archive has too many files")  # `zipfile` would read each
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return {name: _array(archive, name, expected) for name, expected in arrays.items()}
    except DurakError:
        raise
    except _DAMAGED:
        raise DurakError("the archive is damaged") from None


def archive_of(arrays: Mapping[str, tuple[str, bytes]]) -> bytes:
    """Return a compressed archive of arrays, each with NumPy's name of its type and its contents."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, (kind, numbers) in arrays.items():
            shape = f"({len(numbers) // int(kind[-1])},)"
            header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".encode()
            size = -(-(len(_MAGIC) + 2 + len(header) + 1) // _ALIGNED) * _ALIGNED - len(_MAGIC) - 2
            member = zipfile.ZipInfo(f"{name}.npy")  # with a fixed date
            member.compress_type = zipfile.ZIP_DEFLATED
            head = _MAGIC + size.to_bytes(2, "little") + header.ljust(size - 1) + b"\n"
            archive.writestr(member, head + numbers)
    return file.getvalue()


def _array(archive: zipfile.ZipFile, name: str, expected: Expected) -> bytes:
    data = _member(archive, f"{name}.npy", expected.most)
    start = len(_MAGIC) + 2
    header = _HEADER.fullmatch(data, start, start + int.from_bytes(data[start - 2 : start], "little"))
    if not data.startswith(_MAGIC) or header is None:
        raise DurakError("{name} is no array of NumPy's format 1.0 with one dimension", name=name)
    numbers, count, found = data[header.end() :], int(header["count"]), header["kind"].decode()
    if found != expected.kind or len(numbers) != count * int(found[-1]):
        raise DurakError(
            "{name} has {size} bytes of {found}, expected {count} of {kind}",
            name=name,
            size=len(numbers),
            found=found,
            count=count,
            kind=expected.kind,
        )
    return numbers


def _member(archive: zipfile.ZipFile, name: str, most: int) -> bytes:
    """Unpack a file of an archive up to a maximum size, regardless of the size it claims."""
    found = [info for info in archive.infolist() if info.filename == name]
    if len(found) != 1 or found[0].compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
        raise DurakError("expected one file {name}, stored or deflated", name=name)
    with archive.open(found[0]) as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise DurakError("{name} has more than {most} bytes", name=name, most=most)
    return data
