"""The seats that the player can return to, with their secret tokens, in a file of the data folder."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path
from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct

from durak_core.errors import FileError
from durak_core.files import MEGABYTE, read_bytes, write_bytes_atomically, writing
from durak_core.game.file_lock import held
from durak_tui.friends.address import LONGEST_ADDRESS, Address
from durak_tui.storage.paths import data_dir

_MOST: Final = 20
_NAME: Final = "friends.json"
_WAIT: Final = 0.05
"""Longest wait in seconds for another window to change the file."""
_GLANCE: Final = 0.001


class KeptSeat(Struct, frozen=True, forbid_unknown_fields=True):
    """A seat at a table.

    Attributes:
        token: The server's token for this seat.
        is_own: Whether this program started the table's server.
    """

    server: Annotated[str, Meta(max_length=LONGEST_ADDRESS)]
    code: Annotated[str, Meta(max_length=20)]
    token: Annotated[str, Meta(max_length=100)]
    is_own: bool = False

    @property
    def address(self) -> Address:
        return Address(self.server, self.code)


class KeptSeats:
    """The file of seats, newest first. A damaged or unwritable file only costs the way back to a seat."""

    def __init__(self, folder: Path | None = None) -> None:
        self._path = (folder or data_dir()) / _NAME

    def all(self) -> tuple[KeptSeat, ...]:
        try:
            return msgspec.json.decode(read_bytes(self._path, MEGABYTE), type=tuple[KeptSeat, ...])
        except (FileError, msgspec.DecodeError, UnicodeDecodeError):
            return ()

    def find(self, address: Address) -> KeptSeat | None:
        return next((seat for seat in self.all() if seat.address == address), None)

    def latest(self, since: float) -> KeptSeat | None:
        """Return the newest seat if the file was changed after a time, in seconds of `time.time`."""
        try:
            is_new = self._path.stat().st_mtime > since
        except OSError:
            return None
        return next(iter(self.all()), None) if is_new else None

    def keep(self, seat: KeptSeat) -> None:
        self._replace(seat.address, seat)

    def move(self, old: Address, new: Address) -> None:
        """Note that a seat's server now has another address."""
        seat = self.find(old)
        if seat is not None and old != new:
            self._replace(old, msgspec.structs.replace(seat, server=new.server))

    def drop(self, address: Address) -> None:
        self._replace(address)

    def _replace(self, address: Address, *seats: KeptSeat) -> None:
        left_out = {address, *[seat.address for seat in seats]}
        end = time.monotonic() + _WAIT
        lock = held(self._path.with_suffix(".lock"), lambda: time.monotonic() < end, _GLANCE)
        with contextlib.suppress(FileError), writing(self._path), lock:
            kept = (*seats, *[seat for seat in self.all() if seat.address not in left_out])
            self._path.touch(mode=0o600)
            write_bytes_atomically(self._path, msgspec.json.encode(kept[:_MOST]))
