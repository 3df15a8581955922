"""A visit, and the page that shows it. A page that is lost finds its visit again for a while."""

from __future__ import annotations

import asyncio
from typing import Final

import click
from aiohttp import WSCloseCode, WSMsgType, web

from durak_tui.web.messages import PONG, REDRAW, Pace, price, read_message, resize_packet
from durak_tui.web.slots import Slot, SlotPool
from durak_tui.web.visit import Visit
from durak_tui.web.visitors import folder_of, is_full

ENDED: Final = 4000
"""The close code of a socket whose visit has ended. After any other code the page connects again."""
ABSENCE: Final = 60.0
"""Seconds that a visit goes on without a page."""
_GLANCE: Final = 10.0
"""Seconds between checks of a folder's size."""


class Stay:
    """A visit from its start to its end.

    Args:
        visitor: The visitor.
        options: Options of the app by the page's address, such as ``--join CODE``.

    Attributes:
        page: The page's own name; a visit of a page without a name ends with its socket.
        visit: The app.
        is_ending: Whether no page can find this visit any more.
    """

    visit: Visit

    def __init__(self, visitor: str, options: tuple[str, ...], page: str) -> None:
        self.visitor = visitor
        self.options = options
        self.page = page
        self.is_ending = False
        self._has_drawn = False
        self._slot = Slot(visitor)
        self._socket: web.WebSocketResponse | None = None
        self._replaced = asyncio.Event()
        self._lost = asyncio.Event()
        self._found = asyncio.Event()
        self._over = asyncio.Event()

    @property
    def is_alone(self) -> bool:
        """Whether no page shows this visit."""
        return self._socket is None

    async def show(self, drawn: bytes) -> None:
        """Send what the app draws to the page, if there is one."""
        socket, self._has_drawn = self._socket, True
        if socket is not None:
            try:
                await socket.send_bytes(drawn)
            except ConnectionError:
                self.lose(socket)

    async def run(self, slots: SlotPool, entered: asyncio.Future[None]) -> None:
        """Run the app until it exits, its slot is wanted, its folder is full, or no page returns.

        ``entered`` gets the result when there is a slot, or `NoSlotError`.
        """
        try:
            async with slots.hold_slot(self.visitor) as slot:
                self._slot = slot
                if not entered.done():
                    entered.set_result(None)
                try:
                    folder_of(self.visitor).mkdir(parents=True, exist_ok=True)
                    await self._until_one_ends()
                except (OSError, TimeoutError) as error:
                    click.echo(f"A visit ended: {type(error).__name__}: {error}", err=True)
                finally:
                    self.is_ending = True
                    await self.visit.end()
        except Exception as error:
            if entered.done():
                raise
            entered.set_exception(error)
        finally:
            self.is_ending = True
            self._over.set()

    async def _until_one_ends(self) -> None:
        works = [
            asyncio.create_task(work, name="durak-visit")
            for work in (self.visit.run(), self._slot.is_wanted.wait(), self._fill(), self._stays_alone())
        ]
        try:
            done, _ = await asyncio.wait(works, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for work in works:
                work.cancel()
            await asyncio.wait(works)
        for work in done:
            work.result()

    async def _fill(self) -> None:
        while True:
            if await asyncio.to_thread(is_full, self.visitor):
                return
            await asyncio.sleep(_GLANCE)

    async def _stays_alone(self) -> None:
        """Wait until a page has been away for too long."""
        while True:
            await self._lost.wait()
            try:
                async with asyncio.timeout(ABSENCE if self.page else 0):
                    await self._found.wait()
            except TimeoutError:
                return

    # The page

    async def serve(self, socket: web.WebSocketResponse, size: tuple[int, int]) -> None:
        """Show the visit on a page, in place of an older one, until the page is lost or the visit ends."""
        is_late = self._has_drawn
        self._replaced.set()
        self._replaced = replaced = asyncio.Event()
        self._socket = socket
        self._slot.is_idle = False
        self._lost.clear()
        self._found.set()
        works = [
            asyncio.create_task(work, name="durak-page")
            for work in (
                self._listen(socket, size if is_late else None),
                self._over.wait(),
                replaced.wait(),
            )
        ]
        try:
            await asyncio.wait(works, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for work in works:
                work.cancel()
            await asyncio.wait(works)
            self.lose(socket)
        is_lost = works[0].done() and not works[0].cancelled()
        if is_lost and isinstance(works[0].exception(), TimeoutError):  # the app hangs
            self._slot.is_wanted.set()
        await socket.close(code=WSCloseCode.GOING_AWAY if is_lost else ENDED)

    def lose(self, socket: web.WebSocketResponse) -> None:
        """Note that a page is lost, unless another one shows the visit."""
        if self._socket is None or self._socket is socket:
            self._socket = None
            self._slot.is_idle = True
            self._found.clear()
            self._lost.set()

    async def _listen(self, socket: web.WebSocketResponse, size: tuple[int, int] | None) -> None:
        """Pass a page's messages to its app, at a limited rate; ``size`` is for a page that missed output."""
        if size is not None:
            await self.visit.send_packet(resize_packet(*size))
            await self.visit.send_packet(REDRAW)
        pace = Pace()
        async for message in socket:
            kind, packet = read_message(message.data) if message.type is WSMsgType.TEXT else ("", b"")
            await pace.wait(price(kind))
            if packet:
                await self.visit.send_packet(packet)
            elif kind == "ping":
                await socket.send_str(PONG)
            elif message.type is WSMsgType.PING:
                await socket.pong(message.data)
