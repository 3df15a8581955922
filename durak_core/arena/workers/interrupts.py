"""Ctrl+C at the right moment: between the steps of what belongs together, and in one process only."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Hold Ctrl+C back until the block is done, so that what belongs together is done together."""
    somebody_elses = signal.getsignal(signal.SIGINT) is not signal.default_int_handler
    if somebody_elses or threading.current_thread() is not threading.main_thread():
        yield
        return
    held: list[int] = []

    def hold(number: int, frame: FrameType | None) -> None:
        del frame
        held.append(number)

    signal.signal(signal.SIGINT, hold)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if held:
        raise KeyboardInterrupt


@contextmanager
def childproof() -> Iterator[None]:
    """Hold Ctrl+C back as `uninterrupted` does, and from processes that are started meanwhile for ever.

    A terminal sends it to all processes. One that is still importing would end with a traceback.
    """
    with uninterrupted():
        if not hasattr(signal, "pthread_sigmask"):
            yield
            return
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
