"""A visit: its folder, slot and app process, and its stay after a lost page.

Textual's web driver holds the other ends of the pipes. A packet is a letter, four bytes of size, and a
payload.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import secrets
import signal
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from typing import Any, Final

import click
from aiohttp import WSCloseCode, WSMsgType, web

from durak_core.files import make_private
from durak_tui.sandbox import CONFINED, TABLES, VISITOR_COOKIE
from durak_tui.storage.paths import data_dir
from durak_tui.text.i18n import LANGUAGES, Speaker
from durak_tui.web.messages import PONG, QUIT, REDRAW, Pace, price, read_message, resize_packet

COOKIE: Final = VISITOR_COOKIE
_VISITOR: Final = re.compile(r"[0-9a-f]{32}")
_PAGE_NAME: Final = re.compile(r"[0-9a-z]{1,32}")
_LANGUAGE: Final = re.compile(r"([a-z]{2})(?:-[a-z0-9-]*)?(?: *; *q=(0(?:\.[0-9]{1,3})?|1(?:\.0{1,3})?))?")

MOST_FOLDER_BYTES: Final = 100 << 20
"""Maximum bytes of a visitor's folder. A library for import or export may be large."""
MOST_FILES: Final = 2000
MOST_FOLDERS: Final = 10_000

_FEW_THREADS: Final = {"OPENBLAS_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2"}
"""Limits on library threads, which otherwise count per processor towards the memory limit."""


def visitor_of(cookie: str | None) -> str:
    """Return a cookie's visitor, or a new one."""
    return cookie if cookie and _VISITOR.fullmatch(cookie) else secrets.token_hex(16)


def page_of(name: str | None) -> str:
    """Return the name that a page has given itself; empty if it is invalid."""
    return name if name and _PAGE_NAME.fullmatch(name) else ""


def folder_of(visitor: str) -> Path:
    return data_dir() / "web" / visitor


def is_full(visitor: str) -> bool:
    """Return whether a visitor's folder exceeds its limit, or cannot be created."""
    folder = folder_of(visitor)
    if not folder.exists():
        return sum(1 for _ in folder.parent.glob("*")) >= MOST_FOLDERS
    size = count = 0
    for path, _, names in os.walk(folder):
        count += len(names)
        with contextlib.suppress(OSError):  # a file deleted meanwhile
            size += sum(Path(path, name).lstat().st_size for name in names)
        if size > MOST_FOLDER_BYTES or count > MOST_FILES:
            return True
    return False


def accepted_language(languages: str) -> str:
    """Return the preferred language of the app by ``Accept-Language``; empty if the header has none."""
    found = [one for part in languages.lower().split(",") if (one := _LANGUAGE.fullmatch(part.strip()))]
    known = [one for one in found if one[1] in LANGUAGES]
    if not known:
        return "en" if found else ""
    return max(known, key=lambda one: float(one[2] or 1))[1]


@cache
def _speaker_of(code: str) -> Speaker:
    speaker = Speaker()
    speaker.set_language(code)
    return speaker


def speaker_of(languages: str) -> Speaker:
    """Return a speaker of the visitor's language; English if the app does not have it."""
    return _speaker_of(accepted_language(languages) or "en")


def process_environment(
    visitor: str, size: tuple[int, int] = (80, 24), languages: str = "", tables: str = ""
) -> dict[str, str]:
    """Return the environment of a visitor's app.

    Args:
        visitor: The visitor.
        size: Columns and rows of the terminal.
        languages: The value of ``Accept-Language``.
        tables: The address of the server whose tables the app may join.
    """
    folder = folder_of(visitor)
    language = accepted_language(languages)
    width, height = size
    return {
        "DURAK_DATA_DIR": str(folder),
        "DURAK_CONFIG_DIR": str(folder / "config"),
        CONFINED: "1",
        TABLES: tables,
        "TEXTUAL_DRIVER": "durak_tui.web.driver:Driver",
        "TEXTUAL_COLOR_SYSTEM": "truecolor",
        "COLUMNS": str(width),
        "ROWS": str(height),
        "PYTHONUTF8": "1",
        **_FEW_THREADS,
        **({"LC_ALL": f"{language}.UTF-8"} if language else {}),
    }


