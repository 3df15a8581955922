"""The process of an engine: started, written to and read line by line, until it ends or is ended."""

from __future__ import annotations

import asyncio
import contextlib
import math
import os
import signal
import sys
from asyncio.subprocess import SubprocessStreamProtocol
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Final, Self

from durak_core.engine.protocol import LONGEST_LINE
from durak_core.errors import EngineError
from durak_core.messages import Message, printable, shortened

_FAREWELL: Final = 5.0
"""Seconds that a process has to end itself when it is told to, or when its output has ended."""

_KEPT_LINES: Final = 20
"""How many of its last lines are kept to be shown when an engine fails."""

_LONGEST_KEPT: Final = 300

_LESS_URGENT: Final = 5
"""How much nicer than this process one is that gives way to others."""


class _Pipes(SubprocessStreamProtocol):
    """The pipes of a process; `gone` is done when the process has ended, whoever else may hold them still."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(LONGEST_LINE, loop)
        self.gone: asyncio.Future[None] = loop.create_future()

    def process_exited(self) -> None:
        super().process_exited()
        self.gone.set_result(None)


class EngineProcess:
    """One process, from its start to its end.

    Args:
        process: What was started, with pipes.
        pipes: The pipes, which are closed some seconds after its end even if what it has started holds them.
        transport: What closes them.
        hear: Gets each line, after the mark ``<`` one of the output and after ``!`` one of the standard
            error, in which nothing has a meaning; an `EngineError` of it ends the process.
        over: Gets what to tell whoever waits, when nothing more will come.
    """

    def __init__(
        self,
        process: asyncio.subprocess.Process,
        pipes: _Pipes,
        transport: asyncio.SubprocessTransport,
        hear: Callable[[str, str], None],
        over: Callable[[EngineError], None],
    ) -> None:
        self._process = process
        self._gone = pipes.gone
        self._close_pipes = transport.close
        self._hear = hear
        self._over = over
        self._tasks: tuple[asyncio.Task[None], ...] = ()
        self._is_doomed = False
        self._ended_before = 0.0
        self._spent: float | None = None
        self.output: deque[str] = deque(maxlen=_KEPT_LINES)
        """Its last lines, errors and all."""

    @classmethod
    async def start(
        cls,
        command: Sequence[str],
        hear: Callable[[str, str], None],
        over: Callable[[EngineError], None],
        environment: Mapping[str, str] | None = None,
    ) -> Self:
        """Start a process and listen to it; `EngineError` if it cannot be started."""
        loop = asyncio.get_running_loop()
        try:
            transport, pipes = await loop.subprocess_exec(lambda: _Pipes(loop), *command, env=environment)
        except OSError as error:
            raise EngineError(
                "{command} cannot be started: {why}",
                duty="start",
                command=command[0],
                why=error.strerror or error,
            ) from error
        process = asyncio.subprocess.Process(transport, pipes, loop)
        started = cls(process, pipes, transport, hear, over)
        pipes.gone.add_done_callback(lambda _gone: loop.call_later(_FAREWELL, transport.close))
        started._tasks = (
            asyncio.create_task(started.read(), name="durak-engine-reader"),
            asyncio.create_task(started._overhear(), name="durak-engine-errors"),
        )
        return started

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        return self._process.returncode

    @property
    def is_running(self) -> bool:
        """Whether it can be asked something."""
        return bool(self._tasks) and not self._tasks[0].done() and not self._is_doomed

    def send(self, text: str) -> None:
        stdin = self._process.stdin
        if stdin is not None and not stdin.is_closing():
            self._ended_before = _seconds_of_ended()
            stdin.write(text.encode() + b"\n")

    def close_input(self) -> None:
        if self._process.stdin is not None:
            self._process.stdin.close()

    def give_way(self) -> None:
        """Let others come first where processors are scarce."""
        if hasattr(os, "setpriority"):
            with contextlib.suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, self.pid, os.getpriority(os.PRIO_PROCESS, 0) + _LESS_URGENT)

    def computed(self) -> float:
        """Return the processor time that it and its children took, in seconds; nan without psutil."""
        return _seconds_of(self.pid) if self._spent is None else self._spent

    async def ended(self, patience: float = _FAREWELL) -> bool:
        """Wait for its end; return whether it came within some seconds, at most five."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(asyncio.shield(self._gone), min(patience, _FAREWELL))
        return self.returncode is not None

    def kill(self) -> None:
        """End it by force, past the method of asyncio, which may take its exit code and then miss it."""
        self._is_doomed = True
        if self.returncode is None:
            with contextlib.suppress(OSError):
                os.kill(self.pid, getattr(signal, "SIGKILL", signal.SIGTERM))

    async def end(self, patience: float) -> None:
        """Make sure that it is gone, and that nobody waits for it.

        Where this is cancelled, it has to be called again.
        """
        self.kill()
        self.close_input()
        await asyncio.shield(self._gone)
        self._reckon()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=patience)
        for task in self._tasks:
            task.cancel()
        self._close_pipes()

    async def read(self) -> None:
        """Take in what the engine says, until it says nothing more."""
        stdout = self._process.stdout
        assert stdout is not None  # noqa: S101 - it was started with a pipe
        error = EngineError("the engine has ended, or was ended")
        try:
            while line := await stdout.readline():
                text = _one_line(line)
                self._keep(text)
                self._hear("<", text)
            error = await self._end_of()
        except (EngineError, ValueError) as caught:
            long = Message("a line has more than {most} characters", most=LONGEST_LINE)
            problem = caught.message if isinstance(caught, EngineError) else long
            duty = (caught.duty if isinstance(caught, EngineError) else "") or "form"
            error = EngineError("the engine does not follow the protocol: {problem}", duty, problem=problem)
            self.kill()
        finally:
            self._over(error)

    async def _end_of(self) -> EngineError:
        """Say how the process has ended, whose output is at its end."""
        await self.ended()
        code = self.returncode
        if self._is_doomed or code is None:
            return EngineError("the engine has ended, or was ended", duty="start")
        self._reckon()
        if code >= 0:
            return EngineError("the engine has ended with exit code {code}", duty="start", code=code)
        return EngineError("the engine has ended by signal {name}", duty="start", name=signal_name(code))

    async def _overhear(self) -> None:
        """Take in what the engine writes to its standard error."""
        stderr = self._process.stderr
        assert stderr is not None  # noqa: S101 - it was started with a pipe
        while block := await stderr.read(LONGEST_LINE):
            for line in block.splitlines():
                text = _one_line(line)
                self._keep(text)
                self._hear("!", text)

    def _keep(self, text: str) -> None:
        if text:
            self.output.append(shortened(text, _LONGEST_KEPT))

    def _reckon(self) -> None:
        """Note what it took: what all ended children took has risen by that since it was last asked."""
        if self._spent is None:
            self._spent = _seconds_of_ended() - self._ended_before


def signal_name(code: int) -> str:
    """Return by which signal a process has ended whose exit code is below 0; its number if it has no name."""
    try:
        return signal.Signals(-code).name
    except ValueError:
        return str(-code)


def _one_line(line: bytes) -> str:
    """Read a line of an engine: nothing in it is more than text from here on."""
    return printable(line.decode("utf-8", "replace").strip())


def _seconds_of(pid: int) -> float:
    """Return the processor time of a process that runs, and of its children."""
    try:
        import psutil  # noqa: PLC0415 - of the extra lab
    except ImportError:
        return math.nan
    total = 0.0
    with contextlib.suppress(psutil.Error):
        process = psutil.Process(pid)
        for one in (process, *process.children(recursive=True)):
            with contextlib.suppress(psutil.Error):
                total += sum(one.cpu_times()[:4])  # its own, and its ended children's
    return total


def _seconds_of_ended() -> float:
    """Return the processor time of all ended children of this process; 0 where the system does not say."""
    if sys.platform == "win32":
        return 0.0
    import resource  # noqa: PLC0415 - not there on every system

    taken = resource.getrusage(resource.RUSAGE_CHILDREN)
    return taken.ru_utime + taken.ru_stime
