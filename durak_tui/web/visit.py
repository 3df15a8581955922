"""The app process of a page, and the packets exchanged with it.

Textual's web driver holds the other ends of the pipes. A packet is a letter, four bytes of size, and a
payload.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from asyncio.subprocess import PIPE, Process
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final

import click

from durak_tui.web.messages import QUIT

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
        command: The command line.
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
