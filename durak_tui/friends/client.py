"""The client of a table: its connection, kept seats, and what players and spectators share.

The server is not trusted: each message is read by `durak_tui.friends.messages`, and the first that is wrong
ends the connection.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import time
from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Final, TypeAlias

import aiohttp
import msgspec
from msgspec import Meta, Struct

from durak_core import Record, Rules
from durak_core.errors import DurakError, FileError, Message, NotationError, printable
from durak_core.files import MEGABYTE, held, read_bytes, write_bytes_atomically, writing
from durak_tui.friends.messages import (
    LONGEST_ADDRESS,
    MOST_FROM_SERVER,
    NO_REASONS,
    OLDEST_VERSION,
    VERSION,
    Address,
    FromPlayer,
    FromServer,
    Lobby,
    No,
    read_from_server,
    write_message,
)
from durak_tui.library.model.entries import FRIENDS_TAG
from durak_tui.play.saves import time_now
from durak_tui.players import FRIEND, HUMAN, fit_names, resolve_opponent, shown_names
from durak_tui.sandbox import VISITOR_COOKIE, is_confined
from durak_tui.storage.paths import data_dir
from durak_tui.text.i18n import gettext, in_every_language, translate

_PATIENCE: Final = 10.0
"""Seconds for a server to accept a connection."""
_HEARTBEAT: Final = 15.0
"""Seconds between pings. A server that does not answer for half of it is lost."""
_FAREWELL: Final = 3.0
"""Seconds for the last messages to arrive: a host who leaves for good ends the server after them."""
_FIRST_WAIT: Final = 0.25
_LONGEST_WAIT: Final = 8.0
"""Seconds between two attempts, doubled after each."""


_REFUSALS: Final = range(400, 500)
"""HTTP statuses of a server that has no tables, or none for this visitor."""


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


Listener: TypeAlias = Callable[[FromServer | None], None]
"""Called after each message, and with None after a change of the connection."""


class Client:
    """A connection to a table, opened again whenever it is lost, until it is ended.

    Attributes:
        lobby: The table, or None until it is known.
        seat: The client's seat, or None without one.
        is_connected: Whether messages can be sent now.
        is_paused: Whether the host has gone with the server, and will be back.
        is_closed: Whether the host has closed the table for good.
        lobby_before: The table before its last change.
        problem: Why the connection has ended for good, or None.
    """

    def __init__(self, address: Address, name: str) -> None:
        self.address = address
        self.name = name
        self.lobby: Lobby | None = None
        self.seat: int | None = None
        self.is_connected = False
        self.is_paused = self.is_closed = False
        self.lobby_before: Lobby | None = None
        self.lobby_at = 0.0
        """When the lobby was received, in seconds of `time.monotonic`."""
        self.version = VERSION
        self._is_new_connection = True
        self.problem: Message | str | None = None
        self._socket = address.socket  # the address gets the code of the table later
        self._listeners: list[Listener] = []
        self._outgoing: asyncio.Queue[FromPlayer | None] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None
        self._is_ended = False

    @abstractmethod
    def greet(self) -> Iterable[FromPlayer]:
        """Return the first messages of each connection."""

    @abstractmethod
    def take(self, message: FromServer) -> None:
        """Take a message; raise `DurakError` if it cannot be true."""

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Call a function after each message and change; return a function that ends this."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def _tell(self, message: FromServer | None = None) -> None:
        for listener in tuple(self._listeners):
            listener(message)

    # The connection

    def connect(self) -> None:
        """Connect in the background. Needs a running event loop."""
        self._task = asyncio.get_running_loop().create_task(self._run(), name="durak-friends")

    def send(self, message: FromPlayer) -> bool:
        """Send a message; return False if there is no connection, and do nothing then."""
        if self.is_connected:
            self._outgoing.put_nowait(message)
        return self.is_connected

    def end(self, problem: Message | str | None = None) -> None:
        """Close for good, after what was sent before has gone out."""
        self._is_ended = True
        self._outgoing.put_nowait(None)
        if problem is not None and self.problem is None:
            self.problem = problem
            self._tell()

    async def close(self) -> None:
        """Close for good, and wait for the end."""
        self.end()
        task, self._task = self._task, None
        if task is not None:
            await asyncio.wait({task}, timeout=_FAREWELL if self.is_connected else 0)
            task.cancel()
            await asyncio.wait({task})

    async def _run(self) -> None:
        wait = _FIRST_WAIT
        timeout = aiohttp.ClientTimeout(total=None, connect=_PATIENCE, sock_connect=_PATIENCE)
        # By a visitor's cookie the server limits tables; in a terminal there is none.
        cookies = {VISITOR_COOKIE: data_dir().name} if is_confined() else None
        async with aiohttp.ClientSession(timeout=timeout, cookies=cookies) as session:
            while not self._is_ended:
                try:
                    websocket = await session.ws_connect(
                        self._socket, heartbeat=_HEARTBEAT, max_msg_size=MOST_FROM_SERVER
                    )
                    async with websocket:
                        wait = _FIRST_WAIT
                        await self._talk(websocket)
                except aiohttp.WSServerHandshakeError as error:
                    if error.status in _REFUSALS:
                        self.end(Message("There are no tables at this address."))
                except (aiohttp.ClientError, OSError):
                    pass  # tried again
                if not self._is_ended:
                    await asyncio.sleep(wait * random.uniform(0.5, 1.0))  # noqa: S311 - spreads reconnections
                    wait = min(2 * wait, _LONGEST_WAIT)

    async def _talk(self, websocket: aiohttp.ClientWebSocketResponse) -> None:
        for message in self.greet():
            await websocket.send_str(write_message(message))
        # What was meant for the lost connection is out of date: the server shows everything again.
        self._outgoing = asyncio.Queue()
        self.is_connected = self._is_new_connection = True
        self._tell()
        sender = asyncio.create_task(self._send_all(websocket), name="durak-friends-sender")
        try:
            async for frame in websocket:
                self._hear(frame)
        finally:
            sender.cancel()
            await asyncio.wait({sender})
            self.is_connected = False
            self._tell()

    async def _send_all(self, websocket: aiohttp.ClientWebSocketResponse) -> None:
        with contextlib.suppress(aiohttp.ClientError, OSError):
            while (message := await self._outgoing.get()) is not None:
                await websocket.send_str(write_message(message))
            await websocket.close()

    def _hear(self, frame: aiohttp.WSMessage) -> None:
        if self._is_ended:
            return
        try:
            if frame.type is not aiohttp.WSMsgType.TEXT:
                raise NotationError("this is not a text")
            message = read_from_server(frame.data)
            if isinstance(message, No) and message.kind == "version" and self.version > OLDEST_VERSION:
                self.version = OLDEST_VERSION
                self._outgoing.put_nowait(None)  # closes the connection; the next one greets as that version
                return
            self.is_paused = isinstance(message, No) and message.kind == "pause"
            self.take(message)
            self._tell(message)
        except DurakError as error:
            self.end(
                Message("The table sent something wrong, so you have left it: {why}.", why=error.message)
            )

    # The table

    @property
    def rules(self) -> Rules | None:
        return None if self.lobby is None else Rules.parse(self.lobby.rules)

    @property
    def players(self) -> tuple[str, ...]:
        """For each seat ``human`` for this person, ``friend`` for others, or a bot's spec."""
        if self.lobby is None:
            return ()
        return tuple(
            HUMAN if seat == self.seat else FRIEND if one.kind == "person" else resolve_opponent(one.player)
            for seat, one in enumerate(self.lobby.seats)
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The names in the active language; a friend called "You" gets the seat's number."""
        if self.lobby is None:
            return ()
        return readable_names([one.name for one in self.lobby.seats], self.players)

    def take_lobby(self, lobby: Lobby) -> None:
        """Take the table's state; raise `DurakError` if it contradicts itself or an earlier one."""
        before, is_new = self.lobby, self._is_new_connection
        is_one_game = before is not None and before.is_playing and lobby.is_playing and not is_new
        if before is not None and is_one_game and lobby.rules != before.rules:
            raise NotationError("the server changed the rules")
        rules = Rules.parse(lobby.rules)
        if not len(lobby.seats) == len(lobby.score) == rules.seats or lobby.host >= rules.seats:
            raise NotationError("the table has other seats than its rules")
        for seat in lobby.seats:
            if seat.kind == "bot" and resolve_opponent(seat.player) == seat.player:  # it has no such name
                raise NotationError("the server named an opponent that does not exist")
        self.lobby_before, self.lobby, self.lobby_at = before, lobby, time.monotonic()
        self._is_new_connection = False

    def countdown(self, seconds: float | None) -> int | None:
        """Return how many seconds of a lobby's countdown are left; None without one."""
        return None if seconds is None else max(0, round(seconds - time.monotonic() + self.lobby_at))


def readable_names(names: Sequence[str], players: Sequence[str]) -> tuple[str, ...]:
    """Return names that fit, in the active language; a friend called "You" gets the seat's number."""
    nameless = in_every_language("name", "You")
    pairs = zip(names, players, strict=True)
    return shown_names(
        fit_names(["" if player == FRIEND and one in nameless else one for one, player in pairs]),
        tuple(players),
    )


def stored_record(record: Record, names: tuple[str, ...], players: Sequence[str]) -> Record:
    """Return a finished game as the library stores it."""
    tags = {f"Player{seat}": player for seat, player in enumerate(players)}
    return replace(record, players=names, date=time_now(), tags={**tags, FRIENDS_TAG: "1"})


def refusal_words(no: No) -> str:
    """Return the sentence of a refusal, translated if this program knows its kind."""
    reason = NO_REASONS.get(no.kind)
    if reason is not None:
        return translate(reason)
    return printable(no.why) or gettext("The table refuses that.")
