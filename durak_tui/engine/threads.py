"""Threads for slow functions, which do not delay the end of the program."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import threading
from collections.abc import Callable
from functools import partial
from typing import TypeVar

_T = TypeVar("_T")


async def in_thread(function: Callable[..., _T], *arguments: object) -> _T:
    """Call a function in a daemon thread, in the caller's context.

    Unlike a thread pool, a daemon thread does not keep the program alive while a bot thinks.
    """
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[_T] = loop.create_future()
    context = contextvars.copy_context()

    def settle(finish: Callable[[], None]) -> None:
        if not answer.done():
            finish()

    def work() -> None:
        try:
            finish = partial(answer.set_result, context.run(function, *arguments))
        except BaseException as error:  # noqa: BLE001 - it is raised where the answer is awaited
            finish = partial(answer.set_exception, error)
        with contextlib.suppress(RuntimeError):  # the loop is closed and nothing awaits the result
            loop.call_soon_threadsafe(settle, finish)

    threading.Thread(target=work, daemon=True).start()
    return await answer


def turn_of(loop: asyncio.AbstractEventLoop) -> Callable[[], None]:
    """Return a function that a computing thread calls between steps to let the event loop run.

    Without it, every key waits for the thread.
    """

    def give() -> None:
        had_its_turn = threading.Event()
        with contextlib.suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(had_its_turn.set)
            had_its_turn.wait()

    return give