MOST_VISITS: Final = 16
"""Maximum visits. Each has its own processes."""
MOST_OF_ONE: Final = 2
"""Maximum visits per visitor. A further page ends the oldest."""


class NoSlotError(Exception):
    """All slots are in use by other visitors."""


class VisitSlot:
    """A place for one visit among the server's.

    Attributes:
        is_wanted: Set when the visit has to end because another page needs the slot.
        is_idle: Whether no page shows the visit, so that another visitor may have the slot.
    """

    def __init__(self, visitor: str) -> None:
        self.visitor = visitor
        self.is_idle = False
        self.is_wanted = asyncio.Event()


class SlotPool:
    """All slots, in order of use."""

    def __init__(self) -> None:
        self._slots: list[VisitSlot] = []
        self._waiting: dict[str, object] = {}
        self._changed = asyncio.Condition()

    def is_open(self, visitor: str) -> bool:
        """Return whether a visitor would get a slot, possibly an idle one or one of their own."""
        return self._has_room(visitor) or self._to_leave(visitor) is not None

    @asynccontextmanager
    async def hold_slot(self, visitor: str) -> AsyncIterator[VisitSlot]:
        """Hold a slot during the block. Raises `NoSlotError` if none is free or a newer page waits."""
        slot = await self._enter(visitor)
        try:
            yield slot
        finally:
            self._slots.remove(slot)
            async with self._changed:
                self._changed.notify_all()

    def _has_room(self, visitor: str) -> bool:
        of_others = sum(other != visitor for other in self._waiting)
        mine = sum(slot.visitor == visitor for slot in self._slots)
        return len(self._slots) + of_others < MOST_VISITS and mine < MOST_OF_ONE

    def _to_leave(self, visitor: str) -> VisitSlot | None:
        """Return the slot that has to be left for a visitor: an idle one, or the visitor's oldest."""
        mine = [slot for slot in self._slots if slot.visitor == visitor]
        others = mine if len(mine) >= MOST_OF_ONE else self._slots
        idle = [slot for slot in others if slot.is_idle and not slot.is_wanted.is_set()]
        return next(iter((*idle, *mine)), None)

    async def _enter(self, visitor: str) -> VisitSlot:
        turn, leaving = object(), None
        async with self._changed:
            try:
                while not self._has_room(visitor):
                    if leaving not in self._slots:
                        leaving = self._to_leave(visitor)
                    if leaving is None:
                        raise NoSlotError
                    leaving.is_wanted.set()
                    self._waiting[visitor] = turn
                    self._changed.notify_all()  # an older page of this visitor stops waiting
                    await self._changed.wait()
                    if self._waiting.get(visitor) is not turn:
                        raise NoSlotError
            finally:
                if self._waiting.get(visitor) is turn:
                    del self._waiting[visitor]
            slot = VisitSlot(visitor)
            self._slots.append(slot)
        return slot


FAREWELL: Final = 5.0
"""Seconds for an app to exit after its visitor has left, and again after SIGTERM."""

_READY: Final = b"__GANGLION__\n"
_KILL: Final = getattr(signal, "SIGKILL", signal.SIGTERM)
_PATIENCE: Final = 30.0
"""Seconds for an app to start, and to accept input."""
_MOST_DRAWN: Final = 1 << 24
"""Maximum bytes of a packet, enough for the largest terminal with individual colours in each cell."""
_KEPT: Final = 2000
"""Bytes kept of an app's standard error."""


