"""The WebSocket of tables at ``/tables``: connections of people, answered by `durak_tui.friends`."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import os
from collections.abc import AsyncIterator
from typing import Final

import click
from aiohttp import WSMsgType, web

from durak_core.errors import FileError
from durak_tui.engine import EnginePool, engine_command
from durak_tui.friends.messages import MOST_BYTES, Again, FromServer, Open, Start, write_message
from durak_tui.friends.store import TableStore
from durak_tui.friends.tables import USUAL_LIMITS, ConnectionState, Limits, Tables
from durak_tui.storage.paths import data_dir
from durak_tui.web.messages import Pace
from durak_tui.web.visit import COOKIE, visitor_of

FOLDER: Final = "tables"
"""The folder of tables in the data folder."""
MOST_CONNECTIONS: Final = 450
"""Maximum connections to tables. The page needs others."""

_A_SECOND: Final = 20
"""Messages accepted per second. Further ones wait."""
_AT_ONCE: Final = 40
"""Messages accepted without waiting after a pause."""
_PRICE_OF_A_DEAL: Final = 20
"""Cost in messages of a message after which a game may be dealt."""
_MOST_WAITING: Final = 300
"""Messages that may wait for a slow reader before it is dropped."""
_PATIENCE: Final = 10.0
"""Seconds for a reader to accept a message."""
_CLOSING: Final = 2.0
"""Seconds for a client to close its socket."""
_MOST_ENGINES: Final = 4


class TableLink:
    """A connection that queues messages, and is dropped if its reader is too slow.

    Args:
        websocket: The prepared socket.
        transport: Its transport, to drop it.
    """

    def __init__(self, websocket: web.WebSocketResponse, transport: asyncio.Transport | None) -> None:
        self._websocket = websocket
        self._transport = transport
        self._waiting: asyncio.Queue[FromServer | None] = asyncio.Queue(_MOST_WAITING)

    def close(self) -> None:
        """Close the connection after the queued messages."""
        self.send(None)

    def send(self, message: FromServer | None) -> None:
        """Queue a message, or the end; drop the connection if too many wait."""
        try:
            self._waiting.put_nowait(message)
        except asyncio.QueueFull:
            self._drop()

    def _drop(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    async def run(self) -> None:
        """Send queued messages until `close`."""
        try:
            while (message := await self._waiting.get()) is not None:
                async with asyncio.timeout(_PATIENCE):
                    await self._websocket.send_str(write_message(message))
            await self._websocket.close()
        except (TimeoutError, ConnectionError, RuntimeError):  # too slow, or gone
            self._drop()


class TableSockets:
    """All connections to the server's tables.

    Args:
        limits: Of tables and places.
        is_own: Whether the server belongs to the player who opens its tables, and ends with them.
    """

    def __init__(self, limits: Limits = USUAL_LIMITS, *, is_own: bool = False) -> None:
        self._limits = limits
        self._is_own = is_own
        self._tables: Tables | None = None
        self._links: set[TableLink] = set()
        self._has_none = False

    async def run(self, _app: web.Application) -> AsyncIterator[None]:
        """Keep the tables while the server runs."""
        try:
            store = TableStore(data_dir() / FOLDER, _report)
        except FileError as error:
            self._has_none = True
            _report(f"There are no tables for friends: {error}")
            yield
            return
        pool = EnginePool(engine_command(), min(_MOST_ENGINES, os.cpu_count() or 1))
        self._tables = Tables(store, pool, limits=self._limits, report=_report, is_own=self._is_own)
        self._tables.start()
        yield
        tables, self._tables = self._tables, None
        await tables.close()
        await pool.close()
        store.close()

    async def close_all(self, _app: web.Application) -> None:
        if self._tables is not None:
            self._tables.pause()
        for link in tuple(self._links):
            link.close()

    async def connect(self, request: web.Request) -> web.StreamResponse:
        """Serve a connection to its end."""
        if self._has_none:
            raise web.HTTPNotFound(text="There are no tables here.")
        if self._tables is None or len(self._links) >= MOST_CONNECTIONS:
            raise web.HTTPServiceUnavailable(text="There is no room for more connections now.")
        websocket = web.WebSocketResponse(
            timeout=_CLOSING, heartbeat=30, autoping=False, compress=False, max_msg_size=MOST_BYTES
        )
        await websocket.prepare(request)
        link = TableLink(websocket, request.transport)
        connection = ConnectionState(self._tables, _visitor(request), link)
        self._links.add(link)
        sending = asyncio.create_task(link.run(), name="durak-table-link")
        try:
            with contextlib.suppress(ConnectionError):  # it has gone
                await _listen(websocket, connection)
        finally:
            connection.end()
            self._links.discard(link)
            link.close()
            await asyncio.wait({sending}, timeout=_PATIENCE)
            sending.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await sending
        return websocket


async def _listen(websocket: web.WebSocketResponse, connection: ConnectionState) -> None:
    """Answer a connection's messages in order, at a limited rate. Anything but text ends it."""
    pace = Pace(_A_SECOND, _AT_ONCE)
    async for message in websocket:
        price = 1
        if message.type is WSMsgType.TEXT:
            taken = await connection.take(message.data)
            price = _PRICE_OF_A_DEAL if isinstance(taken, Open | Start | Again) else 1
        elif message.type is WSMsgType.PING:
            await websocket.pong(message.data)
        elif message.type is not WSMsgType.PONG:
            return
        await pace.wait(price)


def _visitor(request: web.Request) -> str:
    """Return the visitor of a browser's cookie, or of another machine's address.

    Without a cookie, connections from this machine are different visitors: a proxy makes them all.
    """
    cookie = request.cookies.get(COOKIE)
    if cookie is None and request.remote and not ipaddress.ip_address(request.remote).is_loopback:
        return request.remote
    return visitor_of(cookie)


def _report(problem: str) -> None:
    click.echo(problem, err=True)
