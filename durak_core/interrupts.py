"""Ctrl+C and orders to end: at the right moment, in one process only, and told apart by the exit code."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

_ORDERS: Final = tuple([getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)])
"""What the system, or a terminal that is closed, ends a program by."""

_HELD_BACK: Final = {signal.SIGINT, *_ORDERS}

_obeyed: list[int] = []


def obey_orders() -> None:
    """Have an order to end do what Ctrl+C does, from now on in the whole process."""
    for number in _ORDERS:
        if signal.getsignal(number) is not signal.SIG_IGN:  # as under nohup
            signal.signal(number, _obey)


def obey_nothing() -> None:
    """Let nothing disturb the end of the process, where all is said."""
    for number in _HELD_BACK:
        signal.signal(number, signal.SIG_IGN)


def exit_code() -> int:
    """Return the exit code of a process that was interrupted, as shells have it."""
    return 128 + (_obeyed or [signal.SIGINT])[-1]


def _obey(number: int, frame: FrameType | None) -> None:
    _obeyed.append(number)
    handler = signal.getsignal(signal.SIGINT)
    if callable(handler):
        handler(number, frame)
    else:  # who started this process wants it to ignore Ctrl+C, and no more than that
        raise KeyboardInterrupt


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Hold interruptions back until the block is done, so that what belongs together is done together."""
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
def childproof() -> Iterator[None]:
    """Do as `uninterrupted`, and hold interruptions back from processes that are started meanwhile for ever.

    A terminal sends them to all processes. One that is still importing would end with a traceback.
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