class Visit:
    """A visitor's app.

    Args:
        environment: Variables added to this process's own.
        show: Called with the app's output.
        turn: Semaphore held during the start, which takes a processor for a while.
    """

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        show: Callable[[bytes], Awaitable[None]],
        turn: asyncio.Semaphore,
    ) -> None:
        self._command = tuple(command)
        self._environment = {**os.environ, **environment}
        self._show = show
        self._turn = turn
        self._process: Process | None = None
        self._errors: asyncio.Task[bytes] | None = None
        self._can_end = False

    async def run(self) -> None:
        """Start the app after acquiring `turn`, and pass on its output to the end.

        Other packets of Textual's driver, such as files and addresses, are ignored.

        Raises:
            TimeoutError: If the app hangs.
        """
        with contextlib.suppress(asyncio.IncompleteReadError, asyncio.LimitOverrunError, ConnectionError):
            async with self._turn, asyncio.timeout(_PATIENCE):
                output = await self._start()
                await output.readuntil(_READY)
            self._can_end = True
            while True:
                kind = await output.readexactly(1)
                size = int.from_bytes(await output.readexactly(4), "big")
                if size > _MOST_DRAWN:
                    return
                payload = await output.readexactly(size)
                if kind == b"D":
                    await self._show(payload)
        self._can_end = True

    async def _start(self) -> asyncio.StreamReader:
        self._process = await asyncio.create_subprocess_exec(
            *self._command,
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            env=self._environment,
            start_new_session=True,
        )
        self._errors = asyncio.create_task(_read_away(self._process.stderr), name="durak-visit-errors")
        assert self._process.stdout is not None  # noqa: S101 - it was started with a pipe
        return self._process.stdout

    async def send_packet(self, packet: bytes) -> None:
        """Send a packet to the app. Raises `TimeoutError` if it hangs and has to be ended."""
        stdin = self._process.stdin if self._process else None
        if stdin is None or stdin.is_closing():
            return
        with contextlib.suppress(ConnectionError):
            stdin.write(packet)
            await asyncio.wait_for(stdin.drain(), _PATIENCE)

    async def end(self) -> None:
        """Let the app save and exit. Kills it and its engines if it hangs or has drawn nothing yet."""
        process = self._process
        if process is None:
            return
        drawn = asyncio.create_task(_read_away(process.stdout), name="durak-visit-drawn")
        if process.stdin is not None:
            with contextlib.suppress(ConnectionError, RuntimeError):
                process.stdin.write(QUIT)
        by_itself = self._can_end and await _ends(process)
        if not by_itself and self._can_end:
            _send(process, signal.SIGTERM)
            await _ends(process)
        _send(process, _KILL)
        await process.wait()
        if hasattr(os, "killpg"):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, _KILL)
        await drawn
        said = await self._errors if self._errors else b""
        if process.returncode and by_itself:
            _tell_owner(process.returncode, said)


async def _ends(process: Process) -> bool:
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(process.wait(), FAREWELL)
    return process.returncode is not None


def _send(process: Process, what: signal.Signals) -> None:
    """Signal a running process. asyncio's own method may lose the exit status."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, what)


async def _read_away(pipe: asyncio.StreamReader | None) -> bytes:
    """Read a pipe to its end, so that writers never block; return the last bytes."""
    last = b""
    while pipe is not None and (block := await pipe.read(1 << 16)):
        last = (last + block)[-_KEPT:]
    return last


def _tell_owner(code: int, said: bytes) -> None:
    """Log an app's failure in one line. A visitor may have written part of its output."""
    lines = said.decode("utf-8", "replace").strip().splitlines() or [""]
    why = "".join([letter if letter.isprintable() else "?" for letter in lines[-1]])
    click.echo(f"The app of a visitor ended with {code}: {why}", err=True)


ENDED: Final = 4000
"""The close code of a socket whose visit has ended. After any other code the page connects again."""
ABSENCE: Final = 60.0
"""Seconds that a visit goes on without a page."""
_GLANCE: Final = 10.0
"""Seconds between checks of a folder's size."""


async def _first_of(*works: Coroutine[Any, Any, object]) -> list[asyncio.Task[object]]:
    """Run coroutines until one ends, and cancel the others; return all in order."""
    tasks = [asyncio.create_task(work, name="durak-visit") for work in works]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
    return tasks


class Stay:
    """A visit from its start to its end.

    Args:
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
        self._slot = VisitSlot(visitor)
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
                    make_private(folder_of(self.visitor))
                    works = self.visit.run(), slot.is_wanted.wait(), self._fill(), self._stays_alone()
                    for work in await _first_of(*works):
                        if not work.cancelled():
                            work.result()
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
        listening = self._listen(socket, size if is_late else None)
        try:
            listened, *_ = await _first_of(listening, self._over.wait(), replaced.wait())
        finally:
            self.lose(socket)
        is_lost = not listened.cancelled()
        if is_lost and isinstance(listened.exception(), TimeoutError):  # the app hangs
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
