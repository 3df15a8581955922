"""The connection to a table server, which is opened again by itself after a loss.

The server is not trusted: each message is read by `durak_tui.friends.messages`, and the first that is wrong
ends the connection.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import Callable, Iterable
from typing import Final

import aiohttp

from durak_core.errors import DurakError, NotationError
from durak_core.messages import Message
from durak_tui.friends.messages import (
    MOST_FROM_SERVER,
    FromPlayer,
    FromServer,
    read_from_server,
    write_message,
)
from durak_tui.sandbox import VISITOR_COOKIE, is_confined
from durak_tui.storage.paths import data_dir

_PATIENCE: Final = 10.0
"""Seconds for a server to accept a connection."""
_HEARTBEAT: Final = 15.0
"""Seconds between pings. A server that does not answer for half of it is lost."""
_FAREWELL: Final = 1.0
"""Seconds for the last messages to go out."""
_FIRST_WAIT: Final = 0.25
_LONGEST_WAIT: Final = 8.0
"""Seconds between two attempts, doubled after each."""


_REFUSALS: Final = range(400, 500)
"""HTTP statuses of a server that has no tables, or none for this visitor."""


class Connection:
    """Speaks with a server until it is closed.

    Args:
        socket: The server's ``ws`` or ``wss`` address.
        greet: Returns the first messages of each connection.
        take: Called with each message of the server; raises a `DurakError` for one that cannot be true.
        changed: Called when `is_open` or `problem` changes.

    Attributes:
        is_open: Whether messages can be sent now.
        problem: Why the connection has ended for good, or None.
    """

    def __init__(
        self,
        socket: str,
        greet: Callable[[], Iterable[FromPlayer]],
        take: Callable[[FromServer], None],
        changed: Callable[[], None],
    ) -> None:
        self._socket = socket
        self._greet = greet
        self._take = take
        self._changed = changed
        self._outgoing: asyncio.Queue[FromPlayer | None] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None
        self._is_ended = False
        self.is_open = False
        self.problem: Message | str | None = None

    def start(self) -> None:
        """Connect in the background. Needs a running event loop."""
        self._task = asyncio.get_running_loop().create_task(self._run(), name="durak-friends")

    def send(self, message: FromPlayer) -> bool:
        """Send a message; return False if there is no connection, and do nothing then."""
        if self.is_open:
            self._outgoing.put_nowait(message)
        return self.is_open

    def end(self, problem: Message | str | None = None) -> None:
        """Close for good, after what was sent before has gone out."""
        self._is_ended = True
        self._outgoing.put_nowait(None)
        if problem is not None and self.problem is None:
            self.problem = problem
            self._changed()

    async def close(self) -> None:
        """Close for good, and wait for the end."""
        self.end()
        task, self._task = self._task, None
        if task is not None:
            await asyncio.wait({task}, timeout=_FAREWELL if self.is_open else 0)
            task.cancel()
            await asyncio.wait({task})

    async def _run(self) -> None:
        wait = _FIRST_WAIT
        timeout = aiohttp.ClientTimeout(total=None, connect=_PATIENCE, sock_connect=_PATIENCE)
        async with aiohttp.ClientSession(timeout=timeout, cookies=_cookies()) as session:
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
        for message in self._greet():
            await websocket.send_str(write_message(message))
        self._outgoing = asyncio.Queue()
        self._set_open(True)
        sender = asyncio.create_task(self._send_all(websocket), name="durak-friends-sender")
        try:
            async for frame in websocket:
                self._hear(frame)
        finally:
            sender.cancel()
            await asyncio.wait({sender})
            self._set_open(False)

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
            self._take(read_from_server(frame.data))
        except DurakError as error:
            self.end(
                Message("The table sent something wrong, so you have left it: {why}.", why=error.message)
            )

    def _set_open(self, is_open: bool) -> None:
        if is_open != self.is_open:
            self.is_open = is_open
            self._changed()


def _cookies() -> dict[str, str] | None:
    """Return the visitor's cookie, by which the server limits tables; None in a terminal."""
    return {VISITOR_COOKIE: data_dir().name} if is_confined() else None
