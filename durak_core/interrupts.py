"""Handling of Ctrl+C and termination signals, and their exit codes."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

_ORDERS: Final = tuple([getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)])

_HELD_BACK: Final = {signal.SIGINT, *_ORDERS}

_obeyed: list[int] = []


def handle_signals() -> None:
    """Make termination signals act as Ctrl+C in this process."""
    for number in _ORDERS:
        if signal.getsignal(number) is not signal.SIG_IGN:  # as under nohup
            signal.signal(number, _obey)


def ignore_signals() -> None:
    """Ignore all interruptions at the end of the process."""
    for number in _HELD_BACK:
        signal.signal(number, signal.SIG_IGN)


def exit_code() -> int:
    """Return the exit code of an interrupted process, as shells define it."""
    return 128 + (_obeyed or [signal.SIGINT])[-1]


def _obey(number: int, frame: FrameType | None) -> None:
    _obeyed.append(number)
    handler = signal.getsignal(signal.SIGINT)
    if callable(handler):
        handler(number, frame)
    else:  # the parent process made it ignore Ctrl+C, but not termination
        raise KeyboardInterrupt


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Delay interruptions until the block ends."""
    before = signal.getsignal(signal.SIGINT)
    somebody_elses = before not in (signal.default_int_handler, signal.SIG_IGN)
    if somebody_elses or threading.current_thread() is not threading.main_thread():
        yield
        return
    held: list[int] = []

    def hold(number: int, frame: FrameType | None) -> None:
        del frame
        if number != signal.SIGINT or before is not signal.SIG_IGN:
            held.append(number)

    signal.signal(signal.SIGINT, hold)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if held:
        raise KeyboardInterrupt


@contextmanager
def block_signals() -> Iterator[None]:
    """Act as `uninterrupted`, and block interruptions permanently in processes started in the block.

    A terminal sends them to all its processes, and a process that is still importing would print a traceback.
    """
    with uninterrupted():
        if not hasattr(signal, "pthread_sigmask"):
            yield
            return
        before = signal.pthread_sigmask(signal.SIG_BLOCK, _HELD_BACK)
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
