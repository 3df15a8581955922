"""Calling slow functions without waiting for them at the end of the program."""

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
    """Call a function in a thread that does not outlive the program.

    A thread pool would be waited for at the end; a bot that thinks for a minute must not keep a
    person from leaving.
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
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(settle, finish)

    threading.Thread(target=work, daemon=True).start()
    return await answer


def turn_of(loop: asyncio.AbstractEventLoop) -> Callable[[], None]:
    """Return what a thread that works for long calls between two steps: it gives the loop a turn.

    Without that, a thread that computes all the time makes every key wait.
    """

    def give() -> None:
        had_its_turn = threading.Event()
        with contextlib.suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(had_its_turn.set)
            had_its_turn.wait()

    return give
