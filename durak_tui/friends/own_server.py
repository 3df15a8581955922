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
from durak_tui.friends.address import Address
from durak_tui.text.i18n import mark

USUAL_PORT: Final = 8000

_COMMAND: Final = (sys.executable, "-m", "durak_tui.web")
_ANNOUNCED: Final = re.compile(r"http://[^/]*:(\d{1,5})/")
_FAREWELL: Final = 3.0
"""Seconds for the server to save the games of its visitors and exit."""
_ELSEWHERE: Final = ("192.0.2.1", 9)
"""An address of the documentation's network. Nothing is sent there."""


class OwnServer:
    """A table server in a process of its own, for this machine and its local network."""

    def __init__(self) -> None:
        self._process: Process | None = None
        self._output: asyncio.Task[None] | None = None
        self.port = 0

    async def start(self, port: int = USUAL_PORT) -> Address:
        """Start the server, on another port if this one is in use; return where the host connects.

        Raises:
            EngineError: If it does not start; has what it said last.
        """
        self._process = await asyncio.create_subprocess_exec(
            *_COMMAND, str(port), stdin=PIPE, stdout=PIPE, stderr=STDOUT
        )
        output = self._process.stdout
        said = ""
        while output is not None and (line := await output.readline()):
            said = line.decode("utf-8", "replace").strip() or said
            found = _ANNOUNCED.search(said)
            if found is not None:
                self.port = int(found[1])
                self._output = asyncio.create_task(_read_away(output), name="durak-own-server")
                return Address(f"http://127.0.0.1:{self.port}/")
        await self._process.wait()
        raise EngineError(mark("The table server did not start: {why}"), why=said)

    async def stop(self) -> None:
        """End the server. Its tables stay stored for the next one."""
        process, self._process = self._process, None
        if process is None:
            return
        if process.stdin is not None:
            process.stdin.close()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), _FAREWELL)
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
        if self._output is not None:
            await self._output

    @property
    def in_network(self) -> Address:
        """Where friends in the local network connect."""
        return Address(f"http://{_own_address()}:{self.port}/")


async def _read_away(output: asyncio.StreamReader) -> None:
    """Read the output to its end, so that the server never waits for room in the pipe."""
    while await output.read(1 << 16):
        pass


def _own_address() -> str:
    """Return this machine's address in the local network; 127.0.0.1 without one."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(_ELSEWHERE)
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"
