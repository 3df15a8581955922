"""The app process of one page, and the packets passed between the two.

Textual's web driver has the other ends of the pipes. A packet is a letter, four bytes of size, and a payload.
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
"""Seconds that an app gets to end by itself after its visitor has left, and then after SIGTERM."""

_READY: Final = b"__GANGLION__\n"
_KILL: Final = getattr(signal, "SIGKILL", signal.SIGTERM)
_PATIENCE: Final = 30.0
"""Seconds in which an app has to start, and to take in what was typed."""
_MOST_DRAWN: Final = 1 << 24
"""Bytes of a packet: the largest terminal, each cell in colours of its own, needs fewer."""
_KEPT: Final = 2000
"""Bytes that are kept of what an app writes to its standard error."""


class Visit:
    """An app that draws for a visitor.

    Args:
        command: Starts the app.
        environment: Its variables, beside this process's own.
        show: Gets what it draws.
        turn: Held while it starts, which takes a processor for a while.
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
        """Start the app when it is its turn, and show what it draws to its end; `TimeoutError` if it hangs.

        Other packets of Textual's, such as files and addresses, are ignored.
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
        """Pass a packet on to the app; `TimeoutError` if it does not take it in and is to be ended."""
        stdin = self._process.stdin if self._process else None
        if stdin is None or stdin.is_closing():
            return
        with contextlib.suppress(ConnectionError):
            stdin.write(packet)
            await asyncio.wait_for(stdin.drain(), _PATIENCE)

    async def end(self) -> None:
        """Let the app save and end; kill one that hangs or has drawn nothing yet, and its engines."""
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
    """Tell whether a process ends by itself in some seconds."""
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(process.wait(), FAREWELL)
    return process.returncode is not None


def _send(process: Process, what: signal.Signals) -> None:
    """Send a signal to a process that has not ended; asyncio's own way may forget how it ended."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, what)


async def _read_away(pipe: asyncio.StreamReader | None) -> bytes:
    """Read a pipe to its end, so that no writer waits; return its last bytes."""
    last = b""
    while pipe is not None and (block := await pipe.read(1 << 16)):
        last = (last + block)[-_KEPT:]
    return last


def _tell_owner(code: int, said: bytes) -> None:
    """Say in one line that an app has failed; a visitor may have written part of what it says."""
    lines = said.decode("utf-8", "replace").strip().splitlines() or [""]
    why = "".join([letter if letter.isprintable() else "?" for letter in lines[-1]])
    click.echo(f"The app of a visitor ended with {code}: {why}", err=True)
