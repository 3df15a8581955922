"""An engine's process: its start, lines and end."""

from __future__ import annotations

import asyncio
import contextlib
import math
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Coroutine, Mapping, Sequence
from subprocess import PIPE
from typing import Any, Final, Self

from durak_core.engine.protocol import LONGEST_LINE
from durak_core.errors import EngineError, Message, printable, shortened

if sys.platform == "win32":
    from asyncio.windows_utils import Popen  # its pipes support an event loop
else:
    from subprocess import Popen

_FAREWELL: Final = 5.0
"""Seconds to end after ``quit`` or the end of the output."""

_KEPT_LINES: Final = 20
"""Last lines kept for error messages."""

_LONGEST_KEPT: Final = 300

_UNKNOWN_CODE: Final = 255
"""Exit code of a process that the system has reaped."""

_LESS_URGENT: Final = 5


class EngineProcess:
    """One process from its start to its end.

    Args:
        on_line: Called with ``<`` and a line of output, or ``!`` and one of standard error; an `EngineError`
            ends the process.
        over: Called with the reason when the output has ended.

    Attributes:
        returncode: The exit code, or the negative number of the signal; None before the end.
        fault: What the output did against the protocol, which ended the process.
    """

    def __init__(self, on_line: Callable[[str, str], None], over: Callable[[EngineError], None]) -> None:
        self._on_line = on_line
        self._over = over
        self._gone = asyncio.get_running_loop().create_future()
        self._outputs: list[asyncio.BaseTransport] = []
        self._readers: list[asyncio.Task[None]] = []
        self._stdin: asyncio.WriteTransport | None = None
        self._is_doomed = False
        self._spent: float | None = None
        self.pid = 0
        self.returncode: int | None = None
        self.fault: EngineError | None = None
        self.output: deque[str] = deque(maxlen=_KEPT_LINES)

    @classmethod
    async def start(
        cls,
        command: Sequence[str],
        on_line: Callable[[str, str], None],
        over: Callable[[EngineError], None],
        environment: Mapping[str, str] | None = None,
    ) -> Self:
        """Start a process and read its output; raise `EngineError` if this fails."""
        started = cls(on_line, over)
        process = _open(command, environment)
        started.pid = process.pid
        loop = asyncio.get_running_loop()
        threading.Thread(target=_reap, args=(process, loop, started._end_with), daemon=True).start()
        try:
            started._stdin, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, process.stdin)
            await started._listen(process.stdout, started.read)
            await started._listen(process.stderr, started._overhear)
        except BaseException:
            started.kill()
            started._close_pipes()
            for pipe in filter(None, (process.stdin, process.stdout, process.stderr)):
                pipe.close()  # it may not be connected yet
            raise
        return started

    async def _listen(
        self, pipe: object, read: Callable[[asyncio.StreamReader], Coroutine[Any, Any, None]]
    ) -> None:
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader(LONGEST_LINE)
        transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), pipe)
        self._outputs.append(transport)
        self._readers.append(loop.create_task(read(reader), name="durak-engine-reader"))

    @property
    def is_running(self) -> bool:
        return bool(self._readers) and not self._readers[0].done() and not self._is_doomed

    def send(self, text: str) -> None:
        if self._stdin is not None and not self._stdin.is_closing():
            self._stdin.write(text.encode() + b"\n")

    def close_input(self) -> None:
        if self._stdin is not None:
            self._stdin.close()

    def give_way(self) -> None:
        if hasattr(os, "setpriority"):
            with contextlib.suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, self.pid, os.getpriority(os.PRIO_PROCESS, 0) + _LESS_URGENT)

    def computed(self) -> float:
        """Return the CPU time of it and its children in seconds; nan without psutil."""
        return _seconds_of(self.pid) if self._spent is None else self._spent

    async def ended(self, grace_period: float = _FAREWELL) -> bool:
        """Wait for its end, at most five seconds; return whether it has ended."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(asyncio.shield(self._gone), min(grace_period, _FAREWELL))
        return self.returncode is not None

    def kill(self) -> None:
        self._is_doomed = True
        if self.returncode is None:
            with contextlib.suppress(OSError):
                os.kill(self.pid, getattr(signal, "SIGKILL", signal.SIGTERM))

    async def end(self, grace_period: float) -> None:
        """Kill it and read its last lines with a timeout.

        After a cancellation it must be called again.
        """
        self.kill()
        await asyncio.shield(self._gone)
        if self._readers:
            await asyncio.wait(self._readers, timeout=grace_period)
            self._close_pipes()
            await asyncio.wait(self._readers)

    async def read(self, stdout: asyncio.StreamReader) -> None:
        error = EngineError("the engine has ended, or was ended")
        try:
            while line := await stdout.readline():
                text = _one_line(line)
                self._keep(text)
                self._on_line("<", text)
            error = await self._end_of()
        except (EngineError, ValueError) as caught:
            long = Message("a line has more than {most} characters", most=LONGEST_LINE)
            problem = caught.message if isinstance(caught, EngineError) else long
            requirement = (caught.requirement if isinstance(caught, EngineError) else "") or "form"
            self.fault = error = EngineError(
                "the engine does not follow the protocol: {problem}", requirement, problem=problem
            )
            self.kill()
        finally:
            self._over(error)

    async def _end_of(self) -> EngineError:
        """Return an error that describes the process's end, after its output."""
        await self.ended()
        code = self.returncode
        if self._is_doomed or code is None:
            return EngineError("the engine has ended, or was ended", requirement="start")
        if code >= 0:
            return EngineError("the engine has ended with exit code {code}", requirement="start", code=code)
        return EngineError(
            "the engine has ended by signal {name}", requirement="start", name=signal_name(code)
        )

    async def _overhear(self, stderr: asyncio.StreamReader) -> None:
        while block := await stderr.read(LONGEST_LINE):
            for line in block.splitlines():
                text = _one_line(line)
                self._keep(text)
                self._on_line("!", text)

    def _keep(self, text: str) -> None:
        if text:
            self.output.append(shortened(text, _LONGEST_KEPT))

    def _end_with(self, code: int, seconds: float) -> None:
        """Record its end, and close the pipes soon, because its children can keep them open."""
        self.returncode, self._spent = code, seconds
        self._gone.set_result(None)
        asyncio.get_running_loop().call_later(_FAREWELL, self._close_pipes)

    def _close_pipes(self) -> None:
        if self._stdin is not None and not self._stdin.is_closing():
            self._stdin.abort()
        for pipe in self._outputs:
            pipe.close()


