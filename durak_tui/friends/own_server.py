"""The table server of a host, a child process that ends with the app, and tables of the local network.

Tables are announced and found by DNS-SD over multicast DNS (RFC 6762 and 6763). Only the code and the port of
an open table are announced. What others announce is not trusted: it has to have the form of a table at a
private address and to answer as one. It is only shown, or taken if a player has typed its code.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import re
import socket
import sys
from asyncio.subprocess import PIPE, STDOUT, Process
from collections.abc import Callable, Iterable
from typing import Final

import aiohttp
from zeroconf import Error, IPVersion, ServiceStateChange, Zeroconf
from zeroconf.asyncio import AsyncServiceBrowser, AsyncServiceInfo, AsyncZeroconf

from durak_core.errors import EngineError, NotationError
from durak_tui.friends.messages import (
    MOST_FROM_SERVER,
    OLDEST_VERSION,
    USUAL_SERVER,
    Address,
    Hello,
    No,
    Sit,
    checked_code,
    read_from_server,
    write_message,
)
from durak_tui.text.i18n import mark

USUAL_PORT: Final = 8000

_COMMAND: Final = (sys.executable, "-m", "durak_tui.web")
_ANNOUNCED: Final = re.compile(r"http://[^/]*:(\d{1,5})/")
_FAREWELL: Final = 3.0
"""Seconds for the server to save the games of its visitors and exit."""
_PAUSE: Final = 1.0
"""Seconds before a server that ended by itself is started again; doubled after each failure."""
_LONGEST_PAUSE: Final = 30.0
_ELSEWHERE: Final = ("192.0.2.1", 9)
"""An address of the documentation's network. Nothing is sent there."""


class OwnServer:
    """A table server in a process of its own, for this machine and its local network.

    A server that ends by itself is started again. It restores its tables, and everyone reconnects.
    """

    def __init__(self) -> None:
        self._process: Process | None = None
        self._watch: asyncio.Task[None] | None = None
        self.port = 0

    async def start(self, port: int = USUAL_PORT) -> Address:
        """Start the server, on another port if this one is in use; return where the host connects.

        Raises:
            EngineError: If it does not start; has what it said last.
        """
        self._watch = asyncio.create_task(self._launch(port), name="durak-own-server")
        await self._watch
        self._watch = asyncio.create_task(self._restart(), name="durak-own-server")
        return Address(f"http://127.0.0.1:{self.port}/")

    async def _launch(self, port: int) -> None:
        self._process = process = await asyncio.create_subprocess_exec(
            *_COMMAND, str(port), stdin=PIPE, stdout=PIPE, stderr=STDOUT
        )
        said = ""
        while process.stdout is not None and (line := await process.stdout.readline()):
            said = line.decode("utf-8", "replace").strip() or said
            found = _ANNOUNCED.search(said)
            if found is not None:
                self.port = int(found[1])
                return
        await process.wait()
        raise EngineError(mark("The table server did not start: {why}"), why=said)

    async def _restart(self) -> None:
        """Wait for the end of the server, and start it again on its port, until cancelled."""
        pause = _PAUSE
        while self._process is not None:
            await _read_away(self._process.stdout)
            await self._process.wait()
            await asyncio.sleep(pause)
            try:
                await self._launch(self.port)
                pause = _PAUSE
            except (EngineError, OSError):
                pause = min(2 * pause, _LONGEST_PAUSE)

    async def stop(self) -> None:
        """End the server, also if it is still starting. Its tables stay stored for the next one."""
        if self._watch is not None:
            self._watch.cancel()
            await asyncio.wait([self._watch])
        process, self._process = self._process, None
        if process is None:
            return
        if process.stdin is not None:
            process.stdin.close()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_FAREWELL):
                await _read_away(process.stdout)
                await process.wait()
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()

    @property
    def in_network(self) -> Address:
        """Where friends in the local network connect."""
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            try:
                probe.connect(_ELSEWHERE)  # nothing is sent: the system only chooses the interface
                host = str(probe.getsockname()[0])
            except OSError:  # there is no network
                host = "127.0.0.1"
        return Address(f"http://{host}:{self.port}/")


async def _read_away(output: asyncio.StreamReader | None) -> None:
    """Read the output to its end, so that the server never waits for room in the pipe."""
    while output is not None and await output.read(1 << 16):
        pass


SERVICE: Final = "_durak._tcp.local."
PATIENCE: Final = 2.8
"""Seconds to look for a table by its code: players read the answer within three."""
_MOST: Final = 50
"""Most tables that are shown, and most that are asked at a time; others wait."""
_MOST_FOLLOWED: Final = 2000
"""Most announcements that are followed; others are ignored."""
_BETWEEN_LOOKS: Final = 10.0
"""Seconds until a table is asked again whether it is there; doubled each time that it does not answer."""
_RESOLVING: Final = 2000
"""Milliseconds for an announcement to give its address."""
_NO_TOKEN: Final = "0" * 32


class Announcement:
    """The announcement of one open table, while it lasts."""

    def __init__(self) -> None:
        self._zeroconf: AsyncZeroconf | None = None

    async def start(self, address: Address) -> None:
        """Announce a table at the address for friends; do nothing if the network does not let it."""
        host = address.server.partition("//")[2].partition(":")[0]
        if self._zeroconf is not None or not _is_near(host):
            return
        with contextlib.suppress(OSError, Error):
            self._zeroconf = AsyncZeroconf(ip_version=IPVersion.V4Only)
            info = AsyncServiceInfo(
                SERVICE,
                f"{address.code}.{SERVICE}",
                port=address.port,
                parsed_addresses=[host],
                server=f"durak-{address.code.lower()}.local.",
            )
            await self._zeroconf.async_register_service(info)

    async def stop(self) -> None:
        zeroconf, self._zeroconf = self._zeroconf, None
        if zeroconf is not None:
            with contextlib.suppress(OSError, Error):
                await zeroconf.async_unregister_all_services()
            await zeroconf.async_close()


