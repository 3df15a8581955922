"""The table server of a host: a child process that ends with the app."""

from __future__ import annotations

import asyncio
import contextlib
import re
import socket
import sys
from asyncio.subprocess import PIPE, STDOUT, Process
from typing import Final

from durak_core.errors import EngineError
from durak_tui.friends.messages import Address
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
