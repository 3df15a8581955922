"""The app process of one page, and what is passed on between the two.

Textual's web driver is at the other end of the pipes. It speaks in packets: a letter, four bytes of size,
and so many bytes of payload.
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
"""Seconds that an app gets to end by itself, once its visitor has left, and then after SIGTERM."""

_READY: Final = b"__GANGLION__\n"
_PATIENCE: Final = 30.0
"""Seconds in which an app has to take in what was typed."""
_MOST_DRAWN: Final = 1 << 24
"""Bytes of a packet: the largest terminal, each cell in colours of its own, needs fewer."""
_KEPT: Final = 2000
"""Bytes that are kept of what an app writes to its standard error."""


class Visit:
    """An app that draws for a visitor.

    Args:
        command: Starts the app.
        environment: What the app is told, beside this process's own variables.
        show: Takes what it draws.
    """

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        show: Callable[[bytes], Awaitable[None]],
    ) -> None:
        self._command = tuple(command)
        self._environment = {**os.environ, **environment}
        self._show = show
        self._process: Process | None = None
        self._errors: asyncio.Task[bytes] | None = None

    async def run(self) -> None:
        """Start the app, and show what it draws until it ends.

        Whatever else an app of Textual may offer its page, such as files and addresses, goes nowhere.
        """
        self._process = await asyncio.create_subprocess_exec(
            *self._command,
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            env=self._environment,
            start_new_session=True,
        )
        self._errors = asyncio.create_task(_read_away(self._process.stderr), name="durak-visit-errors")
        output = self._process.stdout
        assert output is not None  # noqa: S101 - it was started with a pipe
        with contextlib.suppress(asyncio.IncompleteReadError, asyncio.LimitOverrunError, ConnectionError):
            await output.readuntil(_READY)
            while True:
                kind = await output.readexactly(1)
                size = int.from_bytes(await output.readexactly(4), "big")
                if size > _MOST_DRAWN:
                    return
                payload = await output.readexactly(size)
                if kind == b"D":
                    await self._show(payload)

    async def tell(self, packet: bytes) -> None:
        """Pass something on to the app; one that does not take it in is to be ended.

        Raises:
            TimeoutError: If it does not.
        """
        stdin = self._process.stdin if self._process else None
        if stdin is None or stdin.is_closing():
            return
        with contextlib.suppress(ConnectionError):
            stdin.write(packet)
            await asyncio.wait_for(stdin.drain(), _PATIENCE)

    async def end(self) -> None:
        """Let the app save and end; what hangs is ended, and the engines of one that could not end them."""
        process = self._process
        if process is None:
            return
        drawn = asyncio.create_task(_read_away(process.stdout), name="durak-visit-drawn")
        if process.stdin is not None:
            with contextlib.suppress(ConnectionError, RuntimeError):
                process.stdin.write(QUIT)
        for last_word in (None, process.terminate, process.kill):
            with contextlib.suppress(ProcessLookupError):
                if last_word is not None:
                    last_word()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(process.wait(), FAREWELL)
                break
        if hasattr(os, "killpg"):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
        await drawn
        said = await self._errors if self._errors else b""
        if process.returncode:
            _tell_owner(process.returncode, said)


async def _read_away(pipe: asyncio.StreamReader | None) -> bytes:
    """Read a pipe to its end, so that nobody waits to write into it; return its last bytes."""
    last = b""
    while pipe is not None and (block := await pipe.read(1 << 16)):
        last = (last + block)[-_KEPT:]
    return last


def _tell_owner(code: int, said: bytes) -> None:
    """Say in one line that an app has failed; a visitor may have written part of what it says."""
    lines = said.decode("utf-8", "replace").strip().splitlines() or [""]
    why = "".join([letter if letter.isprintable() else "?" for letter in lines[-1]])
    click.echo(f"The app of a visitor ended with {code}: {why}", err=True)