def signal_name(code: int) -> str:
    try:
        return signal.Signals(-code).name
    except ValueError:
        return str(-code)


def _open(command: Sequence[str], environment: Mapping[str, str] | None) -> Popen[bytes]:
    try:
        return Popen(command, bufsize=0, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=environment)  # noqa: S603 - the user's command
    except OSError as error:
        raise EngineError(
            "{command} cannot be started: {why}",
            requirement="start",
            command=command[0],
            why=error.strerror or error,
        ) from error


def _one_line(line: bytes) -> str:
    return printable(line.decode("utf-8", "replace").strip())


def _reap(
    process: Popen[bytes], loop: asyncio.AbstractEventLoop, end_with: Callable[[int, float], None]
) -> None:
    """Wait in a thread for a process's end, and pass on its exit code and CPU time.

    asyncio reaps without this time, and the system's total includes other children.
    """
    seconds = 0.0
    if sys.platform == "win32":
        code = process.wait()
    else:
        try:
            _, status, taken = os.wait4(process.pid, 0)
        except ChildProcessError:  # SIGCHLD is ignored
            code = _UNKNOWN_CODE
        else:
            code = os.waitstatus_to_exitcode(status)
            seconds = taken.ru_utime + taken.ru_stime
        process.returncode = code
    with contextlib.suppress(RuntimeError):  # the loop is closed
        loop.call_soon_threadsafe(end_with, code, seconds)


def _seconds_of(pid: int) -> float:
    """Return the CPU time of a running process and its children in seconds."""
    try:
        import psutil  # noqa: PLC0415 - of the extra lab
    except ImportError:
        return math.nan
    total = 0.0
    with contextlib.suppress(psutil.Error):
        process = psutil.Process(pid)
        for one in (process, *process.children(recursive=True)):
            with contextlib.suppress(psutil.Error):
                total += sum(one.cpu_times()[:4])  # its own, and its terminated children's
    return total
