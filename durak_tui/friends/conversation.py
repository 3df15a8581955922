"""One connection's messages, answered at the server."""

from __future__ import annotations

import asyncio

from durak_core.errors import NotationError
from durak_tui.friends.chair import Link
from durak_tui.friends.messages import (
    VERSION,
    Act,
    Again,
    FromPlayer,
    Hello,
    Leave,
    No,
    Open,
    Replace,
    Say,
    Sit,
    Start,
    Watch,
    checked_code,
    checked_name,
    read_from_player,
    refusal,
)
from durak_tui.friends.table import Table
from durak_tui.friends.tables import Tables


class Conversation:
    """The state of one connection: its name, and its seat or the table that it watches.

    Args:
        tables: The server's tables.
        visitor: The connection's visitor.
        link: The connection.
    """

    def __init__(self, tables: Tables, visitor: str, link: Link) -> None:
        self._tables = tables
        self._visitor = visitor
        self._link = link
        self._name = ""
        self._seated: tuple[Table, int] | None = None
        self._watched: Table | None = None

    async def take(self, text: str) -> FromPlayer | None:
        """Answer a message; return it, or None if it is invalid."""
        try:
            message = read_from_player(text)
        except NotationError:
            self._link.send(refusal("message"))
            return None
        no = await self._answer(message)
        if no is not None:
            self._link.send(no)
            if no.kind == "version":
                self._link.close()
        return message

    def end(self) -> None:
        """Note that the connection has ended."""
        if self._watched is not None:
            self._watched.watch_no_more(self._link)
        if self._seated is not None:
            table, seat = self._seated
            self._seated = None
            table.disconnect(seat, self._link)

    async def _answer(self, message: FromPlayer) -> No | None:
        if self._seated is not None and not self._seated[0].is_at(self._seated[1], self._link):
            self._seated = None  # a newer connection has it, or the table has ended
        if self._watched is not None:
            return refusal("spectator")
        match message:
            case Hello():
                return self._greet(message)
            case _ if not self._name:
                return refusal("name")
            case Open() | Sit() | Watch():
                return await self._come(message)
        return refusal("no_seat") if self._seated is None else self._do(message, *self._seated)

    def _do(self, message: Start | Act | Say | Replace | Again | Leave, table: Table, seat: int) -> No | None:
        match message:
            case Start():
                return table.start(seat)
            case Again():
                return table.again()
            case Act():
                return table.act(seat, message)
            case Say():
                table.say(seat, message.phrase)
            case Replace():
                return table.replace(message.seat)
            case Leave():
                self._seated = None
                table.leave(seat)
        return None

    def _greet(self, hello: Hello) -> No | None:
        if hello.version != VERSION:
            return refusal("version")
        name = checked_name(hello.name)
        if not name:
            return refusal("name")
        if self._seated is not None:
            return refusal("not_now")
        self._name = name
        return None

    async def _come(self, message: Open | Sit | Watch) -> No | None:
        match message:
            case Open():
                return await self._open(message)
            case Sit():
                return await self._sit(message)
            case Watch():
                return await self._watch(message)

    async def _open(self, message: Open) -> No | None:
        if self._seated is not None:
            return refusal("not_now")
        table = await self._tables.open(self._visitor, message)
        if isinstance(table, No):
            return table
        self._take_seat(table)
        return None

    async def _sit(self, message: Sit) -> No | None:
        table = self._tables.find(checked_code(message.code))
        if table is None:
            return await self._wrong("no_table")
        if message.token:
            seat = table.seat_of(message.token)
            if seat is None:
                return await self._wrong("no_seat")
            if self._seated not in {None, (table, seat)}:
                return refusal("not_now")
            self._seated = table, seat
            table.connect(seat, message.token, self._link)
            return None
        if self._seated is not None:
            return refusal("not_now")
        return None if self._take_seat(table) else refusal("full")

    async def _watch(self, message: Watch) -> No | None:
        if self._seated is not None:
            return refusal("not_now")
        table = self._tables.find(checked_code(message.code))
        if table is None:
            return await self._wrong("no_table")
        no = table.watch(self._link)
        self._watched = table if no is None else None
        return no

    def _take_seat(self, table: Table) -> bool:
        seat = table.free_seat()
        if seat is None:
            return False
        self._seated = table, seat
        table.sit(seat, self._name, self._link)
        return True

    async def _wrong(self, kind: str) -> No:
        """Refuse a wrong code or token slowly, so that guessing takes for ever."""
        await asyncio.sleep(self._tables.limits.wrong_code)
        return refusal(kind)
