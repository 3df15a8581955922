"""Finds callbacks that hold an event loop for long, with their stacks.

``python3 -m benchmarks.stalls FILE ARGUMENTS`` runs ``durak-tui`` with the arguments, and appends each stall
to FILE as a line of JSON.
"""

from __future__ import annotations

import asyncio
import faulthandler
import gc
import json
import re
import sys
import tempfile
import threading
import time
from asyncio.events import Handle
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import BinaryIO, Final

_SAMPLING: Final = 0.02
"""Seconds between two looks at the stack."""
_SHORTEST: Final = 0.02
"""Seconds of computing that are reported in a file."""
_MOST_FRAMES: Final = 30
_MARKING: Final = 0.002
"""Seconds between two readings of the CPU time; a reading takes longer than many callbacks."""


@dataclass(frozen=True, slots=True)
class Stall:
    """A callback that held the event loop.

    Attributes:
        begun: When it started, by `time.perf_counter`, whose zero all processes of a machine share on Linux.
        seconds: How long it took.
        work: Processor seconds of the loop's thread, without garbage collection; up to 2 ms too many.
        callback: The task or function.
        stack: The last stack seen in it; empty if it was too short or never released the GIL.
    """

    begun: float
    seconds: float
    work: float
    callback: str
    stack: str


class _Watch:
    """Measures each callback in the thread that created it, and samples long ones from another thread."""

    def __init__(self, limit: float, found: Callable[[Handle, Stall], None]) -> None:
        self._limit = limit
        self._found = found
        self._loop_thread = threading.get_ident()
        self._callbacks = 0
        self._is_running = False
        self._stack: tuple[int, str] = (0, "")
        self._marked = self._worked = 0.0
        self._collecting = 0.0
        self._collected = 0.0
        self._ended = threading.Event()

    def run(self, call: Callable[[Handle], None], handle: Handle) -> None:
        if threading.get_ident() != self._loop_thread or self._is_running:
            call(handle)
            return
        callback = handle._callback  # noqa: SLF001 - cleared if it cancels itself
        self._callbacks += 1
        self._is_running = True
        begun = time.perf_counter()
        if begun - self._marked > _MARKING:
            self._marked, self._worked, self._collected = begun, time.thread_time(), 0.0
        try:
            call(handle)
        finally:
            self._is_running = False
            seconds = time.perf_counter() - begun
            if seconds > self._limit:
                work = time.thread_time() - self._worked - self._collected
                if work > self._limit:
                    number, stack = self._stack
                    seen = stack if number == self._callbacks else ""
                    self._found(handle, Stall(begun, seconds, work, _name(callback), seen))

    def collecting(self, phase: str, _info: Mapping[str, int]) -> None:
        """Measure the garbage collector, which may run in any callback."""
        if threading.get_ident() == self._loop_thread:
            now = time.thread_time()
            if phase == "start":
                self._collecting = now
            else:
                self._collected += now - self._collecting

    def sample(self) -> None:
        """Keep the stack of a callback that is running for the second time in a row, until `end`."""
        before = 0
        with tempfile.TemporaryFile(buffering=0) as file:
            while not self._ended.wait(_SAMPLING):
                number = self._callbacks if self._is_running else 0
                if number and number == before:
                    stack = _stack_of(self._loop_thread, file)
                    if stack:
                        self._stack = number, stack
                before = number

    def end(self) -> None:
        self._ended.set()


def _stack_of(thread: int, file: BinaryIO) -> str:
    """Return a thread's frames in the present callback, outermost first; empty if it has just ended.

    `faulthandler` holds the GIL meanwhile. A thread may reuse frames that Python code is walking through.
    """
    file.seek(0)
    file.truncate()
    faulthandler.dump_traceback(file)
    file.seek(0)
    text = file.read().decode("utf-8", "replace")
    found = re.search(rf"hread 0x0*{thread:x} .*\n((?:  File .*\n)+)", text)
    frames = found[1].splitlines() if found else []
    ours = next((at for at, frame in enumerate(frames) if f'"{__file__}"' in frame), len(frames))
    return "\n".join(frames[:ours][_MOST_FRAMES::-1])


def _name(callback: object) -> str:
    task = getattr(callback, "__self__", None)
    return repr(task if isinstance(task, asyncio.Task) else callback)


@contextmanager
def watching(limit: float, found: Callable[[Handle, Stall], None]) -> Iterator[None]:
    """Call a function after each callback of this thread's event loops that computes for long.

    Args:
        limit: Processor seconds, more than 0.
        found: Called in the loop's thread.
    """
    watch = _Watch(limit, found)
    call = Handle._run  # noqa: SLF001 - asyncio has no hook
    sampler = threading.Thread(target=watch.sample, name="stalls", daemon=True)

    def run(handle: Handle) -> None:
        watch.run(call, handle)

    Handle._run = run  # noqa: SLF001
    gc.callbacks.append(watch.collecting)
    sampler.start()
    try:
        yield
    finally:
        watch.end()
        sampler.join()
        gc.callbacks.remove(watch.collecting)
        Handle._run = call  # noqa: SLF001


def main() -> None:
    """Run the app and report its stalls."""
    from durak_tui.cli import main as run_app  # noqa: PLC0415 - the process's start is measured

    _own, file, *arguments = sys.argv
    sys.argv = ["durak-tui", *arguments]
    with (
        Path(file).open("a", encoding="utf-8", buffering=1) as stream,
        watching(_SHORTEST, lambda _handle, stall: print(json.dumps(asdict(stall)), file=stream)),
    ):
        run_app()


if __name__ == "__main__":
    main()