class Nearby:
    """Watches the announcements of tables.

    Args:
        changed: Called after each change.
        wanted: The code of the only table to find, which is taken as it is announced; empty for all tables,
            which are shown while they answer.

    Attributes:
        tables: The address of each table by its code.
    """

    def __init__(self, changed: Callable[[], object], wanted: str = "") -> None:
        self.tables: dict[str, Address] = {}
        self._changed = changed
        self._wanted = wanted
        self._zeroconf: AsyncZeroconf | None = None
        self._browser: AsyncServiceBrowser | None = None
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._places = asyncio.Semaphore(_MOST)

    def start(self) -> None:
        """Begin to watch; nothing is seen if the network does not let it. Needs a running event loop."""
        with contextlib.suppress(OSError, Error):
            self._zeroconf = AsyncZeroconf(ip_version=IPVersion.V4Only)
            self._browser = AsyncServiceBrowser(
                self._zeroconf.zeroconf, SERVICE, handlers=[self._service_changed]
            )

    async def stop(self) -> None:
        for task in self._tasks.values():
            task.cancel()
        if self._browser is not None:
            await self._browser.async_cancel()
        if self._zeroconf is not None:
            await self._zeroconf.async_close()

    def _service_changed(
        self, zeroconf: Zeroconf, service_type: str, name: str, state_change: ServiceStateChange
    ) -> None:
        code = name.removesuffix(f".{service_type}")
        if service_type != SERVICE or checked_code(code) != code or self._wanted not in {"", code}:
            return
        task = self._tasks.get(code)
        if state_change is ServiceStateChange.Removed:
            if task is not None:
                task.cancel()
            self._show(code, None)
        elif task is None and len(self._tasks) < _MOST_FOLLOWED:
            self._tasks[code] = asyncio.get_running_loop().create_task(self._follow(zeroconf, code))
            self._tasks[code].add_done_callback(lambda _task: self._tasks.pop(code))

    async def _follow(self, zeroconf: Zeroconf, code: str) -> None:
        """Show an announced table whenever it answers."""
        pause = _BETWEEN_LOOKS
        while code in self.tables or len(self.tables) < _MOST:
            async with self._places:
                info = AsyncServiceInfo(SERVICE, f"{code}.{SERVICE}")
                is_resolved = await info.async_request(zeroconf, _RESOLVING)
                near = [host for host in info.parsed_addresses(IPVersion.V4Only) if _is_near(host)]
                if is_resolved and not (near and info.port):
                    return
                address = Address(f"http://{near[0]}:{info.port}/", code) if is_resolved else None
                if address is not None and not self._wanted:
                    address = await _asked(address)
            self._show(code, address)
            if self._wanted:
                return
            pause = 2 * pause if address is None else _BETWEEN_LOOKS
            await asyncio.sleep(pause)

    def _show(self, code: str, address: Address | None) -> None:
        if self.tables.get(code) == address:
            return
        if address is None:
            del self.tables[code]
        else:
            self.tables[code] = address
        self._changed()


def _is_near(host: str) -> bool:
    """Return whether a host is an address that a local network can have."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_private and not (address.is_loopback or address.is_unspecified)


async def find_table(
    code: str, named: Iterable[str], *, is_near: bool, patience: float | None = None
) -> Address | None:
    """Return where the table with a code is, or None if nothing answers.

    Args:
        code: The code, which is sent to no server but the named ones and this machine's own.
        named: Servers that the player has named. They are preferred.
        is_near: Whether to look for an announcement in the local network.
        patience: Seconds to wait; None for `PATIENCE`.
    """
    servers = [*named, USUAL_SERVER]
    asked = [asyncio.create_task(_asked(Address(server, code))) for server in servers]
    if is_near:
        asked.append(asyncio.create_task(_announced(code)))
    try:
        async with asyncio.timeout(PATIENCE if patience is None else patience):
            for task in asked:
                if (found := await task) is not None:
                    return found
    except TimeoutError:
        done = [task.result() for task in asked if task.done() and not task.cancelled()]
        return next(filter(None, done), None)
    finally:
        for task in asked:
            task.cancel()
        await asyncio.wait(asked)
    return None


async def _announced(code: str) -> Address | None:
    """Wait for the announcement of a table."""
    seen = asyncio.Event()
    nearby = Nearby(seen.set, code)
    nearby.start()
    try:
        await seen.wait()
        return nearby.tables.get(code)
    finally:
        await nearby.stop()


async def _asked(address: Address) -> Address | None:
    """Ask a server whether it has a table, as a player who returns with a wrong token."""
    with contextlib.suppress(aiohttp.ClientError, OSError, NotationError, TypeError):
        async with (
            asyncio.timeout(PATIENCE),
            aiohttp.ClientSession() as session,
            session.ws_connect(address.socket, max_msg_size=MOST_FROM_SERVER) as websocket,
        ):
            for message in (Hello(OLDEST_VERSION, "?"), Sit(address.code, _NO_TOKEN)):
                await websocket.send_str(write_message(message))
            answer = read_from_server((await websocket.receive()).data)
            return address if isinstance(answer, No) and answer.kind == "no_seat" else None
    return None
